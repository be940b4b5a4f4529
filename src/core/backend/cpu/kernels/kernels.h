#pragma once
// Arguments of the row kernels, and the table of kernels. Plain structs and no inline functions,
// because files compiled with AVX-512 include this. Matrices are row-major floats; a `stride` is
// the number of floats from one row to the next.
#include <cstdint>

#include "backend/dropout_layout.h"

namespace hexapla::cpu {

constexpr int64_t kTermBlock = 256;       // terms that a product sums before adding to the result
constexpr int64_t kMaxStrip = 32;         // columns of the widest register tile
constexpr int64_t kQueryBlock = 64;       // query rows whose scores are held at a time
constexpr int64_t kMaxAttentionPad = 32;  // key counts are rounded up to a multiple of this in score buffers

enum class Store { set, add };

// b in the order in which a kernel reads it: consecutive strips of tile_columns columns, each
// [units][columns]. A unit of 32 bits holds one term in f32, two in bf16, or four in int8;
// a kernel that reads int8 in pairs has [2 * units][columns] of two terms. Columns beyond the last are zeros.
struct Packed {
  const float* strips = nullptr;
  const float* scales = nullptr;  // int8 only: scale of each column
  const int32_t* sums = nullptr;  // int8 only: 128 times the sum of each column's integers, or 0 if a's are not shifted
};

// As a first member, forces the fields of a struct to be given by name.
struct ByName {
  explicit ByName() = default;
};

// c = a b (+ bias) or c += a b. Element (i, t) of a is a[i * a_row + t * a_k], element (t, j) of b
// is b[t * b_k + j * b_n]; one stride of each is 1. Every element of c is a sum over blocks of
// kTermBlock terms, in order, so its bits depend on k alone.
struct Product {
  [[no_unique_address]] ByName by_name = ByName{};
  const float* a = nullptr;
  int64_t a_row = 0, a_k = 0;
  const float* b = nullptr;
  int64_t b_k = 0, b_n = 0;
  float* c = nullptr;
  int64_t c_stride = 0;
  const float* bias = nullptr;  // [n] or null; only with Store::set
  int64_t m = 0, n = 0, k = 0;
  Store store = Store::set;
  Packed packed = {};  // if set, used instead of b
};
// Floats of scratch for a product of m rows: a strip of b, and the rows of a with some padding.
static constexpr int64_t product_scratch(int64_t m) { return (kTermBlock + 16) * (2 * kMaxStrip + m); }

struct PackedMemory {
  float *strips, *scales;
  int32_t* sums;
};
// Element (t, j) is b[t * b_k + j * b_n].
struct Integers {
  [[no_unique_address]] ByName by_name = ByName{};
  const int8_t* b = nullptr;
  int64_t b_k = 0, b_n = 0, k = 0, n = 0;
  const float* scales = nullptr;  // [n]
};
// An implementation of products.
struct ProductKernel {
  int64_t tile_rows, tile_columns;
  void (*run)(const Product&, float* scratch);
  int64_t (*units)(int64_t k);                                // units per column of Packed
  void (*pack)(const Product& b_alone, const PackedMemory&);  // a and c of the product are ignored
  int64_t (*scratch)(int64_t m, int64_t k);                   // floats needed by run()
  // Runs the arithmetic of `rounds` steps of a full tile and nothing else; returns the number of
  // multiplications and additions.
  int64_t (*limit)(int64_t rounds);
  // int8 only: packs integers that are already quantized.
  void (*pack_integers)(const Integers&, const PackedMemory&) = nullptr;
};

struct Dropout {
  uint32_t key[2], tensor, step;
  int32_t threshold;  // kept if the 16 bits are not below
  float scale;        // factor for kept elements; 0: no dropout
};

struct NormRows {
  const float *x, *r, *gain, *bias;  // r: null, or added to x
  float *y, *normed, *rstd;          // normed, rstd: may be null
  int64_t rows, width, x_stride, r_stride, y_stride, normed_stride;
  float eps;
};
struct NormBackwardRows {
  const float *normed, *rstd, *gain;
  float *d, *dgain, *dbias;  // dgain, dbias: sums over these rows are added; may be null
  int64_t rows, width, normed_stride, d_stride;
};
// Columns 0 .. width-1 of all rows.
struct BatchNormColumns {
  const float *x, *r, *gain, *bias;
  float *y, *normed, *rstd, *mean, *variance;
  int64_t rows, width, x_stride, r_stride, y_stride, normed_stride;
  float eps;
};

struct LossRows {
  float* logits;  // loss_gradient overwrites them with scale * (softmax - target)
  const int32_t* labels;
  float *loss, *nll;
  int64_t rows, width, stride;
  float smoothing, scale;
};
struct TopRows {
  const float* x;
  float* scores;
  int32_t* ids;
  int64_t rows, width, x_stride, k, scores_stride, ids_stride;
};

// One head of one sequence.
struct Attention {
  const float *q, *k, *v, *mask;  // mask: null or [queries, keys]
  int64_t queries, keys, d_k, d_v;
  int64_t q_stride, k_stride, v_stride, mask_stride;
  int64_t causal;  // 1: query t sees keys 0 .. t
  float scale;
  const float* w;  // [d_k], additive score only
  Dropout dropout;
  int64_t head, heads, first_query;  // of the batch; determine the random bits of dropout
  float *out, *lse;
  int64_t out_stride, lse_stride;
  float* scratch;
};
static constexpr int64_t padded_keys(int64_t keys) {
  return (keys + kMaxAttentionPad - 1) / kMaxAttentionPad * kMaxAttentionPad;
}
// Floats of scratch for Attention: two blocks of scores, transposed keys and their gradient,
// products.
static constexpr int64_t attention_scratch(int64_t keys, int64_t d_k) {
  return (2 * kQueryBlock + 2 * d_k) * padded_keys(keys) + kQueryBlock + dropout_layout::kGroup +
         product_scratch(keys > kQueryBlock ? keys : kQueryBlock);
}
struct AttentionBackward {
  const float* d_out;
  float *dq, *dk, *dv, *dw;
  int64_t d_out_stride, dq_stride, dk_stride, dv_stride;
};
// One query against cache rows, for all heads.
struct AttentionStep {
  const float *q, *k, *v, *w;  // q: [heads, d_k] with head stride; w: [heads, d_k], additive score only
  const int32_t* index;
  int64_t length, heads, d_k, d_v;
  int64_t q_head, k_row, k_head, v_row, v_head;
  float scale;
  float *out, *scratch;  // out: [heads * d_v]; scratch: padded_keys(length)
};

// y[n, j] = x_n w + b in column ids[j]: a product with selected columns, which are rows of a table.
struct SelectedColumns {
  [[no_unique_address]] ByName by_name = ByName{};
  const float* x = nullptr;
  int64_t x_stride = 0, rows = 0, d = 0;
  const float* table = nullptr;      // [V, d]; or
  const int8_t* integers = nullptr;  // the same times scales [V]
  const float* scales = nullptr;
  const float* bias = nullptr;  // [V] or nothing
  const int32_t* ids = nullptr;
  int64_t count = 0;
  float* y = nullptr;
  int64_t y_stride = 0;
};

struct AdamRange {
  float *p, *m, *v;
  const float* g;
  int64_t n;
  float rate, beta1, beta2, rest1, rest2, eps, v_scale, grad_scale;  // rest = 1 - beta, v_scale = 1 / (1 - beta2^t)
  float decay;                                                       // lr * weight decay
};

using Map1 = void (*)(const float* x, float* y, int64_t n);
using Map2 = void (*)(const float* a, const float* b, float* y, int64_t n);

struct Kernels {
  ProductKernel product;

