#include "ops/gru.h"

#include <cmath>
#include <numeric>

#include "ops/rows.h"

namespace hexapla {
namespace {

// The order of computation: one step of all active sequences at a time, longest first, so that
// active sequences are always the first rows of the state.
struct Schedule {
  std::vector<int32_t> rows;    // of the batch, in this order
  std::vector<int64_t> starts;  // start of each step in `rows`, and the end
  int64_t steps() const { return std::ssize(starts) - 1; }
  int64_t running(int64_t step) const { return starts[step + 1] - starts[step]; }
};

Schedule schedule(Offsets rows, Direction direction) {
  const auto length = [&](size_t b) { return rows[b + 1] - rows[b]; };
  std::vector<size_t> order(rows.size() - 1);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return length(a) > length(b); });
  Schedule all;
  for (int32_t t = 0; std::ssize(all.rows) < rows.back(); ++t) {
    all.starts.push_back(std::ssize(all.rows));
    for (const size_t b : order) {
      if (length(b) <= t) break;
      all.rows.push_back(direction == Direction::onward ? rows[b] + t : rows[b + 1] - 1 - t);
    }
  }
  all.starts.push_back(rows.back());
  return all;
}

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

// gates: sums in, r, z and n out. h: state before, then after.
template <class T>
void cell(T* gates, const T* products, T* h, int64_t width) {
  for (int64_t i = 0; i < width; ++i) {
    const T r = sigmoid(gates[i] + products[i]), z = sigmoid(gates[width + i] + products[width + i]);
    const T n = std::tanh(gates[2 * width + i] + r * products[2 * width + i]);
    gates[i] = r, gates[width + i] = z, gates[2 * width + i] = n;
    h[i] = (1 - z) * n + z * h[i];
  }
}

template <class T>
void run(Context& cx, const GruInput& in, const GruStates& s) {
  const Schedule order = schedule(in.rows, in.direction);
  const int64_t width = s.states.shape[1];
  if (order.steps() == 0) return;
  Arena::Frame frame(cx.arena);
  const Tensor state = cx.scratch({order.running(0), width});
  std::fill_n(state.data<T>(), state.size(), T{0});
  for (int64_t t = 0; t < order.steps(); ++t) {
    const int64_t n = order.running(t), first = order.starts[t];
    const Tensor products = s.products.slice(first, n);
    cx.backend.linear(state.slice(0, n), in.weight, in.bias, products);
    each_row(n, width, [&](int64_t i) {
      const int64_t row = order.rows[first + i];
      T* h = row_of<T>(state, i);
      cell(row_of<T>(in.gates, row), row_of<T>(products, i), h, width);
      std::copy_n(h, width, row_of<T>(s.states, row));
    });
  }
}

// For one token; null: not needed.
template <class T>
struct CellGradient {
  T *sums, *gates, *products, *h;  // h: in, the gradient of h'; out, of h without the part through the products
};

template <class T>
void cell_backward(const T* gates, const T* products, const T* before, const CellGradient<T>& d, int64_t width) {
  for (int64_t i = 0; i < width; ++i) {
    const int64_t at_z = width + i, at_n = 2 * width + i;
    const T r = gates[i], z = gates[at_z], n = gates[at_n], dh = d.h[i];
    const T dn = dh * (1 - z), dz = dh * (before[i] - n), sum_n = dn * (1 - n * n), dr = sum_n * products[at_n];
    if (d.gates) d.gates[i] = dr, d.gates[at_z] = dz, d.gates[at_n] = dn;
    d.sums[i] = d.products[i] = dr * r * (1 - r);
    d.sums[at_z] = d.products[at_z] = dz * z * (1 - z);
    d.sums[at_n] = sum_n;
    d.products[at_n] = sum_n * r;
    d.h[i] = dh * z;
  }
}

// The states before each step, in the order of computation.
template <class T>
void states_before(const Schedule& order, const GruInput& in, Tensor states, Tensor before) {
  const int32_t earlier = in.direction == Direction::onward ? -1 : 1;
  const int64_t width = states.shape[1];
  std::fill_n(before.data<T>(), order.running(0) * width, T{0});
  each_row(before.shape[0] - order.running(0), width, [&](int64_t i) {
    const int64_t at = order.running(0) + i;
    std::copy_n(row_of<T>(states, order.rows[at] + earlier), width, row_of<T>(before, at));
  });
}

template <class T>
void run_gru_back(Context& cx, const GruInput& in, const GruStates& s, Tensor d_states, const GruGradient& d) {
  const Schedule order = schedule(in.rows, in.direction);
  const int64_t width = s.states.shape[1];
  if (order.steps() == 0) return;
  Arena::Frame frame(cx.arena);
  const Tensor before = cx.scratch({s.states.shape[0], width}), d_products = cx.scratch(s.products.shape),
               carried = cx.scratch({order.running(0), width});
  states_before<T>(order, in, s.states, before);
  std::fill_n(carried.data<T>(), carried.size(), T{0});
  for (int64_t t = order.steps(); t-- > 0;) {
    const int64_t n = order.running(t), first = order.starts[t];
    each_row(n, width, [&](int64_t i) {
      const int64_t row = order.rows[first + i];
      T* h = row_of<T>(carried, i);
      const T* dy = row_of<T>(d_states, row);
      for (int64_t j = 0; j < width; ++j) h[j] += dy[j];
      cell_backward<T>(
          row_of<T>(in.gates, row), row_of<T>(s.products, first + i), row_of<T>(before, first + i),
          {row_of<T>(d.sums, row), d.gates ? row_of<T>(d.gates, row) : nullptr, row_of<T>(d_products, first + i), h},
          width);
    });
    linear_backward_input(cx, d_products.slice(first, n), in.weight.values, carried.slice(0, n), Write::add);
  }
  linear_backward_weight(cx, before, d_products, d.weight, d.bias);
}

}  // namespace

GruStates gru(Context& cx, const GruInput& in, Tensor states) {
  const auto [n, width] = states.dims<2>("gru: states");
  HEXAPLA_CHECK(in.gates.shape == (Shape{n, 3 * width}) && in.weight.shape() == (Shape{width, 3 * width}) &&
                    in.bias.shape == Shape{3 * width} && in.rows.back() == n,
                "gru: gates ", in.gates.shape, ", weight ", in.weight.shape(), " and bias ", in.bias.shape, " of ",
                in.rows.back(), " tokens do not fit states ", states.shape);
  only_in_host_memory(cx.backend, "`encoder-mixing` gru");
  const GruStates s{states, cx.keep(in.gates.shape)};
  states.dtype == DType::f64 ? run<double>(cx, in, s) : run<float>(cx, in, s);
  return s;
}

void gru_backward(Context& cx, const GruInput& in, const GruStates& s, Tensor d_states, const GruGradient& d) {
  HEXAPLA_CHECK(d_states.shape == s.states.shape && d.sums.shape == in.gates.shape &&
                    (!d.gates || d.gates.shape == in.gates.shape),
                "gru_backward: gradients ", d_states.shape, " and ", d.sums.shape, " do not fit states ",
                s.states.shape, " and gates ", in.gates.shape);
  s.states.dtype == DType::f64 ? run_gru_back<double>(cx, in, s, d_states, d)
                               : run_gru_back<float>(cx, in, s, d_states, d);
}

}  // namespace hexapla
