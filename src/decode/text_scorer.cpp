#include "decode/text_scorer.h"

#include <algorithm>

#include "decode/workers.h"

namespace hexapla {
namespace {

int64_t length(const Ids& ids) { return static_cast<int64_t>(ids.size()); }

void check(const TranslateOptions& options, size_t sources, size_t targets) {
  hexapla::check(options);
  if (sources != targets)
    throw UsageError(cat("there are ", sources, " lines, but ", targets,
                         " translations; line i of one must belong to line i of the other"));
}

std::vector<LineEncoder::Line> encode_lines(const LineEncoder& encoder, std::span<const std::string> texts) {
  std::vector<LineEncoder::Line> lines;
  for (size_t i = 0; i < texts.size(); ++i) lines.push_back(encoder.encode_words(texts[i], i));
  return lines;
}

struct PairBatch {
  std::vector<size_t> places;  // in the input
  std::vector<Ids> from, to;
};

// Pairs in batches of like length, shared out among workers.
struct Pairs {
  std::vector<LineEncoder::Line> from, to;  // the sources end with </s>
  std::vector<std::vector<size_t>> batches;

  Pairs(std::vector<LineEncoder::Line> x, std::vector<LineEncoder::Line> y, const TranslateOptions& options)
      : from(std::move(x)), to(std::move(y)) {
    std::vector<int64_t> lengths;
    for (size_t i = 0; i < from.size(); ++i) lengths.push_back(std::max(length(from[i].ids), length(to[i].ids) + 1));
    batches = plan_batches(lengths, options);
  }
  PairBatch batch(size_t i) const {
    PairBatch b{batches[i], {}, {}};
    for (size_t place : b.places) {
      b.from.push_back(from[place].ids);
      b.to.push_back(to[place].ids);
    }
    return b;
  }
  // The most memory that a batch needs.
  template <class Memory>
  size_t most(Memory&& memory) const {
    size_t bytes = 0;
    for (size_t i = 0; i < batches.size(); ++i) {
      const PairBatch b = batch(i);
      bytes = std::max<size_t>(bytes, memory(b.from, b.to));
    }
    return bytes;
  }
  template <class Work>
  void each_batch(Backend& backend, DType dtype, size_t memory, Work&& work) const {
    std::atomic<size_t> next = 0;
    on_workers(std::min<int64_t>(threads(), static_cast<int64_t>(batches.size())), backend, dtype, memory,
               [&](Context& cx) {
                 for (size_t i = next++; i < batches.size(); i = next++) work(cx, batch(i));
               });
  }
};

// </s> stands behind the words. Of a line that was cut the words that were not read have log-probability 0.
std::vector<double> by_word(std::span<const double> log_p, const LineEncoder::Line& line) {
  std::vector<double> sums(static_cast<size_t>(line.word_count) + 1);
  for (size_t i = 0; i < line.words.size(); ++i) sums[line.words[i]] += log_p[i];
  sums.back() += log_p.back();
  return sums;
}

}  // namespace

TextScorer::TextScorer(const Transformer& model, const Vocabulary& source, const Vocabulary& target, Backend& backend)
    : model_(model), source_(source), target_(target), backend_(backend) {
  HEXAPLA_CHECK(source.size() == model.config.source_vocab && target.size() == model.config.target_vocab,
                "scorer: vocabularies of ", source.size(), " and ", target.size(),
                " pieces, but the model was made for ", model.config.source_vocab, " and ", model.config.target_vocab);
}

TextScorer::Lines TextScorer::source_lines(std::span<const std::string> sources, const TranslateOptions& options,
                                           const LineWarning& warn) const {
  Lines lines = encode_lines(LineEncoder(source_, model_.config, options.max_length, warn), sources);
  for (LineEncoder::Line& line : lines) line.ids.push_back(source_.eos());
  return lines;
}

TextScorer::Lines TextScorer::target_lines(std::span<const std::string> targets, const TranslateOptions& options,
                                           const LineWarning& warn) const {
  return encode_lines(LineEncoder(target_, model_.config, options.max_length, warn), targets);
}

std::vector<TextScore> TextScorer::score(std::span<const std::string> sources, std::span<const std::string> targets,
                                         const TranslateOptions& options, const LineWarning& warn) const {
  check(options, sources.size(), targets.size());
  const Pairs pairs(source_lines(sources, options, warn), target_lines(targets, options, warn), options);
  std::vector<TextScore> results(sources.size());
  const DType dtype = model_.target_embedding().table.value.dtype;
  const size_t memory =
      pairs.most([&](const auto& from, const auto& to) { return score_memory(model_, from, to, dtype); });
  pairs.each_batch(backend_, dtype, memory, [&](Context& cx, const PairBatch& batch) {
    auto scores = score_pairs(cx, model_, batch.from, batch.to, special_ids(target_));
    for (size_t b = 0; b < scores.size(); ++b) static_cast<PairScore&>(results[batch.places[b]]) = std::move(scores[b]);
  });
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].normalised = results[i].score / divisor(options.search.length_penalty, results[i].tokens);
    results[i].words = by_word(results[i].log_p, pairs.to[i]);
    results[i].target = pairs.to[i].ids;
  }
  return results;
}

std::vector<SoftAlignment> TextScorer::align(std::span<const std::string> sources, std::span<const std::string> targets,
                                             const TranslateOptions& options, const AlignmentOptions& how,
                                             const LineWarning& warn) const {
  check(options, sources.size(), targets.size());
  return align(source_lines(sources, options, warn), target_lines(targets, options, warn), options, how);
}

std::vector<SoftAlignment> TextScorer::align(std::span<const std::string> sources, std::span<const Translation> targets,
                                             const TranslateOptions& options, const AlignmentOptions& how) const {
  check(options, sources.size(), targets.size());
  Lines to;
  for (const Translation& t : targets)
    to.push_back(
        {t.ids, words_of_pieces(t.text, target_.places_in(t.ids)), static_cast<int32_t>(words(t.text).size())});
  return align(source_lines(sources, options, {}), to, options, how);
}

std::vector<SoftAlignment> TextScorer::align(const Lines& from, const Lines& to, const TranslateOptions& options,
                                             const AlignmentOptions& how) const {
  check(how.attention, model_.config);
  const Pairs pairs(from, to, options);
  std::vector<SoftAlignment> results(from.size());
  const DType dtype = model_.target_embedding().table.value.dtype;
  const size_t memory = pairs.most([&](const auto& x, const auto& y) { return align_memory(model_, x, y, dtype); });
  pairs.each_batch(backend_, dtype, memory, [&](Context& cx, const PairBatch& batch) {
    auto found = align_pairs(cx, model_, batch.from, batch.to, special_ids(target_), how.attention);
    for (size_t b = 0; b < found.size(); ++b) {
      const size_t i = batch.places[b];
      results[i] = how.unit == AlignmentUnit::pieces
                       ? std::move(found[b])
                       : merge(found[b], {from[i].words, from[i].word_count}, {to[i].words, to[i].word_count});
    }
  });
  return results;
}

}  // namespace hexapla
