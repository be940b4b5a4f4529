#pragma once
// The input of `hexapla translate`: lines from stdin or a file, with the constraints of each.
#include <functional>
#include <memory>
#include <string>

#include "data/files/lines.h"
#include "hexapla/translation.h"

namespace hexapla::api {

class TranslateInput {
 public:
  virtual ~TranslateInput() = default;
  // The next line; false after the last. DataError: an invalid line, or one that LineReader
  // refuses.
  virtual bool next(std::string& text, Constraints& asked) = 0;
  virtual bool ready() = 0;  // whether next() returns without waiting for a pipe or a terminal
};

// Reads the lines of a file or shard, like LineReader and RangeReader.
struct LinesToTranslate {
  std::function<bool(std::string& line)> next;
  std::string name;  // for messages
  std::function<bool()> ready = [] { return true; };
};
// path: "-" is stdin. before_waiting: called before next() waits.
LinesToTranslate lines_of(const std::string& path, data::BeforeWaiting before_waiting);

std::unique_ptr<TranslateInput> plain_input(LinesToTranslate lines);
// The same, with the prefixes of the translations in another file, line by line. DataError:
// different numbers of lines.
std::unique_ptr<TranslateInput> input_with_prefixes(LinesToTranslate lines, const std::string& prefix_file,
                                                    data::BeforeWaiting before_waiting);
// One JSON object per line: "text", optionally "prefix" (a string), "require" and "forbid" (lists
// of strings). An empty line is an empty text.
std::unique_ptr<TranslateInput> json_input(LinesToTranslate lines);

}  // namespace hexapla::api
