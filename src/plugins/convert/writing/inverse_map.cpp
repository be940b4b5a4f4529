#include "convert/writing/inverse_map.h"

#include <algorithm>

#include "base/error.h"
#include "convert/writing/stored_numbers.h"

namespace hexapla::convert {
namespace {

// The axis of a parameter that runs over d_model.
enum class ModelAxis { none, rows, columns };

ModelAxis model_axis(const std::string& name) {
  const auto ends = [&](std::initializer_list<const char*> all) {
    return std::any_of(all.begin(), all.end(), [&](const char* end) { return name.ends_with(end); });
  };
  if (ends({".qkv.weight", ".query.weight", ".key_value.weight", ".inner.weight", ".linear.weight"}) ||
      name == "generator.weight")
    return ModelAxis::rows;
  if (ends({".table", ".output.weight", ".outer.weight"})) return ModelAxis::columns;
  if (ends({".output.bias", ".outer.bias", "norm.gain", "norm.bias"})) return ModelAxis::rows;  // a column
  return ModelAxis::none;
}

struct Matrix {
  size_t rows = 0, columns = 1;
  std::vector<float> numbers;
};

Matrix reordered(Matrix m, ModelAxis axis, const std::vector<size_t>& order) {
  if (order.empty() || axis == ModelAxis::none) return m;
  const bool rows = axis == ModelAxis::rows;
  HEXAPLA_CHECK((rows ? m.rows : m.columns) == order.size(), "export: ", order.size(), " dimensions, but a matrix of ",
                m.rows, " x ", m.columns);
  Matrix to{m.rows, m.columns, std::vector<float>(m.numbers.size())};
  for (size_t i = 0; i < m.rows; ++i)
    for (size_t j = 0; j < m.columns; ++j)
      to.numbers[i * m.columns + j] = m.numbers[(rows ? order[i] : i) * m.columns + (rows ? j : order[j])];
  return to;
}

// The share of a parameter that a part is: rows, or transposed columns.
struct Share {
  Part part;
  Layout layout;
  size_t number, of;  // among the parts of this parameter
};

Matrix share_of(const Matrix& m, const Share& share) {
  const bool turned = share.layout != Layout::stacked;
  const size_t along = turned ? m.columns : m.rows, count = along / share.of, first = share.number * count;
  if (!turned) {
    const auto* from = m.numbers.data() + first * m.columns;
    Matrix to{share.part.first + count, m.columns, std::vector<float>(share.part.first * m.columns)};
    to.numbers.insert(to.numbers.end(), from, from + count * m.columns);
    return to;
  }
  Matrix to{share.layout == Layout::transposed ? count : m.rows, share.layout == Layout::transposed ? m.rows : count,
            std::vector<float>(count * m.rows)};
  for (size_t i = 0; i < m.rows; ++i)
    for (size_t j = 0; j < count; ++j)
      to.numbers[share.layout == Layout::transposed ? j * m.rows + i : i * count + j] =
          m.numbers[i * m.columns + first + j];
  return to;
}

Matrix matrix_of(const Tensor& t) {
  const auto numbers = t.values<float>();
  Matrix m{static_cast<size_t>(t.shape[0]), 1, {numbers.begin(), numbers.end()}};
  if (t.shape.rank() == 2) m.columns = static_cast<size_t>(t.shape[1]);
  return m;
}

// The shape of a part, given its parameter's shape.
Shape shape_of(const Shape& own, const Share& share) {
  const auto of = static_cast<int64_t>(share.of), before = static_cast<int64_t>(share.part.first);
  if (own.rank() == 1) return {own[0] / of + before};
  if (share.layout == Layout::stacked) return {own[0] / of + before, own[1]};
  if (share.layout == Layout::transposed) return {own[1] / of, own[0]};
  return {own[0], own[1] / of};
}

}  // namespace

std::vector<size_t> halves_of_interleaved(int64_t d) {
  std::vector<size_t> order;
  for (const size_t first : {size_t{0}, size_t{1}})
    for (size_t i = first; i < static_cast<size_t>(d); i += 2) order.push_back(i);
  return order;
}

std::vector<TensorSource> foreign_tensors(const WeightMap& map, model::LoadedModel& model,
                                          const std::vector<size_t>& order) {
  std::map<std::string, Tensor> own;
  for (const auto& [name, parameter] : leaves_of(*model.net).parameters) own[name] = parameter->value;
  const model::Config& c = model.config;
  std::vector<TensorSource> all;
  for (const auto& [name, origin] : map.origins) {
    const auto found = own.find(name);
    const Shape shape = found != own.end()         ? found->second.shape
                        : name == "generator.bias" ? Shape{c.target_vocab}
                                                   : Shape{c.d_model * std::ssize(origin.parts)};
    const Tensor value = found != own.end() ? found->second : Tensor();
    for (size_t i = 0; i < origin.parts.size(); ++i) {
      const Share share{origin.parts[i], origin.layout, i, origin.parts.size()};
      if (share.part.tensor.empty()) continue;
      const Shape of_part = shape_of(shape, share);
      const DType type = value.bytes ? type_to_write(model, name) : type_of_all(model);
      all.push_back({share.part.tensor, type, of_part, [=, axis = model_axis(name)](const auto& take) {
                       if (!value.bytes)
                         return give_in(type, std::vector<float>(static_cast<size_t>(of_part.size())), take);
                       give_in(type, share_of(reordered(matrix_of(value), axis, order), share).numbers, take);
                     }});
    }
  }
  std::sort(all.begin(), all.end(), [](const TensorSource& a, const TensorSource& b) { return a.name < b.name; });
  return all;
}

}  // namespace hexapla::convert
