#pragma once
// A model's parameters as another system's tensors: the inverse of fill() (convert/foreign/weight_map.h).
#include <string>
#include <vector>

#include "convert/foreign/weight_map.h"
#include "model/weights/model_file.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {

// The tensors named in the map, in the types of the model's file, sorted by name; numbers are
// computed when written. A parameter that the model does not have, a bias, becomes zeros. Parts of
// one parameter have the same extents. order: for each d_model dimension there, the index of ours;
// empty: the same order. The model must outlive the result.
std::vector<TensorSource> foreign_tensors(const WeightMap& map, model::LoadedModel& model,
                                          const std::vector<size_t>& order = {});

// The order that turns the paper's sinusoids, alternating sine and cosine, into all sines followed
// by all cosines. d: even.
std::vector<size_t> halves_of_interleaved(int64_t d);

}  // namespace hexapla::convert
