#include "text/marked/placement.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "text/ascii.h"
#include "text/characters.h"
#include "text/lines/marks.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

using Kind = LinePart::Kind;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
// The penalty for each foreign word in an element's range, in units of own words.
constexpr double kStranger = 0.4;

bool is_punctuation(std::string_view c) {
  return is_stop(c) || is_comma(c) || is_opening(c) || is_closing(c) || is_blank(c);
}

bool begins_with_mark(std::string_view text) { return !text.empty() && is_punctuation(character_at(text, 0)); }
bool ends_with_mark(std::string_view text) {
  return !text.empty() && is_punctuation(text.substr(last_character(text)));
}

std::string_view without_marks_before(std::string_view text) {
  while (begins_with_mark(text)) text.remove_prefix(character_at(text, 0).size());
  return text;
}
std::string_view without_last_marks(std::string_view text, std::size_t most = kNone) {
  for (; most > 0 && ends_with_mark(text); --most) text.remove_suffix(text.size() - last_character(text));
  return text;
}
// The number of characters of a text that consists only of punctuation; otherwise 0.
std::size_t marks_of(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += character_at(text, at).size(), ++count)
    if (!is_punctuation(character_at(text, at))) return 0;
  return count;
}

// The positions of the words in the text; nothing if they are not all found.
std::optional<std::vector<TokenSpan>> places_of(std::span<const std::string> words, std::string_view text) {
  std::vector<TokenSpan> places;
  std::size_t at = 0;
  for (const std::string& word : words) {
    at = text.find(word, at);
    if (at == std::string_view::npos || word.empty()) return {};
    places.push_back({at, at + word.size()});
    at += word.size();
  }
  if (places.empty()) return {};
  return places;
}

std::vector<TokenSpan> places_of_words(std::string_view text) {
  std::vector<TokenSpan> places;
  for (const std::string_view word : words(text)) {
    const auto at = static_cast<std::size_t>(word.data() - text.data());
    places.push_back({at, at + word.size()});
  }
  return places;
}

std::string_view text_at(std::string_view text, const TokenSpan& of) { return text.substr(of.from, of.to - of.from); }

}  // namespace

Placement::Placement(const MarkedLine& line, std::string_view translation, const WordLinks& links)
    : line_(line),
      items_(line.items()),
      translation_(translation),
      links_(links),
      children_(items_.size()),
      elements_(items_.size()),
      place_(items_.size()) {
  for (std::size_t i = 1; i < items_.size(); ++i) {
    children_[items_[i].parent].push_back(i);
    if (items_[i].kind == Kind::open) elements_[items_[i].parent].push_back(i);
  }
  align(links);
  place_[0] = {0, translation.size()};
  place_in(0, {0, target_.size()});
}

void Placement::align(const WordLinks& links) {
  const auto source = places_of(links.source, line_.text()), target = places_of(links.target, translation_);
  const bool known = source && target && !links.links.empty();
  source_ = known ? *source : places_of_words(line_.text());
  target_ = known ? *target : places_of_words(translation_);
  source_of_.assign(target_.size(), kNone);
  for (std::size_t t = 0; !known && t < target_.size(); ++t) source_of_[t] = t * source_.size() / target_.size();
  for (const auto& [s, t] : known ? links.links : std::span<const std::pair<int, int>>()) {
    const auto from = static_cast<std::size_t>(s), to = static_cast<std::size_t>(t);
    if (to < target_.size() && from < source_.size() && source_of_[to] == kNone) source_of_[to] = from;
  }
  link_same_marks();
  targets_up_to_.assign(source_.size(), kNone);
  targets_from_.assign(source_.size(), kNone);
  for (std::size_t t = 0; t < target_.size(); ++t)
    if (source_of_[t] != kNone) targets_up_to_[source_of_[t]] = t;
  for (std::size_t t = target_.size(); t-- > 0;)
    if (source_of_[t] != kNone) targets_from_[source_of_[t]] = t;
  for (std::size_t s = 1; s < source_.size(); ++s)
    if (targets_up_to_[s] == kNone) targets_up_to_[s] = targets_up_to_[s - 1];
  for (std::size_t s = source_.size(); s-- > 1;)
    if (targets_from_[s - 1] == kNone) targets_from_[s - 1] = targets_from_[s];
}

