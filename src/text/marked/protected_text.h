#pragma once
// Text that a model does not see: it is taken out of the line and put into the translation beside the words that its
// neighbors became (docs/adr/0092-what-a-model-does-not-see.md).
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/marked/marked_line.h"
#include "text/marked/patterns.h"
#include "text/words.h"

namespace hexapla::text {

// Finds the parts of a line that are protected.
class Protection {
 public:
  // placeholders: those of text/marked/placeholders.h, and what a vocabulary cannot spell. UsageError: as Patterns.
  Protection(bool placeholders, std::span<const std::string> patterns)
      : placeholders_(placeholders), patterns_(patterns) {}

  bool placeholders() const { return placeholders_; }
  // In order, none overlaps or touches another; brackets and quotes around one belong to it. line: valid UTF-8.
  // unknown: bytes that the vocabulary cannot spell. A sentence without a letter or digit of its own is protected
  // whole.
  std::vector<TokenSpan> find(std::string_view line, std::span<const TokenSpan> unknown) const;

 private:
  bool placeholders_;
  Patterns patterns_;
};

// A line with one character in the place of each span, which ends no sentence and cannot be cut in two.
class MaskedLine {
 public:
  MaskedLine(std::string_view line, std::vector<TokenSpan> spans);

  const std::string& text() const { return text_; }
  bool masked() const { return !spans_.empty(); }
  // Bytes from .. to - 1 of text() in the line, and the spans in them, counted from `from`.
  std::pair<std::string, std::vector<TokenSpan>> unmasked(TokenSpan part) const;
  std::size_t in_line(std::size_t byte) const;  // of a byte of text() that is not inside of a mask

 private:
  std::string_view line_;
  std::vector<TokenSpan> spans_;
  std::string text_;
  std::vector<std::size_t> masks_;  // where each begins in text_
};

// Spans of a masked text: its masks.
std::vector<TokenSpan> masks_of(std::string_view text);

class ProtectedText {
 public:
  ProtectedText(std::string_view line, std::vector<TokenSpan> spans);

  // The text that the model sees: the line without its spans, blanks as MarkedLine has them.
  const std::string& text() const { return marked_.text(); }
  const std::vector<TokenSpan>& spans() const { return spans_; }  // bytes of the line
  // Where tokens of text() stand in the line.
  std::vector<TokenSpan> in_line(std::vector<TokenSpan> tokens) const;

  struct Restored {
    std::string text;                // one line
    std::vector<TokenSpan> tokens;   // where those that were given stand in it
    std::vector<TokenSpan> spans{};  // the protected ones, as spans() has them; empty: it was there
  };
  // A translation of text(), with every span once. links: words of text() and of the translation. solid: bytes of the
  // translation that stay together. given: text that the translation has anyway, such as a prefix: spans that stand in
  // it are not put in again.
  Restored restored(std::string translation, std::vector<TokenSpan> tokens, const WordLinks& links,
                    std::vector<TokenSpan> solid = {}, std::string_view given = {}) const;

  // The same spans in a translation that has them; nothing if one is missing.
  std::optional<std::vector<TokenSpan>> find_in(std::string_view translation) const;

 private:
  class Writer;
  std::string content(std::size_t i) const { return line_.substr(spans_[i].from, spans_[i].to - spans_[i].from); }
  std::vector<bool> not_in(std::string_view given) const;

  std::string line_;
  std::vector<TokenSpan> spans_;
  MarkedLine marked_;
};

}  // namespace hexapla::text
