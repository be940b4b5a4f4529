#pragma once
// Everything that happens in a model while it reads one pair of sentences.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hexapla/error.h"

namespace hexapla {

struct NamedArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  // row after row
};

struct Inspection {
  std::vector<std::string> source_tokens;  // </s> last
  std::vector<std::string> target_tokens;  // as the decoder reads them: <s> first
  std::vector<std::string> predicted;      // what it is asked for: </s> last
  std::vector<double> log_probabilities;   // of each predicted token
  double score = 0;                        // their sum
  // Every intermediate by its place in the model: "encoder.layers.0.self_attention.weights" [heads, queries, keys],
  // "decoder.layers.1.cross_attention.q" [tokens, width], "generator.log_probabilities" [tokens, vocabulary].
  std::map<std::string, NamedArray> tensors;
};

// The const functions may be called from several threads at once.
class Inspector {
 public:
  explicit Inspector(const std::string& model_path);  // as Translator's
  ~Inspector();
  Inspector(Inspector&&) noexcept;
  Inspector& operator=(Inspector&&) noexcept;

  // With teacher forcing. An empty target: the source is translated first. UsageError: an empty source, or more than
  // 512 tokens on a side.
  Inspection inspect(const std::string& source, const std::string& target = "") const;
  // The attention maps of one sublayer as an SVG picture: "encoder.layers.0.self_attention",
  // "decoder.layers.1.cross_attention". UsageError: there is no such sublayer.
  static std::string draw_attention(const Inspection& inspection, const std::string& sublayer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hexapla