// A word of several punctuation marks, such as the brackets left by a placeholder, may have no link
// or a wrong one, because models attend to other words there. Links it to the same marks in the
// translation.
void Placement::link_same_marks() {
  std::map<std::string_view, Indices> same;  // target words, first one last
  for (std::size_t t = target_.size(); t-- > 0;)
    if (marks_of(text_at(translation_, target_[t])) > 1) same[text_at(translation_, target_[t])].push_back(t);
  if (same.empty()) return;
  for (std::size_t s = 0; s < source_.size(); ++s) {
    const auto found = same.find(text_at(line_.text(), source_[s]));
    if (found == same.end() || found->second.empty()) continue;
    std::size_t& its = source_of_[found->second.back()];
    if (its == kNone || text_at(line_.text(), source_[its]) != found->first) its = s;
    found->second.pop_back();
  }
}

// The word that contains `byte` of the line, or the last one before it; `none` before the first.
std::size_t Placement::word_at(std::size_t byte) const {
  const auto after = std::partition_point(source_.begin(), source_.end(), [&](const auto& w) { return w.from < byte; });
  return after == source_.begin() ? kNone : static_cast<std::size_t>(after - source_.begin()) - 1;
}

// Whether it encloses only part of one word, with letters or digits of that word outside.
bool Placement::inside_word(std::size_t element) const {
  const Item& e = items_[element];
  const std::size_t w = word_at(e.begin + 1);
  if (w == kNone || e.end > source_[w].to) return false;
  const std::string_view word = text_at(line_.text(), source_[w]);
  const std::string_view before = word.substr(0, e.begin - source_[w].from),
                         after = word.substr(e.end - source_[w].from);
  return !without_marks_before(before).empty() || !without_marks_before(after).empty();
}

// For each word of the line, the child of `parent` that contains most of it, or `none`.
Placement::Indices Placement::owners(std::size_t parent) const {
  Indices owner(source_.size(), kNone), share(source_.size(), 0);
  for (const std::size_t child : elements_[parent]) {
    const Item& e = items_[child];
    const std::size_t first = word_at(e.begin + 1);
    for (std::size_t w = first == kNone ? 0 : first; w < source_.size() && source_[w].from < e.end; ++w) {
      const std::size_t from = std::max(e.begin, source_[w].from), to = std::min(e.end, source_[w].to);
      if (to > from && to - from > share[w]) owner[w] = child, share[w] = to - from;
    }
  }
  return owner;
}

void Placement::place_in(std::size_t parent, Range words) {
  if (children_[parent].empty()) return;
  const Indices owner = owners(parent);
  for (const std::size_t child : elements_[parent]) place_element(child, words, owner);
  for (const std::size_t child : children_[parent]) {
    if (items_[child].kind == Kind::open) continue;
    const std::size_t at = outside_of_siblings(child, point_at(items_[child], words));
    place_[child] = {at, at};
  }
}

void Placement::place_element(std::size_t element, Range words, const Indices& owner) {
  const Item &e = items_[element], &parent = items_[e.parent];
  if (e.begin == parent.begin && e.end == parent.end) {
    place_[element] = place_[e.parent];
    return place_in(element, words);
  }
  Range its = words_of(element, words, owner);
  if (its.empty()) its = nearest_word(element, words, owner);
  const std::optional<Range> same = inside_word(element) ? same_characters(element, words) : std::nullopt;
  if (same) {
    place_[element] = *same;
  } else if (its.empty()) {
    const std::size_t at = after_word(e.begin, words, place_[e.parent].from);
    place_[element] = {at, at};
  } else {
    place_[element] = bytes_of(element, its);
  }
  place_in(element, its);
}

// The range with the most own words, minus a penalty for foreign words, and without words of
// siblings.
Placement::Range Placement::words_of(std::size_t element, Range within, const Indices& owner) const {
  Range best;
  double most = 0, sum = 0;
  std::size_t begin = within.from;
  for (std::size_t t = within.from; t < within.to; ++t) {
    const std::size_t its = source_of_[t] == kNone ? kNone : owner[source_of_[t]];
    if (its == element) {
      if (sum <= 0) begin = t, sum = 0;
      sum += 1;
      if (sum > most) most = sum, best = {begin, t + 1};
    } else {
      sum = its == kNone ? sum - kStranger : 0;
    }
  }
  return best;
}

