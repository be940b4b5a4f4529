#pragma once
// Each parameter is declared once, in the struct of its layer, and reached by visit(), from which
// names, memory, initialization, saving and the optimizer follow.
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "backend/context.h"
#include "ops/ops.h"

namespace hexapla::model {

// Initialization of a parameter. xavier: uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and
// Bengio 2010).
struct Init {
  enum class Kind { zeros, ones, xavier, normal } kind = Kind::zeros;
  double a = 0, b = 0;  // xavier: fan_in, fan_out; normal: the standard deviation
  static Init zeros() { return {}; }
  static Init ones() { return {Kind::ones}; }
  static Init xavier(int64_t in, int64_t out) { return {Kind::xavier, double(in), double(out)}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
};

struct Parameter {
  Shape shape;
  Init init;
  Tensor value, grad;  // views into the slabs of a Parameters object; grad is empty in inference
  // In a quantized model for translation: used by packing and lookups (model/weights/quantize.h);
  // value then has no numbers.
  Tensor integers = {}, scales = {};
  // In a model for translation (model/weights/packed_weights.h): the device's packed copy of value
  // as products use it, which is transposed for a tied table. value must not change afterwards.
  std::shared_ptr<const PackedWeight> packed = {};

  Weight as_weight() const { return {value, packed.get()}; }
  Weight as_transposed_weight() const { return {value.transposed(), packed.get()}; }
};

// A tensor that is saved with the model but not trained (BatchNorm's running statistics).
struct Buffer {
  Shape shape;
  double initial = 0;
  Tensor value;
  bool frozen = false;  // not changed by training (train/plan/freeze.h)
};

// Dropout on a tensor, section 5.4. The number, assigned in the order of visit(), identifies the
// mask.
struct Dropout {
  double p = 0;
  uint32_t number = 0;

  DropoutMask mask(const Context& cx) const {
    return {cx.seed, cx.step, number, cx.training ? static_cast<float>(p) : 0.f};
  }
  // In place.
  Tensor forward(Context& cx, Tensor x) const {
    if (cx.training && p > 0) dropout(cx, x, mask(cx), x);
    return x;
  }
  // The gradient before the dropout: d itself without dropout, else a masked copy in scratch.
  Tensor backward(Context& cx, Tensor d) const {
    if (!cx.training || p <= 0) return d;
    Tensor dx = cx.scratch(d.shape);
    dropout(cx, d, mask(cx), dx);
    return dx;
  }
};

template <class Leaf>
struct Named {
  std::string name;  // "encoder.layers.0.self_attention.qkv.weight"
  Leaf* leaf;
};

// The leaves of a module, in order of declaration.
struct Leaves {
  std::vector<Named<Parameter>> parameters;
  std::vector<Named<Buffer>> buffers;
  std::vector<Named<Dropout>> dropouts;

  void add(const std::string& name, Parameter& p) { parameters.push_back({name, &p}); }
  void add(const std::string& name, Buffer& b) { buffers.push_back({name, &b}); }
  void add(const std::string& name, Dropout& d) { dropouts.push_back({name, &d}); }
};

namespace detail {
template <class T>
constexpr bool is_leaf = std::is_same_v<T, Parameter> || std::is_same_v<T, Buffer> || std::is_same_v<T, Dropout>;

template <class Child>
void add_leaves(Child& child, const std::string& path, Leaves& to);

template <class T>
void add_leaves(std::vector<T>& children, const std::string& path, Leaves& to) {
  for (size_t i = 0; i < children.size(); ++i) add_leaves(children[i], path + "." + std::to_string(i), to);
}
template <class... T>
void add_leaves(std::variant<T...>& sibling, const std::string& path, Leaves& to) {
  std::visit([&](auto& chosen) { add_leaves(chosen, path, to); }, sibling);
}
template <class T>
void add_leaves(std::optional<T>& child, const std::string& path, Leaves& to) {
  if (child) add_leaves(*child, path, to);
}
template <class Child>
void add_leaves(Child& child, const std::string& path, Leaves& to) {
  if constexpr (is_leaf<Child>)
    to.add(path, child);
  else
    child.visit([&](const char* name, auto& c) { add_leaves(c, path.empty() ? name : path + "." + name, to); });
}
}  // namespace detail

// The only place where names are formed.
template <class Module>
Leaves leaves_of(Module& module) {
  Leaves all;
  detail::add_leaves(module, "", all);
  return all;
}

// Calls f("encoder.layers.0.self_attention.qkv.weight", parameter) for every Leaf (Parameter,
// Buffer or Dropout) of a module, in order of declaration.
template <class Leaf, class Module, class F>
void for_each(Module& module, F&& f) {
  const Leaves all = leaves_of(module);
  const auto each = [&](const auto& leaves) {
    for (const auto& [name, leaf] : leaves) f(name, *leaf);
  };
  if constexpr (std::is_same_v<Leaf, Parameter>)
    each(all.parameters);
  else if constexpr (std::is_same_v<Leaf, Buffer>)
    each(all.buffers);
  else
    each(all.dropouts);
}

}  // namespace hexapla::model
