#include "train/plan/objective.h"

namespace hexapla::train {
namespace {

template <class T>
void append_itself(std::vector<T>& values) {
  const size_t n = values.size();
  values.resize(2 * n);
  std::copy_n(values.begin(), n, values.begin() + static_cast<std::ptrdiff_t>(n));
}

// Appends the offsets of a second copy: n + 1 become 2 n + 1.
void append_shifted(std::vector<int32_t>& offsets) {
  const size_t n = offsets.size();
  for (size_t i = 1; i < n; ++i) offsets.push_back(offsets[n - 1] + offsets[i]);
}

model::LossSums mean_of_two(const model::LossSums& s) {
  return {s.loss / 2, s.nll / 2, s.tokens / 2, s.alignment / 2, s.linked / 2, s.divergence, s.balancing / 2};
}

}  // namespace

Objective objective_of(const TrainOptions& o) {
  return {o.label_smoothing, o.r_drop, {o.guided_layer(), o.guided_alignment_head, o.guided_alignment_weight}};
}

model::BatchView view(const data::Batch& b, const Guidance& g, double scale) {
  return {b.source,         b.target_in,      b.target_out,
          b.source_offsets, b.target_offsets, {g.layer, g.head, g.weight * scale, b.link_offsets, b.linked}};
}

data::Batch twice(const data::Batch& batch) {
  data::Batch b = batch;
  for (auto* ids : {&b.source, &b.target_in, &b.target_out, &b.corpora, &b.linked}) append_itself(*ids);
  append_itself(b.lines);
  for (auto* offsets : {&b.source_offsets, &b.target_offsets, &b.link_offsets}) append_shifted(*offsets);
  return b;
}

model::LossSums loss_and_gradient(Context& cx, const model::Transformer& model, const data::Batch& batch,
                                  const Objective& o, double scale, model::Transformer::Saved& saved) {
  if (o.r_drop == 0)
    return model.loss_and_gradient(cx, view(batch, o.guidance, scale), o.label_smoothing, scale, saved);
  const data::Batch both = twice(batch);
  return mean_of_two(model.r_drop_loss_and_gradient(cx, view(both, o.guidance, scale / 2), o.label_smoothing, o.r_drop,
                                                    scale / 2, saved));
}

}  // namespace hexapla::train
