#pragma once
// What `hexapla translate` reads: lines from stdin, and what is asked of each of them.
#include <memory>
#include <string>
#include <vector>

#include "data/lines.h"
#include "decode/translator.h"

namespace hexapla::cli {

struct InputLines {
  std::vector<std::string> text;
  std::vector<LineRequest> requests;  // as many
};

class TranslateInput {
 public:
  virtual ~TranslateInput() = default;
  // At most so many lines, none after the last. DataError: a line that is not what it should be.
  virtual InputLines next(int64_t most) = 0;
};

// Lines of stdin; where stdin is a terminal, a prompt for each on stderr.
std::unique_ptr<TranslateInput> plain_input(bool prompt);
// The same, with the prefixes of the translations in another file, line by line. DataError: not as many.
std::unique_ptr<TranslateInput> input_with_prefixes(const std::string& prefix_file);
// A JSON object a line: "text", and if wanted "prefix" (a string), "require" and "forbid" (lists of strings). An empty
// line is an empty text.
std::unique_ptr<TranslateInput> json_input();

}  // namespace hexapla::cli
