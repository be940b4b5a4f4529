#include "models/alignment_head.h"

#include <algorithm>

#include "base/range.h"

namespace hexapla::models {
namespace {

// What training wrote into the model; none where the model was not guided.
std::optional<decode::AttentionHead> guided_head(const OpenModel& model) {
  const auto& history = model.file.history;
  const auto layer = history.find("guided_alignment_layer"), head = history.find("guided_alignment_head");
  if (layer == history.end() || head == history.end()) return {};
  const auto l = parse_number<int64_t>(layer->second), h = parse_number<int64_t>(head->second);
  if (!l || !h || *l < 0 || *l >= model.file.config.dec_layers || *h < 0 || *h >= model.file.config.heads)
    throw DataError(cat("the model says that its guided head is ", head->second, " of decoder layer ", layer->second,
                        ", which it does not have; give `alignment-layer` and `alignment-head`"));
  return decode::AttentionHead{*l, *h};
}

}  // namespace

int64_t default_alignment_layer(const model::Config& config) { return std::max<int64_t>(0, config.dec_layers - 2); }

decode::AttentionHead alignment_head(const OpenModel& model) {
  return guided_head(model).value_or(
      decode::AttentionHead{default_alignment_layer(model.file.config), decode::AttentionHead::mean});
}

}  // namespace hexapla::models
