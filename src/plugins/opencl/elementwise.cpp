// Element-wise calls and row lookups.
#include <algorithm>

#include "opencl/opencl_backend.h"

namespace hexapla::opencl {
namespace {

// Matrices of one shape; as one long row if none has gaps.
template <class... T>
std::array<Matrix, sizeof...(T)> alike(const T&... tensors) {
  std::array<Matrix, sizeof...(T)> all{matrix(tensors, "an operand")...};
  if ((tensors.contiguous() && ...))
    for (Matrix& m : all) m = {m.values, 1, m.values.size(), m.values.size()};
  return all;
}

int64_t groups_of(const Matrix& m) { return element_groups(m.rows, m.width); }

}  // namespace

void OpenclBackend::fill(Tensor x, double value) {
  const auto [all] = alike(x);
  queue_.launch("fill", x.dtype, groups_of(all), all, all.width, value);
}

void OpenclBackend::add(Tensor a, Tensor b, Tensor y) {
  const auto [first, second, sum] = alike(a, b, y);
  queue_.launch("add", y.dtype, groups_of(sum), first, second, sum, sum.width);
}

void OpenclBackend::multiply(Tensor a, Tensor b, Tensor y) {
  const auto [first, second, product] = alike(a, b, y);
  queue_.launch("multiply", y.dtype, groups_of(product), first, second, product, product.width);
}

void OpenclBackend::combine(double a, Tensor x, double b, Tensor y) {
  const auto [in, out] = alike(x, y);
  queue_.launch("combine", y.dtype, groups_of(out), in, out, out.width, a, b);
}

void OpenclBackend::activate(Activation f, Tensor x, Tensor y) {
  const auto [in, out] = alike(x, y);
  queue_.launch("activate", y.dtype, groups_of(out), in, out, out.width, static_cast<int>(f), DropoutMask());
}

void OpenclBackend::activate_backward(Activation f, Tensor x, Tensor dy, Tensor dx) {
  const auto [in, above, out] = alike(x, dy, dx);
  queue_.launch("activate_backward", dx.dtype, groups_of(out), in, above, out, out.width, static_cast<int>(f),
                DropoutMask());
}

// A mask depends on rows and columns.
void OpenclBackend::dropout(Tensor x, DropoutMask mask, Tensor y) {
  const Matrix in = matrix(x, "x"), out = matrix(y, "y");
  queue_.launch("dropout", y.dtype, groups_of(out), in, out, out.width, mask);
}

void OpenclBackend::activate_dropped(Activation f, Tensor x, DropoutMask mask, Tensor y) {
  const Matrix in = matrix(x, "x"), out = matrix(y, "y");
  queue_.launch("activate", y.dtype, groups_of(out), in, out, out.width, static_cast<int>(f), mask);
}

void OpenclBackend::activate_dropped_backward(Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx) {
  const Matrix in = matrix(x, "x"), above = matrix(dy, "dy"), out = matrix(dx, "dx");
  queue_.launch("activate_backward", dx.dtype, groups_of(out), in, above, out, out.width, static_cast<int>(f), mask);
}

void OpenclBackend::embed(Tensor table, Tensor ids, double scale, Write how, Tensor y) {
  const Matrix out = matrix(y, "y");
  queue_.launch("embed", y.dtype, groups_of(out), matrix(table, "table"), ids, out, out.width, scale,
                how == Write::add);
}

void OpenclBackend::embed_backward(Tensor dy, Tensor ids, double scale, Tensor dtable) {
  const Matrix d = matrix(dy, "dy");
  queue_.launch("embed_backward", dy.dtype, d.rows, d, ids, matrix(dtable, "dtable"), d.rows, d.width, scale);
}

void OpenclBackend::put_rows(Tensor x, Tensor ids, Tensor y) {
  const Matrix in = matrix(x, "x");
  queue_.launch("put_rows", x.dtype, groups_of(in), in, ids, matrix(y, "y"), in.width);
}

// Made by the host: a table is made once, and needs f64.
void OpenclBackend::sinusoids(Sinusoids kind, Tensor table) {
  HEXAPLA_CHECK(table.contiguous(), "a table of positions ", table.shape, " has gaps");
  const int64_t width = table.shape[1];
  std::vector<double> all(static_cast<size_t>(table.size()));
  for (int64_t j = 0; j < width; ++j) {
    const Wave wave = wave_of(kind, j, width);
    for (int64_t p = 0; p < table.shape[0]; ++p) {
      const double angle = static_cast<double>(p) / wave.divisor;
      all[static_cast<size_t>(p * width + j)] = wave.sine ? std::sin(angle) : std::cos(angle);
    }
  }
  if (table.dtype == DType::f64) return queue_.write(all.data(), table.bytes, all.size() * sizeof(double));
  std::vector<float> rounded(all.size());
  std::transform(all.begin(), all.end(), rounded.begin(), [](double x) { return static_cast<float>(x); });
  queue_.write(rounded.data(), table.bytes, rounded.size() * sizeof(float));
}

void OpenclBackend::adam(Tensor p, Tensor g, Tensor m, Tensor v, const AdamStep& s) {
  for (const Tensor& t : {p, g, m, v}) HEXAPLA_CHECK(t.contiguous(), "a slab ", t.shape, " has gaps");
  const auto step = static_cast<double>(s.step);
  queue_.launch("adam", p.dtype, element_groups(1, p.size()), p, g, m, v, p.size(), s.lr, s.beta1, 1 - s.beta1, s.beta2,
                1 - s.beta2, s.eps, 1 - std::pow(s.beta1, step), 1 - std::pow(s.beta2, step), s.grad_scale,
                1 - s.lr * s.weight_decay);
}

double OpenclBackend::sum_of_squares(Tensor x) {
  constexpr int64_t of_a_group = 4096;  // kernels/optimizer.cl
  HEXAPLA_CHECK(x.contiguous(), "a slab ", x.shape, " has gaps");
  const int64_t groups = (x.size() + of_a_group - 1) / of_a_group;
  if (groups == 0) return 0;
  const std::lock_guard lock(queue_.mutex());
  const size_t bytes = static_cast<size_t>(groups) * size_of(x.dtype);
  const cl_mem sums = queue_.scratch(bytes).get();
  queue_.launch("sum_of_squares", x.dtype, groups, x, Scratch{sums}, x.size());
  std::vector<std::byte> host(bytes);
  queue_.read(sums, host.data(), bytes);
  double all = 0;
  for (int64_t i = 0; i < groups; ++i)
    all += x.dtype == DType::f64 ? reinterpret_cast<const double*>(host.data())[i]
                                 : static_cast<double>(reinterpret_cast<const float*>(host.data())[i]);
  return all;
}

}  // namespace hexapla::opencl
