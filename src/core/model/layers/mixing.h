#pragma once
// Lets the tokens of a sentence interact: self-attention, or the alternatives that section 4
// compares it with.
#include "model/layers/attention.h"
#include "ops/gru.h"
#include "ops/neighbors.h"
#include "ops/ssru.h"

namespace hexapla::model {

// Recurrence: a GRU (Cho et al. 2014) in each direction, half as wide as the model, with
// concatenated states (Bahdanau et al. 2015).
struct BidirectionalGru {
  struct OneWay {
    Direction direction;
    Linear input, state;  // x W + b and h U + c, with r, z and n concatenated

    OneWay(Direction which, int64_t d_model, int64_t width)
        : direction(which),
          input(d_model, 3 * width, true, Init::xavier(d_model, width)),
          state(width, 3 * width, true, Init::xavier(width, width)) {}
    void visit(auto&& f) {
      f("input", input);
      f("state", state);
    }
  };
  static constexpr const char* kName = "recurrence";
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
  static constexpr const char* kName = "convolution";
  int64_t width;
  Linear kernel;  // [width * d_model, d_model]: the W_j stacked, that of the earliest token first

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

// The simpler simple recurrent unit (Kim et al. 2019) in place of the decoder's self-attention: a
// step needs only one row of d_model numbers for all earlier tokens.
struct SimpleRecurrence {
  static constexpr const char* kName = "recurrence";
  Linear candidate;  // x W
  Linear forget;     // x W_f + b_f

  explicit SimpleRecurrence(int64_t d_model) : candidate(d_model, d_model, false), forget(d_model, d_model, true) {}
  void visit(auto&& f) {
    f("candidate", candidate);
    f("forget", forget);
  }

  struct Saved {
    Tensor x, cells;
    SsruInput in;
    Offsets rows;
  };
  Tensor forward(Context& cx, Tensor x, Offsets rows, Saved& s) const;
  void backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const;  // d += J^T dy; dy may be d
  // One new row per hypothesis, as in SelfAttention::step; the cache [R, d_model] holds the cells.
  Tensor step(Context& cx, Tensor x, Tensor cache, Tensor cache_rows, const StepRows& rows) const;
  int64_t cache_width() const { return candidate.weight.shape[1]; }
};

// For the encoder.
using Mixing = std::variant<SelfAttention, BidirectionalGru, Convolution>;
using MixingSaved = std::variant<SelfAttention::Saved, BidirectionalGru::Saved, Convolution::Saved>;

// Used as scope and in the names of parameters: "self_attention", "recurrence", "convolution".
const char* name_of(const Mixing& m);
Tensor forward(const Mixing& m, Context& cx, Tensor x, Offsets rows, MixingSaved& s);
void backward(const Mixing& m, Context& cx, const MixingSaved& s, Tensor dy, Tensor d);  // d += J^T dy; dy may be d

// For the decoder, where a token sees only earlier ones.
using TargetMixing = std::variant<SelfAttention, SimpleRecurrence>;
using TargetMixingSaved = std::variant<SelfAttention::Saved, SimpleRecurrence::Saved>;

const char* name_of(const TargetMixing& m);  // "self_attention", "recurrence"
Tensor forward(const TargetMixing& m, Context& cx, Tensor x, Offsets rows, TargetMixingSaved& s);
void backward(const TargetMixing& m, Context& cx, const TargetMixingSaved& s, Tensor dy, Tensor d);
// One new row per hypothesis; cache: [R, cache_width()], the state that each step leaves to later
// ones.
Tensor step(const TargetMixing& m, Context& cx, Tensor x, Tensor cache, Tensor cache_rows, const StepRows& rows);
int64_t cache_width(const TargetMixing& m);

}  // namespace hexapla::model
