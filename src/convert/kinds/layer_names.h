#pragma once
// Where the systems keep the parts of a layer: what readers of kinds have in common is what a layer consists of, what
// they differ in are the names.
#include <string>
#include <vector>

#include "convert/weight_map.h"

namespace hexapla::convert {

// y = x W + b of matrices [out, in], one below the other, each a Part of a tensor. No biases: the map has none.
struct LinearNames {
  std::vector<Part> weights, biases;
};
// prefix + ".weight", prefix + ".bias" of each.
LinearNames linear_names(const std::vector<std::string>& prefixes, bool bias);

struct NormNames {
  std::string gain, bias;
};

// into: queries, keys and values of self-attention, or the queries alone of cross-attention, which has keys and values
// in of_memory.
struct AttentionNames {
  LinearNames into, of_memory, output;
  NormNames norm;
};

struct FeedForwardNames {
  LinearNames inner, linear, outer;  // linear: only of a gated one
  NormNames norm;
};

// Puts names together to a WeightMap. `own` is a prefix of our parameters' names: "encoder.layers.0".
class WeightNames {
 public:
  void encoder_layer(int64_t i, const AttentionNames& self, const FeedForwardNames& feed_forward);
  void decoder_layer(int64_t i, const AttentionNames& self, const AttentionNames& cross,
                     const FeedForwardNames& feed_forward);
  void linear(const std::string& own, const LinearNames& names);
  void norm(const std::string& own, const NormNames& names);
  void table(const std::string& own, const std::string& tensor);  // a matrix as it is
  void vector(const std::string& own, const std::string& tensor);
  void ignore(const std::string& tensor) { map_.ignored.push_back(tensor); }
  WeightMap take() { return std::move(map_); }

 private:
  void attention(const std::string& own, const char* into, const AttentionNames& names);
  void feed_forward(const std::string& own, const FeedForwardNames& names);

  WeightMap map_;
};

}  // namespace hexapla::convert
