#pragma once
// UNSTABLE: whatever is here may change with any version; hexapla/hexapla.h does not include it.
//
// The layers of "Attention Is All You Need" for programs that build something else from them, each with its forward and
// its backward pass. A tagger, and one step of its training:
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
// Batches are ragged: the rows of a tensor are the tokens of all sentences, one after the other and without padding,
// and Offsets say where each sentence begins. Numbers are f32. examples/tagger is a complete program.
//
// backward() belongs to the last forward() of the same layer and pass that has had none: of a layer that is used
// several times, the backward calls come in the reverse order. It takes the gradient of the output, returns those of
// the inputs, and adds to those of the parameters. The arguments may be freed after any call.
//
// Errors: UsageError for wrong sizes, ids and offsets, for tensors of an earlier pass or of another workspace, and for
// a backward() without a forward(); RunError when the workspace is full.
//
// Threads: one workspace belongs to one thread at a time. A layer may run forward() in several workspaces at once while
// nothing changes its parameters, which backward(), Adam and initialize() do, and forward() of a norm that keeps
// running statistics.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/options.h"
#include "hexapla/owned.h"

namespace hexapla {

// Inside the library.
namespace api {
class LayerState;
class Pass;
}  // namespace api

namespace nn {

// Where the sentences of a batch begin, and where the last one ends: {0, 5, 6, 10} are three of 5, 1 and 4 rows. None
// is empty.
using Offsets = std::vector<std::int32_t>;
using Ids = std::vector<std::int32_t>;  // of tokens or labels, from 0 on

// A matrix of f32, row after row without gaps. A view: the numbers belong to a workspace, until its next pass begins.
class Tensor {
 public:
  Tensor() = default;
  explicit operator bool() const { return data_ != nullptr; }  // false: there is none
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
  std::uint64_t pass_ = 0;  // no two have the same number, in all workspaces
};

// Where and how a pass is computed: the memory of its tensors, what its forward calls left for their backward calls,
// the randomness of its dropout.
class Workspace {
 public:
  // bytes: the most that one pass may take. The system gives them when they are used. RunError: not even the addresses
  // can be had.
  explicit Workspace(std::size_t bytes = std::size_t{1} << 30);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  // A new pass, and the end of all tensors of the one before. Nothing is dropped, and a batch norm uses its running
  // statistics, which do not change; gradients can be had all the same. A new workspace has begun such a pass.
  void begin();
  // The same for training: dropout is on. seed and step name the elements that are dropped.
  void begin_training(std::uint64_t seed, std::uint32_t step);

  Tensor zeros(std::int64_t rows, std::int64_t columns);  // to be filled by the caller
  std::size_t bytes_in_use() const;                       // by this pass so far

  api::Pass& state() const;  // for the library. UsageError: moved from

 private:
  api::Owned<api::Pass> state_;
};

Tensor add(Workspace& work, const Tensor& a, const Tensor& b);  // of equal sizes; its backward: dy for both
Tensor log_softmax(Workspace& work, const Tensor& x);           // of each row; no backward

// A view into a layer, valid for as long as the layer lives.
struct Parameter {
  std::string name;  // "layers.0.self_attention.qkv.weight"
  std::vector<std::int64_t> shape;
  float* values;     // row after row; may be changed
  float* gradients;  // of the same layout; null for the running statistics of a batch norm
  std::size_t size;
};

// What all layers have in common. Where a constructor takes an architecture, that is options of `hexapla train` such as
// dim_model, dim_ff, heads, dropout, norm, norm_position, activation (docs/commands.md has them all); each layer reads
// those that concern it, and one that is not given is the paper's base model's. UsageError: no such option, a value out
// of its range.
class Layer {
 public:
  std::vector<Parameter> parameters();
  const std::shared_ptr<api::LayerState>& state() const;  // for the library. UsageError: moved from

 protected:
  explicit Layer(std::shared_ptr<api::LayerState> state) : state_(std::move(state)) {}
  ~Layer() = default;
  Layer(Layer&&) noexcept = default;
  Layer& operator=(Layer&&) noexcept = default;

