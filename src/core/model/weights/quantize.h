#pragma once
// 8-bit integer weights: symmetric, with a scale per output column, so that every column's largest
// number is +-127. An embedding table has a scale per row: if tied, its rows are the generator's
// columns.
#include <optional>
#include <string>
#include <vector>

#include "model/parameters/parameters.h"

namespace hexapla::model {

// w[i][j] is about integers[i][j] * scales[j] (columns) or * scales[i] (rows).
struct Quantized {
  std::vector<int8_t> integers;
  std::vector<float> scales;
};
enum class ScaleOf { columns, rows };
Quantized quantize(Tensor w, ScaleOf how);  // w: [in, out], f32
void dequantize(Tensor integers, Tensor scales, ScaleOf how, Tensor w);

// Whether and how this parameter can be stored as integers. Weights of products and embedding
// tables can.
std::optional<ScaleOf> quantizable(const std::string& name, const Parameter& p);
Shape scales_shape(const std::string& name, const Parameter& p);  // of a quantizable one

}  // namespace hexapla::model
