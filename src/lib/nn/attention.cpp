#include "model/layers/attention.h"

#include <limits>

#include "lib/nn/architecture.h"
#include "lib/nn/calls.h"
#include "model/encoder.h"

namespace hexapla {
namespace api {
namespace {

using AttentionModule = model::MultiHeadAttention;

std::shared_ptr<LayerState> make_attention(const Options& options) {
  return guarded([&] {
    const model::Config c = architecture(options);
    return own(AttentionModule(model::make_heads(c), {c.d_model, c.d_model, c.d_model, c.d_model}));
  });
}

int64_t longest(Offsets offsets) {
  int32_t n = 0;
  for (size_t b = 0; b + 1 < offsets.size(); ++b) n = std::max(n, offsets[b + 1] - offsets[b]);
  return n;
}

// Without a softmax, a mask can only show or hide a key.
void check_hides_alone(Tensor mask) {
  for (const float m : mask.values<float>())
    if (m != 0 && m != -std::numeric_limits<float>::infinity())
      throw UsageError(cat("mask has ", m, ", but where `score` is no softmax it may have 0 and -infinity alone; use ",
                           "`score` scaled-dot, dot or additive to add to the scores"),
                       "mask", cat(m));
}

AttentionModule::Inputs take_inputs(Pass& pass, const nn::AttentionInputs& given, const AttentionModule& module) {
  const int64_t width = module.query.weight.shape[0];
  const Tensor query = pass.take("query", given.query, width), key = pass.take("key", given.key, width),
               value = pass.take("value", given.value, width, key.shape[0]);
  const Offsets queries = pass.take("queries", given.queries, query.shape[0]),
                keys = pass.take("keys", given.keys, key.shape[0]);
  if (queries.size() != keys.size())
    throw UsageError(cat("there are ", queries.size() - 1, " sentences of queries, but ", keys.size() - 1, " of keys"),
                     "keys", "");
  const Tensor mask = given.mask ? pass.take("mask", given.mask, longest(keys), query.shape[0]) : Tensor();
  const model::Score& score = module.heads.score;
  const bool softmax =
      std::holds_alternative<model::DotScore>(score) || std::holds_alternative<model::AdditiveScore>(score);
  if (mask && !softmax) check_hides_alone(mask);
  return {query, key, value, queries, keys, given.causal, mask};
}

// Zeroed gradients of query, key and value; equal inputs share one.
std::array<Tensor, 3> gradients_of(Context& cx, const AttentionModule::Inputs& in) {
  const std::array<Tensor, 3> inputs{in.query, in.key, in.value};
  std::array<Tensor, 3> gradients;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      if (inputs[j].bytes == inputs[i].bytes) gradients[i] = gradients[j];
    if (!gradients[i]) gradients[i] = kept_zeros(cx, inputs[i].shape);
  }
  return gradients;
}

}  // namespace
}  // namespace api

namespace nn {

MultiHeadAttention::MultiHeadAttention(const Options& architecture) : Layer(api::make_attention(architecture)) {}

Tensor MultiHeadAttention::forward(Workspace& work, const AttentionInputs& in) const {
  return api::forward<api::AttentionModule::Saved>(
      work, *this, [&](api::Pass& pass, Context& cx, api::AttentionModule::Saved& saved) {
        const auto& module = api::module_of<api::AttentionModule>(*this);
        return module.forward(cx, api::take_inputs(pass, in, module), saved);
      });
}

AttentionGradients MultiHeadAttention::backward(Workspace& work, const Tensor& dy) {
  return api::backward<api::AttentionModule::Saved>(
      work, *this, dy, [&](api::Pass& pass, Context& cx, const api::AttentionModule::Saved& saved, hexapla::Tensor d) {
        const auto [d_query, d_key, d_value] = api::gradients_of(cx, saved.in);
        api::module_of<api::AttentionModule>(*this).backward(cx, saved, d, d_query, d_key, d_value);
        return AttentionGradients{pass.give(d_query), pass.give(d_key), pass.give(d_value)};
      });
}

AttentionWeights MultiHeadAttention::weights(Workspace& work, std::size_t sentence) const {
  return api::in_pass(work, [&](api::Pass& pass) {
    const auto& saved = *std::any_cast<api::AttentionModule::Saved>(&pass.last(*state()).saved);
    if (sentence >= saved.in.queries.size() - 1)
      throw UsageError(cat("there is no sentence ", sentence, " among the ", saved.in.queries.size() - 1), "sentence",
                       cat(sentence));
    Context cx = pass.context(1);
    Arena::Frame frame(cx.arena);
    const hexapla::Tensor weights =
        api::module_of<api::AttentionModule>(*this).heads.weights(cx, saved.qkv, sentence).weights;
    const auto numbers = weights.values<double>();
    return AttentionWeights{weights.shape[0], weights.shape[1], weights.shape[2], {numbers.begin(), numbers.end()}};
  });
}

}  // namespace nn
}  // namespace hexapla
