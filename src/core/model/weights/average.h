#pragma once
#include <functional>
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::model {

// The mean of f32 tensors of the same shape, summed in f64 in the given order.
class TensorMean {
 public:
  void add(Tensor t);
  void write(Tensor mean) const;

 private:
  std::vector<double> sum_;
  int64_t count_ = 0;
};

// A model whose parameters and buffers are the mean of those of several models. DataError naming
// the file: not a model, or another configuration or vocabulary than the first. History and usage
// are what all models agree on, plus "average_of". load: reads a model.
LoadedModel average_models(const std::vector<std::string>& paths,
                           const std::function<LoadedModel(const std::string&)>& load = load_model);

}  // namespace hexapla::model
