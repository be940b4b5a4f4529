#include "text/marked/protected_text.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/range.h"
#include "text/ascii.h"
#include "text/characters.h"
#include "text/lines/marks.h"
#include "text/lines/sentences.h"
#include "text/marked/placeholders.h"
#include "text/plain_line.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

using Spans = std::vector<TokenSpan>;

constexpr std::string_view kMask = "\uFDD0";  // a noncharacter: Unicode reserves it for internal use

std::string_view text_in(std::string_view text, const TokenSpan& of) { return text.substr(of.from, of.to - of.from); }
TokenSpan trimmed(std::string_view text, TokenSpan span) {
  while (span.from < span.to && ascii::is_space(text[span.from])) ++span.from;
  while (span.from < span.to && ascii::is_space(text[span.to - 1])) --span.to;
  return span;
}

std::string_view last_character_of(std::string_view text) { return text.substr(last_character(text)); }

bool has_word(std::string_view text) {
  return std::any_of(text.begin(), text.end(), ascii::is_digit) || has_letter(text);
}

// Merges spans that overlap or touch.
Spans joined(Spans spans) {
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  Spans all;
  for (const TokenSpan& span : spans) {
    if (span.from >= span.to) continue;
    if (!all.empty() && span.from <= all.back().to)
      all.back().to = std::max(all.back().to, span.to);
    else
      all.push_back(span);
  }
  return all;
}

void add_all(std::string_view text, std::string_view what, Spans& spans) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size()))
    spans.push_back({at, at + what.size()});
}

// Trims sentence-ending punctuation, because texts are split there.
TokenSpan without_stops(std::string_view text, TokenSpan span) {
  span = trimmed(text, span);
  while (span.from < span.to && is_stop(character_at(text, span.from)))
    span.from += character_at(text, span.from).size();
  while (span.from < span.to && is_stop(last_character_of(text_in(text, span))))
    span.to -= last_character_of(text_in(text, span)).size();
  return trimmed(text, span);
}

// Extends an unknown letter to its word, unless the last span has it. Keeps an unknown mark within a word: removing it
// would change the word.
void add_unknown(std::string_view line, TokenSpan span, Spans& spans) {
  span = without_stops(line, span);
  if (span.from == span.to || (!spans.empty() && span.from >= spans.back().from && span.to <= spans.back().to)) return;
  if (has_word(text_in(line, span))) {
    while (!word_boundary(line, span.from)) span.from -= last_character_of(line.substr(0, span.from)).size();
    while (!word_boundary(line, span.to)) span.to += character_at(line, span.to).size();
  } else if (span.from > 0 && span.to < line.size() &&
             joins_words(code_point_at(last_character_of(line.substr(0, span.from)), 0).first) &&
             joins_words(code_point_at(line, span.to).first)) {
    return;
  }
  spans.push_back(span);
}

// (see {0}) keeps its brackets; those of ({0}) are included, because empty brackets mean nothing.
// -> whether it took a pair
bool take_enclosing(std::string_view line, TokenSpan& span) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> pairs = {{{"(", ")"},
                                                                                    {"[", "]"},
                                                                                    {"\"", "\""},
                                                                                    {"'", "'"},
                                                                                    {"\u201C", "\u201D"},
                                                                                    {"\u201E", "\u201C"},
                                                                                    {"\u2018", "\u2019"},
                                                                                    {"\u00AB", "\u00BB"},
                                                                                    {"\u300C", "\u300D"},
                                                                                    {"\uFF08", "\uFF09"},
                                                                                    {"\u3010", "\u3011"},
                                                                                    {"<", ">"},
                                                                                    {"*", "*"},
                                                                                    {"_", "_"}}};
  const std::string_view before = line.substr(0, span.from), after = line.substr(span.to);
  for (const auto& [open, close] : pairs)
    if (before.ends_with(open) && after.starts_with(close)) {
      span = {span.from - open.size(), span.to + close.size()};
      return true;
    }
  return false;
}

Spans wordless_sentences(std::string_view line, const Spans& spans) {
  const MaskedLine masked(line, spans);
  Spans all;
  for (const std::string_view sentence : sentences(masked.text())) {
    if (sentence.find(kMask) == sentence.npos || has_word(sentence)) continue;
    const auto from = static_cast<std::size_t>(sentence.data() - masked.text().data());
    all.push_back({masked.in_line(from), masked.in_line(from + sentence.size())});
  }
  return all;
}

