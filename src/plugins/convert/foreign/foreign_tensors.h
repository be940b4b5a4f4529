#pragma once
// Tensors in a file written by another system, in any format: names, shapes and types are known at
// once, numbers are read one tensor at a time. Readers of formats are siblings in
// convert/containers. The files are untrusted: list() is checked against the file, and memory is
// never allocated by a number that the file merely claims.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hexapla::convert {

// Type in the file. i8 may hold scaled real numbers; the reader then multiplies by the scale.
enum class ElementType : uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };
size_t size_of(ElementType type);       // bytes
const char* name_of(ElementType type);  // "f32"

struct ForeignTensor {
  std::string name;
  std::vector<size_t> shape;  // of any rank
  ElementType type = ElementType::f32;

  size_t count() const;      // elements; never overflows for a listed tensor
  std::string text() const;  // "model.shared.weight f16 [58101, 512]", for messages
};

class ForeignTensors {
 public:
  virtual ~ForeignTensors() = default;

  // The file, or the folder of several files, for messages.
  virtual const std::string& path() const = 0;
  // Sorted by name; names are unique.
  virtual const std::vector<ForeignTensor>& list() const = 0;
  // All numbers of a tensor of list(), row by row (the last extent runs fastest), as f32; integers
  // beyond 2^24 are rounded. DataError naming file and tensor: damaged, or truncated meanwhile.
  virtual std::vector<float> read(const ForeignTensor& tensor) const = 0;
  // `count` numbers starting at number `first`; they must exist. Loads only these if the format
  // allows it; otherwise loads the tensor once for consecutive parts. One thread at a time. Errors
  // as read().
  virtual std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const;

  const ForeignTensor* find(std::string_view name) const;  // nullptr: there is none
  const ForeignTensor& get(std::string_view name) const;   // DataError: there is none
  // Also requires these extents. DataError naming file, tensor, and both shapes.
  const ForeignTensor& get(std::string_view name, const std::vector<size_t>& shape) const;

 private:
  struct Whole {  // the tensor whose parts are being read
    std::string name;
    std::vector<float> numbers;
  };
  mutable Whole last_;
};

// Little-endian, packed numbers of this type as f32. bytes: count * size_of(type) of them.
std::vector<float> as_floats(ElementType type, const void* bytes, size_t count);

}  // namespace hexapla::convert
