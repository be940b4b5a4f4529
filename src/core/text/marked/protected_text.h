#pragma once
// Text that is hidden from the model: it is removed from the line, and inserted into the
// translation next to the translations of its neighbors
// (docs/adr/0092-what-a-model-does-not-see.md).
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/marked/marked_line.h"
#include "text/marked/patterns.h"
#include "text/words.h"

namespace hexapla::text {

// Finds the protected parts of a line.
class Protection {
 public:
  // placeholders: protect those of text/marked/placeholders.h and whatever the vocabulary cannot
  // spell. Throws UsageError like Patterns.
  Protection(bool placeholders, std::span<const std::string> patterns)
      : placeholders_(placeholders), patterns_(patterns) {}

  bool placeholders() const { return placeholders_; }
  // The spans in order; they neither overlap nor touch, and include brackets and quotes around
  // them. A sentence without a letter or digit of its own is protected as a whole. line: valid
  // UTF-8. unknown: bytes that the vocabulary cannot spell. learned: bytes that the model reads as
  // they are, in order: only a pattern protects them.
  std::vector<TokenSpan> find(std::string_view line, std::span<const TokenSpan> unknown,
                              std::span<const TokenSpan> learned = {}) const;

 private:
  bool placeholders_;
  Patterns patterns_;
};

// A line with each span replaced by one character, which neither ends a sentence nor can be split.
class MaskedLine {
 public:
  MaskedLine(std::string_view line, std::vector<TokenSpan> spans);

  const std::string& text() const { return text_; }
  bool masked() const { return !spans_.empty(); }
  // Bytes from .. to - 1 of text() in the line, and the spans in them, relative to `from`.
  std::pair<std::string, std::vector<TokenSpan>> unmasked(TokenSpan part) const;
  std::size_t in_line(std::size_t byte) const;  // for a byte of text() outside the masks

 private:
  std::string_view line_;
  std::vector<TokenSpan> spans_;
  std::string text_;
  std::vector<std::size_t> masks_;  // where each mask begins in text_
};

// The masks in a masked text.
std::vector<TokenSpan> masks_of(std::string_view text);

class ProtectedText {
 public:
  ProtectedText(std::string_view line, std::vector<TokenSpan> spans);

  // The text that the model sees: the line without its spans, and with whitespace as in MarkedLine.
  const std::string& text() const { return marked_.text(); }
  const std::vector<TokenSpan>& spans() const { return spans_; }  // bytes of the line
  std::string content(std::size_t i) const { return line_.substr(spans_[i].from, spans_[i].to - spans_[i].from); }
  // Maps tokens of text() to the line.
  std::vector<TokenSpan> in_line(std::vector<TokenSpan> tokens) const;

  struct Restored {
    std::string text;                // one line
    std::vector<TokenSpan> tokens;   // the positions of the given tokens in it
    std::vector<TokenSpan> spans{};  // the protected spans, in the order of spans(); empty: already in `given`
  };
  // Inserts every span once into a translation of text(). links: words of text() and of the
  // translation. solid: bytes of the translation that must not be split. given: text that the
  // translation already contains, such as a prefix; spans in it are not inserted again.
  Restored restored(std::string translation, std::vector<TokenSpan> tokens, const WordLinks& links,
                    std::vector<TokenSpan> solid = {}, std::string_view given = {}) const;

  // The beginning of a translation, as a user gives it, with the spans in it. If it ends inside of
  // a span, the rest of that is added, unless word(the beginning of the span) says that it may be a
  // word of the language.
  struct Beginning {
    std::string text;
    std::vector<TokenSpan> spans;  // in the order of the text, as whole words
  };
  Beginning beginning(std::string_view text, const std::function<bool(std::string_view)>& word) const;

  // The spans in a translation that contains them; nothing if one is missing.
  std::optional<std::vector<TokenSpan>> find_in(std::string_view translation) const;

 private:
  class Writer;
  std::vector<std::optional<TokenSpan>> places_in(std::string_view text) const;

  std::string line_;
  std::vector<TokenSpan> spans_;
  MarkedLine marked_;
};

}  // namespace hexapla::text
