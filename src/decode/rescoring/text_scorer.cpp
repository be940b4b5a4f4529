#include "decode/rescoring/text_scorer.h"

#include <algorithm>

#include "base/range.h"
#include "decode/rescoring/pair_batches.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

void check(const TranslateOptions& options, size_t sources, size_t targets) {
  decode::check(options);
  if (sources != targets)
    throw UsageError(cat("there are ", sources, " lines, but ", targets,
                         " translations; line i of one must belong to line i of the other"));
}

std::vector<LineEncoder::Line> encode_lines(const LineEncoder& encoder, std::span<const std::string> texts,
                                            text::WordEnds ends) {
  std::vector<LineEncoder::Line> lines;
  for (size_t i = 0; i < texts.size(); ++i) lines.push_back(encoder.encode_words(texts[i], i, ends));
  return lines;
}

text::WordEnds ends_of(AlignmentUnit unit) {
  return unit == AlignmentUnit::blanks ? text::WordEnds::at_blanks : text::WordEnds::by_script;
}

// </s> stands behind the words. Words that one token has part in share its log-probability evenly. Of a line that was
// cut the words that were not read have log-probability 0.
std::vector<double> by_word(std::span<const double> log_p, const LineEncoder::Line& line) {
  std::vector<double> sums(static_cast<size_t>(line.word_count) + 1);
  for (size_t i = 0; i < line.words.size(); ++i)
    for (int32_t word = line.words[i].first; word <= line.words[i].last; ++word)
      sums[word] += log_p[i] / line.words[i].count();
  sums.back() += log_p.back();
  return sums;
}

}  // namespace

AlignmentUnit parse_alignment_unit(const std::string& word, const char* option) {
  check_choice({"words", "blanks", "pieces"}, option, word);
  if (word == "pieces") return AlignmentUnit::pieces;
  return word == "blanks" ? AlignmentUnit::blanks : AlignmentUnit::words;
}

std::vector<std::string> words_in(const std::string& line, AlignmentUnit unit) {
  if (unit == AlignmentUnit::pieces) return {};
  const std::string clean = text::clean_utf8(line);
  const auto all = text::words(clean, ends_of(unit));
  return {all.begin(), all.end()};
}

TextScorer::TextScorer(const model::Transformer& model, const text::Vocabulary& source, const text::Vocabulary& target,
                       Backend& backend)
    : model_(model), source_(source), target_(target), backend_(backend) {
  HEXAPLA_CHECK(source.size() == model.config.source_vocab && target.size() == model.config.target_vocab,
                "scorer: vocabularies of ", source.size(), " and ", target.size(),
                " pieces, but the model was made for ", model.config.source_vocab, " and ", model.config.target_vocab);
}

TextScorer::Lines TextScorer::source_lines(std::span<const std::string> sources, const TranslateOptions& options,
                                           const LineWarning& warn, text::WordEnds ends) const {
  Lines lines = encode_lines(LineEncoder(source_, model_.config, options.max_length, warn), sources, ends);
  for (LineEncoder::Line& line : lines) source_.end_source(line.ids);
  return lines;
}

TextScorer::Lines TextScorer::target_lines(std::span<const std::string> targets, const TranslateOptions& options,
                                           const LineWarning& warn, text::WordEnds ends) const {
  return encode_lines(LineEncoder(target_, model_.config, options.max_length, warn), targets, ends);
}

std::vector<TextScore> TextScorer::score(std::span<const std::string> sources, std::span<const std::string> targets,
                                         const TranslateOptions& options, const LineWarning& warn) const {
  check(options, sources.size(), targets.size());
  const text::WordEnds ends = text::WordEnds::by_script;
  const PairBatches pairs(source_lines(sources, options, warn, ends), target_lines(targets, options, warn, ends),
                          options);
  std::vector<TextScore> results(sources.size());
  const DType dtype = model_.target_embedding().table.value.dtype;
  const size_t memory =
      pairs.most([&](const auto& from, const auto& to) { return score_memory(model_, from, to, dtype); });
  pairs.each_batch(backend_, dtype, memory, [&](Context& cx, const PairBatch& batch) {
    auto scores = score_pairs(cx, model_, batch.from, batch.to, special_ids(target_));
    for (size_t b = 0; b < scores.size(); ++b)
      static_cast<PairScore&>(results[batch.indices[b]]) = std::move(scores[b]);
  });
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].normalized = results[i].score / divisor(options.search.length_penalty, results[i].tokens);
    results[i].words = by_word(results[i].log_p, pairs.to[i]);
    results[i].words_read = pairs.to[i].words_read + 1;
    results[i].target = pairs.to[i].ids;
  }
  return results;
}

std::vector<SoftAlignment> TextScorer::align(std::span<const std::string> sources, std::span<const std::string> targets,
                                             const TranslateOptions& options, const AlignmentOptions& how,
                                             const LineWarning& warn) const {
  check(options, sources.size(), targets.size());
  const text::WordEnds ends = ends_of(how.unit);
  return align(source_lines(sources, options, warn, ends), target_lines(targets, options, warn, ends), options, how);
}

std::vector<SoftAlignment> TextScorer::align(std::span<const std::string> sources, std::span<const Translation> targets,
                                             const TranslateOptions& options, const AlignmentOptions& how) const {
  check(options, sources.size(), targets.size());
  const text::WordEnds ends = ends_of(how.unit);
  Lines to;
  for (const Translation& t : targets)
    to.push_back({t.ids, text::words_of_tokens(t.text, t.spans.empty() ? target_.spans_in(t.ids) : t.spans, ends),
                  static_cast<int32_t>(text::words(t.text, ends).size())});
  return align(source_lines(sources, options, {}, ends), to, options, how);
}

std::vector<SoftAlignment> TextScorer::align(const Lines& from, const Lines& to, const TranslateOptions& options,
                                             const AlignmentOptions& how) const {
  check(how.attention, model_.config);
  std::vector<SoftAlignment> results(from.size());
  align_each({model_, special_ids(target_), backend_}, PairBatches(from, to, options), how.attention,
             [&](size_t i, SoftAlignment tokens) {
               results[i] = how.unit == AlignmentUnit::pieces
                                ? std::move(tokens)
                                : merge(tokens, {from[i].words, from[i].word_count}, {to[i].words, to[i].word_count});
             });
  return results;
}

}  // namespace hexapla::decode
