#pragma once
// A model's parameters as the tensors of another system: what fill() does (convert/weight_map.h), the other way round.
#include <string>
#include <vector>

#include "convert/weight_map.h"
#include "model/weights/model_file.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {

// The tensors that the map names, in the types that the model's file has, sorted by name; numbers are made when they
// are written. A parameter that the model does not have becomes zeros: a bias. Parts of one parameter have the same
// extents. order: of the d_model dimensions there, those of ours by index; empty: the same. The model must outlive the
// result.
std::vector<TensorSource> foreign_tensors(const WeightMap& map, model::LoadedModel& model,
                                          const std::vector<size_t>& order = {});

// In which order the paper's sinusoids, sine and cosine in turns, become all sines and then all cosines. d: even.
std::vector<size_t> halves_of_interleaved(int64_t d);

}  // namespace hexapla::convert
