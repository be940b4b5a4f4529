#include "convert/containers/catalog.h"

namespace hexapla::convert {
namespace {

constexpr size_t kElements = size_t{1} << 18;  // per block

}  // namespace

std::vector<float> floats_in_blocks(ElementType type, size_t count, const ReadBytes& read) {
  const size_t width = size_of(type);
  std::vector<char> block(std::min(count, kElements) * width);
  std::vector<float> all;
  all.reserve(count);
  while (all.size() < count) {
    const size_t now = std::min(count - all.size(), kElements);
    read(all.size() * width, block.data(), now * width);
    const std::vector<float> numbers = as_floats(type, block.data(), now);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

std::vector<float> floats_in_blocks(ElementType type, size_t first, size_t count, const ReadBytes& read) {
  return floats_in_blocks(type, count,
                          [&](size_t at, char* to, size_t size) { read(first * size_of(type) + at, to, size); });
}

std::vector<float> gathered(const std::vector<float>& from, const std::vector<size_t>& shape,
                            const std::vector<size_t>& strides) {
  size_t count = 1, at = 0;
  for (const size_t extent : shape) count *= extent;
  std::vector<size_t> index(shape.size());
  std::vector<float> all;
  all.reserve(count);
  while (all.size() < count) {
    all.push_back(from[at]);
    for (size_t i = shape.size(); i-- > 0;) {  // counts like an odometer
      at += strides[i];
      if (++index[i] < shape[i]) break;
      at -= strides[i] * shape[i];
      index[i] = 0;
    }
  }
  return all;
}

std::vector<size_t> row_strides(const std::vector<size_t>& shape) {
  std::vector<size_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::vector<size_t> column_strides(const std::vector<size_t>& shape) {
  std::vector<size_t> strides(shape.size(), 1);
  for (size_t i = 1; i < shape.size(); ++i) strides[i] = strides[i - 1] * shape[i - 1];
  return strides;
}

}  // namespace hexapla::convert
