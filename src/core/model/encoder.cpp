#include "model/encoder.h"

#include "base/scope.h"

namespace hexapla::model {

Heads make_heads(const Config& c) {
  Heads h{c.heads, c.d_k, c.d_v, make_score(c.score, c.heads, c.d_k), {}};
  h.dropout.p = c.attention_dropout;
  h.bias = c.attention_bias;
  return h;
}

Mixing make_mixing(const Config& c) {
  if (c.encoder_mixing == "gru") return BidirectionalGru(c.d_model);
  if (c.encoder_mixing == "convolution") return Convolution(c.d_model, c.kernel_width);
  HEXAPLA_CHECK(c.encoder_mixing == "attention", "the encoder cannot mix by '", c.encoder_mixing, "'");
  return SelfAttention(make_heads(c), c.d_model, false);
}

namespace {
Activation make_activation(const std::string& name) {
  if (name == "gelu") return Activation::gelu;
  if (name == "swish") return Activation::swish;
  if (name == "gelu-tanh") return Activation::gelu_tanh;
  HEXAPLA_CHECK(name == "relu", "there is no activation '", name, "'");
  return Activation::relu;
}

Positions make_positions(const Config& c) {
  if (c.positions == "learned") return LearnedPositions(c.max_positions, c.d_model);
  if (c.positions == "none") return NoPositions{};
  SinusoidalPositions p{c.d_model, Sinusoids::interleaved, c.first_position};
  if (c.positions == "sinusoidal-halves")
    p.kind = Sinusoids::halves;
  else if (c.positions == "timing-signal")
    p.kind = Sinusoids::timing_signal;
  else
    HEXAPLA_CHECK(c.positions == "sinusoidal", "there are no positions '", c.positions, "'");
  return p;
}

// Without a backward pass only the layer's output y is needed: copies it over the layer's input and
// gives back all memory taken since.
Tensor in_place_of(Context& cx, Tensor x, Tensor y, const Arena::Mark& before) {
  copy(cx, y, x);
  cx.arena.rewind(before);
  return x;
}

}  // namespace

AnyFeedForward make_feed_forward(const Config& c) {
  const Activation f = make_activation(c.activation);
  if (c.experts > 0)
    return MixtureOfExperts(f, {c.d_model, c.expert_width(), c.experts, c.experts_per_token},
                            {c.expert_capacity, c.load_balancing}, c.activation_dropout);
  if (c.gated) return GatedFeedForward(f, c.d_model, c.d_ff, c.activation_dropout);
  return FeedForward(f, c.d_model, c.d_ff, c.activation_dropout);
}

Embedding make_embedding(const Config& c, int64_t vocabulary) {
  HEXAPLA_CHECK(c.embedding_scale == "sqrt" || c.embedding_scale == "none", "embeddings cannot be scaled by '",
                c.embedding_scale, "'");
  return Embedding(vocabulary, c.d_model, c.embedding_scale == "sqrt" ? std::sqrt(double(c.d_model)) : 1);
}

Input make_input(const Config& c) {
  Input in{make_positions(c), Dropout{c.dropout}, {}};
  if (c.embedding_norm) in.norm = LayerNorm(c.d_model, c.norm_eps);
  return in;
}

void show_residual_gradient(Context& cx, Tensor d_sum, Tensor d_output) {
  observe_gradient(cx, "sum", d_sum);
  observe_gradient(cx, "output", d_output);
}

Tensor EncoderLayer::forward(Context& cx, Tensor x, Offsets rows, Saved& s) const {
  {
    Scope scope(name_of(mixing));
    Tensor r = model::forward(mixing, cx, x, rows, s.mixing);
    observe(cx, "output", r, rows);
    x = model::forward(attention_norm, cx, {x, r, attention_dropout}, rows, s.norm1);
  }
  Scope scope("feed_forward");
  Tensor r = model::forward(feed_forward, cx, x, rows, s.ffn);
  observe(cx, "output", r, rows);
  return model::forward(feed_forward_norm, cx, {x, r, feed_forward_dropout}, rows, s.norm2);
}

void EncoderLayer::backward(Context& cx, const Saved& s, Tensor d) const {
  Arena::Frame frame(cx.arena);
  {
    Scope scope("feed_forward");
    Tensor dr = model::backward(feed_forward_norm, cx, s.norm2, feed_forward_dropout, d);
    show_residual_gradient(cx, d, dr);
    model::backward(feed_forward, cx, s.ffn, dr, d);
  }
  Scope scope(name_of(mixing));
  Tensor dr = model::backward(attention_norm, cx, s.norm1, attention_dropout, d);
  show_residual_gradient(cx, d, dr);
  model::backward(mixing, cx, s.mixing, dr, d);
}

Tensor PreNormEncoderLayer::forward(Context& cx, Tensor x, Offsets rows, Saved& s) const {
  {
    Scope scope(name_of(mixing));
    Tensor n = model::forward(attention_norm, cx, {x}, rows, s.norm1);
    Tensor r = model::forward(mixing, cx, n, rows, s.mixing);
    observe(cx, "output", r, rows);
    x = add(cx, x, attention_dropout.forward(cx, r));
    observe(cx, "sum", x, rows);
  }
  Scope scope("feed_forward");
  Tensor n = model::forward(feed_forward_norm, cx, {x}, rows, s.norm2);
  Tensor r = model::forward(feed_forward, cx, n, rows, s.ffn);
  observe(cx, "output", r, rows);
  x = add(cx, x, feed_forward_dropout.forward(cx, r));
  observe(cx, "sum", x, rows);
  return x;
}

void PreNormEncoderLayer::backward(Context& cx, const Saved& s, Tensor d) const {
  Arena::Frame frame(cx.arena);
  Tensor dn = cx.scratch(d.shape);
  {
    Scope scope("feed_forward");
    fill(cx, dn, 0);
    Tensor dr = feed_forward_dropout.backward(cx, d);
    show_residual_gradient(cx, d, dr);
    model::backward(feed_forward, cx, s.ffn, dr, dn);
    model::backward(feed_forward_norm, cx, s.norm2, {}, dn);
    add_to(cx, d, dn);
  }
  Scope scope(name_of(mixing));
  fill(cx, dn, 0);
  Tensor dr = attention_dropout.backward(cx, d);
  show_residual_gradient(cx, d, dr);
  model::backward(mixing, cx, s.mixing, dr, dn);
  model::backward(attention_norm, cx, s.norm1, {}, dn);
  add_to(cx, d, dn);
}

Encoder::Encoder(const Config& c) : input(make_input(c)) {
  if (c.norm_position == "pre") {
    layers = std::vector<PreNormEncoderLayer>(c.enc_layers, PreNormEncoderLayer(c));
  } else {
    HEXAPLA_CHECK(c.norm_position == "post" || c.norm_position == "post-last", "there is no norm position '",
                  c.norm_position, "'");
    layers = std::vector<EncoderLayer>(c.enc_layers, EncoderLayer(c));
  }
  if (c.has_last_norm()) last_norm = make_norm(c);
}

Tensor Encoder::forward(Context& cx, const Embedding& e, Tensor ids, Offsets rows, Saved& s) const {
  Scope scope("encoder");
  s.rows = rows;
  Tensor x = input.forward(cx, e, ids, positions(cx, rows), rows, s.input);
  std::visit(
      [&](const auto& stack) {
        s.layers.resize(stack.size());
        for (size_t i = 0; i < stack.size(); ++i) {
          Scope layer("layers", int(i));
          const Arena::Mark before = cx.arena.mark();
          Tensor y = stack[i].forward(cx, x, rows, s.layers[i]);
          x = cx.forward_only ? in_place_of(cx, x, y, before) : y;
        }
      },
      layers);
  return last_norm ? model::forward(*last_norm, cx, {x}, rows, s.last_norm) : x;
}

void Encoder::backward(Context& cx, const Embedding& e, const Saved& s, Tensor d) const {
  Scope scope("encoder");
  if (last_norm) model::backward(*last_norm, cx, s.last_norm, {}, d);
  std::visit(
      [&](const auto& stack) {
        for (size_t i = stack.size(); i-- > 0;) {
          Scope layer("layers", int(i));
          stack[i].backward(cx, s.layers[i], d);
          if (cx.listener) cx.listener->final_from(GradientListener::Stack::encoder, static_cast<int>(i));
        }
      },
      layers);
  input.backward(cx, e, s.input, d);
}

}  // namespace hexapla::model
