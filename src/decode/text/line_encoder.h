#pragma once
// One side of the input: lines to ids, cut where they are too long for the model. Every line that a user gives to a
// model is read here, so that all interfaces say the same of it.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/config.h"
#include "text/marked/protected_text.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// A note about a line.
struct LineNote : std::string {
  bool unknown_letters;  // that its vocabulary lacks most of them: what the model makes of it means nothing
  LineNote(std::string text, bool unknown = false) : std::string(std::move(text)), unknown_letters(unknown) {}
};
// The line's index in the input (from 0) and what was done to it. A result comes in every case.
using LineWarning = std::function<void(size_t line, const LineNote& what)>;

// A line is the text that is translated, or a translation of it.
enum class LineSide { source, translation };

// Borrows everything. Warns of a line of more than max_length tokens (or than the model's learned positions), </s>
// counted, of which only the first are read; of bytes that are not UTF-8, each read as U+FFFD; and of a line most of
// whose letters the vocabulary lacks.
class LineEncoder {
 public:
  LineEncoder(const text::Vocabulary& vocabulary, const model::Config& config, int64_t max_length,
              const LineWarning& warn, LineSide side = LineSide::source);
  LineEncoder(const text::Vocabulary& vocabulary, int64_t learned_positions, int64_t max_length,
              const LineWarning& warn, LineSide side = LineSide::source);

  // Without </s>; empty for a blank line. `line` is its index in the input, for warnings.
  text::Ids encode(const std::string& text, size_t line) const;
  std::vector<text::Ids> encode(std::span<const std::string> lines) const;
  // The same, and to which words of the line (text/words.h) each token belongs.
  struct Line {
    text::Ids ids;
    std::vector<text::WordSpan> words;
    int32_t word_count = 0;
    int32_t words_read = 0;  // fewer where the line was cut; one that was cut itself counts
    bool opened = false;     // the first token is given, and costs nothing (OpenedLine::opening)
  };
  // hidden: what has words, but no tokens: bytes at the start, and what the model does not see of the rest.
  struct Hidden {
    size_t bytes = 0;
    std::vector<text::TokenSpan> spans = {};  // in the rest, in order
  };
  Line encode_words(const std::string& text, size_t line, text::WordEnds ends, const Hidden& hidden) const;
  Line encode_words(const std::string& text, size_t line, text::WordEnds ends = text::WordEnds::by_script) const {
    return encode_words(text, line, ends, {});
  }
  // What of a text `protection` protects, in order. clean: the text, valid UTF-8. seen: the same in the letters that
  // the vocabulary has to spell, character by character. ids: of that.
  std::vector<text::TokenSpan> protected_in(const std::string& clean, const std::string& seen, const text::Ids& ids,
                                            const text::Protection* protection) const;

 protected:
  std::string repaired(const std::string& text, size_t line) const;
  text::Ids encode_clean(const std::string& clean, size_t line) const;
  size_t kept(size_t tokens, size_t line) const;
  void warn_of_unknown_letters(const std::string& clean, const text::Ids& ids, size_t line) const;
  void warn(size_t line, const std::string& what, bool unknown_letters = false) const;

  const text::Vocabulary& vocabulary_;
  int64_t longest_;     // tokens of a sentence, </s> counted
  const char* remedy_;  // for a longer one
  const LineWarning& warn_;
  LineSide side_;
};

}  // namespace hexapla::decode
