#include "ops/routing.h"

#include <cmath>

#include "ops/rows.h"

namespace hexapla {
namespace {

template <class T>
void softmax(T* x, int64_t n) {
  T most = x[0], sum = 0;
  for (int64_t i = 1; i < n; ++i) most = std::max(most, x[i]);
  for (int64_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - most);
  for (int64_t i = 0; i < n; ++i) x[i] /= sum;
}

// The largest number that is not among the first `taken` of `chosen`; the first if all are NaN.
template <class T>
int32_t best(const T* p, int64_t n, const int32_t* chosen, int64_t taken) {
  int32_t found = -1;
  for (int32_t i = 0; i < n; ++i) {
    if (std::find(chosen, chosen + taken, i) != chosen + taken) continue;
    if (found < 0 || p[i] > p[found]) found = i;
  }
  return found;
}

// Sets chosen [N, k] i32 to the columns of the k largest numbers in each row of scores [N, E],
// largest first; ties by the lower column.
template <class T>
void choose(Tensor scores, Tensor chosen) {
  const int64_t e = scores.shape[1], k = chosen.shape[1];
  each_row(scores.shape[0], e * k, [&](int64_t i) {
    int32_t* to = row_of<int32_t>(chosen, i);
    for (int64_t j = 0; j < k; ++j) to[j] = best(row_of<T>(scores, i), e, to, j);
  });
}

template <class T>
void open_gates(const Routing& r) {
  const int64_t k = r.gates.shape[1];
  each_row(r.gates.shape[0], k, [&](int64_t i) {
    T *gates = row_of<T>(r.gates, i), sum = 0;
    for (int64_t j = 0; j < k; ++j) sum += gates[j] = row_of<T>(r.probabilities, i)[row_of<int32_t>(r.experts, i)[j]];
    for (int64_t j = 0; k > 1 && j < k; ++j) gates[j] /= sum;
  });
}

template <class T>
void choose_experts(const Routing& r) {
  const int64_t e = r.probabilities.shape[1];
  each_row(r.probabilities.shape[0], 8 * e, [&](int64_t i) { softmax(row_of<T>(r.probabilities, i), e); });
  choose<T>(r.probabilities, r.experts);
  open_gates<T>(r);
}

// Calls f(token, choice), first choices before second ones.
template <class F>
void each_choice(const Routing& r, F&& f) {
  for (int64_t j = 0; j < r.gates.shape[1]; ++j)
    for (int64_t i = 0; i < r.gates.shape[0]; ++i) f(i, j);
}

int64_t capacity_of(const Routing& r, double factor) {
  const double n = static_cast<double>(r.tokens.shape[0]), e = static_cast<double>(r.probabilities.shape[1]);
  return factor > 0 ? static_cast<int64_t>(std::min(n, std::ceil(factor * n / e))) : r.tokens.shape[0];
}

void assign(const Routing& r, int64_t capacity) {
  const int64_t e = r.probabilities.shape[1];
  std::vector<int32_t> taken(static_cast<size_t>(e), 0);
  each_choice(r, [&](int64_t i, int64_t j) {  // position among the expert's tokens
    int32_t& n = taken[row_of<int32_t>(r.experts, i)[j]];
    row_of<int32_t>(r.slots, i)[j] = n < capacity ? n++ : -1;
  });
  int32_t* starts = r.starts.data<int32_t>();
  starts[0] = 0;
  for (int64_t x = 0; x < e; ++x) starts[x + 1] = starts[x] + taken[x];
  each_choice(r, [&](int64_t i, int64_t j) {
    int32_t& slot = row_of<int32_t>(r.slots, i)[j];
    if (slot < 0) return;
    slot += starts[row_of<int32_t>(r.experts, i)[j]];
    r.tokens.data<int32_t>()[slot] = static_cast<int32_t>(i);
  });
}

// f in load_imbalance().
std::vector<double> shares_of(const Routing& r) {
  std::vector<double> shares(static_cast<size_t>(r.probabilities.shape[1]), 0);
  const double one = 1 / static_cast<double>(r.experts.size());
  for (const int32_t e : r.experts.values<int32_t>()) shares[e] += one;
  return shares;
}

template <class T>
double imbalance_of(const Routing& r) {
  const int64_t n = r.probabilities.shape[0], e = r.probabilities.shape[1];
  const std::vector<double> shares = shares_of(r);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t x = 0; x < e; ++x) sum += shares[x] * static_cast<double>(row_of<T>(r.probabilities, i)[x]);
  return n == 0 ? 0 : sum * static_cast<double>(e) / static_cast<double>(n);
}

// Adds the gradient of one token's gates to that of its experts' probabilities.
template <class T>
void add_gate_gradient(const Routing& r, int64_t i, const T* d_gates, T* d) {
  const int64_t k = r.gates.shape[1];
  const T* gates = row_of<T>(r.gates, i);
  const int32_t* chosen = row_of<int32_t>(r.experts, i);
  if (k == 1) {
    d[chosen[0]] += d_gates[0];
    return;
  }
  T sum = 0, mean = 0;
  for (int64_t j = 0; j < k; ++j) sum += row_of<T>(r.probabilities, i)[chosen[j]], mean += gates[j] * d_gates[j];
  for (int64_t j = 0; j < k; ++j) d[chosen[j]] += (d_gates[j] - mean) / sum;
}

template <class T>
void run_routing_back(const Routing& r, Tensor d_gates, double imbalance, Tensor d) {
  const int64_t n = r.probabilities.shape[0], e = r.probabilities.shape[1];
  std::vector<T> constant;  // the same for every token
  for (const double share : shares_of(r))
    constant.push_back(static_cast<T>(imbalance * static_cast<double>(e) * share / static_cast<double>(n)));
  each_row(n, e, [&](int64_t i) {
    std::copy(constant.begin(), constant.end(), row_of<T>(d, i));
    add_gate_gradient<T>(r, i, row_of<T>(d_gates, i), row_of<T>(d, i));
  });
}

template <class T>
void through_softmax(Tensor p, Tensor d) {
  const int64_t e = p.shape[1];
  each_row(p.shape[0], e, [&](int64_t i) {
    const T* y = row_of<T>(p, i);
    T *dx = row_of<T>(d, i), sum = 0;
    for (int64_t x = 0; x < e; ++x) sum += y[x] * dx[x];
    for (int64_t x = 0; x < e; ++x) dx[x] = y[x] * (dx[x] - sum);
  });
}

template <class T>
void weighted_sums(Tensor rows, const Routing& r, Tensor y) {
  const int64_t k = r.gates.shape[1], d = y.shape[1];
  each_row(y.shape[0], k * d, [&](int64_t i) {
    T* to = row_of<T>(y, i);
    std::fill_n(to, d, T{0});
    for (int64_t j = 0; j < k; ++j) {
      const int32_t slot = row_of<int32_t>(r.slots, i)[j];
      if (slot < 0) continue;
      const T gate = row_of<T>(r.gates, i)[j], *from = row_of<T>(rows, slot);
      for (int64_t x = 0; x < d; ++x) to[x] += gate * from[x];
    }
  });
}

template <class T>
void weighted_sums_back(Tensor rows, const Routing& r, Tensor dy, Tensor d_rows, Tensor d_gates) {
  const int64_t k = r.gates.shape[1], d = dy.shape[1];
  each_row(dy.shape[0], k * d, [&](int64_t i) {
    const T* dyi = row_of<T>(dy, i);
    for (int64_t j = 0; j < k; ++j) {
      T sum = 0;
      if (const int32_t slot = row_of<int32_t>(r.slots, i)[j]; slot >= 0) {
        const T gate = row_of<T>(r.gates, i)[j], *from = row_of<T>(rows, slot);
        T* to = row_of<T>(d_rows, slot);
        for (int64_t x = 0; x < d; ++x) to[x] = gate * dyi[x], sum += from[x] * dyi[x];
      }
      row_of<T>(d_gates, i)[j] = sum;
    }
  });
}

void check_rows(const char* op, Tensor rows, const Routing& r, Tensor x) {
  HEXAPLA_CHECK(rows.shape == (Shape{r.tokens.shape[0], x.shape[1]}) && x.shape[0] == r.gates.shape[0], op, ": rows ",
                rows.shape, " do not fit ", r.gates.shape, " gates of tokens ", x.shape);
}

}  // namespace

