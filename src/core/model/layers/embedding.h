#pragma once
// Embeddings (section 3.4) and positional encodings (3.5).
#include <cmath>

#include "model/layers/norm.h"

namespace hexapla::model {

// scale * table[id]; the paper's scale is sqrt(d_model). In a tied model the transposed table is
// also the generator's weight.
struct Embedding {
  Parameter table;  // [V, d_model]
  double scale;
  Embedding(int64_t vocabulary, int64_t d_model, double factor)
      : table{{vocabulary, d_model}, Init::normal(1 / std::sqrt(double(d_model))), {}, {}}, scale(factor) {}
  void visit(auto&& f) { f("table", table); }

  Tensor forward(Context& cx, Tensor ids) const {
    if (table.integers) return embed_quantized(cx, table.integers, table.scales, ids, scale);
    return embed(cx, table.value, ids, scale);
  }
  void backward(Context& cx, Tensor ids, Tensor d) const { embed_backward(cx, d, ids, scale, table.grad); }
};

// PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(the same), or a variant
// (backend/sinusoids.h). Computed for any length, without a limit.
struct SinusoidalPositions {
  int64_t d_model;
  Sinusoids kind = Sinusoids::interleaved;
  int64_t first = 0;  // the position of a sentence's first token
  void visit(auto&&) {}
  void add_to(Context& cx, const Places& at, Tensor x) const;  // x: [N, d_model]
  void backward(Context&, Tensor, Tensor) const {}
};

// A learned vector for each of the first max_positions positions; longer sequences are an error.
struct LearnedPositions {
  Parameter table;  // [max_positions, d_model]
  LearnedPositions(int64_t longest, int64_t d_model)
      : table{{longest, d_model}, Init::normal(1 / std::sqrt(double(d_model))), {}, {}} {}
  void visit(auto&& f) { f("table", table); }
  void add_to(Context& cx, const Places& at, Tensor x) const;
  void backward(Context& cx, Tensor positions, Tensor d) const { embed_backward(cx, d, positions, 1, table.grad); }
};

// No encodings: a decoder sees order only through the causal mask, an encoder not at all.
struct NoPositions {
  void visit(auto&&) {}
  void add_to(Context&, const Places&, Tensor) const {}
  void backward(Context&, Tensor, Tensor) const {}
};

using Positions = std::variant<SinusoidalPositions, LearnedPositions, NoPositions>;

// The input of a stack: Dropout(sqrt(d_model) E[id] + PE[position]), optionally with a LayerNorm.
struct Input {
  Positions positions;
  Dropout dropout;
  std::optional<LayerNorm> norm;

  void visit(auto&& f) {
    f("positions", positions);
    f("dropout", dropout);
    f("norm", norm);
  }
  struct Saved {
    Tensor ids, positions;
    Normalized norm;
  };
  // ids: [N] i32 -> [N, d_model]
  Tensor forward(Context& cx, const Embedding& e, Tensor ids, const Places& at, Offsets rows, Saved& s) const;
  void backward(Context& cx, const Embedding& e, const Saved& s, Tensor d) const;  // d is overwritten

 private:
  void show_positions(Context& cx, const Places& at, Shape shape, Offsets rows) const;
};

}  // namespace hexapla::model
