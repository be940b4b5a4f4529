// Not a test: with HEXAPLA_OPENCL_SPEED set, a table of the times of calls at the sizes of the paper's base model.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "backend/opencl/test_devices.h"

namespace hexapla {
namespace {

class OpenclSpeed : public opencl::DeviceTest {
 protected:
  void SetUp() override {
    if (std::getenv("HEXAPLA_OPENCL_SPEED") == nullptr) GTEST_SKIP() << "HEXAPLA_OPENCL_SPEED is not set";
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

}  // namespace
}  // namespace hexapla
