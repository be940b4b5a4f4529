#pragma once
// The input of `hexapla translate`: lines with the constraints of each.
#include <memory>
#include <string>

#include "hexapla/text_file.h"
#include "hexapla/translation.h"

namespace hexapla::cli {

class TranslateInput {
 public:
  virtual ~TranslateInput() = default;
  // The next line; false after the last. DataError: an invalid line, or as TextFile.
  virtual bool next(std::string& text, Constraints& asked) = 0;
  virtual bool ready() = 0;  // whether next() returns without waiting for a pipe or a terminal
};

std::unique_ptr<TranslateInput> plain_input(TextFile lines);
// The same, with the prefixes of the translations in another file, line by line. DataError:
// different numbers of lines.
std::unique_ptr<TranslateInput> input_with_prefixes(TextFile lines, const std::string& prefix_file);
// One JSON object per line: "text", optionally "prefix" (a string), "require" and "forbid" (lists
// of strings). An empty line is an empty text.
std::unique_ptr<TranslateInput> json_input(TextFile lines);

}  // namespace hexapla::cli
