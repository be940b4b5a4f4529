#pragma once
// One side of the input: lines to ids, cut where they are too long for the model.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/config.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// The line's index in the input (from 0) and what was done to it. A result comes in every case.
using LineWarning = std::function<void(size_t line, const std::string& what)>;

// Borrows everything. Warns of a line of more than max_length tokens (or than the model's learned positions), </s>
// counted, of which only the first are read, and of bytes that are not UTF-8, each read as U+FFFD.
class LineEncoder {
 public:
  LineEncoder(const text::Vocabulary& vocabulary, const model::Config& config, int64_t max_length,
              const LineWarning& warn);
  LineEncoder(const text::Vocabulary& vocabulary, int64_t learned_positions, int64_t max_length,
              const LineWarning& warn);

  // Without </s>; empty for a blank line. `line` is its index in the input, for warnings.
  text::Ids encode(const std::string& text, size_t line) const;
  std::vector<text::Ids> encode(std::span<const std::string> lines) const;
  // The same, and to which words of the line (text/words.h) each token belongs.
  struct Line {
    text::Ids ids;
    std::vector<text::WordSpan> words;
    int32_t word_count = 0;
    int32_t words_read = 0;  // fewer where the line was cut; one that was cut itself counts
  };
  Line encode_words(const std::string& text, size_t line, text::WordEnds ends = text::WordEnds::by_script) const;

 protected:
  std::string repaired(const std::string& text, size_t line) const;
  size_t kept(size_t tokens, size_t line) const;

  const text::Vocabulary& vocabulary_;
  int64_t longest_;     // tokens of a sentence, </s> counted
  const char* remedy_;  // for a longer one
  const LineWarning& warn_;
};

}  // namespace hexapla::decode
