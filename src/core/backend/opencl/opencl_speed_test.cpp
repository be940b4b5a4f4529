// Not a test: with HEXAPLA_OPENCL_SPEED set, a table of the times of calls at the sizes of the paper's base model.
#include <chrono>
#include <cstdio>
#include <functional>

#include "backend/opencl/test_devices.h"
#include "base/options/environment.h"

namespace hexapla {
namespace {

class OpenclSpeed : public opencl::DeviceTest {
 protected:
  void SetUp() override {
    if (environment("HEXAPLA_OPENCL_SPEED") == nullptr) GTEST_SKIP() << "HEXAPLA_OPENCL_SPEED is not set";
    DeviceTest::SetUp();
  }
  Tensor zeros(Shape s, DType type = DType::f32) {
    return Tensor(pages_.emplace_back(backend().allocate(static_cast<size_t>(s.size()) * size_of(type))).data(), s,
                  type);
  }
  // Milliseconds of one call, the best of several times.
  template <class F>
  static double milliseconds(F call) {
    const Pages one = backend().allocate(4);
    const auto wait = [&] {
      float x = 0;
      backend().copy_to_host(one.data(), &x, sizeof x);
    };
    call();
    wait();
    double best = 1e30;
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      for (int n = 0; n < 5; ++n) call();
      wait();
      best = std::min(best,
                      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / 5);
    }
    return best;
  }
  template <class F>
  static void row(const std::string& name, double operations, double bytes, F call) {
    const double ms = milliseconds(call);
    std::printf("%-44s %9.3f ms %9.0f GFLOP/s %8.0f GB/s\n", name.c_str(), ms, operations / ms * 1e-6,
                bytes / ms * 1e-6);
    std::fflush(stdout);
  }

