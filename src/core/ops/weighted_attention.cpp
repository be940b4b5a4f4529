#include "ops/weighted_attention.h"

#include <limits>

#include "base/compute/parallel.h"
#include "base/scope.h"
#include "ops/rows.h"

namespace hexapla {
namespace {

using Row = std::span<double>;
using ConstRow = std::span<const double>;

// Rows of equal width, one after the other.
struct Rows {
  size_t n, width;
  std::vector<double> values = std::vector<double>(n * width);

  Row operator[](size_t i) { return Row(values).subspan(i * width, width); }
  ConstRow operator[](size_t i) const { return ConstRow(values).subspan(i * width, width); }
};

// y += a x
void axpy(double a, ConstRow x, Row y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
}

template <class T>
void read(Tensor t, int64_t at, Row x) {
  for (size_t i = 0; i < x.size(); ++i) x[i] = t.data<T>()[at + int64_t(i)];
}

template <class T>
void write(ConstRow x, Tensor t, int64_t at) {
  for (size_t i = 0; i < x.size(); ++i) t.data<T>()[at + int64_t(i)] = static_cast<T>(x[i]);
}

// Row `row` of head h of [N, H, d].
void load(Tensor t, int64_t row, int64_t h, Row x) {
  const int64_t at = row * t.strides[0] + h * t.strides[1];
  t.dtype == DType::f64 ? read<double>(t, at, x) : read<float>(t, at, x);
}

void store(ConstRow x, Tensor t, int64_t row, int64_t h) {
  const int64_t at = row * t.strides[0] + h * t.strides[1];
  t.dtype == DType::f64 ? write<double>(x, t, at) : write<float>(x, t, at);
}

Rows load(Tensor t, int64_t first, int64_t n, int64_t h) {
  Rows rows{static_cast<size_t>(n), static_cast<size_t>(t.shape[2])};
  for (size_t i = 0; i < rows.n; ++i) load(t, first + int64_t(i), h, rows[i]);
  return rows;
}

void store(const Rows& rows, Tensor t, int64_t first, int64_t h) {
  for (size_t i = 0; i < rows.n; ++i) store(rows[i], t, first + int64_t(i), h);
}

template <class W>
Rows prepared(Rows rows) {
  for (size_t i = 0; i < rows.n; ++i) W::prepare(rows[i]);
  return rows;
}

Rows transposed(const Rows& rows) {
  Rows columns{rows.width, rows.n};
  for (size_t i = 0; i < rows.n; ++i)
    for (size_t j = 0; j < rows.width; ++j) columns[j][i] = rows[i][j];
  return columns;
}

// y[u] = factor x . row u, for the first y.size() rows; `columns` is the transposed matrix, so that
// neighboring rows are computed together.
void products(double factor, ConstRow x, const Rows& columns, Row y) {
  std::fill(y.begin(), y.end(), 0.0);
  for (size_t i = 0; i < x.size(); ++i) axpy(factor * x[i], columns[i].first(y.size()), y);
}

bool hidden(Tensor mask, int64_t row, int64_t u) {
  const int64_t at = row * mask.strides[0] + u;
  const double m = mask.dtype == DType::f64 ? mask.data<double>()[at] : mask.data<float>()[at];
  HEXAPLA_CHECK(m == 0 || m == -std::numeric_limits<double>::infinity(),
                "attention without softmax takes a mask of 0 and -inf, not ", m);
  return m != 0;
}

// One head of one sequence; q and k are prepared.
struct Head {
  Rows q, k, v, k_columns;
  double factor;
  bool causal;
  Tensor mask;          // or empty
  int64_t first_query;  // its row in the mask
};

template <class W>
Head head_of(const AttentionInput& in, int64_t b, int64_t h) {
  HEXAPLA_CHECK(!in.dropout, "attention without softmax has no dropout of its weights");
  const int64_t first = in.queries[b], key = in.keys[b], n = in.queries[b + 1] - first, m = in.keys[b + 1] - key;
  Rows k = prepared<W>(load(in.k, key, m, h)), columns = transposed(k);
  return {prepared<W>(load(in.q, first, n, h)),
          std::move(k),
          load(in.v, key, m, h),
          std::move(columns),
          W::factor(in.scale),
          in.causal,
          in.mask,
          first};
}

// Buffers for one query at a time; `seen` lists the visible keys in ascending order.
struct Query {
  std::vector<size_t> seen;
  std::vector<double> products, scores, weights;
};

template <class W>
void weigh(const Head& a, size_t t, Query& query) {
  const size_t within = a.causal ? std::min(a.k.n, t + 1) : a.k.n;
  query.products.resize(within);
  products(a.factor, a.q[t], a.k_columns, query.products);
  query.seen.clear(), query.scores.clear();
  for (size_t u = 0; u < within; ++u) {
    if (a.mask && hidden(a.mask, a.first_query + int64_t(t), int64_t(u))) continue;
    query.seen.push_back(u);
    query.scores.push_back(query.products[u]);
  }
  query.weights = query.scores;
  if (!query.weights.empty()) W::weigh(query.weights);
}

template <class F>
void each_head(const AttentionInput& in, F f) {
  const int64_t heads = in.q.shape[1], sequences = std::ssize(in.queries) - 1;
  parallel_for(sequences * heads, [&](int64_t i) { f(i / heads, i % heads); });
}

template <class W>
void observe_weights_of_type(Context& cx, const AttentionInput& in) {
  if (!cx.observer) return;
  for (size_t b = 0; b + 1 < in.queries.size(); ++b) {
    Arena::Frame frame(cx.arena);
    const AttentionWeights w = WeightedAttention<W>::weights(cx, in, b);
    cx.observer->observe_attention(Scope::path(), static_cast<int64_t>(b), w.scores, w.weights);
  }
}

}  // namespace

template <class W>
Attention WeightedAttention<W>::forward(Context& cx, const AttentionInput& in) {
  only_in_host_memory(cx.backend, "attention without softmax (`score`)");
  const int64_t n = in.q.shape[0], heads = in.q.shape[1], d_v = in.v.shape[2];
  Attention result{cx.keep({n, heads * d_v}), cx.keep({n, heads})};
  fill(cx, result.lse, 0);
  const Tensor out = result.out.heads(heads);
  each_head(in, [&](int64_t b, int64_t h) {
    const Head a = head_of<W>(in, b, h);
    Rows y{a.q.n, a.v.width};
    Query query;
    for (size_t t = 0; t < a.q.n; ++t) {
      weigh<W>(a, t, query);
      for (size_t i = 0; i < query.seen.size(); ++i) axpy(query.weights[i], a.v[query.seen[i]], y[t]);
    }
    store(y, out, in.queries[b], h);
  });
  observe_weights_of_type<W>(cx, in);
  return result;
}

template <class W>
void WeightedAttention<W>::backward(const AttentionInput& in, Tensor d_out, const AttentionGradient& d) {
  const Tensor d_heads = d_out.heads(in.q.shape[1]);
  each_head(in, [&](int64_t b, int64_t h) {
    const Head a = head_of<W>(in, b, h);
    const Rows dy = load(d_heads, in.queries[b], int64_t(a.q.n), h), v_columns = transposed(a.v);
    Rows dq{a.q.n, a.q.width}, dk{a.k.n, a.k.width}, dv{a.v.n, a.v.width};
    Query query;
    std::vector<double> d_all(a.k.n), ds;  // of all weights; of the visible ones, then of the scores
    for (size_t t = 0; t < a.q.n; ++t) {
      weigh<W>(a, t, query);
      products(1, dy[t], v_columns, d_all);
      ds.clear();
      for (const size_t u : query.seen) ds.push_back(d_all[u]);
      W::backward(query.scores, query.weights, ds);
      for (size_t i = 0; i < query.seen.size(); ++i) {
        const size_t u = query.seen[i];
        axpy(query.weights[i], dy[t], dv[u]);
        axpy(a.factor * ds[i], a.k[u], dq[t]);
        axpy(a.factor * ds[i], a.q[t], dk[u]);
      }
    }
    for (size_t t = 0; t < a.q.n; ++t) W::prepare_backward(a.q[t], dq[t]);
    for (size_t u = 0; u < a.k.n; ++u) W::prepare_backward(a.k[u], dk[u]);
    store(dq, d.q, in.queries[b], h);
    store(dk, d.k, in.keys[b], h);
    store(dv, d.v, in.keys[b], h);
  });
}

template <class W>
AttentionWeights WeightedAttention<W>::weights(Context& cx, const AttentionInput& in, size_t b) {
  const int64_t heads = in.q.shape[1], n = in.queries[b + 1] - in.queries[b], m = in.keys[b + 1] - in.keys[b];
  Tensor scores = cx.scratch({heads, n, m}, DType::f64), weights = cx.scratch({heads, n, m}, DType::f64);
  std::fill_n(scores.data<double>(), scores.shape.size(), -std::numeric_limits<double>::infinity());
  std::fill_n(weights.data<double>(), weights.shape.size(), 0.0);
  for (int64_t h = 0; h < heads; ++h) {
    const Head a = head_of<W>(in, int64_t(b), h);
    Query query;
    for (size_t t = 0; t < a.q.n; ++t) {
      weigh<W>(a, t, query);
      for (size_t i = 0; i < query.seen.size(); ++i) {
        const int64_t at = (h * n + int64_t(t)) * m + int64_t(query.seen[i]);
        scores.data<double>()[at] = query.scores[i];
        weights.data<double>()[at] = query.weights[i];
      }
    }
  }
  return {scores, weights};
}

template <class W>
Tensor WeightedAttention<W>::step(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows, double scale) {
  const int64_t heads = q.shape[1];
  const Tensor out = cx.keep({q.shape[0], heads * v.shape[2]});
  parallel_for(q.shape[0], [&](int64_t n) {
    const int32_t* index = rows.index.data<int32_t>() + n * rows.index.strides[0];
    const auto m = static_cast<size_t>(rows.lengths.data<int32_t>()[n]);
    for (int64_t h = 0; h < heads; ++h) {
      const Rows query = prepared<W>(load(q, n, 1, h));
      Rows keys{m, query.width}, values{m, static_cast<size_t>(v.shape[2])}, y{1, values.width};
      for (size_t u = 0; u < m; ++u) load(k, index[u], h, keys[u]), load(v, index[u], h, values[u]);
      std::vector<double> w(m);
      products(W::factor(scale), query[0], transposed(prepared<W>(std::move(keys))), w);
      if (m > 0) W::weigh(w);
      for (size_t u = 0; u < m; ++u) axpy(w[u], values[u], y[0]);
      store(y, out.heads(heads), n, h);
    }
  });
  return out;
}

template struct WeightedAttention<weighing::Sigmoid>;
template struct WeightedAttention<weighing::Relu>;
template struct WeightedAttention<weighing::Unnormalized>;
template struct WeightedAttention<weighing::TopFour>;
template struct WeightedAttention<weighing::LinearKernel>;

}  // namespace hexapla
