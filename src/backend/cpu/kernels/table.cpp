#include "backend/cpu/kernels/table.h"

#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {

void product(const Product& p, float* scratch) { multiply(p, scratch); }

const Kernels kernels = {
    tile_rows,
    strip,
    product,
    fill,
    add,
    multiply_elements,
    {relu, gelu, swish},
    {relu_backward, gelu_backward, swish_backward},
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
