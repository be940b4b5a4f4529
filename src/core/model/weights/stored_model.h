#pragma once
// A model file without its numbers in memory, and what its readers share.
#include <set>
#include <string>
#include <string_view>

#include "model/weights/model_file.h"
#include "tensor/safetensors.h"

namespace hexapla::model {

// Names of the vocabularies' tensors.
inline constexpr const char *kSharedText = "tokenizer.shared", *kSourceText = "tokenizer.source",
                            *kTargetText = "tokenizer.target";
inline constexpr int kFormatVersion = 1, kFormatVersionWithHalves = 2;
bool is_reserved(std::string_view key);  // of the metadata: not part of the history

// Covers the config and the tensors' names, types, shapes and numbers, so that accidental changes
// are detected.
class Checksum {
 public:
  explicit Checksum(const std::string& config);
  // hash: hash_hex() of the numbers.
  void add(const std::string& name, DType dtype, const Shape& shape, const std::string& hash);
  std::string hex() const;

 private:
  std::set<std::string> lines_;  // sorted, so that the order of the tensors does not matter
};

// The value of a key of the metadata. DataError: there is none.
const std::string& required(const SafetensorsFile& file, const char* key);

// Describes a number that no model file may contain, "the tensor encoder.x holds inf as its number
// 3, ..."; "": none. No working training comes near the largest allowed value; scales and variances
// must not be negative.
//
// t: numbers from `begin` on of a tensor of this shape.
std::string fault_of(const NamedTensor& t, const Shape& shape, size_t begin = 0);

// DataError: this is not the checksum that the file was written with.
void check_sum(const SafetensorsFile& file, const Checksum& sum);
// DataError: there is a fault.
void refuse_fault(const SafetensorsFile& file, const std::string& fault);

// The scales of a quantized parameter; null if it is not quantized.
const TensorEntry* scales_of(const SafetensorsFile& file, const std::string& name, const Parameter& p);

// A model file, open: what is in it, and the numbers of one parameter at a time.
class StoredModel {
 public:
  // Reads all but the numbers. Errors as load_model()'s, except those of numbers.
  explicit StoredModel(const std::string& path);

  const SafetensorsFile& file() const { return file_; }
  // Its net has shapes, but no memory.
  LoadedModel& model() { return model_; }
  // Reads all numbers, some at a time. DataError: as load_model() finds them damaged.
  void check() const;
  // The numbers of a parameter or buffer that is not quantized in f32: all, or rows of a matrix.
  void read(const std::string& name, const Tensor& to, int64_t first_row = 0) const;

 private:
  SafetensorsFile file_;
  LoadedModel model_;
};

}  // namespace hexapla::model
