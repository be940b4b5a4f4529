#pragma once
// Text runs of Office Open XML (<w:r><w:rPr>..</w:rPr><w:t>text</w:t></w:r>): each has one style, and all text is in
// one. A line in which styles begin and end at any word is written as runs.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

struct RunStyle {
  std::string before = {}, text = {}, after = {};  // "<w:r><w:rPr>..</w:rPr>", "w:t" (or none), "</w:r>"
  bool link = false;                               // whether its text leads somewhere
  bool marks_blanks = true;                        // whether blanks at its ends need xml:space="preserve"
};

// Marks of what a text between two of them is; in XML there are no such characters.
namespace run_marks {

// In a line everything is text that is not between these.
std::string markup(std::string_view xml);
std::string line_begins(std::size_t style);
std::string line_ends();
std::string style_begins(std::size_t style);
std::string style_ends();

}  // namespace run_marks

// marked: XML with lines in it. styles: by their numbers.
std::string with_runs(const std::string& marked, const std::vector<RunStyle>& styles);

}  // namespace hexapla::text::document
