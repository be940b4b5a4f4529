// Guided alignment: it concerns one head of one layer, so plain loops are fast enough. One task is
// a sequence.
#include <cmath>
#include <limits>

#include "backend/cpu/cpu_backend.h"

namespace hexapla::cpu {
namespace {

// In eight sums, which a compiler can keep in one register; the order is fixed.
float dot_of_rows(const float* a, const float* b, int64_t n) {
  float sums[8] = {}, rest = 0;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int64_t j = 0; j < 8; ++j) sums[j] += a[i + j] * b[i + j];
  for (; i < n; ++i) rest += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
}

void axpy(float a, const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

struct AlignmentCall {
  const AlignmentInput& in;
  Matrix q, k;

  explicit AlignmentCall(const AlignmentInput& a) : in(a), q(matrix(a.q, "q")), k(matrix(a.k, "k")) {}

  // The weights of query t over the n keys from `first` on. Returns their log-sum-exp.
  float weights(int64_t t, int64_t first, int64_t n, float* w) const {
    float top = -std::numeric_limits<float>::infinity(), sum = 0;
    for (int64_t u = 0; u < n; ++u) {
      w[u] = static_cast<float>(in.scale) * dot_of_rows(q.row(t), k.row(first + u), q.width);
      top = std::max(top, w[u]);
    }
    for (int64_t u = 0; u < n; ++u) sum += w[u] = std::exp(w[u] - top);
    for (int64_t u = 0; u < n; ++u) w[u] /= sum;
    return top + std::log(sum);
  }
  std::span<const int32_t> linked(int64_t t) const {
    return in.linked.subspan(in.links[t], in.links[t + 1] - in.links[t]);
  }
};

// f(query, first key, weights) for the queries of a sequence that have links.
template <class F>
void each_linked_query(const AlignmentCall& call, F&& f) {
  const Offsets queries = call.in.queries, keys = call.in.keys;
  parallel_for(std::ssize(queries) - 1, [&](int64_t b) {
    const int64_t first = keys[b], n = keys[b + 1] - first;
    float* w = thread_scratch(Slot::task, n);
    for (int64_t t = queries[b]; t < queries[b + 1]; ++t)
      if (call.in.links[t] < call.in.links[t + 1]) f(t, first, n, w);
  });
}

}  // namespace

void CpuBackend::alignment_loss(const AlignmentInput& a, Tensor loss) {
  const AlignmentCall call(a);
  float* sums = vector_of(loss, "loss");
  std::fill(sums, sums + loss.size(), 0.f);
  each_linked_query(call, [&](int64_t t, int64_t first, int64_t n, float* w) {
    const float lse = call.weights(t, first, n, w);
    float scores = 0;
    for (int32_t u : call.linked(t)) scores += dot_of_rows(call.q.row(t), call.k.row(first + u), call.q.width);
    sums[t] = lse - static_cast<float>(a.scale) * scores / static_cast<float>(call.linked(t).size());
  });
}

void CpuBackend::alignment_loss_backward(const AlignmentInput& a, double scale, Tensor dq, Tensor dk) {
  const AlignmentCall call(a);
  const Matrix gq = matrix(dq, "dq"), gk = matrix(dk, "dk");
  const auto factor = static_cast<float>(scale * a.scale);
  each_linked_query(call, [&](int64_t t, int64_t first, int64_t n, float* w) {
    call.weights(t, first, n, w);
    for (int32_t u : call.linked(t)) w[u] -= 1 / static_cast<float>(call.linked(t).size());
    for (int64_t u = 0; u < n; ++u) {
      axpy(factor * w[u], call.k.row(first + u), gq.row(t), gq.width);
      axpy(factor * w[u], call.q.row(t), gk.row(first + u), gk.width);
    }
  });
}

}  // namespace hexapla::cpu
