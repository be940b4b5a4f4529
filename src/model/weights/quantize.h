#pragma once
// 8-bit integer weights: symmetric, with a scale per output column, so that every column's largest
// number is +-127. An embedding table has a scale per row: if tied, its rows are the generator's
// columns.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/weights/model_file.h"

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

// As save_model(), with every quantizable parameter as integers except those whose names begin with
// one of keep.
void save_quantized(const std::string& path, Transformer& net, const ModelText& text,
                    const std::map<std::string, std::string>& history, const std::vector<std::string>& keep);

}  // namespace hexapla::model
