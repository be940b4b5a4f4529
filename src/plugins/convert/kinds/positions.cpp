#include "convert/kinds/positions.h"

#include <algorithm>
#include <cmath>

#include "backend/sinusoids.h"

namespace hexapla::convert {
namespace {

constexpr int64_t kLastFirst = 2;  // the largest first position that systems have (fairseq)

bool same(const std::vector<float>& values, int64_t d, Sinusoids kind, int64_t first, double tolerance) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Wave wave = wave_of(kind, static_cast<int64_t>(i) % d, d);
    const double angle = static_cast<double>(static_cast<int64_t>(i) / d + first) / wave.divisor;
    if (!(std::fabs(values[i] - (wave.sine ? std::sin(angle) : std::cos(angle))) < tolerance)) return false;
  }
  return true;
}

}  // namespace

Positions sinusoids_of(const ForeignTensors& from, const ForeignTensor& table, size_t skipped) {
  std::vector<size_t> shape;
  std::copy_if(table.shape.begin(), table.shape.end(), std::back_inserter(shape), [](size_t n) { return n != 1; });
  if (shape.size() != 2 || shape[0] <= skipped || shape[1] == 0)
    throw DataError(cat(from.path(), ": the tensor ", table.text(), " should be a table of positions, a matrix"));
  const double tolerance = size_of(table.type) == 2 ? 5e-3 : 1e-4;
  const std::vector<float> values = from.read_part(table, skipped * shape[1], (shape[0] - skipped) * shape[1]);
  for (const auto& [name, kind] : {std::pair{"sinusoidal", Sinusoids::interleaved},
                                   {"sinusoidal-halves", Sinusoids::halves},
                                   {"timing-signal", Sinusoids::timing_signal}})
    for (int64_t first = 0; first <= kLastFirst; ++first)
      if (same(values, static_cast<int64_t>(shape[1]), kind, first, tolerance))
        return {model::Config::Positions::parse("positions", name), first};
  return {"learned", 0};
}

}  // namespace hexapla::convert
