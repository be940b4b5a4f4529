#pragma once
// UNSTABLE: anything here may change with any version; hexapla/hexapla.h does not include it.
//
// The layers of "Attention Is All You Need" for programs that build other models from them, each
// with its forward and backward pass. A tagger, and one step of its training:
//
//   const hexapla::Options shape{{"dim_model", 64}, {"dim_ff", 256}, {"heads", 4}, {"enc_layers", 2}};
//   nn::Embedding embedding(words, shape);
//   nn::Encoder encoder(shape);
//   nn::Generator tags(64, 12);
//   const nn::Layers model{&embedding, &encoder, &tags};
//   nn::initialize(model, 1);
//   nn::Adam adam(model);
//   nn::Workspace work;
//
//   work.begin_training(seed, step);
//   const nn::Tensor x = encoder.forward(work, embedding.forward(work, ids, offsets), offsets);
//   const nn::LossGradient loss = tags.loss_and_gradient(work, x, labels, 0.1, 1.0 / labels.size());
//   embedding.backward(work, encoder.backward(work, loss.dx));
//   adam.update(work, 1e-3);
//
// Batches are ragged: the rows of a tensor are the tokens of all sentences, concatenated without
// padding, and Offsets give the beginning of each sentence. Numbers are f32. examples/tagger is a
// complete program.
//
// A backward() call belongs to the last forward() call of the same layer and pass that has no
// backward() yet: if a layer is used several times, the backward calls come in reverse order. It
// takes the gradient of the output, returns those of the inputs, and adds to those of the
// parameters. The arguments may be freed after any call.
//
// Errors: UsageError for wrong sizes, ids and offsets, for tensors of an earlier pass or of another
// workspace, and for a backward() without a forward(); RunError if the workspace is full.
//
// Threads: a workspace may be used by one thread at a time. A layer may run forward() in several
// workspaces at the same time while nothing changes its parameters; backward(), Adam and
// initialize() change them, and so does forward() of a norm with running statistics.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"
#include "hexapla/options.h"
#include "hexapla/owned.h"

namespace hexapla {

// Internal.
namespace api {
class LayerState;
class Pass;
}  // namespace api

namespace nn {

// The beginnings of a batch's sentences, and the end of the last one: {0, 5, 6, 10} means 5, 1 and
// 4 rows. No sentence may be empty.
using Offsets = std::vector<std::int32_t>;
using Ids = std::vector<std::int32_t>;  // of tokens or labels, from 0

// An f32 matrix, row by row without gaps. A view: the workspace owns the numbers, until its next
// pass begins.
class Tensor {
 public:
  Tensor() = default;
  explicit operator bool() const { return data_ != nullptr; }  // false: no tensor
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  float* data() const { return data_; }
  float* row(std::int64_t i) const { return data_ + i * columns_; }

 private:
  friend class hexapla::api::Pass;
  Tensor(float* data, std::int64_t rows, std::int64_t columns, std::uint64_t pass)
      : data_(data), rows_(rows), columns_(columns), pass_(pass) {}

  float* data_ = nullptr;
  std::int64_t rows_ = 0, columns_ = 0;
  std::uint64_t pass_ = 0;  // unique over all workspaces
};

// The state of a pass: memory of its tensors, data that forward calls leave for backward calls, and
// random numbers of dropout.
class Workspace {
 public:
  // bytes: limit for one pass; memory is allocated on use. RunError: the address space cannot be
  // reserved.
  HEXAPLA_API explicit Workspace(std::size_t bytes = std::size_t{1} << 30);
  HEXAPLA_API ~Workspace();
  HEXAPLA_API Workspace(Workspace&&) noexcept;
  HEXAPLA_API Workspace& operator=(Workspace&&) noexcept;

  // Begins a new pass and invalidates all tensors of the previous one. There is no dropout, and a
  // batch norm uses its running statistics without changing them; gradients can still be computed.
  // A new workspace has begun such a pass.
  HEXAPLA_API void begin();
  // The same for training: dropout is on. seed and step determine the dropped elements.
  HEXAPLA_API void begin_training(std::uint64_t seed, std::uint32_t step);

  HEXAPLA_API Tensor zeros(std::int64_t rows, std::int64_t columns);  // for the caller to fill
  HEXAPLA_API std::size_t bytes_in_use() const;                       // of this pass so far

  HEXAPLA_API api::Pass& state() const;  // internal. UsageError: moved from

 private:
  api::Owned<api::Pass> state_;
};

HEXAPLA_API Tensor add(Workspace& work, const Tensor& a, const Tensor& b);  // same sizes; the gradient of both is dy
HEXAPLA_API Tensor log_softmax(Workspace& work, const Tensor& x);           // by row; no backward

// A view into a layer, valid during its lifetime.
struct Parameter {
  std::string name;  // "layers.0.self_attention.qkv.weight"
  std::vector<std::int64_t> shape;
  float* values;     // row by row; may be changed
  float* gradients;  // same layout; null for the running statistics of a batch norm
  std::size_t size;
};

// Base class of all layers. A constructor's architecture consists of options of `hexapla train`
// such as dim_model, dim_ff, heads, dropout, norm, norm_position, activation (all in
// docs/reference/train.md); each layer reads those that it needs, with the defaults of the paper's
// base model. UsageError: unknown option, value out of range.
class Layer {
 public:
  HEXAPLA_API std::vector<Parameter> parameters();
  HEXAPLA_API const std::shared_ptr<api::LayerState>& state() const;  // internal. UsageError: moved from

