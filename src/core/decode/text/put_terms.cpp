#include "decode/text/put_terms.h"

#include <algorithm>
#include <optional>

#include "decode/rescoring/alignment.h"
#include "text/characters.h"
#include "text/lines/letter_case.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

using text::TokenSpan;

bool overlap(const TokenSpan& a, const TokenSpan& b) { return a.from < b.to && b.from < a.to; }
bool overlaps_any(const TokenSpan& a, std::span<const TokenSpan> all) {
  return std::any_of(all.begin(), all.end(), [&](const TokenSpan& b) { return overlap(a, b); });
}

// A word without the punctuation around it; nothing if it is all punctuation.
std::optional<TokenSpan> core_of(std::string_view text, std::string_view word) {
  const size_t begin = static_cast<size_t>(word.data() - text.data());
  std::optional<TokenSpan> core;
  for (const text::Character& c : text::characters_of(word)) {
    const std::string_view one = word.substr(c.from, c.to - c.from);
    const bool inside = c.kind != text::CharacterKind::other || (one.size() == 1 && one[0] >= '0' && one[0] <= '9');
    if (inside) core = {core ? core->from : begin + c.from, begin + c.to};
  }
  return core;
}

std::vector<TokenSpan> cores(std::string_view text) {
  std::vector<TokenSpan> all;
  for (const std::string_view word : text::words(text))
    if (const auto core = core_of(text, word)) all.push_back(*core);
  return all;
}

// Whether a word at this byte begins a sentence: no letter stands before it in the text, or the mark
// of an end.
bool begins_sentence(std::string_view text, size_t at) {
  const std::vector<text::Character> before = text::characters_of(text.substr(0, at));
  for (auto c = before.rbegin(); c != before.rend(); ++c) {
    if (c->kind != text::CharacterKind::other) return false;
    const std::string_view one = text.substr(c->from, c->to - c->from);
    if (one == "." || one == "!" || one == "?" || one == "…") return true;
    if (one.size() == 1 && one[0] >= '0' && one[0] <= '9') return false;
  }
  return true;
}

size_t common_ending(const std::string& a, const std::string& b) {
  return static_cast<size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
}

// A sentence with terms and one of its translations.
class TermPair {
 public:
  TermPair(const TextSides& sides, const SentenceSpan& sentences, const TermText& t)
      : sides_(sides),
        source_(sentences.texts[t.sentence]),
        source_ids_(sentences.ids[t.sentence]),
        constraints_(sentences.constraints[t.sentence]),
        translation_(t) {}

  void put(const SoftAlignment& tokens) {
    if (translation_.spans.empty()) translation_.spans = sides_.target.spans_in(translation_.ids);
    cores_ = cores(translation_.text);
    kept_ = places(constraints_.required, translation_.text);
    if (const std::string& prefix = constraints_.prefix; translation_.text.starts_with(prefix))
      kept_.push_back({0, prefix.size()});
    std::vector<std::optional<TokenSpan>> aligned = aligned_with_terms(tokens);
    std::vector<TokenSpan> used;  // places of the translation that have a term already
    std::vector<size_t> open;
    for (size_t k = 0; k < terms().size(); ++k)
      if (!(aligned[k] && use(k, *aligned[k], used))) open.push_back(k);
    std::vector<std::pair<size_t, TokenSpan>> to_write;
    for (const size_t k : open) {
      if (use(k, {0, translation_.text.size()}, used)) continue;
      const bool free = aligned[k] && !overlaps_any(*aligned[k], kept_) && !overlaps_any(*aligned[k], used);
      if (!free || forbidden(form_for(k, *aligned[k]))) {
        translation_.missed.push_back(terms()[k].source);
        continue;
      }
      used.push_back(*aligned[k]);
      to_write.emplace_back(k, *aligned[k]);
    }
    std::sort(to_write.begin(), to_write.end(),
              [](const auto& a, const auto& b) { return a.second.from > b.second.from; });
    for (const auto& [k, place] : to_write) write(form_for(k, place), place);
  }

