#pragma once
// Converts lines of one side to ids, truncated if they are too long for the model. All interfaces
// read lines for a model here, so that all give the same warnings.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/config.h"
#include "text/marked/protected_text.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// A warning about a line.
struct LineNote : std::string {
  bool unknown_letters;  // the vocabulary lacks most of its letters, so the translation is meaningless
  LineNote(std::string text, bool unknown = false) : std::string(std::move(text)), unknown_letters(unknown) {}
};
// The line's index in the input (from 0) and what was done to it. There is always a result.
using LineWarning = std::function<void(size_t line, const LineNote& what)>;

// Whether a line is the text to translate or a translation.
enum class LineSide { source, translation };

// Borrows everything. Warns of lines of more than max_length tokens (or than the model's learned
// positions), including </s>, of which only the first tokens are read; of invalid UTF-8, where each
// byte is read as U+FFFD; and of lines most of whose letters the vocabulary lacks.
class LineEncoder {
 public:
  LineEncoder(const text::Vocabulary& vocabulary, const model::Config& config, int64_t max_length,
              const LineWarning& warn, LineSide side = LineSide::source);
  LineEncoder(const text::Vocabulary& vocabulary, int64_t learned_positions, int64_t max_length,
              const LineWarning& warn, LineSide side = LineSide::source);

  // Without </s>; empty for a blank line. `line` is its index in the input, for warnings.
  text::Ids encode(const std::string& text, size_t line) const;
  std::vector<text::Ids> encode(std::span<const std::string> lines) const;
  // The same, with the words of the line (text/words.h) that each token belongs to.
  struct Line {
    text::Ids ids;
    std::vector<text::WordSpan> words;
    int32_t word_count = 0;
    int32_t words_read = 0;  // fewer if the line was truncated; includes a truncated word
    bool opened = false;     // the first token is given and costs nothing (OpenedLine::opening)
  };
  // hidden: text that has words but no tokens: bytes at the start, and spans of the rest that the
  // model does not see.
  struct Hidden {
    size_t bytes = 0;
    std::vector<text::TokenSpan> spans = {};  // in the rest, in ascending order
  };
  Line encode_words(const std::string& text, size_t line, text::WordEnds ends, const Hidden& hidden) const;
  Line encode_words(const std::string& text, size_t line, text::WordEnds ends = text::WordEnds::by_script) const {
    return encode_words(text, line, ends, {});
  }
  // The parts of a text that `protection` protects, in order. clean: the text, valid UTF-8. seen:
  // the same text in the letter case that the vocabulary spells, character by character. ids: of
  // `seen`.
  std::vector<text::TokenSpan> protected_in(const std::string& clean, const std::string& seen, const text::Ids& ids,
                                            const text::Protection* protection) const;

 protected:
  std::string repaired(const std::string& text, size_t line) const;
  void warn_of_invalid_utf8(const std::string& text, size_t line) const;
  text::Ids encode_clean(const std::string& clean, size_t line) const;
  size_t kept(size_t tokens, size_t line) const;
  void warn_of_unknown_letters(const std::string& clean, const text::Ids& ids, size_t line) const;
  void warn(size_t line, const std::string& what, bool unknown_letters = false) const;

  const text::Vocabulary& vocabulary_;
  int64_t longest_;     // tokens of a sentence, including </s>
  const char* remedy_;  // for longer ones
  const LineWarning& warn_;
  LineSide side_;
};

}  // namespace hexapla::decode
