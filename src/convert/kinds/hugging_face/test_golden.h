#pragma once
// For tests: what Hugging Face's transformers computed, and what an imported model computes of the same ids.
#include "backend/context.h"
#include "model/transformer.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {

inline std::vector<int32_t> golden_ids(const SafetensorsFile& file, const std::string& name) {
  std::vector<int32_t> ids(static_cast<size_t>(file.get(name).shape.size()));
  file.read(file.get(name), ids.data());
  return ids;
}

// [T, V], of one pair. m: models::OpenModel, which is above this layer.
template <class OpenModel>
std::vector<float> logits_of_pair(const OpenModel& m, const std::vector<int32_t>& source,
                                  const std::vector<int32_t>& target) {
  Arena arena(size_t{1} << 24);
  Context cx{*m.backend, arena, DType::f32};
  const std::vector<int32_t> of_source{0, static_cast<int32_t>(source.size())},
      of_target{0, static_cast<int32_t>(target.size())};
  model::Transformer::Saved saved;
  const Tensor memory = m.file.net->encode(cx, source, of_source, saved);
  const Tensor x = m.file.net->decode(cx, {memory, of_source}, target, of_target, saved);
  const Tensor all = m.file.net->logits(cx, x);
  const auto values = all.values<float>();
  return {values.begin(), values.end()};
}

}  // namespace hexapla::convert