 protected:
  explicit Layer(std::shared_ptr<api::LayerState> state) : state_(std::move(state)) {}
  ~Layer() = default;
  Layer(Layer&&) noexcept = default;
  Layer& operator=(Layer&&) noexcept = default;

 private:
  std::shared_ptr<api::LayerState> state_;
};

using Layers = std::vector<Layer*>;

// Initializes the layers of one model: matrices Xavier-uniform, with limits multiplied by gain
// (hexapla train: 0.577), embeddings normal with standard deviation dim_model^-0.5, biases 0, gains
// of norms 1. Each parameter has its own random numbers from the seed. A new layer is initialized
// like {this layer} with seed 1.
HEXAPLA_API void initialize(const Layers& layers, std::uint64_t seed, double gain = 1);
// Sets the gradients to 0, as in a new layer and after Adam::update().
HEXAPLA_API void clear_gradients(const Layers& layers);

// Sections 3.4 and 3.5, the input of a stack: Dropout(sqrt(d_model) E[id] + PE[position]). Reads
// dim_model, dropout, positions, max_positions, first_position, embedding_scale, embedding_norm.
class Embedding : public Layer {
 public:
  HEXAPLA_API Embedding(std::int64_t vocabulary, const Options& architecture);
  // Positions count from 0 in each sentence -> [ids, dim_model]. DataError: a sentence exceeds the
  // learned positions.
  HEXAPLA_API Tensor forward(Workspace& work, const Ids& ids, const Offsets& offsets) const;
  HEXAPLA_API void backward(Workspace& work, const Tensor& dy);
};

// y = x W + b: [N, in] -> [N, out].
class Linear : public Layer {
 public:
  HEXAPLA_API Linear(std::int64_t in, std::int64_t out, bool bias = true);
  HEXAPLA_API Tensor forward(Workspace& work, const Tensor& x) const;
  HEXAPLA_API Tensor backward(Workspace& work, const Tensor& dy);
};

// Section 3.1: normalizes each row to mean 0 and variance 1, then multiplies by gain and adds bias.
class LayerNorm : public Layer {
 public:
  HEXAPLA_API explicit LayerNorm(std::int64_t width, double epsilon = 1e-6);
  HEXAPLA_API Tensor forward(Workspace& work, const Tensor& x) const;
  HEXAPLA_API Tensor backward(Workspace& work, const Tensor& dy);
};

// Section 5.4: in training each element is 0 with probability p, else divided by 1 - p.
class Dropout : public Layer {
 public:
  HEXAPLA_API explicit Dropout(double p);
  HEXAPLA_API Tensor forward(Workspace& work, const Tensor& x) const;
  HEXAPLA_API Tensor backward(Workspace& work, const Tensor& dy);
};

// Section 3.3: FFN(x) = f(x W1 + b1) W2 + b2 for each row, [N, dim_model] -> [N, dim_model]. Reads
// dim_model, dim_ff, activation, gated, activation_dropout; experts, experts_per_token, dim_expert,
// expert_capacity. load_balancing is part of the loss of a whole training and not added here.
class FeedForward : public Layer {
 public:
  HEXAPLA_API explicit FeedForward(const Options& architecture);
  HEXAPLA_API Tensor forward(Workspace& work, const Tensor& x) const;
  HEXAPLA_API Tensor backward(Workspace& work, const Tensor& dy);
};

struct AttentionInputs {
  Tensor query, key, value;  // [Nq, dim_model], [Nk, dim_model], [Nk, dim_model]; may be the same tensor
  Offsets queries, keys;     // sentence b of the queries sees sentence b of the keys
  bool causal = false;       // query t of a sentence sees its keys 0 .. t
  // Optional, [Nq, keys of the longest sentence]: added to the scores; -infinity hides a key. Has
  // no gradient. UsageError: values other than 0 and -infinity if `score` is not a softmax.
  Tensor mask = {};
};
// If inputs are the same tensor, their gradients are one tensor, too, their sum: for self-attention
// use `query`, for attention over a memory `query` and `key`.
struct AttentionGradients {
  Tensor query, key, value;
};
struct AttentionWeights {
  std::int64_t heads = 0, queries = 0, keys = 0;
  std::vector<double> values;  // [heads, queries, keys]; sums to 1 for each query
};

// Section 3.2.2: MultiHead(Q, K, V) = Concat(head_1 .. head_h) W^O. Reads dim_model, heads, dim_key, dim_value, score,
// attention_dropout, attention_bias.
class MultiHeadAttention : public Layer {
 public:
  HEXAPLA_API explicit MultiHeadAttention(const Options& architecture);
  HEXAPLA_API Tensor forward(Workspace& work, const AttentionInputs& in) const;  // -> [Nq, dim_model]
  HEXAPLA_API AttentionGradients backward(Workspace& work, const Tensor& dy);
  // The weights of one sentence in the last forward() without a backward(), without dropout.
  // UsageError: no such sentence.
  HEXAPLA_API AttentionWeights weights(Workspace& work, std::size_t sentence) const;
};

// Section 3.1: self-attention (or its alternative, see encoder_mixing) and feed-forward, each with
// residual connection, norm and dropout. [N, dim_model] -> [N, dim_model].
class EncoderLayer : public Layer {
 public:
  HEXAPLA_API explicit EncoderLayer(const Options& architecture);
  HEXAPLA_API Tensor forward(Workspace& work, const Tensor& x, const Offsets& offsets) const;
  HEXAPLA_API Tensor backward(Workspace& work, const Tensor& dy);
};

// A stack of enc_layers layers, with a final norm if norm_position is pre or post-last. It does not
// embed: x may come from an Embedding or any other source.
class Encoder : public Layer {
 public:
  HEXAPLA_API explicit Encoder(const Options& architecture);
  HEXAPLA_API Tensor forward(Workspace& work, const Tensor& x, const Offsets& offsets) const;
  HEXAPLA_API Tensor backward(Workspace& work, const Tensor& dy);
};

// The inputs of a decoder: x [N, dim_model], and as memory the encoder's output [M, dim_model],
// with the same number of sentences.
struct DecoderInputs {
  Tensor x, memory;
  Offsets offsets, memory_offsets;
};
struct DecoderGradients {
  Tensor x, memory;
};

// Section 3.1: causal self-attention, attention over the memory, feed-forward -> [N, dim_model].
class DecoderLayer : public Layer {
 public:
  HEXAPLA_API explicit DecoderLayer(const Options& architecture);
  HEXAPLA_API Tensor forward(Workspace& work, const DecoderInputs& in) const;
  HEXAPLA_API DecoderGradients backward(Workspace& work, const Tensor& dy);
};

// A stack of dec_layers layers, like Encoder.
class Decoder : public Layer {
 public:
  HEXAPLA_API explicit Decoder(const Options& architecture);
  HEXAPLA_API Tensor forward(Workspace& work, const DecoderInputs& in) const;
  HEXAPLA_API DecoderGradients backward(Workspace& work, const Tensor& dy);
};

struct Loss {
  double smoothed = 0;      // label-smoothed cross-entropy in nats, summed over the rows
  double nll = 0;           // -log p(label), summed
  std::int64_t labels = 0;  // number of rows
};
struct LossGradient {
  Loss loss;
  Tensor dx;
};

// Section 3.4: softmax(x W + b), [N, dim_model] -> [N, classes], with the loss of section 5.4: the target distribution
// is 1 - smoothing at the label plus smoothing / classes everywhere.
class Generator : public Layer {
 public:
  HEXAPLA_API Generator(std::int64_t dim_model, std::int64_t classes, bool bias = true);
  // W is the embedding's transposed table; the parameter stays the embedding's.
  HEXAPLA_API explicit Generator(Embedding& tied, bool bias = false);

