#pragma once
#include "model/config.h"

namespace hexapla::decode {

// An attention over the encoder: a decoder layer (from 0), and one of its heads or the mean over them.
struct AttentionHead {
  static constexpr int64_t kMean = -1;
  int64_t layer = 0, head = kMean;
  bool operator==(const AttentionHead&) const = default;
};
// UsageError naming the options if the model has no such layer or head.
void check(const AttentionHead& head, const model::Config& config);

}  // namespace hexapla::decode
