#include "evaluate/metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/system/cancellation.h"

namespace hexapla::evaluate {
namespace {

__extension__ using Wide = unsigned __int128;

Wide wide(std::array<uint64_t, 2> halves) { return Wide{halves[1]} << 64 | halves[0]; }
std::array<uint64_t, 2> halves(Wide w) { return {static_cast<uint64_t>(w), static_cast<uint64_t>(w >> 64)}; }

Wide step(Wide state, Wide increment) {
  return state * (Wide{2549297995355413924u} << 64 | 4865540595714422341u) + increment;
}

// SeedSequence's hash, whose constant changes with every value.
struct SeedHash {
  uint32_t constant, factor;
  uint32_t operator()(uint32_t value) {
    value ^= constant;
    constant *= factor;
    value *= constant;
    return value ^ value >> 16;
  }
};

// SeedSequence(seed).generate_state(4, uint64).
std::array<uint64_t, 4> seed_words(uint64_t seed) {
  std::array<uint32_t, 4> pool{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  SeedHash in{0x43b0d7e5, 0x931e8875};
  for (uint32_t& word : pool) word = in(word);
  for (size_t from = 0; from < 4; ++from) {
    for (size_t to = 0; to < 4; ++to) {
      if (from == to) continue;
      const uint32_t mixed = 0xca01f9dd * pool[to] - 0x4973f715 * in(pool[from]);
      pool[to] = mixed ^ mixed >> 16;
    }
  }
  SeedHash out{0x8b51f9dd, 0x58f38ded};
  std::array<uint64_t, 4> words{};
  for (size_t i = 0; i < 8; ++i) words[i / 2] |= uint64_t{out(pool[i % 4])} << (i % 2 * 32);
  return words;
}

constexpr uint32_t kDrawnAtATime = 1 << 22;  // 16 MiB

}  // namespace

NumpyGenerator::NumpyGenerator(uint64_t seed) {
  const auto words = seed_words(seed);
  const Wide increment = wide({words[3], words[2]}) << 1 | 1;
  increment_ = halves(increment);
  state_ = halves(step(step(0, increment) + wide({words[1], words[0]}), increment));
}

uint64_t NumpyGenerator::next() {
  state_ = halves(step(wide(state_), wide(increment_)));
  const uint64_t mixed = state_[0] ^ state_[1], turn = state_[1] >> 58;
  return mixed >> turn | mixed << (-turn & 63);
}

uint32_t NumpyGenerator::next_half() {
  if (has_half_) {
    has_half_ = false;
    return half_;
  }
  const uint64_t both = next();
  half_ = static_cast<uint32_t>(both >> 32);
  has_half_ = true;
  return static_cast<uint32_t>(both);
}

// Lemire's method: the high half of a product, without bias.
uint32_t NumpyGenerator::below(uint32_t n) {
  if (n == 1) return 0;
  uint64_t product = uint64_t{next_half()} * n;
  if (static_cast<uint32_t>(product) < n) {
    const uint32_t threshold = (UINT32_MAX - (n - 1)) % n;
    while (static_cast<uint32_t>(product) < threshold) product = uint64_t{next_half()} * n;
  }
  return static_cast<uint32_t>(product >> 32);
}

std::vector<double> resampled_scores(const Metric& metric, std::span<const MetricStatistics> sentences,
                                     const ResampleOptions& options) {
  HEXAPLA_CHECK(options.samples > 0 && !sentences.empty(), options.samples, " resamples of ", sentences.size(),
                " sentences");
  NumpyGenerator generator(options.seed);
  const auto n = static_cast<uint32_t>(sentences.size()), samples = static_cast<uint32_t>(options.samples);
  std::vector<double> scores(samples);
  std::vector<uint32_t> drawn;
  const uint32_t samples_at_a_time = std::max(1u, kDrawnAtATime / n);
  for (uint32_t first = 0, count; first < samples; first += count) {
    check_canceled();
    count = std::min(samples_at_a_time, samples - first);
    drawn.resize(size_t{count} * n);
    for (uint32_t& i : drawn) i = generator.below(n);
    parallel_for(count, [&](int64_t sample) {
      MetricStatistics sums(sentences[0].size());
      for (const uint32_t i : std::span(drawn).subspan(static_cast<size_t>(sample) * n, n)) {
        for (size_t k = 0; k < sums.size(); ++k) sums[k] += sentences[i][k];
      }
      scores[first + static_cast<size_t>(sample)] = metric.score(sums);
    });
  }
  return scores;
}

ConfidenceInterval confidence_interval(std::vector<double> scores) {
  HEXAPLA_CHECK(!scores.empty(), "a confidence interval of nothing");
  std::sort(scores.begin(), scores.end());
  const size_t n = scores.size(), outside = n / 40;
  return {std::accumulate(scores.begin(), scores.end(), 0.) / static_cast<double>(n),
          .5 * (scores[n - outside - 1] - scores[outside])};
}

// As in Moses and sacreBLEU: the resampled differences, shifted to mean 0, represent chance. Adding
// 1 to both counts keeps the test conservative with few resamples.
double paired_p_value(std::span<const double> baseline, std::span<const double> system, double observed_difference) {
  HEXAPLA_CHECK(baseline.size() == system.size() && !baseline.empty(), baseline.size(), " and ", system.size(),
                " resamples");
  std::vector<double> differences(baseline.size());
  for (size_t i = 0; i < baseline.size(); ++i) differences[i] = std::abs(system[i] - baseline[i]);
  const auto n = static_cast<double>(differences.size());
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.) / n;
  const auto larger = std::count_if(differences.begin(), differences.end(),
                                    [&](double d) { return d - mean > std::abs(observed_difference); });
  return (static_cast<double>(larger) + 1) / (n + 1);
}

}  // namespace hexapla::evaluate