bool whole_word(std::string_view text, const TokenSpan& span) {
  return word_boundary(text, span.from) && word_boundary(text, span.to);
}

// Delimiters of a span's number; no translation contains these characters.
constexpr char kBeginNumber = '\x02', kEndNumber = '\x03';

std::vector<LinePart> parts_of(std::string_view line, const Spans& spans) {
  const TokenSpan all = trimmed(line, {0, line.size()});
  std::vector<LinePart> parts;
  std::size_t at = all.from;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    parts.push_back({LinePart::Kind::text, std::string(line.substr(at, spans[i].from - at))});
    parts.push_back({LinePart::Kind::point, cat(kBeginNumber, i, kEndNumber)});
    at = spans[i].to;
  }
  parts.push_back({LinePart::Kind::text, std::string(line.substr(at, std::max(at, all.to) - at))});
  std::erase_if(parts, [](const LinePart& p) { return p.content.empty(); });
  return parts;
}

// Gives whitespace the position of what follows it.
void move_blanks(std::string_view text, std::vector<std::size_t>& places) {
  for (std::size_t i = places.size(); i-- > 1;)
    if (ascii::is_space(text[i - 1])) places[i - 1] = places[i];
}

// The position of each byte of `text` in `in`, which additionally contains the spans `without`.
std::vector<std::size_t> places(std::string_view text, std::string_view in, const Spans& without) {
  std::vector<std::size_t> all(text.size(), in.size());
  auto span = without.begin();
  for (std::size_t i = 0, at = 0; i < text.size(); ++i) {
    if (ascii::is_space(text[i])) continue;
    while (at < in.size() && (ascii::is_space(in[at]) || (span != without.end() && at >= span->from)))
      at = span != without.end() && at >= span->from ? (span++)->to : at + 1;
    all[i] = at++;
  }
  move_blanks(text, all);
  return all;
}

Spans moved(Spans tokens, std::span<const std::size_t> to, std::size_t end) {
  for (TokenSpan& token : tokens) {
    const bool none = token.from >= token.to;
    const std::size_t from = token.from < to.size() ? to[token.from] : end;
    token = {from, none ? from : std::max(from, to[token.to - 1] + 1)};
  }
  return tokens;
}

// The rest of a span without these bytes.
void add_without(std::span<const TokenSpan> bytes, TokenSpan span, Spans& to) {
  for (const TokenSpan& taken : bytes) {
    if (taken.to <= span.from || taken.from >= span.to) continue;
    if (span.from < taken.from) to.push_back({span.from, taken.from});
    span.from = std::min(taken.to, span.to);
  }
  if (span.from < span.to) to.push_back(span);
}

}  // namespace

std::vector<TokenSpan> Protection::find(std::string_view line, std::span<const TokenSpan> unknown,
                                        std::span<const TokenSpan> learned) const {
  Spans spans = patterns_.find(line);
  if (placeholders_) {
    Spans own = text::placeholders(line);
    for (const TokenSpan& span : unknown) add_unknown(line, span, own);
    for (const TokenSpan& span : own) add_without(learned, span, spans);
  }
  add_all(line, kMask, spans);
  if (spans.empty()) return {};
  spans = joined(std::move(spans));
  std::size_t taken = 0;  // bytes of the line up to which an earlier span has taken all
  for (TokenSpan& span : spans) {
    for (bool more = span.from >= taken; more;) more = take_enclosing(line, span);
    taken = std::max(taken, span.to);
  }
  spans = joined(std::move(spans));
  if (!has_word(MaskedLine(line, spans).text())) return {trimmed(line, {0, line.size()})};
  for (const TokenSpan& sentence : wordless_sentences(line, spans)) spans.push_back(sentence);
  return joined(std::move(spans));
}

MaskedLine::MaskedLine(std::string_view line, std::vector<TokenSpan> spans) : line_(line), spans_(std::move(spans)) {
  std::size_t at = 0;
  for (const TokenSpan& span : spans_) {
    text_ += line.substr(at, span.from - at);
    masks_.push_back(text_.size());
    text_ += kMask;
    at = span.to;
  }
  text_ += line.substr(at);
}

