// Element-wise ops, row lookups, and the optimizer.
#include <array>
#include <cmath>

#include "backend/cpu/cpu_backend.h"

namespace hexapla::cpu {
namespace {

constexpr int64_t kChunk = 16384;          // elements of an element-wise call in one task
constexpr int64_t kBeyondCache = 1 << 21;  // above this, the result will not be in a cache when it is next read

// The start of row `row`, counted over all dimensions but the last.
float* row_of(const Tensor& t, int64_t row) {
  int64_t at = 0;
  for (int i = t.shape.rank() - 2; i >= 0; --i) {
    at += row % t.shape[i] * t.strides[i];
    row /= t.shape[i];
  }
  return t.data<float>() + at;
}

// Calls f(pointers into each tensor, number of elements) for stretches that cover the tensors,
// whatever their strides.
template <size_t n, class F>
void each_stretch(const std::array<Tensor, n>& t, F f) {
  std::array<float*, n> at;
  if (std::all_of(t.begin(), t.end(), [](const Tensor& x) { return x.contiguous(); })) {
    for (size_t i = 0; i < n; ++i) at[i] = t[i].template data<float>();
    return in_chunks(t[0].size(), kChunk, [&](int64_t from, int64_t count) {
      std::array<float*, n> here = at;
      for (float*& p : here) p += from;
      f(here, count);
    });
  }
  const int64_t width = t[0].shape[-1];
  for (const Tensor& x : t)
    HEXAPLA_CHECK(x.strides[x.shape.rank() - 1] == 1 || width == 1, x.shape, " has gaps within its rows");
  in_chunks(t[0].rows(), std::max<int64_t>(1, kChunk / std::max<int64_t>(1, width)), [&](int64_t from, int64_t count) {
    std::array<float*, n> here;
    for (int64_t row = from; row < from + count; ++row) {
      for (size_t i = 0; i < n; ++i) here[i] = row_of(t[i], row);
      f(here, width);
    }
  });
}

// f(row, its width)
template <class F>
void each_row(const Tensor& x, F f) {
  const int64_t width = x.shape[-1];
  in_chunks(x.rows(), std::max<int64_t>(1, kChunk / std::max<int64_t>(1, width)), [&](int64_t from, int64_t count) {
    for (int64_t row = from; row < from + count; ++row) f(row, width);
  });
}

// The ids, after checking that all of them are in the table.
const int32_t* checked_ids(Tensor ids, int64_t rows) {
  HEXAPLA_CHECK(ids.contiguous(), "ids ", ids.shape, " have gaps");
  const int32_t* id = ids.data<int32_t>();
  for (int64_t n = 0; n < ids.size(); ++n)
    HEXAPLA_CHECK(id[n] >= 0 && id[n] < rows, "id ", id[n], " at place ", n, " is not one of the ", rows,
                  " rows of the table");
  return id;
}

}  // namespace

void CpuBackend::fill(Tensor x, double value) {
  const auto fill = x.size() > kBeyondCache ? k_.fill_past_cache : k_.fill;
  each_stretch(std::array{x}, [&](auto p, int64_t n) { fill(p[0], static_cast<float>(value), n); });
}

void CpuBackend::add(Tensor a, Tensor b, Tensor y) {
  each_stretch(std::array{a, b, y}, [&](auto p, int64_t n) { k_.add(p[0], p[1], p[2], n); });
}

void CpuBackend::combine(double a, Tensor x, double b, Tensor y) {
  const auto fa = static_cast<float>(a), fb = static_cast<float>(b);
  each_stretch(std::array{x, y}, [&](auto p, int64_t n) {
    if (fb == 0)
      k_.scaled(p[0], fa, p[1], n);
    else
      k_.combine(fa, p[0], fb, p[1], n);
  });
}

void CpuBackend::multiply(Tensor a, Tensor b, Tensor y) {
  each_stretch(std::array{a, b, y}, [&](auto p, int64_t n) { k_.multiply(p[0], p[1], p[2], n); });
}

void CpuBackend::activate(Activation f, Tensor x, Tensor y) {
  const Map1 map = k_.activate[static_cast<int>(f)];
  each_stretch(std::array{x, y}, [&](auto p, int64_t n) { map(p[0], p[1], n); });
}

void CpuBackend::activate_backward(Activation f, Tensor x, Tensor dy, Tensor dx) {
  const Map2 map = k_.activate_backward[static_cast<int>(f)];
  each_stretch(std::array{x, dy, dx}, [&](auto p, int64_t n) { map(p[0], p[1], p[2], n); });
}

void CpuBackend::dropout(Tensor x, DropoutMask mask, Tensor y) {
  if (!mask) return combine(1, x, 0, y);
  const Dropout d = dropout_of(mask);
  each_row(x, [&](int64_t row, int64_t width) {
    k_.dropout_row(d, static_cast<uint32_t>(row), row_of(x, row), row_of(y, row), width);
  });
}

void CpuBackend::activate_dropped(Activation f, Tensor x, DropoutMask mask, Tensor y) {
  if (!mask) return activate(f, x, y);
  const Dropout d = dropout_of(mask);
  const Map1 map = k_.activate[static_cast<int>(f)];
  each_row(x, [&](int64_t row, int64_t width) {
    float* const out = row_of(y, row);
    map(row_of(x, row), out, width);
    k_.dropout_row(d, static_cast<uint32_t>(row), out, out, width);
  });
}

void CpuBackend::activate_dropped_backward(Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx) {
  if (!mask) return activate_backward(f, x, dy, dx);
  const Dropout d = dropout_of(mask);
  const Map2 map = k_.activate_backward[static_cast<int>(f)];
  each_row(x, [&](int64_t row, int64_t width) {
    float* const out = row_of(dx, row);
    if (f == Activation::relu) return k_.relu_backward_scaled(row_of(x, row), row_of(dy, row), d.scale, out, width);
    k_.dropout_row(d, static_cast<uint32_t>(row), row_of(dy, row), out, width);
    map(row_of(x, row), out, out, width);
  });
}

void CpuBackend::embed(Tensor table, Tensor ids, double scale, Write how, Tensor y) {
  const Matrix rows = matrix(table, "table"), out = matrix(y, "y");
  const int32_t* id = checked_ids(ids, rows.rows);
  const auto copy = how == Write::set ? k_.scaled : k_.add_scaled;
  in_chunks(out.rows, std::max<int64_t>(1, kChunk / out.width), [&](int64_t from, int64_t count) {
    for (int64_t n = from; n < from + count; ++n)
      copy(rows.row(id[n]), static_cast<float>(scale), out.row(n), out.width);
  });
}

// Each task owns columns and handles the rows in order, because ids may repeat.
void CpuBackend::embed_backward(Tensor dy, Tensor ids, double scale, Tensor dtable) {
  const Matrix d = matrix(dy, "dy"), rows = matrix(dtable, "dtable");
  const int32_t* id = checked_ids(ids, rows.rows);
  in_chunks(d.width, 64, [&](int64_t from, int64_t width) {
    for (int64_t n = 0; n < d.rows; ++n)
      k_.add_scaled(d.row(n) + from, static_cast<float>(scale), rows.row(id[n]) + from, width);
  });
}

void CpuBackend::put_rows(Tensor x, Tensor ids, Tensor y) {
  const Matrix in = matrix(x, "x"), out = matrix(y, "y");
  const int32_t* id = checked_ids(ids, out.rows);
  in_chunks(in.rows, std::max<int64_t>(1, kChunk / in.width), [&](int64_t from, int64_t count) {
    for (int64_t n = from; n < from + count; ++n) std::copy_n(in.row(n), in.width, out.row(id[n]));
  });
}

void CpuBackend::sinusoids(Sinusoids kind, Tensor table) {
  const Matrix t = matrix(table, "table");
  in_chunks(t.width, 16, [&](int64_t from, int64_t count) {
    for (int64_t j = from; j < from + count; ++j) {
      const Wave wave = wave_of(kind, j, t.width);
      for (int64_t p = 0; p < t.rows; ++p) {
        const double angle = static_cast<double>(p) / wave.divisor;
        t.row(p)[j] = static_cast<float>(wave.sine ? std::sin(angle) : std::cos(angle));
      }
    }
  });
}

void CpuBackend::adam(Tensor p, Tensor g, Tensor m, Tensor v, const AdamStep& s) {
  const double t = static_cast<double>(s.step);
  AdamRange all{vector_of(p, "p"), vector_of(m, "m"), vector_of(v, "v"), vector_of(g, "g"), p.size()};
  all.rate = static_cast<float>(s.lr / (1 - std::pow(s.beta1, t)));
  all.beta1 = static_cast<float>(s.beta1);
  all.beta2 = static_cast<float>(s.beta2);
  all.rest1 = static_cast<float>(1 - s.beta1);
  all.rest2 = static_cast<float>(1 - s.beta2);
  all.eps = static_cast<float>(s.eps);
  all.v_scale = static_cast<float>(1 / (1 - std::pow(s.beta2, t)));
  all.grad_scale = static_cast<float>(s.grad_scale);
  all.decay = static_cast<float>(s.lr * s.weight_decay);
  in_chunks(all.n, kChunk, [&](int64_t from, int64_t count) {
    AdamRange here = all;
    here.p += from;
    here.m += from;
    here.v += from;
    here.g += from;
    here.n = count;
    k_.adam(here);
  });
}

double CpuBackend::sum_of_squares(Tensor x) {
  const float* p = vector_of(x, "x");
  const int64_t n = x.size(), chunks = (n + kChunk - 1) / kChunk;
  auto* sums = reinterpret_cast<double*>(thread_scratch(Slot::partial, 2 * chunks));
  in_chunks(n, kChunk, [&](int64_t from, int64_t count) { sums[from / kChunk] = k_.sum_of_squares(p + from, count); });
  double total = 0;
  for (int64_t i = 0; i < chunks; ++i) total += sums[i];
  return total;
}

}  // namespace hexapla::cpu