  std::vector<Pages> pages_;
};

TEST_F(OpenclSpeed, OfCalls) {
  Backend& b = backend();
  std::printf("%s\n", b.name().c_str());
  for (const auto& [n, in, out] : {std::tuple{4096, 512, 2048},
                                   {4096, 2048, 512},
                                   {4096, 512, 1536},
                                   {4096, 512, 37000},
                                   {64, 512, 2048},
                                   {1, 512, 2048}}) {
    const Tensor x = zeros({n, in}), w = zeros({in, out}), y = zeros({n, out}), bias = zeros({out});
    const double operations = 2.0 * n * in * out;
    row(cat("linear ", n, "x", in, "x", out), operations, 0, [&] { b.linear(x, w, bias, y); });
    if (n < 4096 || out > 4096) continue;
    row(cat("linear_backward_input ", n, "x", in, "x", out), operations, 0,
        [&] { b.linear_backward_input(y, w, x, Write::set); });
    row(cat("linear_backward_weight ", n, "x", in, "x", out), operations, 0,
        [&] { b.linear_backward_weight(x, y, w, bias); });
  }
  const int64_t rows = 4096, d = 512;
  const Tensor x = zeros({rows, d}), r = zeros({rows, d}), y = zeros({rows, d}), h = zeros({rows, d}),
               rstd = zeros({rows}), gain = zeros({d}), bias = zeros({d});
  const DropoutMask mask{1, 2, 3, 0.1F};
  const double tensor = 4.0 * static_cast<double>(rows * d);
  row("add 4096x512", 0, 3 * tensor, [&] { b.add(x, r, y); });
  row("dropout 4096x512", 0, 2 * tensor, [&] { b.dropout(x, mask, y); });
  row("add_norm_dropped 4096x512", 0, 4 * tensor,
      [&] { b.add_norm_dropped(x, r, mask, gain, bias, 1e-6, y, h, rstd); });
  row("add_norm_dropped_backward 4096x512", 0, 5 * tensor,
      [&] { b.add_norm_dropped_backward(h, rstd, gain, mask, x, r, gain, bias); });
  const Tensor wide = zeros({rows, 2048});
  row("activate_dropped relu 4096x2048", 0, 8 * tensor,
      [&] { b.activate_dropped(Activation::relu, wide, mask, wide); });
  std::vector<int32_t> offsets;
  for (int32_t i = 0; i <= 128; ++i) offsets.push_back(32 * i);
  const Tensor qkv = zeros({rows, 3 * d}), lse = zeros({rows, 8}), dqkv = zeros({rows, 3 * d});
  AttentionInput a{qkv.columns(0, d).heads(8),
                   qkv.columns(d, d).heads(8),
                   qkv.columns(2 * d, d).heads(8),
                   offsets,
                   offsets,
                   true,
                   0.125};
  const double attention = 4.0 * rows * 32 * d / 2;
  row("attention 128 x 32, 8 heads", attention, 4 * tensor, [&] { b.attention(a, y, lse); });
  row("attention_backward 128 x 32", 2.5 * attention, 9 * tensor, [&] {
    b.attention_backward(a, y, lse, x, dqkv.columns(0, d).heads(8), dqkv.columns(d, d).heads(8),
                         dqkv.columns(2 * d, d).heads(8));
  });
  a.dropout = mask;
  row("attention 128 x 32, dropout", attention, 4 * tensor, [&] { b.attention(a, y, lse); });
  const Tensor ids = zeros({rows}, DType::i32), table = zeros({37000, d});
  row("embed 4096 of 37000x512", 0, 2 * tensor, [&] { b.embed(table, ids, 1, Write::set, y); });
  row("embed_backward 4096, all of one word", 0, 2 * tensor, [&] { b.embed_backward(y, ids, 1, table); });
  std::vector<int32_t> words;
  for (int32_t i = 0; i < rows; ++i) words.push_back(i % 5 == 0 ? i % 7 : (i * 7919) % 37000);
  b.copy_to_device(words.data(), ids.bytes, words.size() * 4);
  row("embed_backward 4096, as in texts", 0, 2 * tensor, [&] { b.embed_backward(y, ids, 1, table); });
  const Tensor tile = zeros({1024, 37000}), loss = zeros({rows}), nll = zeros({rows}), dtable = zeros({37000, d});
  const LossInput in{x, table.transposed(), {}, ids, 0.1, 1};
  row("cross_entropy_with_gradient 4096x512x37000", 6.0 * rows * d * 37000, 0,
      [&] { b.cross_entropy_with_gradient(in, tile, loss, nll, y, dtable.transposed(), {}); });
  const Tensor logits = zeros({256, 37000}), scores = zeros({256, 8}), best = zeros({256, 8}, DType::i32);
  row("log_softmax_top 8 of 256x37000", 0, 4.0 * 256 * 37000, [&] { b.log_softmax_top(logits, 8, scores, best); });
  const Tensor index = zeros({256, 64}, DType::i32), lengths = zeros({256}, DType::i32);
  const std::vector<int32_t> all(256, 64);
  b.copy_to_device(all.data(), lengths.bytes, all.size() * 4);
  row("attention_step 256 of 64", 0, 0, [&] {
    b.attention_step(x.slice(0, 256).heads(8), r.heads(8), h.heads(8), index, lengths, 0.125, y.slice(0, 256));
  });
  const int64_t n = 60'000'000;
  const Tensor p = zeros({n}), g = zeros({n}), m = zeros({n}), v = zeros({n});
  row("adam 60M", 0, 28.0 * n, [&] { b.adam(p, g, m, v, {0.1, 0.9, 0.98, 1e-9, 1, 1}); });
  row("sum_of_squares 60M", 0, 4.0 * n, [&] { b.sum_of_squares(g); });
  const Tensor tiny = zeros({1});
  row("launch: fill of 1 number", 0, 0, [&] { b.fill(tiny, 1); });
}

struct Sizes {
  const char* name;
  int64_t layers, d, inner, heads, vocabulary, sentences, length;
  int64_t rows() const { return sentences * length; }
};

// The calls of an update, forward and backward, of a model with the paper's layers. Layers share their memory: the
// numbers mean nothing, the time is that of a training without its host.
class UpdateCalls {
 public:
  UpdateCalls(Backend& b, const Sizes& s, const std::function<Tensor(Shape, DType)>& make)
      : b_(b), s_(s), rows_(s.rows()), make_(make) {
    for (int64_t i = 0; i <= s.sentences; ++i) offsets_.push_back(static_cast<int32_t>(i * s.length));
    std::vector<int32_t> words;
    for (int64_t i = 0; i < rows_; ++i)
      words.push_back(static_cast<int32_t>(i % 5 == 0 ? i % 7 : i * 7919 % s.vocabulary));
    b.copy_to_device(words.data(), ids_.bytes, words.size() * 4);
  }

