#pragma once
// Model files: configuration, parameters, averaging and quantization.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"
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
  HEXAPLA_API static Model load(const std::string& path);
  // The mean of several models of the same configuration and vocabularies: files, folders or checkpoints.
  HEXAPLA_API static Model average(const std::vector<std::string>& paths);
  HEXAPLA_API ~Model();
  HEXAPLA_API Model(Model&&) noexcept;
  HEXAPLA_API Model& operator=(Model&&) noexcept;

  // Writes atomically. RunError: it cannot be written.
  HEXAPLA_API void save(const std::string& path) const;
  // Saves 8-bit integers, except for the parts whose names begin with one of `keep`
  // ("encoder.layers.0."). UsageError: no such part.
  HEXAPLA_API void save_quantized(const std::string& path, const std::vector<std::string>& keep = {}) const;

  HEXAPLA_API std::string configuration() const;                   // JSON
  HEXAPLA_API std::map<std::string, std::string> history() const;  // how the model was made: options, data, build
  HEXAPLA_API std::int64_t parameter_count() const;
  HEXAPLA_API std::vector<ParameterView> parameters();
  // Bytes of SentencePiece models.
  HEXAPLA_API std::string source_vocabulary() const;
  HEXAPLA_API std::string target_vocabulary() const;

 private:
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);
  api::Owned<Impl> impl_;
};

}  // namespace hexapla
