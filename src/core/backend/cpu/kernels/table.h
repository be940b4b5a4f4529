#pragma once
// Declares the kernels of one instruction set; table.cpp puts them into the table.
#include "backend/cpu/kernels/kernels.h"

namespace hexapla::cpu::ISA {

void fill(float* x, float value, int64_t n);
void fill_past_cache(float* x, float value, int64_t n);
void add(const float* a, const float* b, float* y, int64_t n);
void multiply_elements(const float* a, const float* b, float* y, int64_t n);
void relu(const float* x, float* y, int64_t n);
void gelu(const float* x, float* y, int64_t n);
void swish(const float* x, float* y, int64_t n);
void gelu_tanh(const float* x, float* y, int64_t n);
void relu_backward(const float* x, const float* dy, float* dx, int64_t n);
void gelu_backward(const float* x, const float* dy, float* dx, int64_t n);
void swish_backward(const float* x, const float* dy, float* dx, int64_t n);
void gelu_tanh_backward(const float* x, const float* dy, float* dx, int64_t n);
void relu_backward_scaled(const float* x, const float* dy, float scale, float* dx, int64_t n);
void dropout_row(const Dropout&, uint32_t row, const float* x, float* y, int64_t n);
void scaled(const float* x, float scale, float* y, int64_t n);
void add_scaled(const float* x, float scale, float* y, int64_t n);
void combine(float a, const float* x, float b, float* y, int64_t n);
void add_column_sums(const float* x, int64_t stride, int64_t rows, int64_t width, float* y);
void add_norm(const NormRows&);
void add_norm_backward(const NormBackwardRows&);
void batch_norm(const BatchNormColumns&);
void batch_norm_backward(const NormBackwardRows&);
void batch_norm_inference(const BatchNormColumns&);
void loss(const LossRows&);
void loss_gradient(const LossRows&);
void log_softmax(const float* x, float* y, int64_t n);
void log_softmax_top(const TopRows&);
void linear_selected(const SelectedColumns&);
void attention(const Attention&);
void attention_backward(const Attention&, const AttentionBackward&);
void additive_attention(const Attention&);
void additive_attention_backward(const Attention&, const AttentionBackward&);
void attention_step(const AttentionStep&);
void additive_attention_step(const AttentionStep&);
void adam(const AdamRange&);
double sum_of_squares(const float* x, int64_t n);

}  // namespace hexapla::cpu::ISA
