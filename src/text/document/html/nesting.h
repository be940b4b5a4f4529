#pragma once
// Limits how deeply a page nests its elements, before it is parsed: the time and memory of an HTML5
// parser grow with the product of tags and open elements, and untrusted pages may choose both.
#include <string>
#include <string_view>

namespace hexapla::text::document {

constexpr std::string_view kEmptyComment = "<!---->", kCommentBegin = kEmptyComment.substr(0, 4),
                           kCommentEnd = kEmptyComment.substr(4);

// The page with scripts, style sheets and comments replaced by spaces, so that their content is
// neither counted nor parsed; the length stays the same. DataError: elements are nested too deeply,
// or too many stay open for too long.
std::string readable_page(std::string_view html);

}  // namespace hexapla::text::document
