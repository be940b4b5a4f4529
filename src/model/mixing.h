#pragma once
// What lets the tokens of the source see each other: self-attention, or what section 4 compares it with.
#include "model/attention.h"
#include "ops/gru.h"
#include "ops/neighbors.h"

namespace hexapla::model {

// Recurrence: a GRU (Cho et al. 2014) in each direction, half as wide as the model, their states side by side
// (Bahdanau et al. 2015).
struct BidirectionalGru {
  struct OneWay {
    Direction direction;
    Linear input, state;  // x W + b and h U + c, of r, z and n side by side

    OneWay(Direction which, int64_t d_model, int64_t width)
        : direction(which),
          input(d_model, 3 * width, true, Init::xavier(d_model, width)),
          state(width, 3 * width, true, Init::xavier(width, width)) {}
    void visit(auto&& f) {
      f("input", input);
      f("state", state);
    }
  };
  static constexpr const char* name = "recurrence";
  OneWay onward, back;

  explicit BidirectionalGru(int64_t d_model)
      : onward(Direction::onward, d_model, d_model / 2), back(Direction::back, d_model, d_model / 2) {}
  void visit(auto&& f) {
    f("onward", onward);
    f("back", back);
  }

  struct Saved {
    Tensor x, onward_gates, back_gates;
    GruStates onward, back;
    Offsets rows;
  };
  Tensor forward(Context& cx, Tensor x, Offsets rows, Saved& s) const;
  void backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const;  // d += J^T dy; dy may be d
};

// y_t = sum over j of x_{t + j} W_j + b, |j| <= (width - 1) / 2; x is 0 beyond the ends of the sentence.
struct Convolution {
  static constexpr const char* name = "convolution";
  int64_t width;
  Linear kernel;  // [width * d_model, d_model]: the W_j below one another, that of the earliest token first

  Convolution(int64_t d_model, int64_t kernel_width)
      : width(kernel_width), kernel(kernel_width * d_model, d_model, true) {}
  void visit(auto&& f) { f("kernel", kernel); }

  struct Saved {
    Tensor wide;  // [N, width * d_model]
    Offsets rows;
  };
  Tensor forward(Context& cx, Tensor x, Offsets rows, Saved& s) const;
  void backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const;
};

using Mixing = std::variant<SelfAttention, BidirectionalGru, Convolution>;
using MixingSaved = std::variant<SelfAttention::Saved, BidirectionalGru::Saved, Convolution::Saved>;

// Its scope, and its name in the names of parameters: "self_attention", "recurrence", "convolution".
const char* name_of(const Mixing& m);
Tensor forward(const Mixing& m, Context& cx, Tensor x, Offsets rows, MixingSaved& s);
void backward(const Mixing& m, Context& cx, const MixingSaved& s, Tensor dy, Tensor d);  // d += J^T dy; dy may be d

}  // namespace hexapla::model
