#pragma once
// Text runs of Office Open XML (<w:r><w:rPr>..</w:rPr><w:t>text</w:t></w:r>). All text is in runs,
// and each run has one style, so a line whose styles change at any word is written as several runs.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

struct RunStyle {
  std::string before = {}, text = {}, after = {};  // "<w:r><w:rPr>..</w:rPr>", "w:t" (or none), "</w:r>"
  bool link = false;                               // whether its text is a hyperlink
  bool marks_blanks = true;                        // whether leading and trailing spaces need xml:space="preserve"
};

// Marks around markup, lines and styles, made of characters that XML does not allow.
namespace run_marks {

// Marks XML in a line as markup; everything else in a line is text.
std::string markup(std::string_view xml);
std::string line_begins(std::size_t style);
std::string line_ends();
std::string style_begins(std::size_t style);
std::string style_ends();

}  // namespace run_marks

// Writes marked XML with lines in it as runs. styles: by index.
std::string with_runs(const std::string& marked, const std::vector<RunStyle>& styles);

}  // namespace hexapla::text::document
