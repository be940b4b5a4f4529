#pragma once
// The whole model, Figure 1.
#include "model/decoder.h"

namespace hexapla::model {

// A batch of pairs, ragged: teacher forcing feeds <s> y and asks for y </s>. The memory must outlive the step.
struct BatchView {
  std::span<const int32_t> source, target_in, target_out;
  Offsets source_rows, target_rows;
  Guide guide = {};  // optional
};

struct LossSums {
  double loss = 0;  // label-smoothed cross-entropy, summed over the target tokens
  double nll = 0;   // -log p(label), summed
  int64_t tokens = 0;
  double alignment = 0;   // with a guide: its losses, summed over the target tokens that have links
  int64_t linked = 0;     // so many of them
  double divergence = 0;  // with R-Drop: of the two passes, summed over the target tokens of one
  double balancing = 0;   // in training with experts: what their load adds to the loss, times the target tokens
};

// softmax(x W + b) over the vocabulary: linear + log-softmax. Tied: W is the target embedding, transposed.
struct Generator {
  std::optional<Parameter> weight;  // [d_model, V]; none when tied
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

  // config must be resolved. Parameters have no memory until Parameters gives it to them.
  explicit Transformer(const Config& config);
  Transformer(const Transformer&);
  Transformer(Transformer&&) noexcept;
  Transformer& operator=(Transformer&&) noexcept;
  ~Transformer();  // in one place: layers in layers are much code
  void visit(auto&& f) {
    f("embeddings", embeddings);
    f("encoder", encoder);
    f("decoder", decoder);
    f("generator", generator);
  }
  const Embedding& source_embedding() const { return embeddings.front(); }
  const Embedding& target_embedding() const { return embeddings.back(); }

  struct Saved {  // reused from step to step: after the first one nothing is allocated
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
  // Forward and backward: adds to every parameter's gradient that of scale * the sum of the losses; with a guide also
  // that of guide.scale * the sum of its losses, with experts also that of scale * balancing.
  LossSums loss_and_gradient(Context& cx, const BatchView& batch, double smoothing, double scale, Saved& s) const;
  // R-Drop: the second half of the batch is the first once more, and only dropout tells them apart. Adds the gradient
  // of scale * (the sum of the losses + alpha * the sum of the divergences), with experts also of scale * balancing.
  LossSums r_drop_loss_and_gradient(Context& cx, const BatchView& twice, double smoothing, double alpha, double scale,
                                    Saved& s) const;

  // Decoding: one step of every hypothesis -> logits [N, V]
  Tensor step(Context& cx, const StepInput& in, std::span<const LayerCache> cache, Offsets memory_rows) const;
  // The same of some pieces alone, [N, W]: of pieces[b] in their order for the hypotheses of sentence b, and -inf
  // behind a list that is shorter than the longest.
  Tensor step(Context& cx, const StepInput& in, std::span<const LayerCache> cache, Offsets memory_rows,
              std::span<const std::span<const int32_t>> pieces) const;

 private:
  Weight generator_weight() const;  // [d_model, V]
  Tensor generator_gradient() const;
  Tensor generator_bias_gradient() const { return generator.bias ? generator.bias->grad : Tensor(); }
  LossInput loss_input(Tensor x, std::span<const int32_t> labels, double smoothing, double scale) const;
  struct Passed {
    Tensor memory, x;  // the outputs of encoder and decoder
  };
  Passed forward(Context& cx, const BatchView& batch, Saved& s) const;
  // d: of the decoder's output; overwritten.
  void backward(Context& cx, const Saved& s, Tensor d, Shape memory) const;
};

extern template Leaves leaves_of(Transformer& module);

}  // namespace hexapla::model