Routing route(Context& cx, Tensor logits, const RoutingRule& rule) {
  const auto [n, e] = logits.dims<2>("route: logits");
  only_in_host_memory(cx.backend, "`experts`");
  const int64_t k = rule.per_token;
  HEXAPLA_CHECK(k >= 1 && k <= e && rule.capacity >= 0, "route: ", k, " of ", e, " experts per token, capacity ",
                rule.capacity);
  const Routing r{logits,
                  cx.keep({n, k}),
                  cx.keep({n, k}, DType::i32),
                  cx.keep({n, k}, DType::i32),
                  cx.keep({k * n}, DType::i32),
                  cx.keep({e + 1}, DType::i32)};
  logits.dtype == DType::f64 ? choose_experts<double>(r) : choose_experts<float>(r);
  assign(r, capacity_of(r, rule.capacity));
  return r;
}

double load_imbalance(const Routing& r) {
  return r.probabilities.dtype == DType::f64 ? imbalance_of<double>(r) : imbalance_of<float>(r);
}

void route_backward(const Routing& r, Tensor d_gates, double imbalance, Tensor d) {
  HEXAPLA_CHECK(d_gates.shape == r.gates.shape && d.shape == r.probabilities.shape, "route_backward: d_gates ",
                d_gates.shape, " and d ", d.shape, " do not fit gates ", r.gates.shape, " and probabilities ",
                r.probabilities.shape);
  d.dtype == DType::f64 ? run_routing_back<double>(r, d_gates, imbalance, d)
                        : run_routing_back<float>(r, d_gates, imbalance, d);
}

