#pragma once
// The input of `hexapla translate`: lines from stdin or a file, with the constraints of each.
#include <functional>
#include <memory>
#include <string>

#include "data/files/lines.h"
#include "decode/constraints/line_constraints.h"

namespace hexapla::cli {

class TranslateInput {
 public:
  virtual ~TranslateInput() = default;
  // The next line; false after the last. DataError: one that is not what it should be, or that LineReader refuses.
  virtual bool next(std::string& text, decode::LineConstraints& request) = 0;
};

// The next line of a file or of a part of one, as LineReader and RangeReader have it.
struct LinesToTranslate {
  std::function<bool(std::string& line)> next;
  std::string name;  // for messages
};
// path: "-" is stdin. before_waiting: see LineReader.
LinesToTranslate lines_of(const std::string& path, data::BeforeWaiting before_waiting);

std::unique_ptr<TranslateInput> plain_input(LinesToTranslate lines);
// The same, with the prefixes of the translations in another file, line by line. DataError: not as many.
std::unique_ptr<TranslateInput> input_with_prefixes(LinesToTranslate lines, const std::string& prefix_file,
                                                    data::BeforeWaiting before_waiting);
// A JSON object a line: "text", and if wanted "prefix" (a string), "require" and "forbid" (lists of strings). An empty
// line is an empty text.
std::unique_ptr<TranslateInput> json_input(LinesToTranslate lines);

}  // namespace hexapla::cli
