#include "inspect/parameters_apart.h"

namespace hexapla::inspect {
namespace {

struct Column {
  const char* name;
  int64_t width;
};

// The matrices stored side by side in parameters of this name; none: a single matrix.
std::vector<Column> columns_of(const std::string& module, const model::Config& c) {
  const int64_t keys = c.heads * c.d_k, values = c.heads * c.d_v;
  if (module == "qkv") return {{"query", keys}, {"key", keys}, {"value", values}};
  if (module == "key_value") return {{"key", keys}, {"value", values}};
  return {};
}

}  // namespace

std::vector<Part> parts_of(const std::string& name, Tensor values, const model::Config& config) {
  const size_t last = name.rfind('.'), before = name.rfind('.', last - 1) + 1;
  std::vector<Part> parts;
  int64_t from = 0;
  for (const auto& [part, width] : columns_of(name.substr(before, last - before), config)) {
    parts.push_back({name.substr(0, before) + part + name.substr(last), values.columns(from, width)});
    from += width;
  }
  return parts.empty() ? std::vector<Part>{{name, values}} : parts;
}

void add_parameters(Recorder& seen, const model::Transformer& model) {
  model::Transformer views = model;  // for_each() takes a mutable model
  model::for_each<model::Parameter>(views, [&](const std::string& name, const model::Parameter& p) {
    for (const Part& part : parts_of(name, p.value, model.config)) seen.add(part.name, recorded(part.values));
  });
  model::for_each<model::Buffer>(
      views, [&](const std::string& name, const model::Buffer& b) { seen.add(name, recorded(b.value)); });
}

}  // namespace hexapla::inspect