 private:
  std::shared_ptr<api::LayerState> state_;
};

using Layers = std::vector<Layer*>;

// Starting values of the layers of one model: matrices Xavier-uniform, with their limits times gain (hexapla train:
// 0.577), embeddings normal with deviation dim_model^-0.5, biases 0, gains of norms 1. Each parameter draws numbers of
// its own from the seed. A new layer has those of {this layer} and seed 1.
void initialize(const Layers& layers, std::uint64_t seed, double gain = 1);
// Sets the gradients to 0, as they are in a new layer and after Adam::update().
void clear_gradients(const Layers& layers);

// Sections 3.4 and 3.5: Dropout(sqrt(d_model) E[id] + PE[position]), what enters a stack. Reads dim_model, dropout,
// positions, max_positions, first_position, embedding_scale, embedding_norm.
class Embedding : public Layer {
 public:
  Embedding(std::int64_t vocabulary, const Options& architecture);
  // Positions count from 0 in each sentence -> [ids, dim_model]. DataError: a sentence is longer than learned positions
  // are.
  Tensor forward(Workspace& work, const Ids& ids, const Offsets& offsets) const;
  void backward(Workspace& work, const Tensor& dy);
};

// y = x W + b: [N, in] -> [N, out].
class Linear : public Layer {
 public:
  Linear(std::int64_t in, std::int64_t out, bool bias = true);
  Tensor forward(Workspace& work, const Tensor& x) const;
  Tensor backward(Workspace& work, const Tensor& dy);
};

// Section 3.1: each row to mean 0 and variance 1, then times gain plus bias.
class LayerNorm : public Layer {
 public:
  explicit LayerNorm(std::int64_t width, double epsilon = 1e-6);
  Tensor forward(Workspace& work, const Tensor& x) const;
  Tensor backward(Workspace& work, const Tensor& dy);
};

// Section 5.4: in training each element is 0 with probability p, else divided by 1 - p.
class Dropout : public Layer {
 public:
  explicit Dropout(double p);
  Tensor forward(Workspace& work, const Tensor& x) const;
  Tensor backward(Workspace& work, const Tensor& dy);
};

// Section 3.3: FFN(x) = f(x W1 + b1) W2 + b2 for each row, [N, dim_model] -> [N, dim_model]. Reads dim_model, dim_ff,
// activation, gated, activation_dropout; experts, experts_per_token, dim_expert, expert_capacity. load_balancing is a
// part of the loss of a whole training, which no layer adds here.
class FeedForward : public Layer {
 public:
  explicit FeedForward(const Options& architecture);
  Tensor forward(Workspace& work, const Tensor& x) const;
  Tensor backward(Workspace& work, const Tensor& dy);
};

struct AttentionInputs {
  Tensor query, key, value;  // [Nq, dim_model], [Nk, dim_model], [Nk, dim_model]; may be the same tensor
  Offsets queries, keys;     // sentence b of the queries sees sentence b of the keys
  bool causal = false;       // query t of a sentence sees its keys 0 .. t
  // Optional, [Nq, keys of the longest sentence]: added to the scores; -infinity hides a key. Has no gradient.
  // UsageError: anything but 0 and -infinity where `score` is no softmax.
  Tensor mask = {};
};
// Of inputs that are the same tensor, the gradients are one tensor, too, and it is their sum: for self-attention take
// `query`, for attention over a memory `query` and `key`.
struct AttentionGradients {
  Tensor query, key, value;
};
struct AttentionWeights {
  std::int64_t heads = 0, queries = 0, keys = 0;
  std::vector<double> values;  // [heads, queries, keys]; each query's add up to 1
};

// Section 3.2.2: MultiHead(Q, K, V) = Concat(head_1 .. head_h) W^O. Reads dim_model, heads, dim_key, dim_value, score,
// attention_dropout, attention_bias.
class MultiHeadAttention : public Layer {
 public:
  explicit MultiHeadAttention(const Options& architecture);
  Tensor forward(Workspace& work, const AttentionInputs& in) const;  // -> [Nq, dim_model]
  AttentionGradients backward(Workspace& work, const Tensor& dy);
  // Of one sentence in the forward() that a backward() would belong to, without dropout. UsageError: there is no such
  // sentence.
  AttentionWeights weights(Workspace& work, std::size_t sentence) const;
};

// Section 3.1: self-attention (or what encoder_mixing names) and feed-forward, each with its residual connection, norm
// and dropout.
// [N, dim_model] -> [N, dim_model].
class EncoderLayer : public Layer {
 public:
  explicit EncoderLayer(const Options& architecture);
  Tensor forward(Workspace& work, const Tensor& x, const Offsets& offsets) const;
  Tensor backward(Workspace& work, const Tensor& dy);
};

// A stack of enc_layers of them, and a norm on top where norm_position is pre or post-last. It does not embed: x may
// come from an Embedding or from anything else.
class Encoder : public Layer {
 public:
  explicit Encoder(const Options& architecture);
  Tensor forward(Workspace& work, const Tensor& x, const Offsets& offsets) const;
  Tensor backward(Workspace& work, const Tensor& dy);
};

// What a decoder reads: x [N, dim_model], and the encoder's output [M, dim_model] as memory, which has as many
// sentences.
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
  explicit DecoderLayer(const Options& architecture);
  Tensor forward(Workspace& work, const DecoderInputs& in) const;
  DecoderGradients backward(Workspace& work, const Tensor& dy);
};

// A stack of dec_layers of them, like Encoder.
class Decoder : public Layer {
 public:
  explicit Decoder(const Options& architecture);
  Tensor forward(Workspace& work, const DecoderInputs& in) const;
  DecoderGradients backward(Workspace& work, const Tensor& dy);
};

struct Loss {
  double smoothed = 0;      // label-smoothed cross-entropy in nats, summed over the rows
  double nll = 0;           // -log p(label), summed
  std::int64_t labels = 0;  // so many rows
};
struct LossGradient {
  Loss loss;
  Tensor dx;
};

// Section 3.4: softmax(x W + b), [N, dim_model] -> [N, classes], with the loss of section 5.4: the target distribution
// is 1 - smoothing at the label plus smoothing / classes everywhere.
class Generator : public Layer {
 public:
  Generator(std::int64_t dim_model, std::int64_t classes, bool bias = true);
  // W is the embedding's table, transposed: its parameter stays the embedding's.
  explicit Generator(Embedding& tied, bool bias = false);

