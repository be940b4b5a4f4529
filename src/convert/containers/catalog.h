#pragma once
// What the readers of containers share: tensors by name with the place of each in its file, and numbers that are
// converted block by block, so that beside the result no second copy of a tensor is in memory.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "convert/parsing/limits.h"

namespace hexapla::convert {

// Tensors sorted by name, each with a Place that its reader understands.
template <class Place>
class Catalog {
 public:
  // DataError naming `file`: the name is not allowed, or there are too many.
  void add(const std::string& file, ForeignTensor tensor, Place place) {
    check_name(file, tensor.name);
    if (unsorted_.size() == limits::tensors)
      throw DataError(cat(file, ": it has more than ", limits::tensors, " tensors; no model has so many"));
    unsorted_.emplace_back(std::move(tensor), std::move(place));
  }
  // After the last one. DataError: a name is there twice.
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
  // InternalError: the tensor is of another file.
  const Place& place_of(const ForeignTensor& tensor) const {
    const auto at = std::lower_bound(tensors_.begin(), tensors_.end(), tensor.name,
                                     [](const ForeignTensor& t, const std::string& name) { return t.name < name; });
    HEXAPLA_CHECK(at != tensors_.end() && at->name == tensor.name, "there is no tensor ", tensor.name);
    return places_[static_cast<size_t>(at - tensors_.begin())];
  }

 private:
  std::vector<std::pair<ForeignTensor, Place>> unsorted_;
  std::vector<ForeignTensor> tensors_;
  std::vector<Place> places_;
};

// Brings `size` bytes, from byte `at` of a tensor's own on.
using ReadBytes = std::function<void(size_t at, char* to, size_t size)>;

// `count` numbers of a type, as f32. The caller has made sure that the file has their bytes.
std::vector<float> floats_in_blocks(ElementType type, size_t count, const ReadBytes& read);
// The same without those before number `first`.
std::vector<float> floats_in_blocks(ElementType type, size_t first, size_t count, const ReadBytes& read);

// The elements of `from` that a tensor of this shape has, row by row; neighbors along extent i lie strides[i] apart.
// The last of them lies inside of `from`.
std::vector<float> gathered(const std::vector<float>& from, const std::vector<size_t>& shape,
                            const std::vector<size_t>& strides);

// Strides, in elements, of a tensor that lies row by row, and of one that lies column by column (Fortran's order).
std::vector<size_t> row_strides(const std::vector<size_t>& shape);
std::vector<size_t> column_strides(const std::vector<size_t>& shape);

}  // namespace hexapla::convert
