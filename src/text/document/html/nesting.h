#pragma once
// How deeply a page nests its elements, before it is parsed: an HTML5 parser takes time and memory that grow with the
// product of tags and open elements, and a stranger may choose both.
#include <string>
#include <string_view>

namespace hexapla::text::document {

constexpr std::string_view empty_comment = "<!---->", comment_begin = empty_comment.substr(0, 4),
                           comment_end = empty_comment.substr(4);

// The page, as long as it is, with blanks in the place of scripts, style sheets and comments, so that no tag in them
// counts, or is parsed. DataError: elements are nested too deeply, or too many stay open for too long.
std::string readable_page(std::string_view html);

}  // namespace hexapla::text::document
