#include "inspect/recorder.h"

#include <algorithm>
#include <cmath>

#include "backend/on_host.h"
#include "base/error.h"
#include "decode/rescoring/score.h"
#include "inspect/attention_steps.h"

namespace hexapla::inspect {
namespace {

// Rows may be strided; the numbers of a row are contiguous.
template <class T>
void append_rows(Tensor t, std::vector<double>& to) {
  const int64_t columns = t.shape[-1], stride = t.shape.rank() > 1 ? t.strides[t.shape.rank() - 2] : columns;
  for (int64_t r = 0; r < t.rows(); ++r) {
    const T* row = t.data<T>() + r * stride;
    to.insert(to.end(), row, row + columns);
  }
}

// Counts all kept intermediates, the logits of all tokens and, temporarily, every head's scores and
// weights, the positional encodings and the sum before a norm.
size_t memory_to_record(const model::Transformer& model, const Pair& pair, DType dtype) {
  const model::Config& c = model.config;
  const size_t n = pair.source.size(), m = pair.target.size() + 1, longest = std::max(n, m);
  const size_t logits = 2 * m * static_cast<size_t>(c.target_vocab) * size_of(dtype);
  const size_t attention = 2 * static_cast<size_t>(c.heads) * longest * longest * sizeof(double);
  const size_t sums = 2 * longest * static_cast<size_t>(c.d_model) * size_of(dtype);
  const std::vector<text::Ids> source{pair.source}, target{pair.target};
  return decode::score_memory({.models = {&model}}, source, target, dtype) + logits + attention + sums +
         (size_t{1} << 20);
}

void check_ids(const text::Ids& ids, int64_t size, const char* side) {
  for (int32_t id : ids)
    HEXAPLA_CHECK(id >= 0 && id < size, side, " id ", id, " is outside of the vocabulary of ", size, " pieces");
}

}  // namespace

Recorded recorded(Tensor t) {
  Recorded r{t.shape, t.dtype, {}};
  r.values.reserve(static_cast<size_t>(t.size()));
  t.dtype == DType::f64 ? append_rows<double>(t, r.values) : append_rows<float>(t, r.values);
  return r;
}

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

void Recorder::observe(const std::string& name, Tensor value, Offsets) { add(name, recorded(value)); }

void Recorder::add(const std::string& name, Recorded value) {
  HEXAPLA_CHECK(tensors_.emplace(name, std::move(value)).second, "two intermediates are called ", name);
}

void Recorder::observe_attention(const std::string& scope, int64_t, Tensor scores, Tensor weights) {
  observe(scope + ".scores", scores, {});
  observe(scope + ".weights", weights, {});
}

const Recorded* Recorder::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

const Recorded& Recorder::get(const std::string& name) const {
  if (const Recorded* found = find(name)) return *found;
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
  Arena arena = make_arena(backend, memory_to_record(model, pair, dtype));
  Context cx{backend, arena, dtype};
  cx.observer = &result.seen;
  const decode::ForwardOnly forward_only(cx);
  const std::vector<int32_t> source_rows{0, static_cast<int32_t>(pair.source.size())};
  const std::vector<int32_t> target_rows{0, static_cast<int32_t>(result.target_in.size())};
  const model::BatchView batch{pair.source, result.target_in, result.target_out, source_rows, target_rows};
  model::Transformer::Saved saved;
  result.seen.observe("generator.log_probabilities", OnHost(backend, model.log_probabilities(cx, batch, saved)),
                      target_rows);
  add_attention_steps(result.seen, model.config);

  const Recorded& all = result.seen.get("generator.log_probabilities");
  for (size_t i = 0; i < result.target_out.size(); ++i)
    result.log_p.push_back(all.values[i * static_cast<size_t>(all.shape[1]) + result.target_out[i]]);
  for (double x : result.log_p) result.score += x;
  return result;
}

}  // namespace hexapla::inspect
