#include "backend/decorators/value_checker.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/on_host.h"
#include "base/scope.h"

namespace hexapla {
namespace {

template <class T>
void look_at(const T* x, const Shape& shape, const std::array<int64_t, Shape::kMaxRank>& strides, int dimension,
             Extremes& e) {
  if (dimension == Shape::kMaxRank || dimension == shape.rank()) {
    ++e.values;
    if (std::isnan(*x))
      ++e.nan;
    else if (std::isinf(*x))
      ++e.infinite;
    else
      e.largest = std::max(e.largest, std::fabs(static_cast<double>(*x)));
    return;
  }
  for (int64_t i = 0; i < shape[dimension]; ++i) look_at(x + i * strides[dimension], shape, strides, dimension + 1, e);
}

struct Named {
  const char* name;
  Tensor tensor;
  bool log_zero = false;  // the contract allows -inf: a row that sees no key, a column that does not exist
};

template <class T>
int64_t log_zeros(Tensor x) {
  const auto v = x.values<T>();
  return std::count(v.begin(), v.end(), -std::numeric_limits<T>::infinity());
}

// Counts -inf as finite.
Extremes without_log_zeros(Tensor x) {
  Extremes e = extremes_of(x);
  e.infinite -= x.dtype == DType::f64 ? log_zeros<double>(x) : log_zeros<float>(x);
  return e;
}

// A packed weight need not have values.
Tensor numbers_of(const Weight& w) { return w.packed ? Tensor() : w.values; }

class ValueChecker final : public Backend {
 public:
  ValueChecker(Backend& inner, std::function<void(const OpOutput&)> seen) : inner_(inner), seen_(std::move(seen)) {}
  std::string name() const override { return inner_.name() + ", checked"; }
  bool supports(DType t) const override { return inner_.supports(t); }
  bool host_memory() const override { return inner_.host_memory(); }
  Pages allocate(size_t bytes) override { return inner_.allocate(bytes); }
  void copy_to_device(const void* host, void* device, size_t bytes) override {
    inner_.copy_to_device(host, device, bytes);
  }
  void copy_to_host(const void* device, void* host, size_t bytes) override { inner_.copy_to_host(device, host, bytes); }

  void fill(Tensor x, double value) override {
    check("fill", {}, {{"x", x}}, [&] { inner_.fill(x, value); });
  }
  void add(Tensor a, Tensor b, Tensor y) override {
    check("add", {a, b}, {{"y", y}}, [&] { inner_.add(a, b, y); });
  }
  void combine(double a, Tensor x, double b, Tensor y) override {
    check("combine", b == 0 ? std::vector{x} : std::vector{x, y}, {{"y", y}}, [&] { inner_.combine(a, x, b, y); });
  }
  void multiply(Tensor a, Tensor b, Tensor y) override {
    check("multiply", {a, b}, {{"y", y}}, [&] { inner_.multiply(a, b, y); });
  }
  void activate(Activation f, Tensor x, Tensor y) override {
    check("activate", {x}, {{"y", y}}, [&] { inner_.activate(f, x, y); });
  }
  void activate_backward(Activation f, Tensor x, Tensor dy, Tensor dx) override {
    check("activate_backward", {x, dy}, {{"dx", dx}}, [&] { inner_.activate_backward(f, x, dy, dx); });
  }
  void dropout(Tensor x, DropoutMask mask, Tensor y) override {
    check("dropout", {x}, {{"y", y}}, [&] { inner_.dropout(x, mask, y); });
  }
  void activate_dropped(Activation f, Tensor x, DropoutMask mask, Tensor y) override {
    check("activate_dropped", {x}, {{"y", y}}, [&] { inner_.activate_dropped(f, x, mask, y); });
  }
  void activate_dropped_backward(Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx) override {
    check("activate_dropped_backward", {x, dy}, {{"dx", dx}},
          [&] { inner_.activate_dropped_backward(f, x, dy, mask, dx); });
  }

  std::unique_ptr<PackedWeight> pack(Tensor w) override { return inner_.pack(w); }
  std::unique_ptr<PackedWeight> pack_quantized(Tensor integers, Tensor scales) override {
    return inner_.pack_quantized(integers, scales);
  }
  void linear(Tensor x, const Weight& w, Tensor b, Tensor y) override {
    check("linear", {x, numbers_of(w), b}, {{"y", y}}, [&] { inner_.linear(x, w, b, y); });
  }
  void linear_selected(Tensor x, const OutputTable& table, const ColumnLists& lists, Tensor y) override {
    check("linear_selected", {x, table.integers ? Tensor() : table.w.values, table.bias},
          {{.name = "y", .tensor = y, .log_zero = true}}, [&] { inner_.linear_selected(x, table, lists, y); });
  }
  void linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) override {
    check("linear_backward_input", how == Write::add ? std::vector{dy, w, dx} : std::vector{dy, w}, {{"dx", dx}},
          [&] { inner_.linear_backward_input(dy, w, dx, how); });
  }
  void linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) override {
    check("linear_backward_weight", {x, dy, dw, db}, {{"dw", dw}, {"db", db}},
          [&] { inner_.linear_backward_weight(x, dy, dw, db); });
  }

