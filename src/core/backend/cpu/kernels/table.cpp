#include "backend/cpu/kernels/table.h"

#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {

namespace {
void run(const Product& p, float* scratch) { multiply(p, scratch); }
int64_t units(int64_t k) { return k; }
void pack(const Product& p, const PackedMemory& out) { pack_all(p, out.strips); }
int64_t scratch(int64_t m, int64_t) { return product_scratch(m); }
int64_t limit(int64_t rounds) {
  float c[kTileRows * kStrip];
  return limit_of<Singles>(rounds, 1, TileTarget{c, kStrip, kStrip, nullptr, Store::set});
}
}  // namespace

const Kernels kKernels = {
    {kTileRows, kStrip, run, units, pack, scratch, limit},
    fill,
    fill_past_cache,
    add,
    multiply_elements,
    {relu, gelu, swish, gelu_tanh},
    {relu_backward, gelu_backward, swish_backward, gelu_tanh_backward},
    relu_backward_scaled,
    dropout_row,
    scaled,
    add_scaled,
    combine,
    add_column_sums,
    add_norm,
    add_norm_backward,
    batch_norm,
    batch_norm_backward,
    batch_norm_inference,
    loss,
    loss_gradient,
    log_softmax,
    log_softmax_top,
    linear_selected,
    attention,
    attention_backward,
    additive_attention,
    additive_attention_backward,
    attention_step,
    additive_attention_step,
    adam,
    sum_of_squares,
};

}  // namespace hexapla::cpu::ISA
