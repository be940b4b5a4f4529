#include "convert/foreign/weight_map.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/transformer.h"
#include "tensor/half.h"

namespace hexapla::convert {
namespace {

constexpr float kMost = 1e9F;               // as in the model file (model/weights/model_file.h)
constexpr size_t kBlock = size_t{1} << 18;  // numbers in memory at a time, unless a row is longer

struct Extents {
  size_t rows, columns;
  bool operator==(const Extents&) const = default;
};

Extents extents_of(const std::vector<size_t>& shape) {
  std::vector<size_t> real;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(real), [](size_t n) { return n != 1; });
  if (real.empty()) return {1, 1};
  Extents e{real[0], 1};
  for (size_t i = 1; i < real.size(); ++i) e.columns *= real[i];
  return e;
}

Extents extents_of(const Shape& shape) {
  if (shape.rank() == 2) return {static_cast<size_t>(shape[0]), static_cast<size_t>(shape[1])};
  return {static_cast<size_t>(shape.size()), 1};
}

// Extents of `count` rows (columns for side-by-side layouts) that fit such a parameter.
Extents zeros(size_t count, Layout layout, const Extents& own) {
  if (layout == Layout::stacked) return {count, own.columns};
  return layout == Layout::beside ? Extents{own.rows, count} : Extents{count, own.rows};
}

// A part's beginning in the parameter, and the distances of neighbors in a row and in a column.
struct Place {
  size_t begin, row_step, column_step;
};

// Calls f(part, its rows and columns, place) for each part. `own`: the extents of the parameter.
template <class F>
void for_each_part(const Origin& origin, const ForeignTensors& from, const Extents& own, F&& f) {
  size_t before = 0;
  for (const Part& part : origin.parts) {
    Extents e = part.tensor.empty() ? zeros(part.rows, origin.layout, own) : extents_of(from.get(part.tensor).shape);
    if (part.rows > 0 && !part.tensor.empty()) e.rows = part.rows;
    Place place{};
    switch (origin.layout) {
      case Layout::stacked:
        place = {before * own.columns, own.columns, 1};
        before += e.rows;
        break;
      case Layout::beside:
        place = {before, own.columns, 1};
        before += e.columns;
        break;
      case Layout::transposed:
        place = {before, 1, own.columns};
        before += e.rows;
        break;
    }
    f(part, e, place);
  }
}

std::string text_of_extents(const Extents& e) {
  return e.columns == 1 ? cat("[", e.rows, "]") : cat("[", e.rows, ", ", e.columns, "]");
}

// The combined extents of an origin's parts, in the parameter's orientation.
Extents together(const Origin& origin, const ForeignTensors& from, const Extents& own) {
  Extents sum{0, 0};
  for_each_part(origin, from, own, [&](const Part&, const Extents& e, const Place&) {
    if (origin.layout == Layout::stacked) sum = {sum.rows + e.rows, e.columns};
    if (origin.layout == Layout::beside) sum = {e.rows, sum.columns + e.columns};
    if (origin.layout == Layout::transposed) sum = {e.columns + origin.zero_rows, sum.columns + e.rows};
  });
  return sum;
}

void check_parts(const std::string& name, const Origin& origin, const ForeignTensors& from, const Extents& own) {
  for_each_part(origin, from, own, [&](const Part& part, const Extents& e, const Place&) {
    if (part.tensor.empty()) return;
    const ForeignTensor& tensor = from.get(part.tensor);
    const Extents whole = extents_of(tensor.shape);
    const bool inside = part.first <= whole.rows && e.rows <= whole.rows - part.first;
    const size_t across = origin.layout == Layout::transposed ? e.columns
                          : origin.layout == Layout::beside   ? e.rows
                                                              : 0;
    const bool suits =
        origin.layout == Layout::stacked ? e.columns == own.columns : across + origin.zero_rows == own.rows;
    if (!inside || !suits)
      throw DataError(cat(from.path(), ": the tensor ", tensor.text(), " does not fit the parameter ", name, " ",
                          text_of_extents(own), "; the model's configuration does not belong to this file"));
  });
  if (const Extents sum = together(origin, from, own); !(sum == own))
    throw DataError(cat(from.path(), ": the tensor ", from.get(origin.parts.front().tensor).text(),
                        origin.parts.size() > 1 ? " and its neighbors give " : " gives ", text_of_extents(sum),
                        ", but the parameter ", name, " is ", text_of_extents(own),
                        "; the model's configuration does not belong to this file"));
}

// values: the tensor's numbers from `first` on.
void check_numbers(const ForeignTensors& from, const ForeignTensor& tensor, size_t first,
                   const std::vector<float>& values) {
  const auto bad = std::find_if(values.begin(), values.end(), [](float v) { return !(std::fabs(v) <= kMost); });
  if (bad != values.end())
    throw DataError(cat(from.path(), ": the tensor ", tensor.text(), " holds ", *bad, " as its number ",
                        first + static_cast<size_t>(bad - values.begin()), ", allowed are ", -kMost, " to ", kMost,
                        "; its training diverged, or the file is damaged"));
}

// Copies the rows of a part to their place, a block at a time.
void copy_rows(const ForeignTensors& from, const Part& part, const Extents& e, const Place& place,
               const NumberStore& to) {
  const ForeignTensor& tensor = from.get(part.tensor);
  const size_t most = std::max<size_t>(1, kBlock / std::max<size_t>(1, e.columns));
  for (size_t row = 0; row < e.rows; row += most) {
    const size_t rows = std::min(most, e.rows - row), first = (part.first + row) * e.columns;
    const std::vector<float> values = from.read_part(tensor, first, rows * e.columns);
    check_numbers(from, tensor, first, values);
    const float* at = values.data();
    for (size_t i = row; i < row + rows; ++i)
      for (size_t j = 0; j < e.columns; ++j) to.set(place.begin + i * place.row_step + j * place.column_step, *at++);
  }
}

}  // namespace

