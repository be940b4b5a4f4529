#pragma once
// Shared by the measurements.
#include <algorithm>
#include <chrono>
#include <vector>

#include "base/compute/random.h"
#include "model/config.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::api {

using BenchClock = std::chrono::steady_clock;

inline double seconds_since(BenchClock::time_point t) {
  return std::chrono::duration<double>(BenchClock::now() - t).count();
}

inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// A preset's model with these pieces on both sides.
inline model::Config model_of(const std::string& preset, int64_t vocabulary) {
  model::Config c = model::Config::preset(preset);
  c.source_vocab = c.target_vocab = vocabulary;
  c.resolve();
  return c;
}

inline text::Ids made_up_ids(Random& random, int64_t n, int64_t vocabulary) {
  text::Ids ids(static_cast<size_t>(n));
  for (int32_t& id : ids) id = static_cast<int32_t>(4 + random.below(static_cast<uint32_t>(vocabulary - 4)));
  return ids;
}

}  // namespace hexapla::api
