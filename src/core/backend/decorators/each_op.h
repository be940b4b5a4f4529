#pragma once
// Every op as a value, so that a backend that treats all ops alike is written once for any op. Here alone is said which
// tensors an op reads and sets.
#include <functional>
#include <initializer_list>

#include "backend/backend.h"

namespace hexapla {

// A tensor of an op.
struct OpTensor {
  Tensor* tensor = nullptr;      // null: it was not given, or the op does not look at it
  bool read = false;             // the op uses the numbers that it holds before
  const char* output = nullptr;  // its name in backend.h if it holds a result after; null: it holds none
  bool log_zero = false;         // -inf is a valid result: of a row that sees no key, of a column that does not exist
};

struct Op {
  const char* name;  // in backend.h: "linear"
  // All of its tensors in the device's memory, results in the order of its parameters.
  std::initializer_list<OpTensor> tensors;
};

// Calls run() for every op. If one is missing here, the backends derived from it do not compile.
class EachOp : public Backend {
 public:
  void fill(Tensor x, double value) override {
    op("fill", {set("x", x)}, [&](Backend& to) { to.fill(x, value); });
  }
  void add(Tensor a, Tensor b, Tensor y) override {
    op("add", {read(a), read(b), set("y", y)}, [&](Backend& to) { to.add(a, b, y); });
  }
  void combine(double a, Tensor x, double b, Tensor y) override {
    op("combine", {read(x), b == 0 ? set("y", y) : changed("y", y)}, [&](Backend& to) { to.combine(a, x, b, y); });
  }
  void multiply(Tensor a, Tensor b, Tensor y) override {
    op("multiply", {read(a), read(b), set("y", y)}, [&](Backend& to) { to.multiply(a, b, y); });
  }
  void activate(Activation f, Tensor x, Tensor y) override {
    op("activate", {read(x), set("y", y)}, [&](Backend& to) { to.activate(f, x, y); });
  }
  void activate_backward(Activation f, Tensor x, Tensor dy, Tensor dx) override {
    op("activate_backward", {read(x), read(dy), set("dx", dx)},
       [&](Backend& to) { to.activate_backward(f, x, dy, dx); });
  }
  void dropout(Tensor x, DropoutMask mask, Tensor y) override {
    op("dropout", {read(x), set("y", y)}, [&](Backend& to) { to.dropout(x, mask, y); });
  }
  void activate_dropped(Activation f, Tensor x, DropoutMask mask, Tensor y) override {
    op("activate_dropped", {read(x), set("y", y)}, [&](Backend& to) { to.activate_dropped(f, x, mask, y); });
  }
  void activate_dropped_backward(Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx) override {
    op("activate_dropped_backward", {read(x), read(dy), set("dx", dx)},
       [&](Backend& to) { to.activate_dropped_backward(f, x, dy, mask, dx); });
  }

