#include "model/layers/mixture_of_experts.h"

#include "base/scope.h"

namespace hexapla::model {
namespace {

// Calls f(expert, its first row, number of rows) for every expert with rows.
template <class F>
void each_expert(const MixtureOfExperts& m, const Routing& r, F&& f) {
  for (size_t e = 0; e < m.experts.size(); ++e) {
    Scope scope("experts", static_cast<int>(e));
    if (const auto i = static_cast<int64_t>(e); r.count(i) > 0) f(m.experts[e], r.first(i), r.count(i));
  }
}

// The gates of all experts, 0 for those not chosen -> scratch [N, E]
Tensor side_by_side(Context& cx, Tensor of_chosen, const Routing& r) {
  const Tensor all = cx.scratch(r.probabilities.shape);
  const auto copy = [&](auto* to, const auto* from) {
    const int32_t* chosen = r.experts.data<int32_t>();
    std::fill_n(to, all.size(), 0);
    for (int64_t i = 0; i < of_chosen.size(); ++i) to[i / of_chosen.shape[1] * all.shape[1] + chosen[i]] = from[i];
  };
  all.dtype == DType::f64 ? copy(all.data<double>(), of_chosen.data<double>())
                          : copy(all.data<float>(), of_chosen.data<float>());
  return all;
}

void show(Context& cx, const Routing& r, Offsets rows) {
  if (!cx.observer) return;
  Arena::Frame frame(cx.arena);
  observe(cx, "probabilities", r.probabilities, rows);
  observe(cx, "gates", side_by_side(cx, r.gates, r), rows);
}

void show_gradients(Context& cx, const Routing& r, Tensor d_gates, Tensor d_probabilities) {
  if (!cx.observer) return;
  Arena::Frame frame(cx.arena);
  observe_gradient(cx, "gates", side_by_side(cx, d_gates, r));
  observe_gradient(cx, "probabilities", d_probabilities);
}

}  // namespace

// Tensors have room for all tokens, so that the memory of a step does not depend on the routing.
Tensor MixtureOfExperts::forward(Context& cx, Tensor x, Offsets rows, Saved& s) const {
  s = Saved{.x = x, .routing = route(cx, router.forward(cx, x), {per_token, cx.training ? load.capacity : 0})};
  show(cx, s.routing, rows);
  if (cx.training) s.balancing = load.balancing * load_imbalance(s.routing);
  s.rows = dispatch(cx, x, s.routing);
  s.inner = cx.keep({s.rows.shape[0], experts.front().inner.weight.shape[1]});
  // relu computes its derivative from its output, so it may overwrite its input; the others may
  // not.
  s.hidden = activation == Activation::relu ? s.inner : cx.keep(s.inner.shape);
  s.outputs = cx.keep(s.rows.shape);
  each_expert(*this, s.routing, [&](const Expert& e, int64_t first, int64_t n) {
    e.inner.forward(cx, s.rows.slice(first, n), s.inner.slice(first, n));
  });
  const int64_t all = s.routing.dispatched();
  activate_dropped(cx, activation, s.inner.slice(0, all), dropout.mask(cx), s.hidden.slice(0, all));
  each_expert(*this, s.routing, [&](const Expert& e, int64_t first, int64_t n) {
    e.outer.forward(cx, s.hidden.slice(first, n), s.outputs.slice(first, n));
  });
  return gather(cx, s.outputs, s.routing);
}

void MixtureOfExperts::backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const {
  Arena::Frame frame(cx.arena);
  const Tensor d_rows = cx.scratch(s.rows.shape), d_hidden = cx.scratch(s.hidden.shape),
               d_gates = cx.scratch(s.routing.gates.shape), d_router = cx.scratch(s.routing.probabilities.shape);
  gather_backward(s.outputs, s.routing, dy, d_rows, d_gates);
  route_backward(s.routing, d_gates, cx.training ? s.scale * load.balancing : 0, d_router);
  show_gradients(cx, s.routing, d_gates, d_router);
  softmax_backward(s.routing.probabilities, d_router);
  each_expert(*this, s.routing, [&](const Expert& e, int64_t first, int64_t n) {
    e.outer.backward(cx, s.hidden.slice(first, n), d_rows.slice(first, n), d_hidden.slice(first, n), Write::set);
  });
  const Tensor inner = s.inner.slice(0, s.routing.dispatched()), d_inner = d_hidden.slice(0, s.routing.dispatched());
  activate_dropped_backward(cx, activation, inner, d_inner, dropout.mask(cx), d_inner);
  each_expert(*this, s.routing, [&](const Expert& e, int64_t first, int64_t n) {
    e.inner.backward(cx, s.rows.slice(first, n), d_hidden.slice(first, n), d_rows.slice(first, n), Write::set);
  });
  dispatch_backward(cx, d_rows, s.routing, d);  // dy may be d: it is not read any more
  router.backward(cx, s.x, d_router, d, Write::add);
}

}  // namespace hexapla::model
