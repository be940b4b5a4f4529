#pragma once
// Forward and backward calls of the layers in the public header. The computations are in src/core/model;
// here is the code that all calls share.
#include "lib/guard.h"
#include "lib/nn/layer_state.h"

namespace hexapla::api {

// Calls f(pass). A RunError in a pass means that the arena is full: releases what f has taken and
// refuses.
template <class F>
auto in_pass(nn::Workspace& work, F&& f) {
  return guarded([&] {
    Pass& pass = work.state();
    const Arena::Mark before = pass.mark();
    try {
      return f(pass);
    } catch (const OutOfMemory&) {
      throw;
    } catch (const RunError&) {
      pass.rewind(before);
      pass.refuse_more();
    }
  });
}

// f(pass, context, saved) -> the output; fills `saved` for the backward call.
template <class Saved, class F>
nn::Tensor forward(nn::Workspace& work, const nn::Layer& layer, F&& f) {
  return in_pass(work, [&](Pass& pass) {
    Call call{layer.state(), pass.next_seed(), {}, Saved{}};
    Context cx = pass.context(call.seed);
    Arena::Frame frame(cx.arena);
    const Tensor y = f(pass, cx, *std::any_cast<Saved>(&call.saved));
    call.out = y.shape;
    pass.remember(std::move(call));
    return pass.give(y);
  });
}

// f(pass, context, saved, dy) -> the gradients of the inputs.
template <class Saved, class F>
auto backward(nn::Workspace& work, const nn::Layer& layer, const nn::Tensor& dy, F&& f) {
  return in_pass(work, [&](Pass& pass) {
    const Call& call = pass.last(*layer.state());
    const Tensor d = pass.take("dy", dy, call.out[1], call.out[0]);
    Context cx = pass.context(call.seed);
    Arena::Frame frame(cx.arena);
    const auto gradients = f(pass, cx, *std::any_cast<Saved>(&call.saved), d);
    pass.forget(call);
    return gradients;
  });
}

// A copy that lives until the end of the pass.
inline Tensor kept_copy(Context& cx, Tensor x) {
  const Tensor y = cx.keep(x.shape);
  copy(cx, x, y);
  return y;
}
inline Tensor kept_zeros(Context& cx, Shape shape) {
  const Tensor y = cx.keep(shape);
  fill(cx, y, 0);
  return y;
}

}  // namespace hexapla::api