 private:
  const std::vector<SourceTerm>& terms() const { return constraints_.terms; }

  // Marks a form of the term within a place as used, if there is one.
  bool use(size_t k, const TokenSpan& within, std::vector<TokenSpan>& used) const {
    const std::string& text = translation_.text;
    const auto& forms = *terms()[k].forms;
    for (const std::string& form : forms)
      for (const std::string& one : {in_case(form), text::capitalized(form)})
        for (size_t at = text.find(one, within.from); at != text.npos && at + one.size() <= within.to;
             at = text.find(one, at + 1)) {
          const TokenSpan place{at, at + one.size()};
          if (!whole_words(place) || overlaps_any(place, used)) continue;
          used.push_back(place);
          return true;
        }
    return false;
  }
  // Whether no word, hyphens included, reaches beyond the place.
  bool whole_words(const TokenSpan& place) const {
    const std::string& text = translation_.text;
    return text::word_boundary(text, place.from) && text::word_boundary(text, place.to) &&
           std::all_of(cores_.begin(), cores_.end(), [&](const TokenSpan& core) {
             if (!overlap(core, place) || (core.from >= place.from && core.to <= place.to)) return true;
             const std::string_view word = std::string_view(text).substr(core.from, core.to - core.from);
             return word.find('-') == word.npos && word.find("‐") == word.npos;
           });
  }
  std::string in_case(std::string form) const {
    if (constraints_.capitals) text::make_capitals(form, {});
    return form;
  }
  std::string form_for(size_t k, const TokenSpan& place) const {
    const std::string words = translation_.text.substr(place.from, place.to - place.from);
    const std::vector<std::string>& forms = *terms()[k].forms;
    const auto best = std::max_element(forms.begin(), forms.end(), [&](const auto& a, const auto& b) {
      return common_ending(a, words) < common_ending(b, words);
    });
    if (constraints_.capitals) return in_case(*best);
    const bool capital = text::capitalized(words) == words && begins_sentence(translation_.text, place.from);
    return capital ? text::capitalized(*best) : *best;
  }
  bool forbidden(const std::string& form) const {
    return std::any_of(constraints_.forbidden.begin(), constraints_.forbidden.end(),
                       [&](const Phrase& p) { return stands_in(p, form); });
  }

