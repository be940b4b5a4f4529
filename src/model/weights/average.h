#pragma once
#include <functional>
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::model {

// The mean of f32 tensors of one shape, summed in f64 in the order in which they come.
class TensorMean {
 public:
  void add(Tensor t);
  void write(Tensor mean) const;

 private:
  std::vector<double> sum_;
  int64_t count_ = 0;
};

// One model whose parameters and buffers are the mean of those of several. DataError naming the file: no model, another
// configuration or vocabulary than the first. The history and the usage are what all have in common, and "average_of".
// load: reads one of them.
LoadedModel average_models(const std::vector<std::string>& paths,
                           const std::function<LoadedModel(const std::string&)>& load = load_model);

}  // namespace hexapla::model
