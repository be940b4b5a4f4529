#include "convert/kinds/marian/folded_start.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hexapla::convert {
namespace {

using Tensors = std::map<std::string, Tensor>;

// c W, with a matrix [in, out].
std::vector<double> product(const std::vector<double>& c, const Tensor& w) {
  const auto columns = static_cast<size_t>(w.shape[1]);
  const auto numbers = w.values<float>();
  std::vector<double> sum(columns);
  for (size_t i = 0; i < c.size(); ++i)
    for (size_t j = 0; j < columns; ++j) sum[j] += c[i] * static_cast<double>(numbers[i * columns + j]);
  return sum;
}

std::vector<float> bias_plus(const Tensors& tensors, const std::string& name, const std::vector<double>& more) {
  std::vector<float> sum(more.size());
  const auto found = tensors.find(name);
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = static_cast<float>(more[i] + (found == tensors.end() ? 0 : double(found->second.values<float>()[i])));
  return sum;
}

StartFolded folded(const Tensors& tensors, const std::string& stack, const std::vector<double>& c) {
  const std::string attention = stack + ".layers.0.self_attention.", qkv = attention + "qkv.bias",
                    output = attention + "output.bias";
  return {{{qkv, bias_plus(tensors, qkv, product(c, tensors.at(attention + "qkv.weight")))},
           {output, bias_plus(tensors, output, c)}}};
}

void check_foldable(const model::Config& c) {
  const auto refuse = [](const char* what) {
    throw DataError(
        cat("Marian has no start token with an embedding in a model with ", what,
            ": a translation starts with zeros there. A model that came from Marian keeps them where it is ",
            "trained further with `freeze` embeddings; export such a one"));
  };
  if (c.norm_position != "post") refuse("the norm before its sublayers");
  if (c.embedding_norm) refuse("a norm on the embedded input");
  if (c.decoder_mixing != "attention") refuse("a recurrence in its decoder");
}

}  // namespace

std::vector<StartFolded> folded_starts(const model::LoadedModel& model, int64_t start) {
  const model::Config& config = model.config;
  const std::string table = config.tied == "all" ? "embeddings.0.table" : "embeddings.1.table";
  Tensors tensors;
  for (const auto& [name, parameter] : leaves_of(*model.net).parameters) tensors[name] = parameter->value;
  const auto rows = tensors.at(table).values<float>();
  const auto d = static_cast<size_t>(config.d_model);
  const std::vector<float> e(rows.begin() + start * config.d_model, rows.begin() + (start + 1) * config.d_model);
  if (std::all_of(e.begin(), e.end(), [](float x) { return x == 0; })) return {};
  check_foldable(config);
  std::vector<double> c(d);
  for (size_t i = 0; i < d; ++i) c[i] = std::sqrt(static_cast<double>(d)) * static_cast<double>(e[i]);
  std::vector<StartFolded> all{folded(tensors, "decoder", c)};
  if (config.tied == "all") all.push_back(folded(tensors, "encoder", c));
  std::vector<float>& shifted = all[0].changed[table];
  shifted.assign(rows.begin(), rows.end());
  for (size_t i = 0; i < shifted.size(); ++i) shifted[i] -= e[i % d];
  return all;
}

}  // namespace hexapla::convert