// For an element without aligned words: the word with the most attention on it, unless a sibling
// owns that word.
Placement::Range Placement::nearest_word(std::size_t element, Range within, const Indices& owner) const {
  if (!links_.weight) return {};
  const std::size_t first = word_at(items_[element].begin + 1);
  double most = 0;
  Range nearest;
  for (std::size_t t = within.from; t < within.to; ++t) {
    if (source_of_[t] != kNone && owner[source_of_[t]] != kNone) continue;
    double sum = 0;
    for (std::size_t s = first == kNone ? 0 : first; s < owner.size() && source_[s].from < items_[element].end; ++s)
      if (owner[s] == element) sum += links_.weight(t, s);
    if (sum > most) most = sum, nearest = {t, t + 1};
  }
  return nearest;
}

// Punctuation at its ends is included if it is in the source, and so is an unchanged part of a
// word.
Placement::Range Placement::bytes_of(std::size_t element, Range words) const {
  const Item& e = items_[element];
  const std::string_view own = std::string_view(line_.text()).substr(e.begin, e.end - e.begin);
  std::string_view text = translation_.substr(target_[words.from].from);
  text = text.substr(0, target_[words.to - 1].to - target_[words.from].from);
  const TokenSpan first = source_[word_at(e.begin + 1)], last = source_[word_at(e.end)];
  const bool marks_alone = without_last_marks(text).empty();
  const std::size_t marks = marks_of(std::string_view(line_.text()).substr(e.end, last.to - std::min(e.end, last.to)));
  if (!marks_alone && !begins_with_mark(own)) text = without_marks_before(text);
  if (!marks_alone) text = without_last_marks(text, ends_with_mark(own) ? marks : kNone);
  auto from = static_cast<std::size_t>(text.data() - translation_.data());
  std::size_t to = from + text.size();
  const TokenSpan first_target = target_[words.from], last_target = target_[words.to - 1];
  if (text_at(translation_, first_target) == text_at(line_.text(), first))
    from = first_target.from + e.begin - first.from;
  if (text_at(translation_, last_target) == text_at(line_.text(), last) && e.end <= last.to)
    to = last_target.from + e.end - last.from;
  return {from, std::max(from, to)};
}

// Part of a word: finds the same characters in a word aligned to it, or the same word anywhere.
std::optional<Placement::Range> Placement::same_characters(std::size_t element, Range words) const {
  const Item& e = items_[element];
  const std::size_t w = word_at(e.begin + 1);
  const std::string_view whole = line_.text(), own = whole.substr(e.begin, e.end - e.begin);
  const Range parent = place_[e.parent];
  const std::string_view word = without_last_marks(text_at(whole, source_[w]));
  const bool within = e.end - source_[w].from <= word.size();
  const auto found = [&](std::size_t from) { return Range{from, from + own.size()}; };
  for (const std::string_view looked_for : {within ? word : own, own})
    for (std::size_t t = words.from; t < words.to; ++t) {
      if (source_of_[t] != w) continue;
      const std::size_t at = text_at(translation_, target_[t]).find(looked_for);
      const std::size_t before = looked_for == own ? 0 : e.begin - source_[w].from;
      if (at != std::string_view::npos) return found(target_[t].from + at + before);
    }
  const std::size_t anywhere = translation_.substr(0, parent.to).find(word, parent.from);
  if (!within || anywhere == std::string_view::npos) return {};
  return found(anywhere + e.begin - source_[w].from);
}

std::size_t Placement::point_at(const Item& point, Range words) const {
  const Range parent = place_[point.parent];
  if (point.kind == Kind::line_break) return std::clamp(same_part(point), parent.from, parent.to);
  if (point.first) return parent.from;
  if (point.last) return parent.to;
  const bool joined_to_next = !point.before.empty() && point.after.empty() && line_.text()[point.begin] == ' ';
  return joined_to_next ? before_word(point.begin, words, parent.to) : after_word(point.begin, words, parent.from);
}

// The position after the translation of the word at `byte` of the line, or else of the nearest
// earlier word that has one. Punctuation after the byte stays after it.
std::size_t Placement::after_word(std::size_t byte, Range words, std::size_t otherwise) const {
  const std::size_t t = last_target(word_at(byte), words);
  if (t == kNone) return otherwise;
  const TokenSpan& word = source_[source_of_[t]];
  const std::size_t end = std::min(byte, word.to);
  if (text_at(translation_, target_[t]) == text_at(line_.text(), word)) return target_[t].from + end - word.from;
  const std::size_t marks = marks_of(text_at(line_.text(), {end, word.to}));
  return target_[t].from + without_last_marks(text_at(translation_, target_[t]), marks).size();
}

