#pragma once
// Lines of text as sentences of ids where a line may be too long for one.
#include <span>
#include <string>
#include <vector>

#include "decode/text/line_encoder.h"

namespace hexapla::decode {

// What becomes of a line that is longer than is translated at a time.
enum class LongInput { split, refuse, truncate };
LongInput parse_long_input(const std::string& word);  // UsageError: another word

class SourceReader : public LineEncoder {
 public:
  using LineEncoder::LineEncoder;

  struct Part {
    std::string text;  // UTF-8
    text::Ids ids;     // without </s>
  };
  // The parts of a line; none for a blank line. A line that fits has one. Warned of.
  std::vector<Part> parts(const std::string& text, size_t line) const;
  // The line as one part; a long one is cut, and warned of.
  std::vector<Part> whole(const std::string& text, size_t line) const;
  // One or the other.
  std::vector<Part> read(const std::string& text, size_t line, LongInput long_input) const {
    return long_input == LongInput::split ? parts(text, line) : whole(text, line);
  }
  bool too_long(const std::string& text) const;
  // Of a long line that is refused, the first of `lines`: how long it is, how many of these are, and what to do.
  // otherwise: the value of `long-input` that reads it.
  std::string why_refused(std::span<const std::string> lines, const char* otherwise = "split") const;
  int64_t longest() const { return longest_; }

 private:
  bool fits(const text::Ids& ids) const { return static_cast<int64_t>(ids.size()) < longest_; }
};

}  // namespace hexapla::decode