  void run() {
    for (int side = 0; side < 2; ++side) {
      b_.embed(table_, ids_, 1, Write::set, x_);
      b_.dropout(x_, mask_, x_);
    }
    for (int64_t i = 0; i < s_.layers; ++i) self(false), feed_forward();
    for (int64_t i = 0; i < s_.layers; ++i) self(true), cross(), feed_forward();
    b_.cross_entropy_with_gradient({x_, table_.transposed(), {}, ids_, 0.1, 1}, tile_, loss_, nll_, dx_,
                                   dtable_.transposed(), {});
    for (int64_t i = 0; i < s_.layers; ++i) feed_forward_backward(), cross_backward(), self_backward(true);
    for (int64_t i = 0; i < s_.layers; ++i) feed_forward_backward(), self_backward(false);
    for (int side = 0; side < 2; ++side) b_.embed_backward(dx_, ids_, 1, dtable_);
    b_.sum_of_squares(slab_);
    b_.adam(slab_, slab_, m_, v_, {1e-4, 0.9, 0.98, 1e-9, 1, 1});
    b_.fill(slab_, 0);
  }

 private:
  Tensor zeros(Shape s, DType t = DType::f32) { return make_(s, t); }
  AttentionInput attention_of(Tensor q, Tensor kv, int64_t first, bool causal) {
    AttentionInput a{q.heads(s_.heads),
                     kv.columns(first, s_.d).heads(s_.heads),
                     kv.columns(first + s_.d, s_.d).heads(s_.heads),
                     offsets_,
                     offsets_,
                     causal,
                     0.125};
    a.dropout = mask_;
    return a;
  }
  void norm() { b_.add_norm_dropped(x_, y_, mask_, gain_, bias_, 1e-6, x_, normed_, rstd_); }
  void norm_backward() { b_.add_norm_dropped_backward(normed_, rstd_, gain_, mask_, dx_, dy_, dgain_, dgain_); }
  void both_backward(Tensor x, Tensor w, Tensor dw, Tensor dy, Tensor dx, Write how, Tensor db) {
    b_.linear_backward_weight(x, dy, dw, db);
    b_.linear_backward_input(dy, w, dx, how);
  }
  void self(bool causal) {
    b_.linear(x_, w_qkv_, b_qkv_, qkv_);
    b_.attention(attention_of(qkv_.columns(0, s_.d), qkv_, s_.d, causal), z_, lse_);
    b_.linear(z_, w_, bias_, y_);
    norm();
  }
  void cross() {
    b_.linear(x_, w_, bias_, y_);
    b_.linear(x_, w_qkv_.columns(0, 2 * s_.d), b_qkv_.columns(0, 2 * s_.d), kv_);
    b_.attention(attention_of(y_, kv_, 0, false), z_, lse_);
    b_.linear(z_, w_, bias_, y_);
    norm();
  }
  void feed_forward() {
    b_.linear(x_, w_up_, b_up_, up_);
    b_.activate_dropped(Activation::relu, up_, mask_, up_);
    b_.linear(up_, w_down_, bias_, y_);
    norm();
  }
  void feed_forward_backward() {
    norm_backward();
    both_backward(up_, w_down_, dw_down_, dy_, dup_, Write::set, dgain_);
    b_.activate_dropped_backward(Activation::relu, up_, dup_, mask_, dup_);
    both_backward(x_, w_up_, dw_up_, dup_, dx_, Write::add, db_up_);
  }
  void self_backward(bool causal) {
    norm_backward();
    both_backward(z_, w_, dw_, dy_, dz_, Write::set, dgain_);
    b_.attention_backward(attention_of(qkv_.columns(0, s_.d), qkv_, s_.d, causal), z_, lse_, dz_,
                          dqkv_.columns(0, s_.d).heads(s_.heads), dqkv_.columns(s_.d, s_.d).heads(s_.heads),
                          dqkv_.columns(2 * s_.d, s_.d).heads(s_.heads));
    both_backward(x_, w_qkv_, dw_qkv_, dqkv_, dx_, Write::add, db_qkv_);
  }
  void cross_backward() {
    norm_backward();
    both_backward(z_, w_, dw_, dy_, dz_, Write::set, dgain_);
    b_.attention_backward(attention_of(y_, kv_, 0, false), z_, lse_, dz_, dy_.heads(s_.heads),
                          dkv_.columns(0, s_.d).heads(s_.heads), dkv_.columns(s_.d, s_.d).heads(s_.heads));
    both_backward(x_, w_, dw_, dy_, dx_, Write::add, dgain_);
    both_backward(x_, w_qkv_.columns(0, 2 * s_.d), dw_qkv_.columns(0, 2 * s_.d), dkv_, dz_, Write::add,
                  db_qkv_.columns(0, 2 * s_.d));
  }

