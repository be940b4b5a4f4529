#pragma once
// Models small enough to check every number.
#include "inspect/recorder.h"
#include "model/parameters/parameters.h"

namespace hexapla::inspect {

inline constexpr int32_t kBos = 1, kEos = 2;
inline constexpr int64_t kPieceCount = 13, kHeads = 2, kDKey = 3;

inline model::Config small_config() {
  model::Config c;
  c.source_vocab = c.target_vocab = kPieceCount;
  c.enc_layers = 1;
  c.dec_layers = 1;
  c.d_model = 8;
  c.d_ff = 12;
  c.heads = kHeads;
  c.d_k = kDKey;
  c.d_v = 5;
  c.resolve();
  return c;
}

// Together they cover every choice of Config.
inline std::vector<model::Config> siblings() {
  std::vector<model::Config> all(23, small_config());
  all[1].norm_position = "pre", all[1].gated = true, all[1].tied = "none", all[1].activation = "gelu";
  all[2].score = "additive", all[2].attention_bias = true, all[2].generator_bias = true;
  all[3].norm = "batch", all[3].positions = "learned";
  all[4].embedding_norm = true, all[4].tied = "decoder", all[4].activation = "swish";
  all[5].score = "dot", all[5].dec_layers = 2;
  all[6].norm = "batch", all[6].norm_position = "pre", all[6].gated = true;
  all[7].norm = "none", all[7].positions = "none";
  size_t next = 8;
  for (const char* score : {"sigmoid", "relu", "unnormalized", "top-4", "linear-kernel"}) {
    all[next].score = all[next].score.parse("score", score);
    ++next;
  }
  all[next++].encoder_mixing = "gru";
  all[next].encoder_mixing = "convolution", all[next++].norm_position = "pre";
  all[next].encoder_mixing = "gru", all[next].norm_position = "pre", all[next++].decoder_mask = "none";
  all[next].experts = 3, all[next++].activation = "gelu";
  all[next].experts = 4, all[next].experts_per_token = 2, all[next].norm_position = "pre", all[next++].d_expert = 5;
  all[next].positions = "sinusoidal-halves", all[next++].embedding_scale = "none";
  all[next].positions = "timing-signal", all[next++].first_position = 2;
  all[next++].decoder_mixing = "ssru";
  all[next].decoder_mixing = "ssru", all[next].encoder_mixing = "gru", all[next++].norm_position = "pre";
  all[next].norm_position = "post-last", all[next].activation = "gelu-tanh";
  return all;
}

struct SmallModel {
  model::Transformer model;
  model::Parameters parameters;
  std::unique_ptr<Backend> backend;

  SmallModel(const model::Config& c, std::unique_ptr<Backend> device, DType dtype = DType::f32)
      : model(c), parameters(model, dtype, model::Parameters::Use::inference), backend(std::move(device)) {
    model::initialize(model, 5);
  }
  Inspection inspect(const Pair& pair) const { return inspect_pair(*backend, model, pair, kBos, kEos); }
};

inline const Pair kPair{{4, 7, 5, 2}, {6, 9}};

}  // namespace hexapla::inspect
