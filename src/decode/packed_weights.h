#pragma once
#include "model/model_file.h"

namespace hexapla {

// As long as this lives, the backend holds copies of a model's weights in the order (and precision) that suits it best:
// decoding multiplies a few rows by each weight again and again. The weights must not change meanwhile.
class PackedWeights {
 public:
  PackedWeights(Backend& backend, LoadedModel& model);
  PackedWeights(Backend& backend, Transformer& net);
  ~PackedWeights();
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

 private:
  void pack(Tensor w, Tensor integers, Tensor scales);

  Backend& backend_;
  std::vector<Tensor> weights_;
};

}  // namespace hexapla