  void linear(Tensor x, const Weight& weight, Tensor b, Tensor y) override {
    Weight w = weight;
    op("linear", {read(x), read(w), read(b), set("y", y)}, [&](Backend& to) { to.linear(x, w, b, y); });
  }
  void linear_selected(Tensor x, const OutputTable& table, const ColumnLists& lists, Tensor y) override {
    OutputTable t = table;
    const OpTensor factors = t.integers ? OpTensor() : read(t.w.values);  // even if there is a packed copy
    op("linear_selected", {read(x), factors, used(t.integers), used(t.scales), read(t.bias), set_log("y", y)},
       [&](Backend& to) { to.linear_selected(x, t, lists, y); });
  }
  void linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) override {
    op("linear_backward_input", {read(dy), read(w), how == Write::set ? set("dx", dx) : changed("dx", dx)},
       [&](Backend& to) { to.linear_backward_input(dy, w, dx, how); });
  }
  void linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) override {
    op("linear_backward_weight", {read(x), read(dy), changed("dw", dw), changed("db", db)},
       [&](Backend& to) { to.linear_backward_weight(x, dy, dw, db); });
  }

  void add_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                Tensor rstd) override {
    op("add_norm", {read(x), read(r), read(gain), read(bias), set("y", y), set("normed", normed), set("rstd", rstd)},
       [&](Backend& to) { to.add_norm(x, r, gain, bias, eps, y, normed, rstd); });
  }
  void add_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) override {
    op("add_norm_backward",
       {read(normed), read(rstd), read(gain), changed("d", d), changed("dgain", dgain), changed("dbias", dbias)},
       [&](Backend& to) { to.add_norm_backward(normed, rstd, gain, d, dgain, dbias); });
  }
  void add_norm_dropped(Tensor x, Tensor r, DropoutMask mask, Tensor gain, Tensor bias, double eps, Tensor y,
                        Tensor normed, Tensor rstd) override {
    op("add_norm_dropped",
       {read(x), read(r), read(gain), read(bias), set("y", y), set("normed", normed), set("rstd", rstd)},
       [&](Backend& to) { to.add_norm_dropped(x, r, mask, gain, bias, eps, y, normed, rstd); });
  }
  void add_norm_dropped_backward(Tensor normed, Tensor rstd, Tensor gain, DropoutMask mask, Tensor d, Tensor dr,
                                 Tensor dgain, Tensor dbias) override {
    op("add_norm_dropped_backward",
       {read(normed), read(rstd), read(gain), changed("d", d), set("dr", dr), changed("dgain", dgain),
        changed("dbias", dbias)},
       [&](Backend& to) { to.add_norm_dropped_backward(normed, rstd, gain, mask, d, dr, dgain, dbias); });
  }
  void batch_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed, Tensor rstd,
                  Tensor mean, Tensor variance) override {
    op("batch_norm",
       {read(x), read(r), read(gain), read(bias), set("y", y), set("normed", normed), set("rstd", rstd),
        set("mean", mean), set("variance", variance)},
       [&](Backend& to) { to.batch_norm(x, r, gain, bias, eps, y, normed, rstd, mean, variance); });
  }
  void batch_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) override {
    op("batch_norm_backward",
       {read(normed), read(rstd), read(gain), changed("d", d), changed("dgain", dgain), changed("dbias", dbias)},
       [&](Backend& to) { to.batch_norm_backward(normed, rstd, gain, d, dgain, dbias); });
  }
  void batch_norm_inference(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor mean, Tensor variance,
                            Tensor y) override {
    op("batch_norm_inference", {read(x), read(r), read(gain), read(bias), read(mean), read(variance), set("y", y)},
       [&](Backend& to) { to.batch_norm_inference(x, r, gain, bias, eps, mean, variance, y); });
  }

  void embed(Tensor table, Tensor ids, double scale, Write how, Tensor y) override {
    op("embed", {read(table), used(ids), how == Write::set ? set("y", y) : changed("y", y)},
       [&](Backend& to) { to.embed(table, ids, scale, how, y); });
  }
  void embed_backward(Tensor dy, Tensor ids, double scale, Tensor dtable) override {
    op("embed_backward", {read(dy), used(ids), changed("dtable", dtable)},
       [&](Backend& to) { to.embed_backward(dy, ids, scale, dtable); });
  }
  void put_rows(Tensor x, Tensor ids, Tensor y) override {  // the other rows of y may hold anything
    op("put_rows", {read(x), used(ids), used(y)}, [&](Backend& to) { to.put_rows(x, ids, y); });
  }
  void sinusoids(Sinusoids kind, Tensor table) override {
    op("sinusoids", {set("table", table)}, [&](Backend& to) { to.sinusoids(kind, table); });
  }

  void attention(const AttentionInput& input, Tensor out, Tensor lse) override {
    AttentionInput a = input;
    op("attention", {read(a.q), read(a.k), read(a.v), used(a.mask), set("out", out), set_log("lse", lse)},
       [&](Backend& to) { to.attention(a, out, lse); });
  }
  void attention_backward(const AttentionInput& input, Tensor out, Tensor lse, Tensor d_out, Tensor dq, Tensor dk,
                          Tensor dv) override {
    AttentionInput a = input;
    op("attention_backward",
       {read(a.q), read(a.k), read(a.v), used(a.mask), read(out), used(lse), read(d_out), set("dq", dq), set("dk", dk),
        set("dv", dv)},
       [&](Backend& to) { to.attention_backward(a, out, lse, d_out, dq, dk, dv); });
  }
  void additive_attention(const AttentionInput& input, Tensor out, Tensor lse) override {
    AttentionInput a = input;
    op("additive_attention",
       {read(a.q), read(a.k), read(a.v), used(a.mask), read(a.additive), set("out", out), set_log("lse", lse)},
       [&](Backend& to) { to.additive_attention(a, out, lse); });
  }
  void additive_attention_backward(const AttentionInput& input, Tensor out, Tensor lse, Tensor d_out, Tensor dq,
                                   Tensor dk, Tensor dv, Tensor dw) override {
    AttentionInput a = input;
    op("additive_attention_backward",
       {read(a.q), read(a.k), read(a.v), used(a.mask), read(a.additive), read(out), used(lse), read(d_out),
        set("dq", dq), set("dk", dk), set("dv", dv), changed("dw", dw)},
       [&](Backend& to) { to.additive_attention_backward(a, out, lse, d_out, dq, dk, dv, dw); });
  }
  // Only some rows of k and v are read, and the others may hold anything.
  void attention_step(Tensor q, Tensor k, Tensor v, Tensor index, Tensor lengths, double scale, Tensor out) override {
    op("attention_step", {read(q), used(k), used(v), used(index), used(lengths), set("out", out)},
       [&](Backend& to) { to.attention_step(q, k, v, index, lengths, scale, out); });
  }
  void additive_attention_step(Tensor q, Tensor k, Tensor v, Tensor w, Tensor index, Tensor lengths,
                               Tensor out) override {
    op("additive_attention_step", {read(q), used(k), used(v), read(w), used(index), used(lengths), set("out", out)},
       [&](Backend& to) { to.additive_attention_step(q, k, v, w, index, lengths, out); });
  }
  void alignment_loss(const AlignmentInput& input, Tensor loss) override {
    AlignmentInput a = input;
    op("alignment_loss", {read(a.q), read(a.k), set("loss", loss)}, [&](Backend& to) { to.alignment_loss(a, loss); });
  }
  void alignment_loss_backward(const AlignmentInput& input, double scale, Tensor dq, Tensor dk) override {
    AlignmentInput a = input;
    op("alignment_loss_backward", {read(a.q), read(a.k), changed("dq", dq), changed("dk", dk)},
       [&](Backend& to) { to.alignment_loss_backward(a, scale, dq, dk); });
  }

  void cross_entropy(const LossInput& input, Tensor tile, Tensor loss, Tensor nll) override {
    LossInput in = input;
    op("cross_entropy",
       {read(in.x), read(in.w), read(in.b), used(in.labels), used(tile), set("loss", loss), set("nll", nll)},
       [&](Backend& to) { to.cross_entropy(in, tile, loss, nll); });
  }
  void cross_entropy_with_gradient(const LossInput& input, Tensor tile, Tensor loss, Tensor nll, Tensor dx, Tensor dw,
                                   Tensor db) override {
    LossInput in = input;
    op("cross_entropy_with_gradient",
       {read(in.x), read(in.w), read(in.b), used(in.labels), used(tile), set("loss", loss), set("nll", nll),
        set("dx", dx), changed("dw", dw), changed("db", db)},
       [&](Backend& to) { to.cross_entropy_with_gradient(in, tile, loss, nll, dx, dw, db); });
  }
  void log_softmax(Tensor x, Tensor y) override {
    op("log_softmax", {read(x), set("y", y)}, [&](Backend& to) { to.log_softmax(x, y); });
  }
  void log_softmax_top(Tensor x, int64_t k, Tensor scores, Tensor ids) override {
    op("log_softmax_top", {read(x), set("scores", scores), used(ids)},
       [&](Backend& to) { to.log_softmax_top(x, k, scores, ids); });
  }
  void adam(Tensor p, Tensor g, Tensor m, Tensor v, const AdamStep& step) override {
    op("adam", {changed("p", p), read(g), changed("m", m), changed("v", v)},
       [&](Backend& to) { to.adam(p, g, m, v, step); });
  }
  double sum_of_squares(Tensor x) override {
    double sum = 0;
    op("sum_of_squares", {read(x)}, [&](Backend& to) { sum = to.sum_of_squares(x); });
    return sum;
  }

 protected:
  // Calls the op of another backend with the tensors as they are then.
  using Compute = std::function<void(Backend& to)>;
  // May change the tensors before it computes: they are copies that this call owns. Without computing, a number that
  // the op returns is 0.
  virtual void run(const Op& op, const Compute& compute) = 0;

 private:
  static OpTensor read(Tensor& t) { return {.tensor = t ? &t : nullptr, .read = true}; }
  static OpTensor read(Weight& w) { return w.packed ? OpTensor() : read(w.values); }
  static OpTensor set(const char* name, Tensor& t) { return {.tensor = t ? &t : nullptr, .output = name}; }
  static OpTensor changed(const char* name, Tensor& t) {
    return {.tensor = t ? &t : nullptr, .read = true, .output = name};
  }
  static OpTensor set_log(const char* name, Tensor& t) {
    return {.tensor = t ? &t : nullptr, .output = name, .log_zero = true};
  }
  // Not looked at as numbers: ids, lengths, scratch, masks of -inf, rows that may hold anything.
  static OpTensor used(Tensor& t) { return {.tensor = t ? &t : nullptr}; }

  template <class F>
  void op(const char* name, std::initializer_list<OpTensor> tensors, const F& compute) {
    run({name, tensors}, std::cref(compute));  // by reference: no memory is allocated
  }
};

// A backend around another one, which outlives it. All but ops and name is passed on.
class Decorator : public EachOp {
 public:
  explicit Decorator(Backend& inner) : inner_(inner) {}
  bool supports(DType t) const override { return inner_.supports(t); }
  bool host_memory() const override { return inner_.host_memory(); }
  Pages allocate(size_t bytes) override { return inner_.allocate(bytes); }
  void copy_to_device(const void* host, void* device, size_t bytes) override {
    inner_.copy_to_device(host, device, bytes);
  }
  void copy_to_host(const void* device, void* host, size_t bytes) override { inner_.copy_to_host(device, host, bytes); }
  std::unique_ptr<PackedWeight> pack(Tensor w) override { return inner_.pack(w); }
  std::unique_ptr<PackedWeight> pack_quantized(Tensor integers, Tensor scales) override {
    return inner_.pack_quantized(integers, scales);
  }

 protected:
  Backend& inner_;
};

}  // namespace hexapla
