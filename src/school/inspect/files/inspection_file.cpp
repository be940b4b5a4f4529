#include "inspect/files/inspection_file.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>

#include "base/json.h"
#include "inspect/files/formulas.h"
#include "tensor/safetensors.h"

namespace hexapla::inspect {
namespace {

// Converts recorded numbers to their file type and owns them.
class TypedNumbers {
 public:
  Tensor of(const Recorded& r) {
    if (r.dtype == DType::f64) return Tensor::of(r.values.data(), r.shape);
    if (r.dtype == DType::i32) return copy(integers_, r);
    return copy(singles_, r);
  }

 private:
  template <class T>
  static Tensor copy(std::deque<std::vector<T>>& to, const Recorded& r) {
    return Tensor::of(to.emplace_back(r.values.begin(), r.values.end()).data(), r.shape);
  }
  std::deque<std::vector<float>> singles_;
  std::deque<std::vector<int32_t>> integers_;
};

std::string as_json(const std::vector<std::string>& pieces) { return json_text(nlohmann::json(pieces)); }

std::string as_json(const Side& side) { return json_text(nlohmann::json{{"ids", side.ids}, {"pieces", side.pieces}}); }

std::string number(double value, DType dtype) {
  if (!std::isfinite(value)) return "null";
  return dtype == DType::f64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
}

std::string list(const Shape& shape) {
  std::string text;
  for (int i = 0; i < shape.rank(); ++i) text += fmt::format("{}{}", i ? "," : "", shape[i]);
  return fmt::format("[{}]", text);
}

}  // namespace

void write_tensors(const std::string& path, const Recorder& seen, const Legend& legend) {
  TypedNumbers numbers;
  std::vector<NamedTensor> all;
  for (const auto& [name, r] : seen.tensors()) all.push_back({name, numbers.of(r)});
  const auto add_ids = [&](const char* name, const text::Ids& ids) {
    all.push_back({name, Tensor::of(ids.data(), {std::ssize(ids)})});
  };
  add_ids("source.ids", legend.source.ids);
  add_ids("target.ids", legend.target.ids);
  add_ids("target.labels", legend.labels.ids);
  write_safetensors(path, all,
                    {{"format", "hexapla inspect"},
                     {"config", legend.config.to_json()},
                     {"formulas", formulas_as_json(legend.config)},
                     {"source.pieces", as_json(legend.source.pieces)},
                     {"target.pieces", as_json(legend.target.pieces)},
                     {"labels.pieces", as_json(legend.labels.pieces)},
                     {"source.vocabulary", as_json(legend.source_vocabulary)},
                     {"target.vocabulary", as_json(legend.target_vocabulary)}});
}

std::string tensors_as_json(const Recorder& seen, const Legend& legend) {
  std::string text = fmt::format(
      "{{\"source\":{},\n\"target\":{},\n\"labels\":{},\n\"config\":{},\n\"formulas\":{},\n"
      "\"vocabulary\":{{\"source\":{},\n\"target\":{}}},\n\"tensors\":{{",
      as_json(legend.source), as_json(legend.target), as_json(legend.labels), legend.config.to_json(),
      formulas_as_json(legend.config), as_json(legend.source_vocabulary), as_json(legend.target_vocabulary));
  const char* separator = "\n";
  for (const auto& [name, r] : seen.tensors()) {
    text += fmt::format("{}{}:{{\"shape\":{},\"values\":[", separator, json_text(nlohmann::json(name)), list(r.shape));
    for (size_t i = 0; i < r.values.size(); ++i)
      text += fmt::format("{}{}", i ? "," : "", number(r.values[i], r.dtype));
    text += "]}";
    separator = ",\n";
  }
  return text + "}}\n";
}

}  // namespace hexapla::inspect
