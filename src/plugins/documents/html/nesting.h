#pragma once
// Limits how deeply a page nests its elements, and how many attributes a tag has, before it is parsed: the time and
// memory of an HTML5 parser grow with the product of tags and open elements and with the square of the attributes of a
// tag, and untrusted pages may choose all of them.
#include <string>
#include <string_view>

namespace hexapla::text::document {

constexpr std::string_view kEmptyComment = "<!---->", kCommentBegin = kEmptyComment.substr(0, 4),
                           kCommentEnd = kEmptyComment.substr(4);

// The page with scripts, style sheets and comments replaced by spaces, so that their content is
// neither counted nor parsed; the length stays the same. DataError: elements are nested too deeply,
// too many stay open for too long, or a tag has too many attributes.
std::string readable_page(std::string_view html);

}  // namespace hexapla::text::document