  // Logits, and their gradient.
  Tensor forward(Workspace& work, const Tensor& x) const;
  Tensor backward(Workspace& work, const Tensor& dy);

  // Without ever holding the matrix of logits. labels: one for each row. smoothing: from 0 to below 1.
  Loss loss(Workspace& work, const Tensor& x, const Ids& labels, double smoothing = 0) const;
  // Forward and backward in one pass: the gradients are those of scale * loss.smoothed.
  LossGradient loss_and_gradient(Workspace& work, const Tensor& x, const Ids& labels, double smoothing = 0,
                                 double scale = 1);
};

struct AdamOptions {  // the paper's
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double clip_norm = 0;  // gradients are scaled down to this norm over all layers; 0: never
};

// Section 5.3. The layers may move, and live on for as long as this does.
class Adam {
 public:
  // UsageError: an option out of its range, a layer that is given twice.
  explicit Adam(const Layers& layers, const AdamOptions& options = {});
  ~Adam();
  Adam(Adam&&) noexcept;
  Adam& operator=(Adam&&) noexcept;

  // One step along the gradients, which are 0 afterwards. -> their norm before clipping. RunError: it is not finite;
  // the parameters, the moments and the number of steps are as before then, and the gradients are 0, so that the next
  // batch can be learned from.
  double update(Workspace& work, double learning_rate);

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

}  // namespace nn
}  // namespace hexapla
