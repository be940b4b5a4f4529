#pragma once
// The encoder, Figure 1 left. One tensor d carries the gradient of the residual stream in place
// through every sublayer: a norm replaces it (d <- J^T d), a sublayer adds to it (d <- d + J^T d).
// Backward has the steps of forward in reverse.
#include "model/config.h"
#include "model/layers/embedding.h"
#include "model/layers/feed_forward.h"
#include "model/layers/mixing.h"

namespace hexapla::model {

// Parts of a model, built from the configuration.
Heads make_heads(const Config& c);
Mixing make_mixing(const Config& c);
AnyFeedForward make_feed_forward(const Config& c);
Embedding make_embedding(const Config& c, int64_t vocabulary);
Input make_input(const Config& c);
inline Norm make_norm(const Config& c) { return make_norm(c.norm, c.d_model, c.norm_eps); }

// Shows the gradients of the residual sum x + r and of the sublayer's output r.
void show_residual_gradient(Context& cx, Tensor d_sum, Tensor d_output);

struct EncoderLayerSaved {
  MixingSaved mixing;
  Normalized norm1;
  AnyFeedForwardSaved ffn;
  Normalized norm2;
};

// x <- Norm(x + Dropout(SelfAttention(x)));  x <- Norm(x + Dropout(FFN(x))). An alternative to
// self-attention replaces it, with the same dropout and norm under the same names.
struct EncoderLayer {
  Mixing mixing;
  Dropout attention_dropout;
  Norm attention_norm;
  AnyFeedForward feed_forward;
  Dropout feed_forward_dropout;
  Norm feed_forward_norm;

  using Saved = EncoderLayerSaved;
  explicit EncoderLayer(const Config& c)
      : mixing(make_mixing(c)),
        attention_dropout{c.dropout},
        attention_norm(make_norm(c)),
        feed_forward(make_feed_forward(c)),
        feed_forward_dropout{c.dropout},
        feed_forward_norm(make_norm(c)) {}
  void visit(auto&& f) {
    f(name_of(mixing), mixing);
    f("attention_dropout", attention_dropout);
    f("attention_norm", attention_norm);
    f("feed_forward", feed_forward);
    f("feed_forward_dropout", feed_forward_dropout);
    f("feed_forward_norm", feed_forward_norm);
  }
  Tensor forward(Context& cx, Tensor x, Offsets rows, Saved& s) const;
  void backward(Context& cx, const Saved& s, Tensor d) const;
};

// The pre-norm variant: x <- x + Dropout(SelfAttention(Norm(x)));  x <- x + Dropout(FFN(Norm(x))).
// The norms have the same names as in the post-norm layer, and a last norm follows the stack (Wang
// et al. 2019).
struct PreNormEncoderLayer : EncoderLayer {
  using EncoderLayer::EncoderLayer;
  Tensor forward(Context& cx, Tensor x, Offsets rows, Saved& s) const;
  void backward(Context& cx, const Saved& s, Tensor d) const;
};

struct Encoder {
  Input input;
  std::variant<std::vector<EncoderLayer>, std::vector<PreNormEncoderLayer>> layers;
  std::optional<Norm> last_norm;  // Config::has_last_norm()

  explicit Encoder(const Config& c);
  void visit(auto&& f) {
    f("input", input);
    f("layers", layers);
    f("last_norm", last_norm);
  }
  struct Saved {
    Input::Saved input;
    std::vector<EncoderLayerSaved> layers;
    Normalized last_norm;
    Offsets rows;
  };
  // ids: [N] i32 -> the memory [N, d_model]
  Tensor forward(Context& cx, const Embedding& e, Tensor ids, Offsets rows, Saved& s) const;
  void backward(Context& cx, const Embedding& e, const Saved& s, Tensor d) const;  // d is overwritten
};

}  // namespace hexapla::model