// Maps a byte of text() outside the masks to the line.
std::size_t MaskedLine::in_line(std::size_t byte) const {
  const auto before = std::lower_bound(masks_.begin(), masks_.end(), byte) - masks_.begin();
  if (before == 0) return byte;
  const auto last = static_cast<std::size_t>(before - 1);
  return spans_[last].to + byte - masks_[last] - kMask.size();
}

std::pair<std::string, std::vector<TokenSpan>> MaskedLine::unmasked(TokenSpan part) const {
  const std::size_t from = in_line(part.from), to = in_line(part.to);
  Spans spans;
  const auto first = std::lower_bound(masks_.begin(), masks_.end(), part.from) - masks_.begin();
  for (auto span = spans_.begin() + first; span != spans_.end() && span->to <= to; ++span)
    spans.push_back({span->from - from, span->to - from});
  return {std::string(line_.substr(from, to - from)), std::move(spans)};
}

std::vector<TokenSpan> masks_of(std::string_view text) {
  Spans spans;
  add_all(text, kMask, spans);
  return spans;
}

ProtectedText::ProtectedText(std::string_view line, std::vector<TokenSpan> spans)
    : line_(line), spans_(std::move(spans)), marked_(parts_of(line_, spans_)) {}

std::vector<TokenSpan> ProtectedText::in_line(std::vector<TokenSpan> tokens) const {
  return moved(std::move(tokens), places(text(), line_, spans_), line_.size());
}

// A place of each span in the text, if it is there. Longest first, because a span may contain
// others; prefers matches that are whole words.
std::vector<std::optional<TokenSpan>> ProtectedText::places_in(std::string_view text) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < spans_.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return content(a).size() > content(b).size(); });
  std::string rest(text);
  std::vector<std::optional<TokenSpan>> found(spans_.size());
  for (const std::size_t i : order) {
    const std::string own = plain_line(content(i));
    std::size_t at = rest.find(own);
    for (std::size_t next = at; next != rest.npos; next = rest.find(own, next + 1))
      if (whole_word(rest, {next, next + own.size()})) {
        at = next;
        break;
      }
    if (at == rest.npos) continue;
    found[i] = {at, at + own.size()};
    std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(at), own.size(), '\n');
  }
  return found;
}

ProtectedText::Beginning ProtectedText::beginning(std::string_view text,
                                                  const std::function<bool(std::string_view)>& word) const {
  Beginning result{std::string(text), {}};
  const std::vector<std::optional<TokenSpan>> places = places_in(text);
  std::size_t free = 0;  // from here on, the text belongs to no span
  for (const std::optional<TokenSpan>& place : places) {
    if (!place) continue;
    free = std::max(free, place->to);
    if (whole_word(text, *place)) result.spans.push_back(*place);
  }
  std::size_t most = 0;
  std::string rest;  // of the span that the text ends with the most of
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const std::string own = places[i] ? "" : plain_line(content(i));
    for (std::size_t n = character_bytes(own); n < own.size(); n += character_bytes(std::string_view(own).substr(n))) {
      const std::string_view begun = std::string_view(own).substr(0, n);
      if (n <= most || n > text.size() - free || !text.ends_with(begun)) continue;
      if (!word_boundary(cat(text, own.substr(n)), text.size() - n) || word(begun)) continue;
      most = n;
      rest = own.substr(n);
    }
  }
  if (most > 0) {
    result.text += rest;
    result.spans.push_back({text.size() - most, result.text.size()});
  }
  std::sort(result.spans.begin(), result.spans.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  return result;
}

// Writes a translation with the spans in place of their numbers.
class ProtectedText::Writer {
 public:
  Writer(const ProtectedText& of, std::string_view translation, const Spans& solid, std::vector<bool> missing)
      : of_(of), translation_(translation), solid_(solid), missing_(std::move(missing)) {
    spans_.resize(of.spans_.size(), {0, 0});
  }