  // The place of the translation that is aligned with each term.
  std::vector<std::optional<TokenSpan>> aligned_with_terms(const SoftAlignment& tokens) const {
    std::vector<std::optional<TokenSpan>> all(terms().size());
    const std::vector<int32_t> units = source_units();
    if (units.empty() || units.size() >= static_cast<size_t>(tokens.columns)) return all;
    std::vector<int32_t> best;  // the source unit of each word of the translation
    std::vector<double> weight;
    for (const TokenSpan& core : cores_) {
      const auto [unit, share] = unit_of(core, tokens, units);
      best.push_back(unit), weight.push_back(share);
    }
    for (size_t k = 0; k < terms().size(); ++k) all[k] = run_of(static_cast<int32_t>(k), best, weight);
    return all;
  }
  // Of each token of the source: the number of its term, or a number for its word after those of the
  // terms. Empty if the ids are not those of the text.
  std::vector<int32_t> source_units() const {
    const auto encoded = sides_.source.encode_with_spans(source_);
    if (encoded.ids.size() > source_ids_.size() ||
        !std::equal(encoded.ids.begin(), encoded.ids.end(), source_ids_.begin()))
      return {};
    const std::vector<text::WordSpan> words = text::words_of_tokens(source_, encoded.spans);
    std::vector<int32_t> units;
    for (size_t i = 0; i < words.size(); ++i) {
      units.push_back(static_cast<int32_t>(terms().size()) + words[i].first);
      for (size_t k = 0; k < terms().size(); ++k)
        if (overlap(encoded.spans[i], terms()[k].place)) units.back() = static_cast<int32_t>(k);
    }
    return units;
  }
  // The source unit that a word of the translation gets most of its attention from, and how much; -1
  // if the parts of a compound with hyphens come from several.
  std::pair<int32_t, double> unit_of(const TokenSpan& core, const SoftAlignment& tokens,
                                     const std::vector<int32_t>& units) const {
    const std::string& text = translation_.text;
    std::pair<int32_t, double> found{-1, 0};
    for (size_t from = core.from; from < core.to;) {
      const size_t to = std::min(text.find('-', from), core.to);
      if (const auto part = unit_of_part({from, to}, tokens, units); part.first >= 0) {
        if (found.first >= 0 && found.first != part.first) return {-1, 0};
        found = {part.first, std::max(found.second, part.second)};
      }
      from = to + 1;
    }
    return found;
  }
  std::pair<int32_t, double> unit_of_part(const TokenSpan& part, const SoftAlignment& tokens,
                                          const std::vector<int32_t>& units) const {
    std::vector<double> sums(static_cast<size_t>(*std::max_element(units.begin(), units.end())) + 1);
    int64_t rows = 0;
    for (size_t row = 0; row < translation_.spans.size() && static_cast<int64_t>(row) + 1 < tokens.rows; ++row) {
      if (!overlap(translation_.spans[row], part)) continue;
      ++rows;
      for (size_t column = 0; column < units.size(); ++column)
        sums[static_cast<size_t>(units[column])] += tokens.at(static_cast<int64_t>(row), static_cast<int64_t>(column));
    }
    const auto most = std::max_element(sums.begin(), sums.end());
    if (rows == 0 || *most <= 0) return {-1, 0};
    return {static_cast<int32_t>(most - sums.begin()), *most / static_cast<double>(rows)};
  }
  // The words around the one that is aligned best, as far as they are aligned with the same unit.
  std::optional<TokenSpan> run_of(int32_t unit, const std::vector<int32_t>& best,
                                  const std::vector<double>& weight) const {
    size_t top = best.size();
    for (size_t w = 0; w < best.size(); ++w)
      if (best[w] == unit && (top == best.size() || weight[w] > weight[top])) top = w;
    if (top == best.size()) return std::nullopt;
    size_t first = top, last = top;
    while (first > 0 && best[first - 1] == unit && adjacent(first - 1)) --first;
    while (last + 1 < best.size() && best[last + 1] == unit && adjacent(last)) ++last;
    return TokenSpan{cores_[first].from, cores_[last].to};
  }
  // Whether only blanks stand between a word and the next.
  bool adjacent(size_t word) const {
    const size_t from = cores_[word].to, to = cores_[word + 1].from;
    return translation_.text.find_first_not_of(' ', from) >= to;
  }

  // Replaces a place by a form; the tokens in it become those of the form.
  void write(const std::string& form, const TokenSpan& place) {
    const size_t end = place.from + form.size();
    for (TokenSpan& span : translation_.spans) {
      const auto moved = [&](size_t at) { return at >= place.to ? at + form.size() - (place.to - place.from) : at; };
      if (overlap(span, place))
        span = {std::min(span.from, place.from), span.to > place.to ? moved(span.to) : end};
      else
        span = {moved(span.from), moved(span.to)};
    }
    translation_.text.replace(place.from, place.to - place.from, form);
  }

  const TextSides& sides_;
  const std::string& source_;
  const text::Ids& source_ids_;
  const SentenceConstraints& constraints_;
  TermText translation_;
  std::vector<TokenSpan> cores_;  // of the translation's words
  std::vector<TokenSpan> kept_;   // the prefix, and required phrases
};

}  // namespace

void put_terms(const TextSides& sides, const SentenceSpan& sentences, const std::vector<TermText>& texts,
               const Aligner& align) {
  if (texts.empty()) return;
  std::vector<TermPair> pairs;
  std::vector<text::Ids> from, to;
  for (const TermText& t : texts) {
    pairs.emplace_back(sides, sentences, t);
    from.push_back(sentences.ids[t.sentence]);
    to.push_back(t.ids);
  }
  align(std::move(from), std::move(to), [&](size_t i, const SoftAlignment& tokens) { pairs[i].put(tokens); });
}

}  // namespace hexapla::decode
