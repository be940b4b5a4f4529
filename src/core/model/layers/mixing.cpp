#include "model/layers/mixing.h"

#include "base/scope.h"

namespace hexapla::model {
namespace {

using OneWay = BidirectionalGru::OneWay;

void show_gates(Context& cx, Tensor gates, Offsets rows) {
  if (!cx.observer) return;
  const int64_t width = gates.shape[1] / 3;
  observe(cx, "reset", gates.columns(0, width), rows);
  observe(cx, "update", gates.columns(width, width), rows);
  observe(cx, "candidate", gates.columns(2 * width, width), rows);
}

void show_gate_gradients(Context& cx, Tensor d) {
  if (!cx.observer) return;
  const int64_t width = d.shape[1] / 3;
  observe_gradient(cx, "reset", d.columns(0, width));
  observe_gradient(cx, "update", d.columns(width, width));
  observe_gradient(cx, "candidate", d.columns(2 * width, width));
}

GruInput input_of(const OneWay& m, Tensor gates, Offsets rows) {
  return {gates, m.state.weight.as_weight(), m.state.bias->value, rows, m.direction};
}

GruStates run(const OneWay& m, Context& cx, Tensor gates, Offsets rows, Tensor states) {
  const GruStates s = gru(cx, input_of(m, gates, rows), states);
  show_gates(cx, gates, rows);
  return s;
}

// Returns the gradient of x W + b, in scratch.
Tensor run_back(const OneWay& m, Context& cx, const GruInput& in, const GruStates& s, Tensor d_states) {
  GruGradient g{cx.scratch(in.gates.shape), {}, m.state.weight.grad, m.state.bias->grad};
  if (cx.observer) g.gates = cx.scratch(in.gates.shape);
  gru_backward(cx, in, s, d_states, g);
  show_gate_gradients(cx, g.gates);
  return g.sums;
}

// Both variants (encoder and decoder) are used alike.
template <class M>
const char* name_of_one(const M& m) {
  return std::visit([](const auto& one) { return std::decay_t<decltype(one)>::kName; }, m);
}

template <class M, class S>
Tensor forward_of_one(const M& m, Context& cx, Tensor x, Offsets rows, S& s) {
  return std::visit(
      [&](const auto& one) {
        return one.forward(cx, x, rows, s.template emplace<typename std::decay_t<decltype(one)>::Saved>());
      },
      m);
}

template <class M, class S>
void backward_of_one(const M& m, Context& cx, const S& s, Tensor dy, Tensor d) {
  std::visit(
      [&](const auto& one) { one.backward(cx, std::get<typename std::decay_t<decltype(one)>::Saved>(s), dy, d); }, m);
}

}  // namespace

Tensor BidirectionalGru::forward(Context& cx, Tensor x, Offsets rows, Saved& s) const {
  s = {x, onward.input.forward(cx, x), back.input.forward(cx, x), {}, {}, rows};
  const Tensor states = cx.keep(x.shape);
  const int64_t width = states.shape[1] / 2;
  {
    Scope scope("onward");
    s.onward = run(onward, cx, s.onward_gates, rows, states.columns(0, width));
  }
  {
    Scope scope("back");
    s.back = run(back, cx, s.back_gates, rows, states.columns(width, width));
  }
  const Tensor y = cx.keep(x.shape);  // backward needs the states, but dropout will overwrite the result
  copy(cx, states, y);
  return y;
}

void BidirectionalGru::backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const {
  Arena::Frame frame(cx.arena);
  const int64_t width = dy.shape[1] / 2;
  Tensor from_onward, from_back;
  {
    Scope scope("back");
    from_back = run_back(back, cx, input_of(back, s.back_gates, s.rows), s.back, dy.columns(width, width));
  }
  {
    Scope scope("onward");
    from_onward = run_back(onward, cx, input_of(onward, s.onward_gates, s.rows), s.onward, dy.columns(0, width));
  }
  onward.input.backward(cx, s.x, from_onward, d, Write::add);  // dy may be d: it is not read any more
  back.input.backward(cx, s.x, from_back, d, Write::add);
}

Tensor Convolution::forward(Context& cx, Tensor x, Offsets rows, Saved& s) const {
  s = {neighbors(cx, x, rows, width), rows};
  return kernel.forward(cx, s.wide);
}

void Convolution::backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const {
  Arena::Frame frame(cx.arena);
  neighbors_backward(kernel.backward(cx, s.wide, dy), s.rows, width, d);
}

Tensor SimpleRecurrence::forward(Context& cx, Tensor x, Offsets rows, Saved& s) const {
  s = {x, cx.keep(x.shape), {candidate.forward(cx, x), forget.forward(cx, x)}, rows};
  const Tensor y = ssru(cx, s.in, rows, s.cells);
  observe(cx, "candidate", s.in.candidates, rows);
  observe(cx, "forget", s.in.forget, rows);
  observe(cx, "cell", s.cells, rows);
  return y;
}

void SimpleRecurrence::backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const {
  Arena::Frame frame(cx.arena);
  SsruGradient g{cx.scratch(dy.shape), cx.scratch(dy.shape), {}, {}};
  if (cx.observer) g.gates = cx.scratch(dy.shape), g.cells = cx.scratch(dy.shape);
  ssru_backward(cx, s.in, s.rows, s.cells, dy, g);
  observe_gradient(cx, "candidate", g.candidates);
  if (cx.observer) observe_gradient(cx, "forget", g.gates);
  if (cx.observer) observe_gradient(cx, "cell", g.cells);
  candidate.backward(cx, s.x, g.candidates, d, Write::add);  // dy may be d: it is not read any more
  forget.backward(cx, s.x, g.sums, d, Write::add);
}

Tensor SimpleRecurrence::step(Context& cx, Tensor x, Tensor cache, Tensor cache_rows, const StepRows& rows) const {
  return ssru_step(cx, {candidate.forward(cx, x), forget.forward(cx, x)}, rows, cache_rows, cache);
}

const char* name_of(const Mixing& m) { return name_of_one(m); }
Tensor forward(const Mixing& m, Context& cx, Tensor x, Offsets rows, MixingSaved& s) {
  return forward_of_one(m, cx, x, rows, s);
}
void backward(const Mixing& m, Context& cx, const MixingSaved& s, Tensor dy, Tensor d) {
  backward_of_one(m, cx, s, dy, d);
}

const char* name_of(const TargetMixing& m) { return name_of_one(m); }
Tensor forward(const TargetMixing& m, Context& cx, Tensor x, Offsets rows, TargetMixingSaved& s) {
  return forward_of_one(m, cx, x, rows, s);
}
void backward(const TargetMixing& m, Context& cx, const TargetMixingSaved& s, Tensor dy, Tensor d) {
  backward_of_one(m, cx, s, dy, d);
}
Tensor step(const TargetMixing& m, Context& cx, Tensor x, Tensor cache, Tensor cache_rows, const StepRows& rows) {
  return std::visit([&](const auto& one) { return one.step(cx, x, cache, cache_rows, rows); }, m);
}
int64_t cache_width(const TargetMixing& m) {
  return std::visit([](const auto& one) { return one.cache_width(); }, m);
}

}  // namespace hexapla::model