  void write(std::string_view placed) {
    for (std::size_t at = 0; at < placed.size(); ++at) {
      if (placed[at] == kBeginNumber) {
        const std::size_t end = placed.find(kEndNumber, at);
        number(parse_number<std::size_t>(std::string(placed.substr(at + 1, end - at - 1))).value());
        at = end;
      } else if (places_.size() < translation_.size() && placed[at] == translation_[places_.size()]) {
        translated(placed[at]);
      } else {
        blank_ = true;  // next to a span
      }
    }
    write_later();
  }
  Restored restored(Spans tokens) && {
    move_blanks(translation_, places_);
    Restored r{std::move(text_), moved(std::move(tokens), places_, text_.size()), std::move(spans_)};
    const auto count = std::ssize(r.tokens);
    Spans all = r.tokens;
    all.insert(all.end(), r.spans.begin(), r.spans.end());
    make_plain_line(r.text, all);
    r.tokens.assign(all.begin(), all.begin() + count);
    r.spans.assign(all.begin() + count, all.end());
    return r;
  }

 private:
  void translated(char c) {
    if (!later_.empty() && !in_solid()) write_later();
    const std::string_view rest = translation_.substr(places_.size());
    const bool apart = blank_ || (no_blank_ && joins_words(code_point_at(rest, 0).first));
    if (after_span_ && apart && c != ' ' && !begins_without_blank(rest)) text_ += ' ';
    after_span_ = blank_ = false;
    places_.push_back(text_.size());
    text_ += c;
  }
  bool in_solid() const {
    const std::size_t at = places_.size();
    return std::any_of(solid_.begin(), solid_.end(),
                       [&](const TokenSpan& s) { return (at > s.from || s.from == 0) && at < s.to; });
  }
  void number(std::size_t i) {
    if (!missing_[i]) return;
    if (in_solid() || !later_.empty())
      later_.push_back(i);
    else
      write_span(i);
  }
  void write_later() {
    for (const std::size_t i : std::exchange(later_, {})) {
      blank_ = true;
      write_span(i);
      blank_ = true;
    }
  }
  // Keeps the line's spacing around a span if the scripts next to it use spaces on both sides.
  void write_span(std::size_t i) {
    const std::string_view line = of_.line_, before = line.substr(0, of_.spans_[i].from);
    const bool apart = blank_ || (ends_without_blank(before) && joins_last(text_));
    if (apart && !text_.empty() && text_.back() != ' ' && (after_span_ || !ends_without_blank(text_))) text_ += ' ';
    spans_[i].from = text_.size();
    text_ += of_.content(i);
    spans_[i].to = text_.size();
    after_span_ = true;
    blank_ = false;
    no_blank_ = begins_without_blank(line.substr(of_.spans_[i].to));
  }
  static bool joins_last(std::string_view text) {
    return !text.empty() && joins_words(code_point_at(last_character_of(text), 0).first);
  }

  const ProtectedText& of_;
  std::string_view translation_;
  const Spans& solid_;
  std::vector<bool> missing_;
  std::string text_;
  std::vector<std::size_t> places_;  // for each byte of the translation written so far
  Spans spans_;
  std::vector<std::size_t> later_;  // spans postponed to the end of a solid part
  bool after_span_ = false;         // a span was written last
  bool blank_ = false;              // a space is needed before the next text
  bool no_blank_ = false;           // the last span has no space after it, because of its neighbor's script
};

ProtectedText::Restored ProtectedText::restored(std::string translation, std::vector<TokenSpan> tokens,
                                                const WordLinks& links, std::vector<TokenSpan> solid,
                                                std::string_view given) const {
  make_plain_line(translation, tokens);
  const std::string placed =
      marked_.placed(translation, links, [](std::string_view text) { return std::string(text); });
  std::vector<bool> missing;
  for (const std::optional<TokenSpan>& place : places_in(given)) missing.push_back(!place);
  Writer writer(*this, translation, solid, std::move(missing));
  writer.write(placed);
  return std::move(writer).restored(std::move(tokens));
}

std::optional<std::vector<TokenSpan>> ProtectedText::find_in(std::string_view translation) const {
  Spans all;
  for (const std::optional<TokenSpan>& place : places_in(translation)) {
    if (!place) return {};
    all.push_back(*place);
  }
  return all;
}

}  // namespace hexapla::text