  Backend& b_;
  Sizes s_;
  int64_t rows_;
  std::function<Tensor(Shape, DType)> make_;
  DropoutMask mask_{1, 2, 3, 0.1F};
  std::vector<int32_t> offsets_;
  Tensor ids_ = zeros({rows_}, DType::i32), table_ = zeros({s_.vocabulary, s_.d}), dtable_ = zeros(table_.shape);
  Tensor x_ = zeros({rows_, s_.d}), y_ = zeros(x_.shape), z_ = zeros(x_.shape), normed_ = zeros(x_.shape),
         dx_ = zeros(x_.shape), dy_ = zeros(x_.shape), dz_ = zeros(x_.shape), rstd_ = zeros({rows_});
  Tensor qkv_ = zeros({rows_, 3 * s_.d}), dqkv_ = zeros(qkv_.shape), kv_ = zeros({rows_, 2 * s_.d}),
         dkv_ = zeros(kv_.shape), lse_ = zeros({rows_, s_.heads});
  Tensor up_ = zeros({rows_, s_.inner}), dup_ = zeros(up_.shape);
  Tensor w_ = zeros({s_.d, s_.d}), dw_ = zeros(w_.shape), w_qkv_ = zeros({s_.d, 3 * s_.d}),
         dw_qkv_ = zeros(w_qkv_.shape), w_up_ = zeros({s_.d, s_.inner}), dw_up_ = zeros(w_up_.shape),
         w_down_ = zeros({s_.inner, s_.d}), dw_down_ = zeros(w_down_.shape);
  Tensor gain_ = zeros({s_.d}), bias_ = zeros({s_.d}), dgain_ = zeros({s_.d}), b_qkv_ = zeros({3 * s_.d}),
         db_qkv_ = zeros({3 * s_.d}), b_up_ = zeros({s_.inner}), db_up_ = zeros({s_.inner});
  Tensor tile_ = zeros({1024, s_.vocabulary}), loss_ = zeros({rows_}), nll_ = zeros({rows_});
  int64_t parameters_ =
      s_.vocabulary * s_.d + s_.layers * (16 * s_.d * s_.d + 4 * s_.d * s_.inner) - 4 * s_.layers * s_.d * s_.d;
  Tensor slab_ = zeros({parameters_}), m_ = zeros({parameters_}), v_ = zeros({parameters_});
};

TEST_F(OpenclSpeed, OfTheCallsOfAnUpdate) {
  const std::vector<Sizes> all = {{"base, 4,096 + 4,096 tokens", 6, 512, 2048, 8, 37000, 128, 32},
                                  {"base, 25,600 + 25,600 tokens", 6, 512, 2048, 8, 37000, 800, 32},
                                  {"big, 8,192 + 8,192 tokens", 6, 1024, 4096, 16, 37000, 256, 32},
                                  {"tiny, 4,096 + 4,096 tokens", 4, 128, 256, 4, 10000, 256, 16}};
  const std::vector<Sizes> small = {{"nothing", 1, 32, 64, 2, 100, 3, 5}};
  for (const Sizes& s : std::string(environment("HEXAPLA_OPENCL_SPEED")) == "small" ? small : all) {
    UpdateCalls update(backend(), s, [&](Shape shape, DType t) { return zeros(shape, t); });
    const double ms = milliseconds([&] { update.run(); });
    std::printf("update of %-40s %9.2f ms %9.0f target tokens/s\n", s.name, ms,
                static_cast<double>(s.rows()) / ms * 1e3);
    std::fflush(stdout);
    pages_.clear();
  }
}

}  // namespace
}  // namespace hexapla
