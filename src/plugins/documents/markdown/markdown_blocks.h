#pragma once
// Finds the lines of Markdown that are text: paragraphs, headings and tables, as cmark-gfm parses
// them.
#include <cstddef>
#include <string_view>
#include <vector>

#include "documents/file_lines.h"

namespace hexapla::text::document {

struct MarkdownBlock {
  enum class Kind { paragraph, heading, table } kind = Kind::paragraph;
  std::size_t first = 0, last = 0;  // first and last line
  std::size_t column = 0;           // bytes of the first line before the block
  std::size_t quotes = 0;           // block quotes around it
};

// The blocks in order; from: the number of lines of front matter to skip. cmark-gfm reports exact
// positions of blocks but not of inlines (breaks have none, and code spans exclude their marks). It
// therefore parses a copy without inline markup, which also avoids slow parsing of hostile input.
std::vector<MarkdownBlock> markdown_blocks(const std::vector<FileLine>& lines, std::size_t from);

}  // namespace hexapla::text::document