// Of the target words whose source is `most` or before it, the last one of the last source; `none`: there is none.
std::size_t Placement::last_target(std::size_t most, Range words) const {
  if (most == kNone) return kNone;
  if (words.from == 0 && words.to == target_.size()) return targets_up_to_[most];
  std::size_t last = kNone;
  for (std::size_t t = words.from; t < words.to; ++t) {
    const std::size_t s = source_of_[t];
    if (s != kNone && s <= most && (last == kNone || s >= source_of_[last])) last = t;
  }
  return last;
}

// Of the target words whose source is `least` or after it, the first one of the first source; `none`: there is none.
std::size_t Placement::first_target(std::size_t least, Range words) const {
  if (least >= source_.size()) return kNone;
  if (words.from == 0 && words.to == target_.size()) return targets_from_[least];
  std::size_t first = kNone;
  for (std::size_t t = words.from; t < words.to; ++t) {
    const std::size_t s = source_of_[t];
    if (s != kNone && s >= least && (first == kNone || s < source_of_[first])) first = t;
  }
  return first;
}

std::size_t Placement::before_word(std::size_t byte, Range words, std::size_t otherwise) const {
  const std::size_t before = word_at(byte), t = first_target(before == kNone ? 0 : before + 1, words);
  return t == kNone ? otherwise : target_[t].from;
}

// The space, or the end of a word if there are no spaces, nearest to the same relative position.
std::size_t Placement::same_part(const Item& point) const {
  const double wanted = double(translation_.size()) * (double(point.begin) + 0.5) / double(line_.text().size() + 1);
  const bool blanks = translation_.find(' ') != std::string_view::npos;
  std::size_t nearest = translation_.size();
  const auto far = [&](std::size_t at) { return std::abs(double(at) - wanted); };
  for (const TokenSpan& word : target_)
    if ((!blanks || (word.to < translation_.size() && ascii::is_space(translation_[word.to]))) &&
        far(word.to) < far(nearest))
      nearest = word.to;
  return nearest;
}

// Moves a point out of sibling elements, to the side on which it is in the source.
std::size_t Placement::outside_of_siblings(std::size_t point, std::size_t at) const {
  for (const std::size_t sibling : elements_[items_[point].parent]) {
    if (at < place_[sibling].from || at > place_[sibling].to) continue;
    at = sibling < point ? place_[sibling].to : place_[sibling].from;
  }
  return at;
}

void Placement::write_point(const Item& point, std::size_t at, std::string& out) const {
  if (point.first || point.last) {
    out += point.before + point.open + point.after;
    return;
  }
  const bool breaks = point.kind == Kind::line_break;
  if (!breaks && !point.before.empty() && !out.empty() && !ascii::is_space(out.back())) out += ' ';
  out += point.open;
  const std::string_view rest = translation_.substr(at);
  if (!breaks && !point.after.empty() && !rest.empty() && !ascii::is_space(rest.front()) &&
      !is_punctuation(character_at(rest, 0)))
    out += ' ';
}

// limits: the part of the translation that is not written yet and belongs to the enclosing element.
void Placement::write(std::size_t element, Range limits, const Escape& escape, std::string& out) const {
  Indices order = children_[element];
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return place_[a].from < place_[b].from; });
  std::size_t at = std::max(place_[element].from, limits.from);
  const std::size_t to = std::max(at, std::min(place_[element].to, limits.to));
  const auto text_to = [&](std::size_t end) {
    if (end > at) out += escape(translation_.substr(at, end - at)), at = end;
  };
  out += items_[element].open;
  for (const std::size_t child : order) {
    text_to(std::min(place_[child].from, to));
    if (items_[child].kind == Kind::open) {
      write(child, {at, to}, escape, out);
      at = std::max(at, std::min(place_[child].to, to));
    } else {
      write_point(items_[child], at, out);
      if (items_[child].kind == Kind::line_break || (items_[child].gap && items_[child].after.empty()))
        while (at < to && ascii::is_space(translation_[at])) ++at;
    }
  }
  text_to(to);
  out += items_[element].close;
}

std::string Placement::written(const Escape& escape) const {
  std::string out;
  write(0, place_[0], escape, out);
  return out;
}

}  // namespace hexapla::text
