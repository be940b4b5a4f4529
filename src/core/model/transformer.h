#pragma once
// The whole model, Figure 1.
#include "model/decoder.h"

namespace hexapla::model {

// A ragged batch of pairs: teacher forcing feeds <s> y and predicts y </s>. The memory must outlive
// the step.
struct BatchView {
  std::span<const int32_t> source, target_in, target_out;
  Offsets source_rows, target_rows;
  Guide guide = {};  // optional
};

struct LossSums {
  double loss = 0;  // label-smoothed cross-entropy, summed over the target tokens
  double nll = 0;   // -log p(label), summed
  int64_t tokens = 0;
  double alignment = 0;  // with a guide: its losses, summed over the linked target tokens
  int64_t linked = 0;    // number of linked target tokens
  double balancing = 0;  // in training with experts: their balancing loss times the number of target tokens
};

// softmax(x W + b) over the vocabulary: linear + log-softmax. If tied, W is the transposed target
// embedding.
struct Generator {
  std::optional<Parameter> weight;  // [d_model, V]; none if tied
  std::optional<Parameter> bias;    // [V]
  void visit(auto&& f) {
    f("weight", weight);
    f("bias", bias);
  }
};

struct Transformer {
  Config config;
  std::vector<Embedding> embeddings;  // one for both languages, or source and target
  Encoder encoder;
  Decoder decoder;
  Generator generator;

  // config must be resolved. Parameters get their memory from a Parameters object.
  explicit Transformer(const Config& config);
  Transformer(const Transformer&);
  Transformer(Transformer&&) noexcept;
  Transformer& operator=(Transformer&&) noexcept;
  ~Transformer();  // defined in one file: nested layers make much code
  void visit(auto&& f) {
    f("embeddings", embeddings);
    f("encoder", encoder);
    f("decoder", decoder);
    f("generator", generator);
  }
  const Embedding& source_embedding() const { return embeddings.front(); }
  const Embedding& target_embedding() const { return embeddings.back(); }

  struct Saved {  // reused between steps: only the first one allocates
    Encoder::Saved encoder;
    Decoder::Saved decoder;
  };

  Tensor encode(Context& cx, std::span<const int32_t> source, Offsets rows, Saved& s) const;  // -> memory [N, d_model]
  // The decoder's output for every target position (teacher forcing) -> [M, d_model]
  Tensor decode(Context& cx, Decoder::Memory memory, std::span<const int32_t> target, Offsets rows, Saved& s) const;
  Tensor logits(Context& cx, Tensor x) const;                                     // [N, d_model] -> [N, V]
  Tensor log_probabilities(Context& cx, const BatchView& batch, Saved& s) const;  // the generator's -> [M, V]

  // Forward only.
  LossSums loss(Context& cx, const BatchView& batch, double smoothing, Saved& s) const;
  // Forward and backward: adds to the gradients those of scale * the sum of the losses, with a
  // guide also of guide.scale * the sum of its losses, with experts also of scale * balancing.
  LossSums loss_and_gradient(Context& cx, const BatchView& batch, double smoothing, double scale, Saved& s) const;

  // Decoding: one step for every hypothesis -> logits [N, V]
  Tensor step(Context& cx, const StepInput& in, std::span<const LayerCache> cache, Offsets memory_rows) const;
  // The same for selected pieces only, [N, W]: the logits of pieces[b], in that order, for the
  // hypotheses of sentence b; -inf after the end of lists shorter than the longest.
  Tensor step(Context& cx, const StepInput& in, std::span<const LayerCache> cache, Offsets memory_rows,
              std::span<const std::span<const int32_t>> pieces) const;

 private:
  Weight generator_weight() const;  // [d_model, V]
  Tensor generator_gradient() const;
  LossInput loss_input(Context& cx, Tensor x, std::span<const int32_t> labels, double smoothing, double scale) const;
  struct Passed {
    Tensor memory, x;  // the outputs of encoder and decoder
  };
  Passed forward(Context& cx, const BatchView& batch, Saved& s) const;
};

extern template Leaves leaves_of(Transformer& module);

}  // namespace hexapla::model
