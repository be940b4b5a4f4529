#include "ops/ssru.h"

#include <cmath>

#include "backend/on_host.h"
#include "ops/rows.h"

namespace hexapla {
namespace {

// f: x W_f + b_f in, the gate out. before: null for the first token.
template <class T>
void ssru_cell(const T* candidate, T* f, const T* before, T* cell, T* state, int64_t width) {
  for (int64_t i = 0; i < width; ++i) {
    f[i] = 1 / (1 + std::exp(-f[i]));
    cell[i] = (1 - f[i]) * candidate[i] + (before ? f[i] * before[i] : 0);
    state[i] = std::max(T{0}, cell[i]);
  }
}

template <class T>
void run_ssru(const SsruInput& in, Offsets rows, Tensor cells, Tensor states) {
  const int64_t width = cells.shape[1];
  parallel_for(std::ssize(rows) - 1, [&](int64_t b) {
    for (int64_t t = rows[b]; t < rows[b + 1]; ++t)
      ssru_cell<T>(row_of<T>(in.candidates, t), row_of<T>(in.forget, t),
                   t > rows[b] ? row_of<T>(cells, t - 1) : nullptr, row_of<T>(cells, t), row_of<T>(states, t), width);
  });
}

// Token t, and whether it is the first of its sequence.
struct SsruPlace {
  Tensor cells;
  int64_t t;
  bool first;
};

// carried: gradient of c_t from c_{t+1}; replaced by that of c_{t-1}.
template <class T>
void ssru_cell_backward(const SsruInput& in, const SsruPlace& place, const T* d_state, T* carried,
                        const SsruGradient& d) {
  const auto& [cells, t, first] = place;
  const T *candidate = row_of<T>(in.candidates, t), *f = row_of<T>(in.forget, t), *cell = row_of<T>(cells, t),
          *before = first ? nullptr : row_of<T>(cells, t - 1);
  T *to_candidate = row_of<T>(d.candidates, t), *to_sum = row_of<T>(d.sums, t);
  T *to_gate = d.gates ? row_of<T>(d.gates, t) : nullptr, *to_cell = d.cells ? row_of<T>(d.cells, t) : nullptr;
  for (int64_t i = 0; i < cells.shape[1]; ++i) {
    const T dc = carried[i] + (cell[i] > 0 ? d_state[i] : 0);
    const T df = dc * ((before ? before[i] : 0) - candidate[i]);
    to_candidate[i] = dc * (1 - f[i]);
    to_sum[i] = df * f[i] * (1 - f[i]);
    if (to_gate) to_gate[i] = df;
    if (to_cell) to_cell[i] = dc;
    carried[i] = dc * f[i];
  }
}

template <class T>
void run_ssru_back(const SsruInput& in, Offsets rows, Tensor cells, Tensor d_states, const SsruGradient& d) {
  parallel_for(std::ssize(rows) - 1, [&](int64_t b) {
    std::vector<T> carried(static_cast<size_t>(cells.shape[1]), T{0});
    for (int64_t t = rows[b + 1]; t-- > rows[b];)
      ssru_cell_backward<T>(in, {cells, t, t == rows[b]}, row_of<T>(d_states, t), carried.data(), d);
  });
}

template <class T>
void run_ssru_step(const SsruInput& in, const StepRows& rows, Tensor cache_rows, Tensor cache, Tensor states) {
  const int64_t width = cache.shape[1];
  each_row(states.shape[0], width, [&](int64_t n) {
    const int64_t seen = rows.lengths.data<int32_t>()[n];
    const int32_t* of_this = row_of<int32_t>(rows.index, n);
    const T* before = seen > 1 ? row_of<T>(cache, of_this[seen - 2]) : nullptr;
    ssru_cell<T>(row_of<T>(in.candidates, n), row_of<T>(in.forget, n), before,
                 row_of<T>(cache, cache_rows.data<int32_t>()[n]), row_of<T>(states, n), width);
  });
}

void check_ssru(const SsruInput& in, int64_t rows, Tensor cells) {
  HEXAPLA_CHECK(in.candidates.shape == in.forget.shape && in.candidates.shape == (Shape{rows, cells.shape[1]}),
                "ssru: candidates ", in.candidates.shape, " and forget gates ", in.forget.shape, " of ", rows,
                " tokens do not fit cells ", cells.shape);
}

}  // namespace

Tensor ssru(Context& cx, const SsruInput& in, Offsets rows, Tensor cells) {
  check_ssru(in, rows.back(), cells);
  HEXAPLA_CHECK(cells.shape[0] == rows.back(), "ssru: cells ", cells.shape, " of ", rows.back(), " tokens");
  const Tensor states = cx.keep(cells.shape);
  const OnHost candidates(cx.backend, in.candidates), forget(cx.backend, in.forget),
      to_cells = set_on_host(cx.backend, cells), to_states = set_on_host(cx.backend, states);
  const SsruInput here{candidates, forget};
  cells.dtype == DType::f64 ? run_ssru<double>(here, rows, to_cells, to_states)
                            : run_ssru<float>(here, rows, to_cells, to_states);
  for (const OnHost* changed : {&forget, &to_cells, &to_states}) changed->write_back();
  return states;
}

void ssru_backward(Context& cx, const SsruInput& in, Offsets rows, Tensor cells, Tensor d_states,
                   const SsruGradient& d) {
  check_ssru(in, rows.back(), cells);
  HEXAPLA_CHECK(d_states.shape == cells.shape && d.candidates.shape == cells.shape && d.sums.shape == cells.shape,
                "ssru_backward: gradients ", d_states.shape, ", ", d.candidates.shape, " and ", d.sums.shape,
                " do not fit cells ", cells.shape);
  Backend& b = cx.backend;
  const OnHost candidates(b, in.candidates), forget(b, in.forget), of_cells(b, cells), of_states(b, d_states),
      to_candidates = set_on_host(b, d.candidates), to_sums = set_on_host(b, d.sums),
      to_gates = set_on_host(b, d.gates), to_cells = set_on_host(b, d.cells);
  const SsruInput here{candidates, forget};
  const SsruGradient gradient{to_candidates, to_sums, to_gates, to_cells};
  cells.dtype == DType::f64 ? run_ssru_back<double>(here, rows, of_cells, of_states, gradient)
                            : run_ssru_back<float>(here, rows, of_cells, of_states, gradient);
  for (const OnHost* changed : {&to_candidates, &to_sums, &to_gates, &to_cells}) changed->write_back();
}

Tensor ssru_step(Context& cx, const SsruInput& in, const StepRows& rows, Tensor cache_rows, Tensor cache) {
  check_ssru(in, cache_rows.size(), cache);
  const Tensor states = cx.keep(in.candidates.shape);
  Backend& b = cx.backend;
  const OnHost candidates(b, in.candidates), forget(b, in.forget), index(b, rows.index), lengths(b, rows.lengths),
      places(b, cache_rows), cells(b, cache), to_states = set_on_host(b, states);
  const SsruInput here{candidates, forget};
  cache.dtype == DType::f64 ? run_ssru_step<double>(here, {index, lengths}, places, cells, to_states)
                            : run_ssru_step<float>(here, {index, lengths}, places, cells, to_states);
  for (const OnHost* changed : {&forget, &cells, &to_states}) changed->write_back();
  return states;
}

}  // namespace hexapla
