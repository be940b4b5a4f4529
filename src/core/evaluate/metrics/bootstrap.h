#pragma once
// Bootstrap resampling (Koehn 2004): how much a score depends on the choice of test sentences, and
// whether one system is better than another on the same sentences. Resamples are drawn as in
// sacreBLEU by NumPy's default generator, so intervals and p-values equal sacreBLEU's, up to its
// rounding to f32.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluate/metrics/metric.h"

namespace hexapla::evaluate {

// numpy.random.default_rng(seed): PCG64 (O'Neill 2014), seeded by SeedSequence.
class NumpyGenerator {
 public:
  explicit NumpyGenerator(uint64_t seed);
  uint64_t next();
  uint32_t below(uint32_t n);  // choice(n), n >= 1

 private:
  uint32_t next_half();
  std::array<uint64_t, 2> state_{}, increment_{};  // 128 bits each, the low half first
  uint32_t half_ = 0;
  bool has_half_ = false;
};

struct ResampleOptions {
  int samples = 1000;
  uint64_t seed = 12345;
};

// The metric's score of each resample: as many sentences as there are, drawn with replacement. The
// same options draw the same sentences.
std::vector<double> resampled_scores(const Metric& metric, std::span<const MetricStatistics> sentences,
                                     const ResampleOptions& options);

struct ConfidenceInterval {
  double mean, half_width;  // mean +- half_width has 95 % of the resamples' scores, if these are symmetric
};
ConfidenceInterval confidence_interval(std::vector<double> scores);

// The probability that resampling alone moves the difference by more than the observed one (same
// resamples, two-sided).
double paired_p_value(std::span<const double> baseline, std::span<const double> system, double observed_difference);

}  // namespace hexapla::evaluate