void softmax_backward(Tensor p, Tensor d) {
  HEXAPLA_CHECK(p.shape == d.shape, "softmax_backward: d ", d.shape, " must have the shape ", p.shape);
  d.dtype == DType::f64 ? through_softmax<double>(p, d) : through_softmax<float>(p, d);
}

Tensor dispatch(Context& cx, Tensor x, const Routing& r) {
  const Tensor rows = cx.keep({r.tokens.shape[0], x.shape[1]});
  check_rows("dispatch", rows, r, x);
  cx.backend.embed(x, r.tokens.slice(0, r.dispatched()), 1, Write::set, rows.slice(0, r.dispatched()));
  return rows;
}

void dispatch_backward(Context& cx, Tensor d_rows, const Routing& r, Tensor dx) {
  check_rows("dispatch_backward", d_rows, r, dx);
  embed_backward(cx, d_rows.slice(0, r.dispatched()), r.tokens.slice(0, r.dispatched()), 1, dx);
}

Tensor gather(Context& cx, Tensor rows, const Routing& r) {
  const Tensor y = cx.keep({r.gates.shape[0], rows.shape[1]});
  check_rows("gather", rows, r, y);
  y.dtype == DType::f64 ? weighted_sums<double>(rows, r, y) : weighted_sums<float>(rows, r, y);
  return y;
}

void gather_backward(Tensor rows, const Routing& r, Tensor dy, Tensor d_rows, Tensor d_gates) {
  check_rows("gather_backward", rows, r, dy);
  check_rows("gather_backward", d_rows, r, dy);
  HEXAPLA_CHECK(d_gates.shape == r.gates.shape, "gather_backward: d_gates ", d_gates.shape, " must have the shape ",
                r.gates.shape);
  dy.dtype == DType::f64 ? weighted_sums_back<double>(rows, r, dy, d_rows, d_gates)
                         : weighted_sums_back<float>(rows, r, dy, d_rows, d_gates);
}

}  // namespace hexapla