void check(const WeightMap& map, const model::Config& config, const ForeignTensors& from) {
  model::Transformer net(config);
  std::set<std::string, std::less<>> used(map.ignored.begin(), map.ignored.end());
  model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
    const auto found = map.origins.find(name);
    HEXAPLA_CHECK(found != map.origins.end(), "import: the parameter ", name, " has no origin");
    for (const Part& part : found->second.parts) used.insert(part.tensor);
    check_parts(name, found->second, from, extents_of(p.shape));
  });
  for (const ForeignTensor& tensor : from.list())
    if (!used.contains(tensor.name))
      throw DataError(cat(from.path(), ": the tensor ", tensor.text(),
                          " is no part of the model that the configuration describes; this kind of model is not known "
                          "in every variant, or the files do not belong together"));
}

DType stored_type(const WeightMap& map, const ForeignTensors& from, const std::string& name) {
  std::set<ElementType> types;
  for (const Part& part : map.origins.at(name).parts)
    if (!part.tensor.empty()) types.insert(from.get(part.tensor).type);
  if (types.size() != 1) return DType::f32;
  const DType type = *types.begin() == ElementType::f16    ? DType::f16
                     : *types.begin() == ElementType::bf16 ? DType::bf16
                                                           : DType::f32;
  if (const auto found = map.replaced.find(name); found != map.replaced.end())
    for (const auto& [index, value] : found->second)
      if (!fits(type, value)) return DType::f32;
  return type;
}

void fill(const WeightMap& map, const ForeignTensors& from, const std::string& name, const Tensor& to) {
  const NumberStore store(to);
  for_each_part(map.origins.at(name), from, extents_of(to.shape),
                [&](const Part& part, const Extents& e, const Place& place) {
                  if (!part.tensor.empty()) copy_rows(from, part, e, place, store);  // else it stays zero
                });
  if (const auto found = map.replaced.find(name); found != map.replaced.end())
    for (const auto& [index, value] : found->second) store.set(index, value);
}

}  // namespace hexapla::convert
