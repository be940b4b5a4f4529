#pragma once
// Parameters are declared once, in the struct of their layer, and reached by visit(): names, memory, initialization,
// saving and the optimizer all follow from that one declaration.
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "backend/context.h"
#include "ops/ops.h"

namespace hexapla::model {

// How a parameter starts. xavier: uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
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
  // Of a quantized model that is to translate: what packing takes instead of value (model/weights/quantize.h). value
  // may then have no numbers of its own.
  Tensor integers = {}, scales = {};
  // Of a model that is to translate (model/weights/packed_weights.h): the device's copy of value, in the form in which
  // products take it, so of a tied table the transposed one. value must not change beside it.
  std::shared_ptr<const PackedWeight> packed = {};

  Weight as_weight() const { return {value, packed.get()}; }
  Weight as_transposed_weight() const { return {value.transposed(), packed.get()}; }
};

// A tensor that is saved with the model but not learned by gradients (BatchNorm's running statistics).
struct Buffer {
  Shape shape;
  double initial = 0;
  Tensor value;
  bool frozen = false;  // training leaves it as it is (train/loop/freeze.h)
};

// Dropout on a tensor, section 5.4. The number names the mask: numbers are given in the order of visit().
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
  // The gradient before the dropout: d itself where nothing was dropped, else a masked copy in scratch.
  Tensor backward(Context& cx, Tensor d) const {
    if (!cx.training || p <= 0) return d;
    Tensor dx = cx.scratch(d.shape);
    dropout(cx, d, mask(cx), dx);
    return dx;
  }
};

namespace detail {
template <class T>
constexpr bool is_leaf = std::is_same_v<T, Parameter> || std::is_same_v<T, Buffer> || std::is_same_v<T, Dropout>;

template <class Child, class F>
void visit_leaves(Child& child, F&& f, const std::string& path);

template <class T, class F>
void visit_leaves(std::vector<T>& children, F&& f, const std::string& path) {
  for (size_t i = 0; i < children.size(); ++i) visit_leaves(children[i], f, path + "." + std::to_string(i));
}
template <class... T, class F>
void visit_leaves(std::variant<T...>& sibling, F&& f, const std::string& path) {
  std::visit([&](auto& chosen) { visit_leaves(chosen, f, path); }, sibling);
}
template <class T, class F>
void visit_leaves(std::optional<T>& child, F&& f, const std::string& path) {
  if (child) visit_leaves(*child, f, path);
}
template <class Child, class F>
void visit_leaves(Child& child, F&& f, const std::string& path) {
  if constexpr (is_leaf<Child>)
    f(path, child);
  else
    child.visit([&](const char* name, auto& c) { visit_leaves(c, f, path.empty() ? name : path + "." + name); });
}
}  // namespace detail

// f("encoder.layers.0.self_attention.qkv.weight", parameter) for every Leaf (Parameter, Buffer or Dropout) of a module,
// in the order of declaration: the one place that knows how names are formed.
template <class Leaf, class Module, class F>
void for_each(Module& module, F&& f) {
  detail::visit_leaves(
      module,
      [&](const std::string& name, auto& leaf) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(leaf)>, Leaf>) f(name, leaf);
      },
      "");
}

}  // namespace hexapla::model
