#include "ops/ops.h"

#include "backend/on_host.h"
#include "ops/rows.h"

namespace hexapla {
namespace {
void check_matrix(const char* op, const char* what, Tensor x) {
  HEXAPLA_CHECK(x.shape.rank() == 2, op, ": ", what, " must be a matrix, but is ", x.shape);
}
void check_vector(const char* op, const char* what, Tensor x, int64_t n) {
  HEXAPLA_CHECK(x.shape == Shape{n}, op, ": ", what, " must be ", Shape{n}, ", but is ", x.shape);
}
void check_like(const char* op, const char* what, Tensor x, Tensor like) {
  HEXAPLA_CHECK(x.shape == like.shape, op, ": ", what, " ", x.shape, " must have the shape ", like.shape);
}
void check_weight(const char* op, const Weight& w) {
  check_matrix(op, "the weight", w.values);
  HEXAPLA_CHECK(!w.packed || w.packed->shape() == w.shape(), op, ": the packed copy is of a weight ", w.packed->shape(),
                ", but the weight is ", w.shape());
}

void check_linear(Tensor x, const Weight& w, Tensor b) {
  check_matrix("linear", "x", x);
  check_weight("linear", w);
  const int64_t in = w.shape()[0], out = w.shape()[1];
  HEXAPLA_CHECK(x.shape[1] == in, "linear: x ", x.shape, " has ", x.shape[1], " features, but the weight ", w.shape(),
                " takes ", in);
  if (b) check_vector("linear", "the bias", b, out);
}

Normalized allocate_norm(Context& cx, Tensor x, Tensor r, const NormWeights& w) {
  check_matrix("add_norm", "x", x);
  if (r) check_like("add_norm", "the residual", r, x);
  check_vector("add_norm", "the gain", w.gain, x.shape[1]);
  check_vector("add_norm", "the bias", w.bias, x.shape[1]);
  return {cx.keep(x.shape), cx.keep(x.shape), cx.keep({x.shape[0]})};
}

// Reading ids back from a device would wait for all its work; model::Transformer checks those that it sends there.
void check_ids(Context& cx, const char* op, Tensor table, Tensor ids) {
  check_matrix(op, "the table", table);
  if (!cx.backend.host_memory()) return;
  for (int32_t id : ids.values<int32_t>())
    HEXAPLA_CHECK(id >= 0 && id < table.shape[0], op, ": id ", id, " lies outside the table of ", table.shape[0],
                  " rows");
}

// Rows of logits at a time: with a vocabulary of 10,000 they fit into the L2 cache.
constexpr int64_t kLossTile = 128;

Tensor loss_tile(Context& cx, const LossInput& in) {
  return cx.scratch({std::min<int64_t>(in.x.shape[0], kLossTile), in.w.shape()[1]});
}

void check_loss(Context& cx, const LossInput& in) {
  auto [n, d] = in.x.dims<2>("cross_entropy: x");
  check_weight("cross_entropy", in.w);
  HEXAPLA_CHECK(d == in.w.shape()[0], "cross_entropy: x ", in.x.shape, " does not fit the weight ", in.w.shape());
  check_vector("cross_entropy", "the labels", in.labels, n);
  if (!cx.backend.host_memory()) return;
  for (int32_t label : in.labels.values<int32_t>())
    HEXAPLA_CHECK(label >= 0 && label < in.w.shape()[1], "cross_entropy: label ", label, " is not one of the ",
                  in.w.shape()[1], " classes");
}

}  // namespace

Tensor linear(Context& cx, Tensor x, const Weight& w, Tensor b) {
  check_linear(x, w, b);
  Tensor y = cx.keep({x.shape[0], w.shape()[1]});
  cx.backend.linear(x, w, b, y);
  return y;
}

void linear(Context& cx, Tensor x, const Weight& w, Tensor b, Tensor y) {
  check_linear(x, w, b);
  HEXAPLA_CHECK(y.shape == (Shape{x.shape[0], w.shape()[1]}), "linear: y ", y.shape, " does not fit x ", x.shape,
                " and the weight ", w.shape());
  cx.backend.linear(x, w, b, y);
}

void linear_backward_input(Context& cx, Tensor dy, Tensor w, Tensor dx, Write how) {
  check_matrix("linear_backward", "dy", dy);
  HEXAPLA_CHECK(dy.shape[1] == w.shape[1] && dx.shape == (Shape{dy.shape[0], w.shape[0]}), "linear_backward: dy ",
                dy.shape, " and dx ", dx.shape, " do not fit the weight ", w.shape);
  cx.backend.linear_backward_input(dy, w, dx, how);
}

void linear_backward_weight(Context& cx, Tensor x, Tensor dy, Tensor dw, Tensor db) {
  check_matrix("linear_backward", "dy", dy);
  HEXAPLA_CHECK(dy.shape[0] == x.shape[0] && dw.shape == (Shape{x.shape[1], dy.shape[1]}), "linear_backward: x ",
                x.shape, " and dy ", dy.shape, " do not fit dw ", dw.shape);
  if (db) check_vector("linear_backward", "db", db, dy.shape[1]);
  cx.backend.linear_backward_weight(x, dy, dw, db);
}

void fill(Context& cx, Tensor y, double value) { cx.backend.fill(y, value); }

void copy(Context& cx, Tensor x, Tensor y) { combine(cx, 1, x, 0, y); }

void combine(Context& cx, double a, Tensor x, double b, Tensor y) {
  check_like("combine", "y", y, x);
  cx.backend.combine(a, x, b, y);
}

void dropout(Context& cx, Tensor x, const DropoutMask& mask, Tensor y) {
  check_like("dropout", "y", y, x);
  cx.backend.dropout(x, mask, y);
}

Tensor add(Context& cx, Tensor a, Tensor b) {
  check_like("add", "b", b, a);
  Tensor y = cx.keep(a.shape);
  cx.backend.add(a, b, y);
  return y;
}

void add_to(Context& cx, Tensor y, Tensor x) {
  check_like("add", "x", x, y);
  cx.backend.add(y, x, y);
}

void activate(Context& cx, Activation f, Tensor x, Tensor y) {
  check_like("activate", "y", y, x);
  cx.backend.activate(f, x, y);
}

void activate_backward(Context& cx, Activation f, Tensor x, Tensor dy, Tensor dx) {
  check_like("activate_backward", "dy", dy, x);
  check_like("activate_backward", "dx", dx, x);
  cx.backend.activate_backward(f, x, dy, dx);
}

void activate_dropped(Context& cx, Activation f, Tensor x, DropoutMask mask, Tensor y) {
  check_like("activate_dropped", "y", y, x);
  cx.backend.activate_dropped(f, x, mask, y);
}

void activate_dropped_backward(Context& cx, Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx) {
  check_like("activate_dropped_backward", "dy", dy, x);
  check_like("activate_dropped_backward", "dx", dx, x);
  cx.backend.activate_dropped_backward(f, x, dy, mask, dx);
}

void multiply(Context& cx, Tensor a, Tensor b, Tensor y) {
  check_like("multiply", "b", b, a);
  check_like("multiply", "y", y, a);
  cx.backend.multiply(a, b, y);
}

Normalized add_norm(Context& cx, Tensor x, Tensor r, const NormWeights& w) {
  Normalized s = allocate_norm(cx, x, r, w);
  cx.backend.add_norm(x, r, w.gain, w.bias, w.eps, s.y, s.normed, s.rstd);
  return s;
}

void add_norm_backward(Context& cx, const Normalized& s, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) {
  check_like("add_norm_backward", "d", d, s.normed);
  cx.backend.add_norm_backward(s.normed, s.rstd, gain, d, dgain, dbias);
}

Normalized add_norm_dropped(Context& cx, Tensor x, Tensor r, DropoutMask mask, const NormWeights& w) {
  if (!mask) return add_norm(cx, x, r, w);
  Normalized s = allocate_norm(cx, x, r, w);
  cx.backend.add_norm_dropped(x, r, mask, w.gain, w.bias, w.eps, s.y, s.normed, s.rstd);
  return s;
}

Tensor add_norm_dropped_backward(Context& cx, const Normalized& s, Tensor gain, DropoutMask mask, Tensor d,
                                 const NormGradient& w) {
  check_like("add_norm_backward", "d", d, s.normed);
  if (!mask) {
    cx.backend.add_norm_backward(s.normed, s.rstd, gain, d, w.gain, w.bias);
    return d;
  }
  Tensor dr = cx.scratch(d.shape);
  cx.backend.add_norm_dropped_backward(s.normed, s.rstd, gain, mask, d, dr, w.gain, w.bias);
  return dr;
}

BatchNormalized batch_norm(Context& cx, Tensor x, Tensor r, const NormWeights& w) {
  check_matrix("batch_norm", "x", x);
  if (r) check_like("batch_norm", "the residual", r, x);
  const Shape d{x.shape[1]};
  check_vector("batch_norm", "the gain", w.gain, x.shape[1]);
  BatchNormalized s{{cx.keep(x.shape), cx.keep(x.shape), cx.keep(d)}, {cx.keep(d), cx.keep(d)}};
  cx.backend.batch_norm(x, r, w.gain, w.bias, w.eps, s.out.y, s.out.normed, s.out.rstd, s.batch.mean, s.batch.variance);
  return s;
}

void batch_norm_backward(Context& cx, const Normalized& s, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) {
  check_like("batch_norm_backward", "d", d, s.normed);
  cx.backend.batch_norm_backward(s.normed, s.rstd, gain, d, dgain, dbias);
}

Tensor batch_norm_inference(Context& cx, Tensor x, Tensor r, const NormWeights& w, const Statistics& running) {
  check_matrix("batch_norm", "x", x);
  if (r) check_like("batch_norm", "the residual", r, x);
  check_vector("batch_norm", "the running mean", running.mean, x.shape[1]);
  Tensor y = cx.keep(x.shape);
  cx.backend.batch_norm_inference(x, r, w.gain, w.bias, w.eps, running.mean, running.variance, y);
  return y;
}

Tensor embed(Context& cx, Tensor table, Tensor ids, double scale) {
  check_ids(cx, "embed", table, ids);
  Tensor y = cx.keep({ids.shape[0], table.shape[1]});
  cx.backend.embed(table, ids, scale, Write::set, y);
  return y;
}

Tensor embed_quantized(Context& cx, Tensor integers, Tensor scales, Tensor ids, double scale) {
  check_ids(cx, "embed_quantized", integers, ids);
  HEXAPLA_CHECK(scales.shape == (Shape{integers.shape[0]}), "embed_quantized: ", scales.shape, " scales do not fit ",
                integers.shape);
  only_in_host_memory(cx.backend, "a table of integers");
  const int64_t width = integers.shape[1];
  const Tensor y = cx.keep({ids.shape[0], width});
  each_row(ids.shape[0], width, [&](int64_t n) {
    const int32_t id = ids.data<int32_t>()[n];
    const int8_t* q = row_of<int8_t>(integers, id);
    const float of_row = scales.data<float>()[id], factor = static_cast<float>(scale);
    float* out = row_of<float>(y, n);
    for (int64_t i = 0; i < width; ++i) out[i] = static_cast<float>(q[i]) * of_row * factor;
  });
  return y;
}

void embed_add(Context& cx, Tensor table, Tensor ids, Tensor y) {
  check_ids(cx, "embed_add", table, ids);
  HEXAPLA_CHECK(y.shape == (Shape{ids.shape[0], table.shape[1]}), "embed_add: y ", y.shape, " does not fit ", ids.shape,
                " ids of the table ", table.shape);
  cx.backend.embed(table, ids, 1, Write::add, y);
}

void embed_backward(Context& cx, Tensor dy, Tensor ids, double scale, Tensor dtable) {
  HEXAPLA_CHECK(dy.shape == (Shape{ids.shape[0], dtable.shape[1]}), "embed_backward: dy ", dy.shape, " does not fit ",
                ids.shape, " ids of the table ", dtable.shape);
  cx.backend.embed_backward(dy, ids, scale, dtable);
}

void put_rows(Context& cx, Tensor x, Tensor ids, Tensor y) {
  HEXAPLA_CHECK(x.shape[1] == y.shape[1] && ids.shape == (Shape{x.shape[0]}), "put_rows: ", ids.shape, " places for ",
                x.shape, " in ", y.shape, ": there must be one for each row, and the rows must be equally long");
  cx.backend.put_rows(x, ids, y);
}

Tensor sinusoids(Context& cx, Sinusoids kind, int64_t n, int64_t d) {
  Tensor table = cx.scratch({n, d});
  cx.backend.sinusoids(kind, table);
  return table;
}

Places positions(Context& cx, Offsets rows) {
  Places p{cx.keep({rows.back()}, DType::i32)};
  const OnHost here = set_on_host(cx.backend, p.ids);
  for (size_t b = 0; b + 1 < rows.size(); ++b)
    for (int32_t i = rows[b]; i < rows[b + 1]; ++i) p.last = std::max(p.last, here->data<int32_t>()[i] = i - rows[b]);
  here.write_back();
  return p;
}

Loss cross_entropy(Context& cx, const LossInput& in) {
  check_loss(cx, in);
  const int64_t n = in.x.shape[0];
  Loss loss{cx.keep({n}), cx.keep({n})};
  Arena::Frame frame(cx.arena);
  cx.backend.cross_entropy(in, loss_tile(cx, in), loss.loss, loss.nll);
  return loss;
}

LossGradient cross_entropy_with_gradient(Context& cx, const LossInput& in, Tensor dw, Tensor db) {
  check_loss(cx, in);
  HEXAPLA_CHECK(!in.w.packed, "cross_entropy: the weight ", in.w.shape(), " is packed, so it has no gradient");
  if (dw) check_like("cross_entropy", "dw", dw, in.w.values);
  const int64_t n = in.x.shape[0];
  LossGradient g{{cx.keep({n}), cx.keep({n})}, cx.scratch(in.x.shape)};
  Arena::Frame frame(cx.arena);
  cx.backend.cross_entropy_with_gradient(in, loss_tile(cx, in), g.loss.loss, g.loss.nll, g.d, dw, db);
  return g;
}

void batch_norm_inference_backward(Context& cx, Tensor gain, double eps, Tensor variance, Tensor d) {
  check_matrix("batch_norm_backward", "d", d);
  check_vector("batch_norm_backward", "the gain", gain, d.shape[1]);
  check_vector("batch_norm_backward", "the variance", variance, d.shape[1]);
  Tensor zeros = cx.scratch(variance.shape), dx = cx.scratch(d.shape);
  fill(cx, zeros, 0);
  cx.backend.batch_norm_inference(d, {}, gain, zeros, eps, zeros, variance, dx);
  copy(cx, dx, d);
}

void log_softmax_in_place(Context& cx, Tensor x) {
  check_matrix("log_softmax", "x", x);
  cx.backend.log_softmax(x, x);
}

Top log_softmax_top(Context& cx, Tensor x, int64_t k) {
  check_matrix("log_softmax_top", "x", x);
  HEXAPLA_CHECK(0 < k && k <= x.shape[1], "log_softmax_top: ", k, " of rows of ", x.shape[1]);
  Top top{cx.keep({x.shape[0], k}), cx.keep({x.shape[0], k}, DType::i32)};
  cx.backend.log_softmax_top(x, k, top.scores, top.ids);
  return top;
}

double sum_of_squares(Context& cx, Tensor x) { return cx.backend.sum_of_squares(x); }

void adam(Context& cx, const AdamSlabs& slabs, const AdamStep& step) {
  check_like("adam", "the gradients", slabs.gradients, slabs.values);
  check_like("adam", "the first moments", slabs.first, slabs.values);
  check_like("adam", "the second moments", slabs.second, slabs.values);
  cx.backend.adam(slabs.values, slabs.gradients, slabs.first, slabs.second, step);
}

Tensor log_softmax(Context& cx, Tensor x) {
  Tensor y = cx.keep(x.shape);
  cx.backend.log_softmax(x, y);
  return y;
}

}  // namespace hexapla
