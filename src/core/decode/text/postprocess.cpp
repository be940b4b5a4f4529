#include "decode/text/postprocess.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "decode/rescoring/consensus.h"
#include "decode/rescoring/rescoring.h"
#include "decode/text/put_back.h"
#include "decode/text/put_terms.h"
#include "text/lines/letter_case.h"
#include "text/lines/sentences.h"

namespace hexapla::decode {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();  // score of a missing translation

void add_part(Translation& whole, const Translation& t, const std::string& between, const text::Vocabulary& target) {
  const size_t at = text::join(whole.text, t.text, between);
  for (const text::TokenSpan& span : t.spans.empty() ? target.spans_in(t.ids) : t.spans)
    whole.spans.push_back({at + span.from, at + span.to});
  for (const text::TokenSpan& span : t.protected_spans) whole.protected_spans.push_back({at + span.from, at + span.to});
  whole.score += t.score;
  whole.normalized += t.normalized;
  whole.coverage += t.coverage;
  whole.ids.insert(whole.ids.end(), t.ids.begin(), t.ids.end());
  whole.parts.push_back(t.ids.size());
  whole.missed_terms.insert(whole.missed_terms.end(), t.missed_terms.begin(), t.missed_terms.end());
  if (t.token_scores.empty()) return;
  float ends = t.token_scores.back();
  if (!whole.token_scores.empty()) {
    ends += whole.token_scores.back();
    whole.token_scores.pop_back();
  }
  whole.token_scores.insert(whole.token_scores.end(), t.token_scores.begin(), t.token_scores.end() - 1);
  whole.token_scores.push_back(ends);
}

// Joins the i-th best translations of all parts. Scores fall with i in every part, so their sums
// do, too: the joined translations are best first.
Translation in_one(std::span<const std::vector<Translation>> parts, std::span<const std::string> between, size_t i,
                   const text::Vocabulary& target) {
  Translation whole;
  for (size_t part = 0; part < parts.size(); ++part) {
    const std::vector<Translation>& found = parts[part];
    if (found.empty()) {
      whole.score = whole.normalized = kNone;
      whole.parts.push_back(0);
    } else {
      add_part(whole, found[std::min(i, found.size() - 1)], between[part], target);
    }
  }
  return whole;
}

// The translations of a line; at least one.
std::vector<Translation> of_line(std::span<std::vector<Translation>> parts, std::span<const std::string> between,
                                 const text::Vocabulary& target) {
  if (parts.empty()) return {Translation()};
  if (parts.size() == 1 && !parts[0].empty()) return std::move(parts[0]);
  size_t most = 1;
  for (const std::vector<Translation>& p : parts) most = std::max(most, p.size());
  std::vector<Translation> all;
  for (size_t i = 0; i < most; ++i) all.push_back(in_one(parts, between, i, target));
  return all;
}

template <class T>
void keep_best(std::vector<T>& found, const TranslateOptions& options) {
  found.resize(std::min(found.size(), static_cast<size_t>(options.search.n_best)));
}

double log_of_sum(double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }

// Joins translations of equal text to the first of them. Segmentations of a text share its probability, so their sum is
// that of the text; equal samples are one segmentation.
void join_equal(std::vector<Translation>& found, const LengthPenalty& penalty) {
  std::map<std::string, std::pair<size_t, std::set<text::Ids>>> first;  // its place, and all segmentations
  std::vector<Translation> joined;
  for (Translation& t : found) {
    const auto [at, is_new] = first.try_emplace(t.text, joined.size(), std::set<text::Ids>());
    const bool other = at->second.second.insert(t.ids).second;
    if (is_new) {
      joined.push_back(std::move(t));
    } else if (other) {
      Translation& whole = joined[at->second.first];
      const double more = log_of_sum(whole.score, t.score) - whole.score;
      whole.score += more;
      whole.normalized += more / divisor(penalty, std::ssize(whole.ids) + 1);
    }
  }
  found = std::move(joined);
}

void sort_by(std::vector<Translation>& found, const std::vector<double>& keys) {
  std::vector<size_t> order(found.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] > keys[b]; });
  std::vector<Translation> sorted;
  for (const size_t i : order) sorted.push_back(std::move(found[i]));
  found = std::move(sorted);
}

// By what the texts have in common. Samples were drawn as often as they are probable.
void sort_by_consensus(std::vector<Translation>& found, Likeness likeness, bool sampled) {
  std::vector<std::string> texts;
  std::vector<double> weights;
  double most = kNone;
  for (const Translation& t : found) most = std::max(most, t.score);
  for (const Translation& t : found) {
    texts.push_back(t.text);
    weights.push_back(sampled ? 1 : std::exp(t.score - most));
  }
  sort_by(found, consensus(likeness, texts, weights));
}

// Chooses among the translations of a sentence, whose texts are complete.
void choose(std::vector<Translation>& found, const TranslateOptions& options) {
  if (options.mbr) sort_by_consensus(found, *options.mbr, options.search.sampling.has_value());
  if (options.mbr || options.distinct) join_equal(found, options.search.length_penalty);
  if (!options.mbr && options.distinct)
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.normalized > b.normalized; });
  keep_best(found, options);
}

// Keeps the first of each text.
void keep_distinct(std::vector<Translation>& found) {
  std::set<std::string> texts;
  std::erase_if(found, [&](const Translation& t) { return !texts.insert(t.text).second; });
}

