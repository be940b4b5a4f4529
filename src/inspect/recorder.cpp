#include "inspect/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "decode/rescoring/score.h"
#include "tensor/safetensors.h"

namespace hexapla::inspect {
namespace {

// Rows may be strided, the numbers of a row lie side by side.
template <class T>
void append_rows(Tensor t, std::vector<double>& to) {
  const int64_t columns = t.shape[-1], stride = t.shape.rank() > 1 ? t.strides[t.shape.rank() - 2] : columns;
  for (int64_t r = 0; r < t.rows(); ++r) {
    const T* row = t.data<T>() + r * stride;
    to.insert(to.end(), row, row + columns);
  }
}

Recorded copy_of(Tensor t) {
  Recorded r{t.shape, t.dtype, {}};
  r.values.reserve(static_cast<size_t>(t.size()));
  t.dtype == DType::f64 ? append_rows<double>(t, r.values) : append_rows<float>(t, r.values);
  return r;
}

// Every intermediate is kept, the logits of all tokens at once and, for a moment, every head's scores and weights.
size_t memory_of(const model::Transformer& model, const Pair& pair, DType dtype) {
  const model::Config& c = model.config;
  const size_t n = pair.source.size(), m = pair.target.size() + 1, longest = std::max(n, m);
  const size_t logits = 2 * m * static_cast<size_t>(c.target_vocab) * size_of(dtype);
  const size_t attention = 2 * static_cast<size_t>(c.heads) * longest * longest * sizeof(double);
  const std::vector<text::Ids> source{pair.source}, target{pair.target};
  return decode::score_memory(model, source, target, dtype) + logits + attention + (size_t{1} << 20);
}

void check_ids(const text::Ids& ids, int64_t size, const char* side) {
  for (int32_t id : ids)
    HEXAPLA_CHECK(id >= 0 && id < size, side, " id ", id, " is outside of the vocabulary of ", size, " pieces");
}

std::string number(double value, DType dtype) {
  if (!std::isfinite(value)) return "null";
  return dtype == DType::f64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
}

std::string list(const Shape& shape) {
  std::string text;
  for (int i = 0; i < shape.rank(); ++i) text += fmt::format("{}{}", i ? "," : "", shape[i]);
  return fmt::format("[{}]", text);
}

std::string side_as_json(const Side& side) {
  return json_text(nlohmann::json{{"ids", side.ids}, {"pieces", side.pieces}});
}

}  // namespace

std::vector<double> Recorded::head(int64_t h) const {
  HEXAPLA_CHECK(shape.rank() == 3 && h >= 0 && h < shape[0], "there is no head ", h, " in ", shape);
  const int64_t size = shape[1] * shape[2];
  return {values.begin() + h * size, values.begin() + (h + 1) * size};
}

std::vector<double> Recorded::mean_head() const {
  std::vector<double> mean = head(0);
  for (int64_t h = 1; h < shape[0]; ++h) {
    const std::vector<double> next = head(h);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += next[i];
  }
  for (double& x : mean) x /= static_cast<double>(shape[0]);
  return mean;
}

void Recorder::observe(const std::string& name, Tensor value, Offsets) {
  HEXAPLA_CHECK(tensors_.emplace(name, copy_of(value)).second, "two intermediates are called ", name);
}

void Recorder::observe_attention(const std::string& scope, int64_t, Tensor scores, Tensor weights) {
  observe(scope + ".scores", scores, {});
  observe(scope + ".weights", weights, {});
}

const Recorded& Recorder::get(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  std::string all;
  for (const auto& [other, value] : tensors_) all += " " + other;
  fail(cat("no intermediate is called ", name, "; there are", all));
}

Inspection inspect_pair(Backend& backend, const model::Transformer& model, const Pair& pair, int32_t bos, int32_t eos) {
  HEXAPLA_CHECK(!pair.source.empty(), "there is nothing to inspect: the source has no tokens");
  check_ids(pair.source, model.config.source_vocab, "source");
  check_ids(pair.target, model.config.target_vocab, "target");
  Inspection result;
  result.target_in = pair.target;
  result.target_in.insert(result.target_in.begin(), bos);
  result.target_out = pair.target;
  result.target_out.push_back(eos);

  const DType dtype = model.target_embedding().table.value.dtype;
  Arena arena(memory_of(model, pair, dtype));
  Context cx{backend, arena, dtype};
  cx.observer = &result.seen;
  const decode::ForwardOnly forward_only(cx);
  const std::vector<int32_t> source_rows{0, static_cast<int32_t>(pair.source.size())};
  const std::vector<int32_t> target_rows{0, static_cast<int32_t>(result.target_in.size())};
  const model::BatchView batch{pair.source, result.target_in, result.target_out, source_rows, target_rows};
  model::Transformer::Saved saved;
  result.seen.observe("generator.log_probabilities", model.log_probabilities(cx, batch, saved), target_rows);

  const Recorded& all = result.seen.get("generator.log_probabilities");
  for (size_t i = 0; i < result.target_out.size(); ++i)
    result.log_p.push_back(all.values[i * static_cast<size_t>(all.shape[1]) + result.target_out[i]]);
  for (double x : result.log_p) result.score += x;
  return result;
}

void write_tensors(const std::string& path, const Inspection& inspection, const Pair& pair) {
  std::map<std::string, std::vector<float>> single;  // the file gets the numbers in the model's own type
  std::vector<NamedTensor> all;
  for (const auto& [name, r] : inspection.seen.tensors()) {
    if (r.dtype == DType::f64) {
      all.push_back({name, Tensor::of(r.values.data(), r.shape)});
      continue;
    }
    std::vector<float>& values = single[name];
    values.assign(r.values.begin(), r.values.end());
    all.push_back({name, Tensor::of(values.data(), r.shape)});
  }
  const auto add_ids = [&](const char* name, const text::Ids& ids) {
    all.push_back({name, Tensor::of(ids.data(), {static_cast<int64_t>(ids.size())})});
  };
  add_ids("source.ids", pair.source);
  add_ids("target.ids", inspection.target_in);
  add_ids("target.labels", inspection.target_out);
  write_safetensors(path, all, {{"format", "hexapla inspect"}});
}

std::string tensors_as_json(const Recorder& seen, const Side& source, const Side& target) {
  std::string text =
      "{\"source\":" + side_as_json(source) + ",\n\"target\":" + side_as_json(target) + ",\n\"tensors\":{";
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
