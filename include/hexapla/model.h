#pragma once
// Model files: configuration, parameters, averaging and quantization.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/owned.h"

namespace hexapla {

// A view into a Model, which it must not outlive.
struct ParameterView {
  std::string name;  // "encoder.layers.0.self_attention.qkv.weight"
  std::vector<std::int64_t> shape;
  float* values;  // row by row; may be changed
  std::size_t size;
};

class Model {
 public:
  // Loads a model file, or the folder of a training, in f32 even if it is quantized. DataError
  // naming the file.
  static Model load(const std::string& path);
  // The mean of several models of the same configuration and vocabularies: files, folders or checkpoints.
  static Model average(const std::vector<std::string>& paths);
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  // Writes atomically. RunError: it cannot be written.
  void save(const std::string& path) const;
  // Saves 8-bit integers, except for the parts whose names begin with one of `keep`
  // ("encoder.layers.0."). UsageError: no such part.
  void save_quantized(const std::string& path, const std::vector<std::string>& keep = {}) const;

  std::string configuration() const;                   // JSON
  std::map<std::string, std::string> history() const;  // how the model was made: options, data, build
  std::int64_t parameter_count() const;
  std::vector<ParameterView> parameters();
  std::string source_vocabulary() const, target_vocabulary() const;  // bytes of SentencePiece models

 private:
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);
  api::Owned<Impl> impl_;
};

}  // namespace hexapla
