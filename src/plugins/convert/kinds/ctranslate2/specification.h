#pragma once
#include <string>
#include <vector>

#include "convert/containers/ctranslate2_file.h"
#include "convert/foreign/adjusted_tensors.h"
#include "convert/foreign/weight_map.h"
#include "model/config.h"
#include "model/record/usage.h"

namespace hexapla::convert {

// The network that model.bin describes by its attributes and by which variables exist.
class Specification {
 public:
  // DataError: not a Transformer with encoder and decoder.
  explicit Specification(const CTranslate2File& file);

  // Not yet resolved. Adds scaled copies to `tensors` where the embedding scale differs from ours.
  model::Config config(AdjustedTensors& tensors) const;
  // Whether translations start with zeros, as Marian's do; config() then has one more token.
  bool zero_start() const;
  // For the resolved configuration.
  WeightMap weights(const model::Config& config) const;
  // The heads whose attention CTranslate2 returns as alignment. If none was trained or chosen, its
  // converters write the first head of the last layer; this is meaningful only for Marian models,
  // which align by it.
  void read_alignment(const model::Config& config, model::Usage& usage, std::vector<std::string>& notes) const;

 private:
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  int64_t extent(const std::string& name, size_t i) const;
  int64_t layers(const std::string& side) const;
  int64_t whole(const std::string& name, int64_t otherwise) const;
  int64_t attribute_of_decoder(const std::string& name, int64_t otherwise) const;
  model::Config::Activation activation() const;
  std::string embeddings(const std::string& side) const;
  double embedding_scale(const std::string& side, int64_t d_model) const;
  bool equal(const std::string& a, const std::string& b) const;
  void check_known() const;
  void tie(model::Config& config, AdjustedTensors& tensors) const;
  void set_positions(model::Config& config) const;
  WeightMap with_zero_start(WeightMap map, const model::Config& config) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

  const CTranslate2File& file_;
};

}  // namespace hexapla::convert
