#include "decode/opened/alignment_head.h"

#include <algorithm>

namespace hexapla::decode {

int64_t default_alignment_layer(const model::Config& config) { return std::max<int64_t>(0, config.dec_layers - 2); }

decode::AttentionHead alignment_head(const OpenModel& model) {
  const model::Usage& usage = model.file.usage;
  return {usage.alignment_layer.value_or(default_alignment_layer(model.file.config)),
          usage.alignment_head.value_or(decode::AttentionHead::kMean)};
}

}  // namespace hexapla::decode
