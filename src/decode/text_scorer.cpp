#include "decode/text_scorer.h"

#include <algorithm>

#include "decode/workers.h"

namespace hexapla {
namespace {

std::vector<Ids> gather(std::span<const Ids> sentences, std::span<const size_t> places) {
  std::vector<Ids> batch;
  for (size_t place : places) batch.push_back(sentences[place]);
  return batch;
}

int64_t length(const Ids& ids) { return static_cast<int64_t>(ids.size()); }

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

std::vector<TextScore> TextScorer::score(std::span<const std::string> sources, std::span<const std::string> targets,
                                         const TranslateOptions& options, const LineWarning& warn) const {
  check(options);
  if (sources.size() != targets.size())
    throw UsageError(cat("cannot score ", targets.size(), " translations of ", sources.size(),
                         " lines; line i of one must belong to line i of the other"));
  std::vector<Ids> from = LineEncoder(source_, model_.config, options.max_length, warn).encode(sources), to;
  const LineEncoder encoder(target_, model_.config, options.max_length, warn);
  std::vector<LineEncoder::Line> lines;
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < from.size(); ++i) {
    from[i].push_back(source_.eos());
    lines.push_back(encoder.encode_words(targets[i], i));
    to.push_back(lines[i].ids);
    lengths.push_back(std::max(length(from[i]), length(to[i]) + 1));
  }
  const auto batches = plan_batches(lengths, options);
  const DType dtype = model_.target_embedding().table.value.dtype;
  size_t memory = 0;
  for (const std::vector<size_t>& places : batches)
    memory = std::max(memory, score_memory(model_, gather(from, places), gather(to, places), dtype));
  std::vector<TextScore> results(sources.size());
  std::atomic<size_t> next = 0;
  const auto workers = std::min<int64_t>(threads(), static_cast<int64_t>(batches.size()));
  on_workers(workers, backend_, dtype, memory, [&](Context& cx) {
    for (size_t i = next++; i < batches.size(); i = next++) {
      const std::vector<size_t>& places = batches[i];
      auto scores = score_pairs(cx, model_, gather(from, places), gather(to, places), special_ids(target_));
      for (size_t b = 0; b < places.size(); ++b) static_cast<PairScore&>(results[places[b]]) = std::move(scores[b]);
    }
  });
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].normalised = results[i].score / divisor(options.search.length_penalty, results[i].tokens);
    results[i].words = by_word(results[i].log_p, lines[i]);
    results[i].target = std::move(lines[i].ids);
  }
  return results;
}

}  // namespace hexapla
