#include "convert/foreign/foreign_tensors.h"

#include <algorithm>
#include <cstring>

#include "tensor/half.h"

namespace hexapla::convert {
namespace {

std::string text_of_shape(const std::vector<size_t>& shape) {
  std::string text = "[";
  for (const size_t extent : shape) text += cat(text.size() > 1 ? ", " : "", extent);
  return text + "]";
}

template <class From, class Convert>
std::vector<float> converted(const void* bytes, size_t count, Convert&& convert) {
  std::vector<float> all(count);
  const char* at = static_cast<const char*>(bytes);
  for (float& value : all) {
    From from;
    std::memcpy(&from, at, sizeof from);
    value = convert(from);
    at += sizeof from;
  }
  return all;
}

template <class From>
std::vector<float> cast(const void* bytes, size_t count) {
  return converted<From>(bytes, count, [](From from) { return static_cast<float>(from); });
}

}  // namespace

size_t size_of(ElementType type) {
  constexpr size_t sizes[] = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1};
  return sizes[static_cast<size_t>(type)];
}

const char* name_of(ElementType type) {
  constexpr const char* names[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u8", "bool"};
  return names[static_cast<size_t>(type)];
}

size_t ForeignTensor::count() const {
  size_t n = 1;
  for (const size_t extent : shape) n *= extent;
  return n;
}

std::string ForeignTensor::text() const { return cat(name, " ", name_of(type), " ", text_of_shape(shape)); }

const ForeignTensor* ForeignTensors::find(std::string_view name) const {
  const auto& all = list();
  const auto at = std::lower_bound(all.begin(), all.end(), name,
                                   [](const ForeignTensor& t, std::string_view n) { return t.name < n; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

const ForeignTensor& ForeignTensors::get(std::string_view name) const {
  if (const ForeignTensor* found = find(name)) return *found;
  throw DataError(cat(path(), ": there is no tensor ", name, " among its ", list().size(),
                      "; the file is of another kind of model, or incomplete"));
}

const ForeignTensor& ForeignTensors::get(std::string_view name, const std::vector<size_t>& shape) const {
  const ForeignTensor& found = get(name);
  if (found.shape != shape)
    throw DataError(cat(path(), ": the tensor ", found.text(), " should have the shape ", text_of_shape(shape),
                        "; the model's configuration does not belong to this file"));
  return found;
}

std::vector<float> ForeignTensors::read_part(const ForeignTensor& tensor, size_t first, size_t count) const {
  if (last_.name != tensor.name) {
    last_ = {};  // frees the last one first: never two tensors in memory
    last_ = {tensor.name, read(tensor)};
  }
  const auto from = last_.numbers.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<float> part(from, from + static_cast<std::ptrdiff_t>(count));
  if (first + count == last_.numbers.size()) last_ = {};
  return part;
}

std::vector<float> as_floats(ElementType type, const void* bytes, size_t count) {
  switch (type) {
    case ElementType::f64:
      return cast<double>(bytes, count);
    case ElementType::f32:
      return cast<float>(bytes, count);
    case ElementType::f16:
      return converted<uint16_t>(bytes, count, float_of_f16);
    case ElementType::bf16:
      return converted<uint16_t>(bytes, count, float_of_bf16);
    case ElementType::i64:
      return cast<int64_t>(bytes, count);
    case ElementType::i32:
      return cast<int32_t>(bytes, count);
    case ElementType::i16:
      return cast<int16_t>(bytes, count);
    case ElementType::i8:
      return cast<int8_t>(bytes, count);
    case ElementType::u8:
    case ElementType::boolean:
      return cast<uint8_t>(bytes, count);
  }
  fail(cat("no element type ", static_cast<int>(type)));
}

}  // namespace hexapla::convert
