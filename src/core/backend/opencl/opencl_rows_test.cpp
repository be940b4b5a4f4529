// A row gets the same bits alone and among others.
#include <cstring>

#include "backend/opencl/test_devices.h"
#include "base/compute/random.h"

namespace hexapla {
namespace {

class OpenclRows : public opencl::DeviceTest {
 protected:
  // A matrix of normal numbers, which lives as long as the test; and room for a result.
  Tensor normal(Shape s) {
    std::vector<float> host(static_cast<size_t>(s.size()));
    for (float& x : host) x = static_cast<float>(random_.normal());
    const Tensor t = result(s);
    backend().copy_to_device(host.data(), t.bytes, host.size() * sizeof(float));
    return t;
  }
  Tensor result(Shape s, DType type = DType::f32) {
    return Tensor(pages_.emplace_back(backend().allocate(static_cast<size_t>(s.size()) * size_of(type))).data(), s,
                  type);
  }
  Tensor integers(const std::vector<int32_t>& values) {
    const Tensor t = result({std::ssize(values)}, DType::i32);
    backend().copy_to_device(values.data(), t.bytes, values.size() * sizeof(int32_t));
    return t;
  }
  static std::vector<std::byte> bytes_of(Tensor t) {
    std::vector<std::byte> host(static_cast<size_t>(t.size()) * size_of(t.dtype));
    backend().copy_to_host(t.bytes, host.data(), host.size());
    return host;
  }
  static bool same(Tensor a, Tensor b) { return bytes_of(a) == bytes_of(b); }

  Random random_{3};
  std::vector<Pages> pages_;
};

TEST_F(OpenclRows, LinearAloneEqualsLinearAmongOthers) {
  constexpr int64_t kRows = 300;
  for (const auto& [in, out] : {std::pair{512, 1000}, {33, 70}, {512, 1}}) {
    const Tensor x = normal({kRows, in}), w = normal({in, out}), side = normal({out, in}), b = normal({out});
    const Tensor y = result({kRows, out}), z = result({kRows, out}), dx = result({kRows, in}), d = normal({kRows, out});
    backend().linear(x, w, b, y);
    backend().linear(x, side.transposed(), {}, z);
    backend().linear_backward_input(d, w, dx, Write::set);
    const Tensor few = result({kRows, out}), back = result({kRows, in});
    for (const int64_t n :
         {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 299}) {
      const int64_t at = kRows - n;  // different neighbors for every row
      backend().linear(x.slice(at, n), w, b, few.slice(0, n));
      EXPECT_TRUE(same(few.slice(0, n), y.slice(at, n))) << n << " rows, " << in << " x " << out;
      backend().linear(x.slice(at, n), side.transposed(), {}, few.slice(0, n));
      EXPECT_TRUE(same(few.slice(0, n), z.slice(at, n))) << n << " rows, " << in << " x " << out << " transposed";
      backend().linear_backward_input(d.slice(at, n), w, back.slice(0, n), Write::set);
      EXPECT_TRUE(same(back.slice(0, n), dx.slice(at, n))) << n << " rows, " << in << " x " << out << " backward";
    }
  }
}

TEST_F(OpenclRows, NormsAndSearchAloneEqualThemAmongOthers) {
  const Tensor x = normal({70, 333}), r = normal({70, 333}), gain = normal({333}), bias = normal({333});
  const Tensor y = result({70, 333}), normed = result({70, 333}), rstd = result({70});
  const Tensor scores = result({70, 5}), ids = result({70, 5}, DType::i32);
  backend().add_norm(x, r, gain, bias, 1e-6, y, normed, rstd);
  backend().log_softmax_top(x, 5, scores, ids);
  for (int64_t n = 1; n <= 70; n += 3) {
    const Tensor few = result({n, 333}), few_scores = result({n, 5}), few_ids = result({n, 5}, DType::i32);
    backend().add_norm(x.slice(70 - n, n), r.slice(70 - n, n), gain, bias, 1e-6, few, {}, {});
    EXPECT_TRUE(same(few, y.slice(70 - n, n))) << n;
    backend().log_softmax_top(x.slice(70 - n, n), 5, few_scores, few_ids);
    EXPECT_TRUE(same(few_scores, scores.slice(70 - n, n)) && same(few_ids, ids.slice(70 - n, n))) << n;
  }
}

// Sequences of 1 to 70 rows, each alone and all together.
TEST_F(OpenclRows, ASentenceAloneEqualsOneAmongOthers) {
  std::vector<int32_t> offsets{0};
  for (int32_t n = 1; n <= 70; ++n) offsets.push_back(offsets.back() + n);
  const int64_t rows = offsets.back(), width = 3 * 20;
  const Tensor qkv = normal({rows, 3 * width}), out = result({rows, width}), lse = result({rows, 3});
  const auto input = [&](int64_t from, int64_t n, Offsets s) {
    const Tensor part = qkv.slice(from, n);
    AttentionInput a{part.columns(0, width).heads(3), part.columns(width, width).heads(3),
                     part.columns(2 * width, width).heads(3), s, s};
    a.causal = true;
    a.scale = 0.3;
    return a;
  };
  backend().attention(input(0, rows, offsets), out, lse);
  for (int32_t n = 1; n <= 70; n += 3) {
    const int32_t alone[] = {0, n};
    const Tensor few = result({n, width}), few_lse = result({n, 3});
    backend().attention(input(offsets[static_cast<size_t>(n) - 1], n, alone), few, few_lse);
    EXPECT_TRUE(same(few, out.slice(offsets[static_cast<size_t>(n) - 1], n))) << n;
    EXPECT_TRUE(same(few_lse, lse.slice(offsets[static_cast<size_t>(n) - 1], n))) << n;
  }
}

TEST_F(OpenclRows, AStepAloneEqualsOneAmongOthers) {
  const Tensor q = normal({9, 2, 16}), k = normal({400, 2, 16}), v = normal({400, 2, 16});
  std::vector<int32_t> seen, lengths;
  for (int32_t n = 0; n < 9; ++n) {
    lengths.push_back(1 + 40 * n % 300);
    for (int32_t u = 0; u < 300; ++u) seen.push_back((7 * u + 13 * n) % 400);
  }
  Tensor index = integers(seen), length = integers(lengths);
  index = Tensor(index.bytes, {9, 300}, DType::i32);
  const Tensor out = result({9, 32}), one = result({1, 32});
  backend().attention_step(q, k, v, index, length, 0.25, out);
  for (int64_t n = 0; n < 9; ++n) {
    backend().attention_step(q.slice(n, 1), k, v, index.slice(n, 1), length.slice(n, 1), 0.25, one);
    EXPECT_TRUE(same(one, out.slice(n, 1))) << n;
  }
}

}  // namespace
}  // namespace hexapla
