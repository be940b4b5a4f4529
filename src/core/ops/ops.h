#pragma once
// The model's only interface to a backend: every op checks its shapes here, once, for every device.
// The error names the op, the shapes, the requirement and the place in the model. Results are in
// the arena: a forward op returns kept memory, valid until the arena is rewound, a backward op
// returns scratch.
#include <memory>
#include <vector>

#include "backend/context.h"

namespace hexapla {

// y = x w + b.  x: [N, in], w: [in, out], b: [out] or empty -> [N, out].  InternalError also if the
// packed copy has another shape than w.
Tensor linear(Context& cx, Tensor x, const Weight& w, Tensor b);
void linear(Context& cx, Tensor x, const Weight& w, Tensor b, Tensor y);  // into y [N, out]
// dx <- (or dx +=) dy w^T.  dw += x^T dy;  db += sum of dy's rows (db may be empty).
void linear_backward_input(Context& cx, Tensor dy, Tensor w, Tensor dx, Write how);
void linear_backward_weight(Context& cx, Tensor x, Tensor dy, Tensor dw, Tensor db);

void fill(Context& cx, Tensor y, double value);
void copy(Context& cx, Tensor x, Tensor y);                              // y = x
void combine(Context& cx, double a, Tensor x, double b, Tensor y);       // y = a x + b y
void dropout(Context& cx, Tensor x, const DropoutMask& mask, Tensor y);  // y may be x; its own backward
Tensor add(Context& cx, Tensor a, Tensor b);
void add_to(Context& cx, Tensor y, Tensor x);  // y += x

// f(x), into y (which may be x).
void activate(Context& cx, Activation f, Tensor x, Tensor y);
// dx = f'(x) dy; dx may be dy.
void activate_backward(Context& cx, Activation f, Tensor x, Tensor dy, Tensor dx);
// With dropout after f: y = dropout(f(x)), dx = f'(x) dropout(dy).
void activate_dropped(Context& cx, Activation f, Tensor x, DropoutMask mask, Tensor y);
void activate_dropped_backward(Context& cx, Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx);
void multiply(Context& cx, Tensor a, Tensor b, Tensor y);

// The parameters of a norm (each [d]), and the epsilon in its square root.
struct NormWeights {
  Tensor gain, bias;
  double eps;
};

// LayerNorm(x + r), section 3.1; r may be empty.  x: [N, d]; rstd: [N]
struct Normalized {
  Tensor y, normed, rstd;
};
Normalized add_norm(Context& cx, Tensor x, Tensor r, const NormWeights& w);
// LayerNorm(x + dropout(r)); r may be overwritten.
Normalized add_norm_dropped(Context& cx, Tensor x, Tensor r, DropoutMask mask, const NormWeights& w);
// d <- J^T d.
void add_norm_backward(Context& cx, const Normalized& s, Tensor gain, Tensor d, Tensor dgain, Tensor dbias);
struct NormGradient {
  Tensor gain, bias;  // added to
};
// The same; returns the gradient of r: d itself without dropout, else scratch.
Tensor add_norm_dropped_backward(Context& cx, const Normalized& s, Tensor gain, DropoutMask mask, Tensor d,
                                 const NormGradient& w);

// BatchNorm over the rows of the batch (training) or with running statistics (inference).  rstd: [d]
struct Statistics {
  Tensor mean, variance;  // [d] each
};
struct BatchNormalized {
  Normalized out;
  Statistics batch;  // the variance is biased
};
BatchNormalized batch_norm(Context& cx, Tensor x, Tensor r, const NormWeights& w);
void batch_norm_backward(Context& cx, const Normalized& s, Tensor gain, Tensor d, Tensor dgain, Tensor dbias);
Tensor batch_norm_inference(Context& cx, Tensor x, Tensor r, const NormWeights& w, const Statistics& running);
// d <- J^T d for batch_norm_inference: the norm is affine, and J diagonal.
void batch_norm_inference_backward(Context& cx, Tensor gain, double eps, Tensor variance, Tensor d);

// scale * table[ids].  table: [V, d], ids: [N] i32 -> [N, d].  InternalError if an id lies outside the table.
Tensor embed(Context& cx, Tensor table, Tensor ids, double scale);
// The same for the table integers[i][j] * scales[i], i8 and f32: bit-identical to the dequantized
// table. Host code.
Tensor embed_quantized(Context& cx, Tensor integers, Tensor scales, Tensor ids, double scale);
void embed_add(Context& cx, Tensor table, Tensor ids, Tensor y);  // y += table[ids]
void put_rows(Context& cx, Tensor x, Tensor ids, Tensor y);       // y[ids[n]] = x[n], ids all different
void embed_backward(Context& cx, Tensor dy, Tensor ids, double scale, Tensor dtable);
// The first n sinusoidal positions, section 3.5 and variants -> scratch [n, d]
Tensor sinusoids(Context& cx, Sinusoids kind, int64_t n, int64_t d);
// Places in their sequences.
struct Places {
  Tensor ids;        // [N] i32
  int32_t last = 0;  // the largest of them, known to the host
};
// 0, 1, 2, ... within each sequence; kept.
Places positions(Context& cx, Offsets rows);

// softmax(scale q k^T + mask) v for every head of every sequence (section 3.2.1), or, with
// in.additive set, softmax(w^T tanh(q + k) + mask) v.
struct Attention {
  Tensor out, lse;  // [Nq, H * d_v]; [Nq, H]: log-sum-exp, from which backward recomputes the weights
};
Attention attention(Context& cx, const AttentionInput& in);
// The attention weights of sequence b as matrices, for inspection: the fast path does not store
// them, so they are recomputed, without dropout -> scratch [H, queries, keys] f64 each; scores are
// the input of softmax.
struct AttentionWeights {
  Tensor scores, weights;                            // in the memory of the host
  std::shared_ptr<std::vector<double>> memory = {};  // their numbers, if the arena lies elsewhere
};
// Room for the weights of so many heads, queries and keys; not set.
AttentionWeights room_for_weights(Context& cx, const Shape& s);
AttentionWeights attention_weights(Context& cx, const AttentionInput& in, size_t b);
struct AttentionGradient {
  Tensor q, k, v;  // set; same shapes as the inputs
};
void attention_backward(Context& cx, const AttentionInput& in, const Attention& a, Tensor d_out,
                        const AttentionGradient& d);
Attention additive_attention(Context& cx, const AttentionInput& in);
void additive_attention_backward(Context& cx, const AttentionInput& in, const Attention& a, Tensor d_out,
                                 const AttentionGradient& d, Tensor dw);

// Guided alignment: the loss of one head's weights against given links -> kept [Nq]. InternalError
// if a link points outside of its sequence.
Tensor alignment_loss(Context& cx, const AlignmentInput& in);
void alignment_loss_backward(Context& cx, const AlignmentInput& in, double scale, Tensor dq, Tensor dk);  // added to

// Decoding: each query sees the cache rows that `index` lists for it.
struct StepRows {
  Tensor index;    // [N, longest] i32: cache row of each position of this hypothesis so far, including the current one
  Tensor lengths;  // [N] i32
};
Tensor attention_step(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows, double scale);
Tensor additive_attention_step(Context& cx, Tensor q, Tensor k, Tensor v, Tensor w, const StepRows& rows);

// Label-smoothed cross-entropy over the whole vocabulary, without materializing an [N, K] matrix.
struct Loss {
  Tensor loss, nll;  // [N] each: smoothed loss, -log p(label)
};
Loss cross_entropy(Context& cx, const LossInput& in);
// Also computes dx (returned as d, scratch [N, d]); dw +=, db +=.
struct LossGradient {
  Loss loss;
  Tensor d;
};
LossGradient cross_entropy_with_gradient(Context& cx, const LossInput& in, Tensor dw, Tensor db);
Tensor log_softmax(Context& cx, Tensor x);
void log_softmax_in_place(Context& cx, Tensor x);
// The k largest of each row of log_softmax(x), best first; ties by the lower id -> [N, k] each,
// kept
struct Top {
  Tensor scores, ids;
};
Top log_softmax_top(Context& cx, Tensor x, int64_t k);

// Whole slabs, for the optimizer.
double sum_of_squares(Context& cx, Tensor x);  // in f64, in a fixed order
struct AdamSlabs {
  Tensor values, gradients, first, second;  // of equal length
};
void adam(Context& cx, const AdamSlabs& slabs, const AdamStep& step);

}  // namespace hexapla
