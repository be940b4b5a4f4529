// Attention: one task is one head of one sequence.
#include "backend/cpu/cpu_backend.h"

namespace hexapla::cpu {
namespace {

// [N, H, d]; only the last dimension must be contiguous.
struct Heads {
  float* p;
  int64_t row, head, d;
  float* at(int64_t r, int64_t h) const { return p + r * row + h * head; }
};
Heads heads(Tensor t, const char* what) {
  const auto [n, h, d] = t.dims<3>(what);
  HEXAPLA_CHECK(t.strides[2] == 1 || d == 1, what, " ", t.shape, " has gaps within its heads");
  return {t.data<float>(), t.strides[0], t.strides[1], d};
}
// [N, H * d] viewed by head.
Heads heads_of_rows(Tensor t, int64_t d, const char* what) {
  const Matrix m = matrix(t, what);
  return {m.p, m.stride, d, d};
}

// One call of attention; head_of() picks a sequence and a head.
struct AttentionCall {
  const AttentionInput& in;
  int64_t sequences, count;
  Heads q, k, v, out;
  Matrix mask, lse, w;
  Dropout dropout;
  float scale;

  AttentionCall(const AttentionInput& a, Tensor y, Tensor sums)
      : in(a),
        sequences(std::ssize(a.queries) - 1),
        count(a.q.shape[1]),
        q(heads(a.q, "q")),
        k(heads(a.k, "k")),
        v(heads(a.v, "v")),
        out(heads_of_rows(y, v.d, "out")),
        mask(matrix(a.mask, "mask")),
        lse(matrix(sums, "lse")),
        w(matrix(a.additive, "w")),
        dropout(dropout_of(a.dropout)),
        scale(static_cast<float>(a.scale)) {}

  Attention head_of(int64_t sequence, int64_t h) const {
    const int64_t first = in.queries[sequence], key = in.keys[sequence];
    Attention a{};
    a.q = q.at(first, h);
    a.k = k.at(key, h);
    a.v = v.at(key, h);
    a.mask = mask.row_or_null(first);
    a.queries = in.queries[sequence + 1] - first;
    a.keys = in.keys[sequence + 1] - key;
    a.d_k = q.d;
    a.d_v = v.d;
    a.q_stride = q.row;
    a.k_stride = k.row;
    a.v_stride = v.row;
    a.mask_stride = mask.stride;
    a.causal = in.causal;
    a.scale = scale;
    a.w = w.row_or_null(h);
    a.dropout = dropout;
    a.head = h;
    a.heads = count;
    a.first_query = first;
    a.out = out.at(first, h);
    a.lse = lse.row(first) + h;
    a.out_stride = out.row;
    a.lse_stride = lse.stride;
    a.scratch = thread_scratch(Slot::task, attention_scratch(a.keys, a.d_k));
    return a;
  }
};

struct Gradients {
  Heads d_out, dq, dk, dv;
  Matrix dw;
  AttentionBackward head_of(const AttentionInput& in, int64_t sequence, int64_t h) const {
    const int64_t first = in.queries[sequence], key = in.keys[sequence];
    return {d_out.at(first, h), dq.at(first, h), dk.at(key, h), dv.at(key, h), dw.row_or_null(h),
            d_out.row,          dq.row,          dk.row,        dv.row};
  }
};

Gradients gradients(const AttentionCall& call, Tensor d_out, Tensor dq, Tensor dk, Tensor dv, Tensor dw) {
  return {heads_of_rows(d_out, call.v.d, "d_out"), heads(dq, "dq"), heads(dk, "dk"), heads(dv, "dv"), matrix(dw, "dw")};
}

template <class F>
void each_head(const AttentionCall& call, F f) {
  parallel_for(call.sequences * call.count, [&](int64_t i) { f(i / call.count, i % call.count); });
}
// During decoding some sequences have no hypotheses: there is nothing to write.
template <class F>
void each_head_with_queries(const AttentionCall& call, F f) {
  each_head(call, [&](int64_t b, int64_t h) {
    if (call.in.queries[b] < call.in.queries[b + 1]) f(b, h);
  });
}

using StepKernel = void (*)(const AttentionStep&);

struct StepCall {
  Tensor q, k, v, w, index, lengths, out;
  double scale;
};

void run_step(StepKernel kernel, const StepCall& c) {
  const Heads q = heads(c.q, "q"), k = heads(c.k, "k"), v = heads(c.v, "v");
  const Matrix out = matrix(c.out, "out");
  const float* w = vector_of(c.w, "w");
  const int32_t *index = c.index.data<int32_t>(), *lengths = c.lengths.data<int32_t>();
  parallel_for(c.q.shape[0], [&](int64_t n) {
    kernel({q.at(n, 0), k.p, v.p, w, index + n * c.index.strides[0], lengths[n], c.q.shape[1], q.d, v.d, q.head, k.row,
            k.head, v.row, v.head, static_cast<float>(c.scale), out.row(n),
            thread_scratch(Slot::task, padded_keys(lengths[n]))});
  });
}

}  // namespace

void CpuBackend::attention(const AttentionInput& a, Tensor out, Tensor lse) {
  const AttentionCall call(a, out, lse);
  each_head_with_queries(call, [&](int64_t b, int64_t h) { k_.attention(call.head_of(b, h)); });
}

void CpuBackend::attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq, Tensor dk,
                                    Tensor dv) {
  const AttentionCall call(a, out, lse);
  const Gradients g = gradients(call, d_out, dq, dk, dv, {});
  each_head(call, [&](int64_t b, int64_t h) { k_.attention_backward(call.head_of(b, h), g.head_of(a, b, h)); });
}

void CpuBackend::additive_attention(const AttentionInput& a, Tensor out, Tensor lse) {
  AttentionCall call(a, out, lse);
  call.scale = 1;
  each_head_with_queries(call, [&](int64_t b, int64_t h) { k_.additive_attention(call.head_of(b, h)); });
}

// All sequences add to the dw of a head, so a task is a head.
void CpuBackend::additive_attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq,
                                             Tensor dk, Tensor dv, Tensor dw) {
  AttentionCall call(a, out, lse);
  call.scale = 1;
  const Gradients g = gradients(call, d_out, dq, dk, dv, dw);
  parallel_for(call.count, [&](int64_t h) {
    for (int64_t b = 0; b < call.sequences; ++b) k_.additive_attention_backward(call.head_of(b, h), g.head_of(a, b, h));
  });
}

void CpuBackend::attention_step(Tensor q, Tensor k, Tensor v, Tensor index, Tensor lengths, double scale, Tensor out) {
  run_step(k_.attention_step, {q, k, v, {}, index, lengths, out, scale});
}

void CpuBackend::additive_attention_step(Tensor q, Tensor k, Tensor v, Tensor w, Tensor index, Tensor lengths,
                                         Tensor out) {
  run_step(k_.additive_attention_step, {q, k, v, w, index, lengths, out, 1});
}

}  // namespace hexapla::cpu
