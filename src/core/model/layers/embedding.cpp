#include "model/layers/embedding.h"

#include "base/scope.h"

namespace hexapla::model {

void SinusoidalPositions::add_to(Context& cx, const Places& at, Tensor x) const {
  Arena::Frame frame(cx.arena);
  const int64_t length = int64_t{at.last} + 1;
  embed_add(cx, sinusoids(cx, kind, first + length, d_model).slice(first, length), at.ids, x);
}

void LearnedPositions::add_to(Context& cx, const Places& at, Tensor x) const {
  const int64_t length = int64_t{at.last} + 1;
  if (length > table.shape[0])
    throw DataError(cat("a sequence of ", length, " tokens is longer than the ", table.shape[0],
                        " learned positions of the model; train with a larger `max-positions` or with `positions` "
                        "sinusoidal, or shorten the line"));
  embed_add(cx, table.value, at.ids, x);
}

// Computes the encodings separately, because the model only adds them to other tensors.
void Input::show_positions(Context& cx, const Places& at, Shape shape, Offsets rows) const {
  if (!cx.observer) return;
  Arena::Frame frame(cx.arena);
  Tensor encodings = cx.scratch(shape);
  fill(cx, encodings, 0);
  std::visit([&](const auto& p) { p.add_to(cx, at, encodings); }, positions);
  observe(cx, "positions", encodings, rows);
}

Tensor Input::forward(Context& cx, const Embedding& e, Tensor ids, const Places& at, Offsets rows, Saved& s) const {
  Tensor x = e.forward(cx, ids);
  observe(cx, "tokens", x, rows);
  show_positions(cx, at, x.shape, rows);
  std::visit([&](const auto& p) { p.add_to(cx, at, x); }, positions);
  observe(cx, "embedded", x, rows);
  dropout.forward(cx, x);
  s = {ids, at.ids, {}};
  if (norm) x = norm->forward(cx, {x}, s.norm);
  if (norm) {
    Scope scope("input");
    observe(cx, "norm", x, rows);
  }
  return x;
}

void Input::backward(Context& cx, const Embedding& e, const Saved& s, Tensor d) const {
  Arena::Frame frame(cx.arena);
  if (norm) {
    Scope scope("input");
    observe_gradient(cx, "norm", d);
    norm->backward(cx, s.norm, {}, d);
  }
  d = dropout.backward(cx, d);
  for (const char* same : {"embedded", "tokens", "positions"}) observe_gradient(cx, same, d);
  std::visit([&](const auto& p) { p.backward(cx, s.positions, d); }, positions);
  e.backward(cx, s.ids, d);
}

}  // namespace hexapla::model
