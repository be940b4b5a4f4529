#include "evaluate/metrics/metric.h"

#include <algorithm>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/system/cancellation.h"

namespace hexapla::evaluate {
namespace {

constexpr size_t kSentencesPerChunk = 16;

void check_counts(const Metric& metric, size_t hypotheses, References references) {
  if (references.empty()) throw DataError(metric.name() + " needs a reference: give at least one");
  for (const Sentences& reference : references) {
    if (hypotheses != reference.size()) {
      throw DataError(cat(metric.name(), " of ", hypotheses, " hypotheses against ", reference.size(),
                          " references: line i of one must belong to line i of the other"));
    }
  }
  if (hypotheses == 0) throw DataError(cat(metric.name(), " of an empty text: give at least one line"));
}

}  // namespace

std::vector<MetricStatistics> sentence_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                                  References references) {
  check_counts(metric, hypotheses.size(), references);
  std::vector<MetricStatistics> all(hypotheses.size());
  const std::atomic<bool>* stop = cancel_flag();
  const size_t chunks = (hypotheses.size() + kSentencesPerChunk - 1) / kSentencesPerChunk;
  parallel_for(static_cast<int64_t>(chunks), [&](int64_t chunk) {
    const size_t first = static_cast<size_t>(chunk) * kSentencesPerChunk;
    Sentences own(references.size());
    const CancelScope scope(stop);
    for (size_t i = first; i < std::min(first + kSentencesPerChunk, hypotheses.size()); ++i) {
      check_canceled();
      for (size_t r = 0; r < references.size(); ++r) own[r] = references[r][i];
      all[i] = metric.statistics(hypotheses[i], own);
    }
  });
  return all;
}

MetricStatistics sum(std::span<const MetricStatistics> sentences) {
  MetricStatistics total(sentences.empty() ? 0 : sentences[0].size());
  for (const MetricStatistics& sentence : sentences) {
    for (size_t i = 0; i < total.size(); ++i) total[i] += sentence[i];
  }
  return total;
}

double corpus_score(const Metric& metric, std::span<const std::string> hypotheses, References references) {
  return metric.score(sum(sentence_statistics(metric, hypotheses, references)));
}

std::string signature(const Metric& metric, size_t references, const std::string& resampling) {
  return cat(metric.name(), "|nrefs:", references, "|", resampling, metric.settings(),
             "|version:hexapla-" HEXAPLA_VERSION);
}

}  // namespace hexapla::evaluate
