#pragma once
// Which tensors of a foreign file make up each of our parameters.
#include <map>
#include <string>
#include <vector>

#include "convert/foreign/foreign_tensors.h"
#include "model/config.h"
#include "tensor/tensor.h"

namespace hexapla::convert {

// Rows of a foreign tensor, seen as a matrix [first extent, all others]; a vector may have
// additional extents of 1.
struct Part {
  std::string tensor;          // "": zeros, `rows` rows (columns for Layout::beside)
  size_t first = 0, rows = 0;  // rows 0: all
};

enum class Layout {
  stacked,     // one below the other: vectors, and tables such as embeddings
  beside,      // matrices [in, out] with the same number of rows, side by side
  transposed,  // matrices [out, in], as in PyTorch, each transposed, side by side
};

struct Origin {
  std::vector<Part> parts;
  Layout layout = Layout::stacked;
  size_t zero_rows = 0;  // the parameter's last rows, which stay zero; only for Layout::transposed
};

// Parameters have their names in the model file: "encoder.layers.0.self_attention.qkv.weight".
struct WeightMap {
  std::map<std::string, Origin> origins;
  std::map<std::string, std::map<size_t, float>> replaced;  // single numbers to overwrite
  std::vector<std::string> ignored;                         // tensors that are known to be unused
};

// Run before reading: every parameter has an origin, and the tensors fit. DataError naming the
// file, the tensor, its shape and the expected one, or the first tensor that is neither used nor
// ignored: the configuration does not describe the model in the file.
void check(const WeightMap& map, const model::Config& config, const ForeignTensors& from);

// A parameter's type in our file: f16 or bf16 if all its sources have that type, otherwise f32.
DType stored_type(const WeightMap& map, const ForeignTensors& from, const std::string& name);

// Writes one parameter to a tensor of f32 or stored_type(). Holds a few rows in memory if the
// reader can read parts. DataError naming the tensor: a number that is not finite or is beyond 1e9,
// which our model file does not allow.
void fill(const WeightMap& map, const ForeignTensors& from, const std::string& name, const Tensor& to);

}  // namespace hexapla::convert
