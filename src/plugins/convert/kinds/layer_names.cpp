#include "convert/kinds/layer_names.h"

namespace hexapla::convert {

LinearNames linear_names(const std::vector<std::string>& prefixes, bool bias) {
  LinearNames names;
  for (const std::string& prefix : prefixes) {
    names.weights.push_back({prefix + ".weight"});
    if (bias) names.biases.push_back({prefix + ".bias"});
  }
  return names;
}

void WeightNames::encoder_layer(int64_t i, const AttentionNames& self, const FeedForwardNames& names) {
  const std::string own = cat("encoder.layers.", i);
  attention(own + ".self_attention", "qkv", self);
  norm(own + ".attention_norm", self.norm);
  feed_forward(own, names);
}

void WeightNames::decoder_layer(int64_t i, const AttentionNames& self, const AttentionNames& cross,
                                const FeedForwardNames& names) {
  const std::string own = cat("decoder.layers.", i);
  attention(own + ".self_attention", "qkv", self);
  norm(own + ".self_norm", self.norm);
  attention(own + ".cross_attention", "query", cross);
  linear(own + ".cross_attention.key_value", cross.of_memory);
  norm(own + ".cross_norm", cross.norm);
  feed_forward(own, names);
}

void WeightNames::attention(const std::string& own, const char* into, const AttentionNames& names) {
  linear(cat(own, ".", into), names.into);
  linear(own + ".output", names.output);
}

void WeightNames::feed_forward(const std::string& own, const FeedForwardNames& names) {
  linear(own + ".feed_forward.inner", names.inner);
  if (!names.linear.weights.empty()) linear(own + ".feed_forward.linear", names.linear);
  linear(own + ".feed_forward.outer", names.outer);
  norm(own + ".feed_forward_norm", names.norm);
}

void WeightNames::linear(const std::string& own, const LinearNames& names) {
  map_.origins[own + ".weight"] = {names.weights, Layout::transposed};
  if (!names.biases.empty()) map_.origins[own + ".bias"] = {names.biases, Layout::stacked};
}

void WeightNames::norm(const std::string& own, const NormNames& names) {
  vector(own + ".gain", names.gain);
  vector(own + ".bias", names.bias);
}

void WeightNames::table(const std::string& own, const std::string& tensor) {
  map_.origins[own] = {{{tensor}}, Layout::stacked};
}

void WeightNames::vector(const std::string& own, const std::string& tensor) { table(own, tensor); }

}  // namespace hexapla::convert
