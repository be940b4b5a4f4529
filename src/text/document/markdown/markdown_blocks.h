#pragma once
// Which lines of Markdown are text: paragraphs, headings and tables, as cmark-gfm finds them.
#include <cstddef>
#include <string_view>
#include <vector>

#include "text/document/file_lines.h"

namespace hexapla::text::document {

struct MarkdownBlock {
  enum class Kind { paragraph, heading, table } kind = Kind::paragraph;
  std::size_t first = 0, last = 0;  // lines
  std::size_t column = 0;           // bytes of the first line before it
  std::size_t quotes = 0;           // that it is in
};

// In order; from: lines before that are front matter. cmark-gfm's places of blocks are exact, those of what is in them
// are not (breaks have none, a code's is without its marks), so that it reads a copy without inline markup, which also
// takes less time for what nobody would write.
std::vector<MarkdownBlock> markdown_blocks(const std::vector<FileLine>& lines, std::size_t from);

}  // namespace hexapla::text::document
