#pragma once
// Shared by the readers of containers: tensors by name with their place in the file, and numbers
// converted block by block, so that no second copy of a tensor is in memory.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "convert/parsing/limits.h"

namespace hexapla::convert {

// Tensors sorted by name, each with a Place that its reader interprets.
template <class Place>
class Catalog {
 public:
  // DataError naming `file`: an invalid name, or too many tensors.
  void add(const std::string& file, ForeignTensor tensor, Place place) {
    check_name(file, tensor.name);
    if (unsorted_.size() == limits::kTensors)
      throw DataError(cat(file, ": it has more than ", limits::kTensors, " tensors; no model has so many"));
    unsorted_.emplace_back(std::move(tensor), std::move(place));
  }
  // Call after the last add(). DataError: a duplicate name.
  void sort(const std::string& file) {
    std::sort(unsorted_.begin(), unsorted_.end(), [](auto& a, auto& b) { return a.first.name < b.first.name; });
    for (auto& [tensor, place] : unsorted_) {
      if (!tensors_.empty() && tensors_.back().name == tensor.name)
        throw DataError(cat(file, ": there are two tensors ", shown(tensor.name), "; the file is damaged"));
      tensors_.push_back(std::move(tensor));
      places_.push_back(std::move(place));
    }
    unsorted_.clear();
  }
  const std::vector<ForeignTensor>& tensors() const { return tensors_; }
  // InternalError: a tensor of another file.
  const Place& place_of(const ForeignTensor& tensor) const {
    const auto at = std::lower_bound(tensors_.begin(), tensors_.end(), tensor.name,
                                     [](const ForeignTensor& t, const std::string& name) { return t.name < name; });
    HEXAPLA_CHECK(at != tensors_.end() && at->name == tensor.name, "there is no tensor ", tensor.name);
    return places_[at - tensors_.begin()];
  }

 private:
  std::vector<std::pair<ForeignTensor, Place>> unsorted_;
  std::vector<ForeignTensor> tensors_;
  std::vector<Place> places_;
};

// Reads `size` bytes of a tensor, starting at its byte `at`.
using ReadBytes = std::function<void(size_t at, char* to, size_t size)>;

// `count` numbers of a type, as f32. The caller has checked that the file has their bytes.
std::vector<float> floats_in_blocks(ElementType type, size_t count, const ReadBytes& read);
// Skips the numbers before `first`.
std::vector<float> floats_in_blocks(ElementType type, size_t first, size_t count, const ReadBytes& read);

// The elements of a strided tensor, row by row; neighbors along extent i are strides[i] elements
// apart. The last one must be inside `from`.
std::vector<float> gathered(const std::vector<float>& from, const std::vector<size_t>& shape,
                            const std::vector<size_t>& strides);

// Strides, in elements, of row-major and of column-major (Fortran) tensors.
std::vector<size_t> row_strides(const std::vector<size_t>& shape);
std::vector<size_t> column_strides(const std::vector<size_t>& shape);

}  // namespace hexapla::convert