void warn_of_none(std::span<const std::vector<Translation>> parts, size_t line, const LineWarning& warn) {
  for (size_t i = 0; i < parts.size() && warn; ++i) {
    if (!parts[i].empty()) continue;
    const std::string what = parts.size() > 1 ? cat("of part ", i + 1, " of ", parts.size(), " ") : "";
    warn(line, cat(what, "no translation satisfies the constraints; relax them"));
  }
}

void warn_of_missed_terms(const Translation& best, size_t line, const LineWarning& warn) {
  if (!warn || best.missed_terms.empty()) return;
  std::string terms;
  for (const std::string& term : best.missed_terms) terms += cat(terms.empty() ? "'" : ", '", term, "'");
  warn(line, cat("the glossary was not followed for ", terms,
                 ": no words of the translation are aligned with it alone; translate it by hand"));
}

// Keeps a requested prefix literally, even characters that the vocabulary lacks.
PieceTexts::Reading read_plain(const TextSides& sides, const text::Ids& ids, const std::string& prefix,
                               std::span<const std::string> copies) {
  const bool unknown = std::find(ids.begin(), ids.end(), sides.target.unk()) != ids.end();
  if (!unknown || (prefix.empty() && copies.empty())) return {sides.target.decode(ids), {}};
  text::Ids all{sides.target.bos()};
  all.insert(all.end(), ids.begin(), ids.end());
  return sides.pieces->read(all, prefix, copies);
}

// Puts the translation of a line in capitals into capitals, except requested prefix and phrases.
PieceTexts::Reading read(const TextSides& sides, const text::Ids& ids, const SentenceConstraints& asked,
                         std::span<const std::string> copies) {
  PieceTexts::Reading reading = read_plain(sides, ids, asked.prefix, copies);
  if (!asked.capitals) return reading;
  if (reading.spans.empty()) reading.spans = sides.target.spans_in(ids);
  std::vector<text::TokenSpan> kept = places(asked.required, reading.text);
  if (reading.text.starts_with(asked.prefix)) kept.push_back({0, asked.prefix.size()});
  text::make_capitals(reading.text, reading.spans, kept);
  return reading;
}

Translation translation(Hypothesis&& found, PieceTexts::Reading&& reading) {
  return {.text = std::move(reading.text),
          .score = found.score,
          .normalized = found.normalized,
          .ids = std::move(found.ids),
          .token_scores = std::move(found.token_scores),
          .coverage = found.coverage,
          .spans = std::move(reading.spans),
          .protected_spans = {},
          .missed_terms = {}};
}

}  // namespace

SearchOptions options_of_search(const TranslateOptions& options) {
  SearchOptions search = options.search;
  if (options.mbr && search.sampling)
    search.n_best = options.candidates;
  else if (!search.sampling && (options.coverage_penalty > 0 || options.distinct || options.mbr))
    search.n_best = search.beam_size;
  return search;
}

std::vector<std::vector<Translation>> translations(const TextSides& sides, const SentenceSpan& sentences,
                                                   std::vector<std::vector<Hypothesis>> found,
                                                   const TranslateOptions& options, const Aligner& align) {
  if (options.coverage_penalty > 0) add_coverage(align, sentences.ids, found, options.coverage_penalty);
  if (!options.distinct && !options.mbr)
    for (auto& of_one : found) keep_best(of_one, options);
  Copies copied;
  if (options.copy_unknown) copied = copies(align, {sentences.ids, sentences.texts, sides.source}, sides.target, found);
  std::vector<std::vector<Translation>> all(found.size());
  for (size_t i = 0; i < found.size(); ++i)
    for (Hypothesis& h : found[i]) {
      const auto copy = copied.find(&h);
      const std::span<const std::string> words =
          copy == copied.end() ? std::span<const std::string>() : std::span<const std::string>(copy->second);
      PieceTexts::Reading reading = read(sides, h.ids, sentences.constraints[i], words);
      all[i].push_back(translation(std::move(h), std::move(reading)));
    }
  std::vector<TermText> with_terms;
  for (size_t i = 0; i < all.size(); ++i)
    for (Translation& t : all[i])
      if (!sentences.constraints[i].terms.empty()) with_terms.push_back({i, t.ids, t.text, t.spans, t.missed_terms});
  put_terms(sides, sentences, with_terms, align);
  put_back(sides, sentences, all, align);
  for (std::vector<Translation>& of_one : all) choose(of_one, options);
  return all;
}

std::string text_so_far(const TextSides& sides, const text::Ids& ids, const SentenceConstraints& constraints) {
  std::string text = read(sides, ids, constraints, {}).text;
  put_back_in_prefix(constraints, text, {});
  return text;
}

std::vector<std::vector<Translation>> of_lines(const text::Vocabulary& target, const SourceSentences& sentences,
                                               std::vector<std::vector<Translation>> translations,
                                               const TranslateOptions& options, const LineWarning& warn) {
  std::vector<std::vector<Translation>> results;
  for (size_t i = 0; i < sentences.lines(); ++i) {
    const size_t first = sentences.first[i], n = sentences.first[i + 1] - first;
    const std::span<std::vector<Translation>> parts(translations.data() + first, n);
    warn_of_none(parts, i, warn);
    results.push_back(of_line(parts, std::span(sentences.between).subspan(first, n), target));
    if (options.distinct) keep_distinct(results.back());
    warn_of_missed_terms(results.back().front(), i, warn);
    if (const std::string& kept = sentences.kept[i]; n == 0 && !kept.empty()) {
      results.back().front().text = kept;
      results.back().front().protected_spans = {{0, kept.size()}};
    }
  }
  return results;
}

}  // namespace hexapla::decode
