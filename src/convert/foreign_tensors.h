#pragma once
// Tensors of a file that another system has written, whatever its format: names, shapes and types at once, the numbers
// of one tensor at a time. A reader of a format is a sibling in convert/containers. Such files come from strangers:
// what list() says was checked against the file, and no memory is taken by a number that the file merely claims.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hexapla::convert {

// As the file has it. i8 may stand for real numbers with scales: then the reader multiplies.
enum class ElementType : uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };
size_t size_of(ElementType type);       // bytes
const char* name_of(ElementType type);  // "f32"

struct ForeignTensor {
  std::string name;
  std::vector<size_t> shape;  // of any rank
  ElementType type = ElementType::f32;

  size_t count() const;      // elements; what a reader lists does not overflow
  std::string text() const;  // "model.shared.weight f16 [58101, 512]", as messages have it
};

class ForeignTensors {
 public:
  virtual ~ForeignTensors() = default;

  // The file, or the folder of several, as messages name it.
  virtual const std::string& path() const = 0;
  // Sorted by name, no name twice.
  virtual const std::vector<ForeignTensor>& list() const = 0;
  // All numbers of a tensor of list(), row by row (the last extent runs fastest), converted to f32; whole numbers
  // beyond 2^24 are rounded. DataError naming file and tensor: it was cut short meanwhile, or is damaged.
  virtual std::vector<float> read(const ForeignTensor& tensor) const = 0;
  // `count` of them, from number `first` on, which are there. A reader that can brings no others into memory; otherwise
  // all are read, once for parts in a row. For one thread at a time. Errors as read().
  virtual std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const;

  const ForeignTensor* find(std::string_view name) const;  // nullptr: there is none
  const ForeignTensor& get(std::string_view name) const;   // DataError: there is none
  // The same, and its extents are these. DataError naming file, tensor, and both shapes.
  const ForeignTensor& get(std::string_view name, const std::vector<size_t>& shape) const;

 private:
  struct Whole {  // the tensor of which parts are read
    std::string name;
    std::vector<float> numbers;
  };
  mutable Whole last_;
};

// Numbers of one of these types, little-endian and packed, as f32. bytes: count * size_of(type) of them.
std::vector<float> as_floats(ElementType type, const void* bytes, size_t count);

}  // namespace hexapla::convert
