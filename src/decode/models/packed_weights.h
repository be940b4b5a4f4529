#pragma once
#include <functional>

#include "model/weights/model_file.h"

namespace hexapla {

// As long as this lives, the backend holds copies of a model's weights in the order (and precision) that suits it best:
// decoding multiplies a few rows by each weight again and again. The weights must not change meanwhile. Of a loaded
// model, weights that only stand beside their copies give their memory back: it is this backend's from then on.
class PackedWeights {
 public:
  PackedWeights(Backend& backend, LoadedModel& model);
  PackedWeights(Backend& backend, Transformer& net);
  ~PackedWeights();
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

 private:
  // copied(w): w, or its integers, is read no more.
  void pack_all(Transformer& net, const std::function<void(Tensor)>& copied);
  bool pack(Tensor w, Tensor integers, Tensor scales);  // -> is w, or are its integers, read no more?

  Backend& backend_;
  std::vector<Tensor> weights_;
};

}  // namespace hexapla
