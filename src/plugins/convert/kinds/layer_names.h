#pragma once
// Tensor names of the parts of a layer. All readers of kinds build layers from the same parts; only
// the names differ.
#include <string>
#include <vector>

#include "convert/foreign/weight_map.h"

namespace hexapla::convert {

// y = x W + b with matrices [out, in] stacked, each a Part of a tensor. No biases: none in the map.
struct LinearNames {
  std::vector<Part> weights, biases;
};
// prefix + ".weight" and prefix + ".bias" for each prefix.
LinearNames linear_names(const std::vector<std::string>& prefixes, bool bias);

struct NormNames {
  std::string gain, bias;
};

// into: queries, keys and values of self-attention, or only the queries of cross-attention, whose
// keys and values are in of_memory.
struct AttentionNames {
  LinearNames into, of_memory, output;
  NormNames norm;
};

struct FeedForwardNames {
  LinearNames inner, linear, outer;  // linear: only if gated
  NormNames norm;
};

// Builds a WeightMap from names. `own` is a prefix of our parameters' names: "encoder.layers.0".
class WeightNames {
 public:
  void encoder_layer(int64_t i, const AttentionNames& self, const FeedForwardNames& feed_forward);
  void decoder_layer(int64_t i, const AttentionNames& self, const AttentionNames& cross,
                     const FeedForwardNames& feed_forward);
  void linear(const std::string& own, const LinearNames& names);
  void norm(const std::string& own, const NormNames& names);
  void table(const std::string& own, const std::string& tensor);  // an untransposed matrix
  void vector(const std::string& own, const std::string& tensor);
  void ignore(const std::string& tensor) { map_.ignored.push_back(tensor); }
  WeightMap take() { return std::move(map_); }

 private:
  void attention(const std::string& own, const char* into, const AttentionNames& names);
  void feed_forward(const std::string& own, const FeedForwardNames& names);

  WeightMap map_;
};

}  // namespace hexapla::convert
