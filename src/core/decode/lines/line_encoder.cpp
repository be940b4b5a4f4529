#include "decode/lines/line_encoder.h"

#include <algorithm>

#include "base/error.h"
#include "text/characters.h"
#include "text/encoding.h"
#include "text/lines/letter_case.h"
#include "text/quantities.h"
#include "text/utf8.h"
#include "text/words.h"

namespace hexapla::decode {
namespace {

// The spans of pieces that the vocabulary does not have.
// The tokens whose ids are chosen.
template <class Chosen>
std::vector<text::TokenSpan> spans_of(const text::Vocabulary& v, const std::string& text, Chosen&& chosen) {
  const text::EncodedText encoded = v.encode_with_spans(text);
  std::vector<text::TokenSpan> spans;
  for (size_t i = 0; i < encoded.ids.size(); ++i)
    if (chosen(encoded.ids[i])) spans.push_back(encoded.spans[i]);
  return spans;
}
// For each byte of a text, whether it is in such a span.
std::vector<bool> unknown_bytes(const text::Vocabulary& v, const std::string& text) {
  std::vector<bool> unknown(text.size());
  const auto is_unknown = [&](int32_t id) { return id == v.unk(); };
  for (const text::TokenSpan& span : spans_of(v, text, is_unknown))
    for (size_t byte = span.from; byte < span.to; ++byte) unknown[byte] = true;
  return unknown;
}

bool has(const text::Ids& ids, int32_t id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

// The tokens of the visible part of a text, with spans in the whole text.
text::EncodedText encode_seen(const text::Vocabulary& v, const std::string& text,
                              const std::vector<text::TokenSpan>& hidden) {
  if (hidden.empty()) return v.encode_with_spans(text);
  const text::ProtectedText seen(text, hidden);
  text::EncodedText encoded = v.encode_with_spans(seen.text());
  encoded.spans = seen.in_line(std::move(encoded.spans));
  return encoded;
}

}  // namespace

LineEncoder::LineEncoder(const text::Vocabulary& vocabulary, const model::Config& c, int64_t max_length,
                         const LineWarning& warn, LineSide side)
    : LineEncoder(vocabulary, c.positions == "learned" ? c.max_positions : max_length, max_length, warn, side) {}

LineEncoder::LineEncoder(const text::Vocabulary& vocabulary, int64_t learned_positions, int64_t max_length,
                         const LineWarning& warn, LineSide side)
    : vocabulary_(vocabulary),
      longest_(max_length),
      remedy_("split the line into sentences, or raise `max-length`"),
      warn_(warn),
      side_(side) {
  if (learned_positions >= max_length) return;
  longest_ = learned_positions;
  remedy_ = "the model has no more learned positions, so split the line into sentences";
}

text::Ids LineEncoder::encode(const std::string& text, size_t line) const {
  return encode_clean(repaired(text, line), line);
}

text::Ids LineEncoder::encode_clean(const std::string& clean, size_t line) const {
  text::Ids ids = vocabulary_.encode(clean);
  warn_of_unknown_letters(clean, ids, line);
  ids.resize(kept(ids.size(), line));
  return ids;
}

std::vector<text::Ids> LineEncoder::encode(std::span<const std::string> lines) const {
  std::vector<text::Ids> all;
  for (size_t i = 0; i < lines.size(); ++i) all.push_back(encode(lines[i], i));
  return all;
}

LineEncoder::Line LineEncoder::encode_words(const std::string& text, size_t line, text::WordEnds ends,
                                            const Hidden& hidden) const {
  const std::string clean = repaired(text, line), read_from = clean.substr(hidden.bytes);
  text::EncodedText encoded = encode_seen(vocabulary_, read_from, hidden.spans);
  for (text::TokenSpan& span : encoded.spans) span.from += hidden.bytes, span.to += hidden.bytes;
  warn_of_unknown_letters(read_from, hidden.spans.empty() ? encoded.ids : vocabulary_.encode(read_from), line);
  const size_t all = encoded.ids.size();
  encoded.ids.resize(kept(all, line));
  encoded.spans.resize(encoded.ids.size());
  const bool cut = encoded.ids.size() < all;
  const auto count = static_cast<int32_t>(text::words(clean, ends).size());
  std::vector<text::WordSpan> spans = text::words_of_tokens(clean, encoded.spans, ends);
  const int32_t read = cut && !spans.empty() ? std::min(count, spans.back().last + 1) : count;
  return {std::move(encoded.ids), std::move(spans), count, read};
}

std::vector<text::TokenSpan> LineEncoder::protected_in(const std::string& clean, const std::string& seen,
                                                       const text::Ids& ids, const text::Protection* protection) const {
  if (!protection) return {};
  if (!protection->placeholders()) return protection->find(clean, {});
  const auto spans = [&](auto&& chosen) {
    const bool any = std::any_of(ids.begin(), ids.end(), chosen);
    return any ? text::moved_to(clean, seen, spans_of(vocabulary_, seen, chosen)) : std::vector<text::TokenSpan>();
  };
  return protection->find(clean, spans([&](int32_t id) { return id == vocabulary_.unk(); }),
                          spans([&](int32_t id) { return vocabulary_.is_added(id); }));
}

// How many of the tokens are read.
size_t LineEncoder::kept(size_t tokens, size_t line) const {
  if (static_cast<int64_t>(tokens) < longest_) return tokens;
  warn(line, cat("of ", tokens + 1, " tokens only the first ", longest_, " were read (including </s>); ", remedy_));
  return static_cast<size_t>(longest_ - 1);
}

std::string LineEncoder::repaired(const std::string& text, size_t line) const {
  warn_of_invalid_utf8(text, line);
  return text::clean_utf8(text);
}

void LineEncoder::warn_of_invalid_utf8(const std::string& text, size_t line) const {
  if (!text::invalid_utf8(text)) return;
  const size_t bytes = (text::clean_utf8(text).size() - text.size()) / 2;  // each became the three bytes of U+FFFD
  warn(line, cat(text::counted(static_cast<long long>(bytes), "byte is", "bytes are"),
                 " not UTF-8, each was read as U+FFFD; ", text::advice(text::encoding_of(text))));
}

// A model that gets another script than its own understands almost nothing, but invents a fluent
// answer.
void LineEncoder::warn_of_unknown_letters(const std::string& clean, const text::Ids& ids, size_t line) const {
  if (!warn_ || !has(ids, vocabulary_.unk())) return;
  const std::vector<bool> unknown = unknown_bytes(vocabulary_, clean);
  size_t letters = 0, lacking = 0;
  for (const text::Character& c : text::characters_of(clean)) {
    if (c.kind != text::CharacterKind::letter) continue;
    ++letters;
    lacking += unknown[c.from];
  }
  if (2 * lacking > letters)
    warn(line,
         cat("the vocabulary lacks ", lacking, " of ", letters, " letters; is the line in the language that the ",
             "model translates ", side_ == LineSide::source ? "from?" : "to?"),
         true);
}

void LineEncoder::warn(size_t line, const std::string& what, bool unknown_letters) const {
  if (warn_) warn_(line, {side_ == LineSide::source ? what : "its translation: " + what, unknown_letters});
}

}  // namespace hexapla::decode