  void (*fill)(float* x, float value, int64_t n);
  void (*fill_past_cache)(float* x, float value, int64_t n);
  Map2 add, multiply;
  Map1 activate[4];           // by Activation
  Map2 activate_backward[4];  // x, dy -> dx
  // The same with scale dy for dy.
  void (*relu_backward_scaled)(const float* x, const float* dy, float scale, float* dx, int64_t n);
  void (*dropout_row)(const Dropout&, uint32_t row, const float* x, float* y, int64_t n);
  void (*scaled)(const float* x, float scale, float* y, int64_t n);        // y = scale x
  void (*add_scaled)(const float* x, float scale, float* y, int64_t n);    // y += scale x
  void (*combine)(float a, const float* x, float b, float* y, int64_t n);  // y = a x + b y
  // y[c] += the sum of column c, by blocks of rows.
  void (*add_column_sums)(const float* x, int64_t stride, int64_t rows, int64_t width, float* y);

  void (*add_norm)(const NormRows&);
  void (*add_norm_backward)(const NormBackwardRows&);
  void (*batch_norm)(const BatchNormColumns&);
  void (*batch_norm_backward)(const NormBackwardRows&);  // rstd [width]; whole columns
  void (*batch_norm_inference)(const BatchNormColumns&);

  void (*loss)(const LossRows&);
  void (*loss_gradient)(const LossRows&);
  void (*log_softmax)(const float* x, float* y, int64_t n);
  void (*log_softmax_top)(const TopRows&);

  void (*linear_selected)(const SelectedColumns&);

  void (*attention)(const Attention&);
  void (*attention_backward)(const Attention&, const AttentionBackward&);
  void (*additive_attention)(const Attention&);
  void (*additive_attention_backward)(const Attention&, const AttentionBackward&);
  void (*attention_step)(const AttentionStep&);
  void (*additive_attention_step)(const AttentionStep&);

  void (*adam)(const AdamRange&);
  double (*sum_of_squares)(const float* x, int64_t n);
};

// Packed b only for kInt8Product: its columns, and the rows of a on the way in, are rounded to int8 with a scale each;
// sums in i32.
namespace generic {
extern const Kernels kKernels;
extern const ProductKernel kInt8Product;
}  // namespace generic
namespace avx2 {
extern const Kernels kKernels;
extern const ProductKernel kInt8Product;
}  // namespace avx2
namespace avx512 {
extern const Kernels kKernels;
extern const ProductKernel kInt8Product;
}  // namespace avx512
namespace neon {
extern const Kernels kKernels;
extern const ProductKernel kInt8Product;
}  // namespace neon
// Factors rounded to bf16; sums in f32, over blocks of 2 * kTermBlock terms.
namespace avx512bf16 {
extern const ProductKernel kProduct;
}
// Dot products of bytes: the bits of the others, another layout of Packed.
namespace avxvnni {
extern const ProductKernel kInt8Product;
}
namespace avx512vnni {
extern const ProductKernel kInt8Product;
}
// The same with AMX. bf16 results have different bits; int8 results and the layout of Packed are
// the same.
namespace amxbf16 {
extern const ProductKernel kProduct;
void attention(const Attention&);
void attention_backward(const Attention&, const AttentionBackward&);
}  // namespace amxbf16
namespace amxint8 {
extern const ProductKernel kInt8Product;
}
// The same on Arm: int8 by dot products or, with the same bits and layout of Packed, by I8MM; bf16 by BF16's products
// of small matrices.
namespace dotprod {
extern const ProductKernel kInt8Product;
}
namespace i8mm {
extern const ProductKernel kInt8Product;
}
namespace armbf16 {
extern const ProductKernel kProduct;
}

}  // namespace hexapla::cpu