  // Logits, and their gradient.
  HEXAPLA_API Tensor forward(Workspace& work, const Tensor& x) const;
  HEXAPLA_API Tensor backward(Workspace& work, const Tensor& dy);

  // Does not materialize the matrix of logits. labels: one per row. smoothing: from 0 to below 1.
  HEXAPLA_API Loss loss(Workspace& work, const Tensor& x, const Ids& labels, double smoothing = 0) const;
  // Forward and backward in one pass: computes the gradients of scale * loss.smoothed.
  HEXAPLA_API LossGradient loss_and_gradient(Workspace& work, const Tensor& x, const Ids& labels, double smoothing = 0,
                                             double scale = 1);
};

struct AdamOptions {  // the paper's
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double clip_norm = 0;  // limit for the norm of the gradients over all layers; 0: none
};

// Section 5.3. The layers may be moved; their state lives at least as long as this.
class Adam {
 public:
  // UsageError: an option out of range, or a layer given twice.
  HEXAPLA_API explicit Adam(const Layers& layers, const AdamOptions& options = {});
  HEXAPLA_API ~Adam();
  HEXAPLA_API Adam(Adam&&) noexcept;
  HEXAPLA_API Adam& operator=(Adam&&) noexcept;

  // Takes one step along the gradients and sets them to 0. Returns their norm before clipping.
  // RunError if it is not finite; parameters, moments and the step count are then unchanged, and
  // the gradients are 0, so that training can continue with the next batch.
  HEXAPLA_API double update(Workspace& work, double learning_rate);

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

}  // namespace nn
}  // namespace hexapla
