#pragma once
// Which tensors of a foreign file each parameter of ours is made of.
#include <map>
#include <string>
#include <vector>

#include "convert/foreign_tensors.h"
#include "model/config.h"
#include "tensor/tensor.h"

namespace hexapla::convert {

// Some rows of a foreign tensor, which is seen as a matrix [first extent, all others]; a vector may have extents of 1
// around it.
struct Part {
  std::string tensor;          // "": zeros, as many rows (of Layout::beside columns) as `rows` says
  size_t first = 0, rows = 0;  // rows 0: all of them
};

enum class Layout {
  stacked,     // part after part, row after row: vectors, and tables such as embeddings
  beside,      // matrices [in, out] with the same number of rows, side by side
  transposed,  // matrices [out, in], as PyTorch has them, each transposed, side by side
};

struct Origin {
  std::vector<Part> parts;
  Layout layout = Layout::stacked;
};

// The names of parameters are those of the model file: "encoder.layers.0.self_attention.qkv.weight".
struct WeightMap {
  std::map<std::string, Origin> origins;
  std::map<std::string, std::map<size_t, float>> replaced;  // single numbers that are others than in the file
  std::vector<std::string> ignored;  // tensors that no parameter is made of, and why not is known
};

// Before anything is read: every parameter of the model has its origin, and the tensors fit. DataError naming the file,
// the tensor, its shape and the expected one; where tensors are left over that are not ignored, the first of them: the
// file holds a model that this configuration does not describe.
void check(const WeightMap& map, const model::Config& config, const ForeignTensors& from);

// In what the numbers of a parameter are stored: f16 or bf16 where all that it is made of is, otherwise f32.
DType stored_type(const WeightMap& map, const ForeignTensors& from, const std::string& name);

// The numbers of one parameter, to a tensor of f32 or of stored_type(). In memory are a few rows of a tensor at a time,
// where its reader can do that. DataError naming the tensor: a number that is not finite, or beyond 1e9, which no model
// file may have.
void fill(const WeightMap& map, const ForeignTensors& from, const std::string& name, const Tensor& to);

}  // namespace hexapla::convert
