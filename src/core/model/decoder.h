#pragma once
// The decoder, Figure 1 right: causal self-attention (or an alternative), attention over the
// encoder's output, feed-forward.
#include "model/encoder.h"

namespace hexapla::model {

struct DecoderLayerSaved {
  TargetMixingSaved mixing;
  Normalized norm1;
  CrossAttention::Saved cross;
  Normalized norm2;
  AnyFeedForwardSaved ffn;
  Normalized norm3;
};

// One step of decoding: N hypotheses, in the order of their sentences.
struct StepInput {
  Tensor ids;          // [N] i32: the newest token of each hypothesis
  Places positions;    // its position
  Offsets hypotheses;  // number of rows per sentence
  StepRows rows;       // the cache rows that each hypothesis sees, including its new one
  Tensor cache_rows;   // [N] i32: the cache row that hypothesis n writes to
};

// Keys and values of one layer, for the hypotheses so far and for the sentences' memory.
struct LayerCache {
  Tensor self;   // [R, H d_k + H d_v]; for a recurrence its cells, [R, d_model]
  Tensor cross;  // [Nk, H d_k + H d_v]
};

// Whether the decoder's self-attention is causal. Without the mask a token sees later tokens if
// they are known: in training and scoring, but not in translation.
bool is_causal(const Config& c);
TargetMixing make_target_mixing(const Config& c);

struct DecoderLayer {
  TargetMixing mixing;
  Dropout self_dropout;
  Norm self_norm;
  CrossAttention cross_attention;
  Dropout cross_dropout;
  Norm cross_norm;
  AnyFeedForward feed_forward;
  Dropout feed_forward_dropout;
  Norm feed_forward_norm;

  using Saved = DecoderLayerSaved;
  explicit DecoderLayer(const Config& c)
      : mixing(make_target_mixing(c)),
        self_dropout{c.dropout},
        self_norm(make_norm(c)),
        cross_attention(make_heads(c), c.d_model),
        cross_dropout{c.dropout},
        cross_norm(make_norm(c)),
        feed_forward(make_feed_forward(c)),
        feed_forward_dropout{c.dropout},
        feed_forward_norm(make_norm(c)) {}
  void visit(auto&& f) {
    f(name_of(mixing), mixing);
    f("self_dropout", self_dropout);
    f("self_norm", self_norm);
    f("cross_attention", cross_attention);
    f("cross_dropout", cross_dropout);
    f("cross_norm", cross_norm);
    f("feed_forward", feed_forward);
    f("feed_forward_dropout", feed_forward_dropout);
    f("feed_forward_norm", feed_forward_norm);
  }
  Tensor forward(Context& cx, Tensor x, Offsets rows, Tensor memory, Offsets memory_rows, Saved& s) const;
  void backward(Context& cx, const Saved& s, Tensor d, Tensor d_memory) const;  // d_memory is added to
  Tensor step(Context& cx, Tensor x, const StepInput& in, const LayerCache& cache, Offsets memory_rows) const;
};

struct PreNormDecoderLayer : DecoderLayer {
  using DecoderLayer::DecoderLayer;
  Tensor forward(Context& cx, Tensor x, Offsets rows, Tensor memory, Offsets memory_rows, Saved& s) const;
  void backward(Context& cx, const Saved& s, Tensor d, Tensor d_memory) const;
  Tensor step(Context& cx, Tensor x, const StepInput& in, const LayerCache& cache, Offsets memory_rows) const;
};

struct Decoder {
  Input input;
  std::variant<std::vector<DecoderLayer>, std::vector<PreNormDecoderLayer>> layers;
  std::optional<Norm> last_norm;  // Config::has_last_norm()

  explicit Decoder(const Config& c);
  void visit(auto&& f) {
    f("input", input);
    f("layers", layers);
    f("last_norm", last_norm);
  }
  struct Saved {
    Input::Saved input;
    std::vector<DecoderLayerSaved> layers;
    Normalized last_norm;
  };
  struct Memory {
    Tensor values;  // the encoder's output [Nk, d_model]
    Offsets rows;
  };
  // ids: [N] i32, the target shifted right -> [N, d_model]
  Tensor forward(Context& cx, const Embedding& e, Tensor ids, Offsets rows, const Memory& memory, Saved& s) const;
  void backward(Context& cx, const Embedding& e, const Saved& s, Tensor d, Tensor d_memory) const;

  // Call after forward: returns the losses of the guided head against the links -> [N]; backward
  // then adds their gradient. The guide must outlive backward. InternalError: no such layer or
  // head.
  Tensor guide(Context& cx, const Guide& g, Saved& s) const;
  // Call after forward: the attention weights of a layer over the memory of sequence b, without
  // dropout. InternalError: no such layer.
  AttentionWeights cross_attention_weights(Context& cx, int64_t layer, const Saved& s, size_t b) const;

  // Caches for `rows` cache rows per layer and the keys and values of memory_rows rows (kept in the
  // arena).
  std::vector<LayerCache> allocate_cache(Context& cx, int64_t memory_rows, int64_t rows) const;
  // Writes the memory's keys and values to the cache; sentence b begins at row first_rows[b].
  void project_cross(Context& cx, const Memory& memory, std::span<const int64_t> first_rows,
                     std::span<const LayerCache> cache) const;
  // -> [N, d_model]
  Tensor step(Context& cx, const Embedding& e, const StepInput& in, std::span<const LayerCache> cache,
              Offsets memory_rows) const;
};

}  // namespace hexapla::model