  void add_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                Tensor rstd) override {
    check("add_norm", {x, r, gain, bias}, {{"y", y}, {"normed", normed}, {"rstd", rstd}},
          [&] { inner_.add_norm(x, r, gain, bias, eps, y, normed, rstd); });
  }
  void add_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) override {
    check("add_norm_backward", {normed, rstd, gain, d, dgain, dbias}, {{"d", d}, {"dgain", dgain}, {"dbias", dbias}},
          [&] { inner_.add_norm_backward(normed, rstd, gain, d, dgain, dbias); });
  }
  void add_norm_dropped(Tensor x, Tensor r, DropoutMask mask, Tensor gain, Tensor bias, double eps, Tensor y,
                        Tensor normed, Tensor rstd) override {
    check("add_norm_dropped", {x, r, gain, bias}, {{"y", y}, {"normed", normed}, {"rstd", rstd}},
          [&] { inner_.add_norm_dropped(x, r, mask, gain, bias, eps, y, normed, rstd); });
  }
  void add_norm_dropped_backward(Tensor normed, Tensor rstd, Tensor gain, DropoutMask mask, Tensor d, Tensor dr,
                                 Tensor dgain, Tensor dbias) override {
    check("add_norm_dropped_backward", {normed, rstd, gain, d, dgain, dbias},
          {{"d", d}, {"dr", dr}, {"dgain", dgain}, {"dbias", dbias}},
          [&] { inner_.add_norm_dropped_backward(normed, rstd, gain, mask, d, dr, dgain, dbias); });
  }
  void batch_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed, Tensor rstd,
                  Tensor mean, Tensor variance) override {
    check("batch_norm", {x, r, gain, bias},
          {{"y", y}, {"normed", normed}, {"rstd", rstd}, {"mean", mean}, {"variance", variance}},
          [&] { inner_.batch_norm(x, r, gain, bias, eps, y, normed, rstd, mean, variance); });
  }
  void batch_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) override {
    check("batch_norm_backward", {normed, rstd, gain, d, dgain, dbias}, {{"d", d}, {"dgain", dgain}, {"dbias", dbias}},
          [&] { inner_.batch_norm_backward(normed, rstd, gain, d, dgain, dbias); });
  }
  void batch_norm_inference(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor mean, Tensor variance,
                            Tensor y) override {
    check("batch_norm_inference", {x, r, gain, bias, mean, variance}, {{"y", y}},
          [&] { inner_.batch_norm_inference(x, r, gain, bias, eps, mean, variance, y); });
  }

  void embed(Tensor table, Tensor ids, double scale, Write how, Tensor y) override {
    check("embed", how == Write::add ? std::vector{table, y} : std::vector{table}, {{"y", y}},
          [&] { inner_.embed(table, ids, scale, how, y); });
  }
  void embed_backward(Tensor dy, Tensor ids, double scale, Tensor dtable) override {
    check("embed_backward", {dy, dtable}, {{"dtable", dtable}}, [&] { inner_.embed_backward(dy, ids, scale, dtable); });
  }
  void put_rows(Tensor x, Tensor ids, Tensor y) override {
    check("put_rows", {x}, {}, [&] { inner_.put_rows(x, ids, y); });  // the other rows of y may hold anything
  }
  void sinusoids(Sinusoids kind, Tensor table) override {
    check("sinusoids", {}, {{"table", table}}, [&] { inner_.sinusoids(kind, table); });
  }

  void attention(const AttentionInput& a, Tensor out, Tensor lse) override {
    check("attention", {a.q, a.k, a.v}, {{"out", out}, {"lse", lse, true}}, [&] { inner_.attention(a, out, lse); });
  }
  void attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq, Tensor dk,
                          Tensor dv) override {
    check("attention_backward", {a.q, a.k, a.v, out, d_out}, {{"dq", dq}, {"dk", dk}, {"dv", dv}},
          [&] { inner_.attention_backward(a, out, lse, d_out, dq, dk, dv); });
  }
  void additive_attention(const AttentionInput& a, Tensor out, Tensor lse) override {
    check("additive_attention", {a.q, a.k, a.v, a.additive}, {{"out", out}, {"lse", lse, true}},
          [&] { inner_.additive_attention(a, out, lse); });
  }
  void additive_attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq, Tensor dk,
                                   Tensor dv, Tensor dw) override {
    check("additive_attention_backward", {a.q, a.k, a.v, a.additive, out, d_out, dw},
          {{"dq", dq}, {"dk", dk}, {"dv", dv}, {"dw", dw}},
          [&] { inner_.additive_attention_backward(a, out, lse, d_out, dq, dk, dv, dw); });
  }
  void alignment_loss(const AlignmentInput& a, Tensor loss) override {
    check("alignment_loss", {a.q, a.k}, {{"loss", loss}}, [&] { inner_.alignment_loss(a, loss); });
  }
  void alignment_loss_backward(const AlignmentInput& a, double scale, Tensor dq, Tensor dk) override {
    check("alignment_loss_backward", {a.q, a.k, dq, dk}, {{"dq", dq}, {"dk", dk}},
          [&] { inner_.alignment_loss_backward(a, scale, dq, dk); });
  }
  void attention_step(Tensor q, Tensor k, Tensor v, Tensor index, Tensor lengths, double scale, Tensor out) override {
    check("attention_step", {q}, {{"out", out}}, [&] { inner_.attention_step(q, k, v, index, lengths, scale, out); });
  }
  void additive_attention_step(Tensor q, Tensor k, Tensor v, Tensor w, Tensor index, Tensor lengths,
                               Tensor out) override {
    check("additive_attention_step", {q, w}, {{"out", out}},
          [&] { inner_.additive_attention_step(q, k, v, w, index, lengths, out); });
  }

  void cross_entropy(const LossInput& in, Tensor tile, Tensor loss, Tensor nll) override {
    check("cross_entropy", {in.x, numbers_of(in.w), in.b}, {{"loss", loss}, {"nll", nll}},
          [&] { inner_.cross_entropy(in, tile, loss, nll); });
  }
  void cross_entropy_with_gradient(const LossInput& in, Tensor tile, Tensor loss, Tensor nll, Tensor dx, Tensor dw,
                                   Tensor db) override {
    check("cross_entropy_with_gradient", {in.x, numbers_of(in.w), in.b, dw, db},
          {{"loss", loss}, {"nll", nll}, {"dx", dx}, {"dw", dw}, {"db", db}},
          [&] { inner_.cross_entropy_with_gradient(in, tile, loss, nll, dx, dw, db); });
  }
  void log_softmax(Tensor x, Tensor y) override {
    check("log_softmax", {x}, {{"y", y}}, [&] { inner_.log_softmax(x, y); });
  }
  void log_softmax_top(Tensor x, int64_t k, Tensor scores, Tensor ids) override {
    check("log_softmax_top", {x}, {{"scores", scores}}, [&] { inner_.log_softmax_top(x, k, scores, ids); });
  }
  void adam(Tensor p, Tensor g, Tensor m, Tensor v, const AdamStep& step) override {
    check("adam", {p, g, m, v}, {{"p", p}, {"m", m}, {"v", v}}, [&] { inner_.adam(p, g, m, v, step); });
  }
  double sum_of_squares(Tensor x) override { return inner_.sum_of_squares(x); }

 private:
  template <class Call>
  void check(const char* op, const std::vector<Tensor>& inputs, const std::vector<Named>& outputs, Call&& call) {
    Extremes before;
    for (const Tensor& t : inputs) {
      if (!t) continue;
      const Extremes e = extremes_of(OnHost(inner_, t));
      before = {before.values + e.values, before.nan + e.nan, before.infinite + e.infinite,
                std::max(before.largest, e.largest)};
    }
    call();
    for (const Named& n : outputs) {
      if (!n.tensor) continue;
      const OnHost here(inner_, n.tensor);
      seen_({Scope::path(), op, n.name, n.tensor.shape, n.log_zero ? without_log_zeros(here) : extremes_of(here),
             before});
    }
  }

  Backend& inner_;
  std::function<void(const OpOutput&)> seen_;
};

}  // namespace

Extremes extremes_of(Tensor x) {
  Extremes e;
  if (x.dtype == DType::f32) look_at(x.data<float>(), x.shape, x.strides, 0, e);
  if (x.dtype == DType::f64) look_at(x.data<double>(), x.shape, x.strides, 0, e);
  return e;
}

std::unique_ptr<Backend> make_value_checker(Backend& inner, std::function<void(const OpOutput&)> seen) {
  return std::make_unique<ValueChecker>(inner, std::move(seen));
}

}  // namespace hexapla
