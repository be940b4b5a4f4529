// A row gets the same bits alone and among others, and the same bits for any number of threads if
// the work is large enough to be shared.
#include <gmock/gmock.h>

#include <cstring>

#include "backend/cpu/testing.h"
#include "base/compute/random.h"

namespace hexapla {
namespace {

using cpu::Variant;
class CpuRows : public testing::TestWithParam<Variant> {
 protected:
  CpuRows() : backend_(cpu::make(GetParam())) {}

  // A matrix that lives as long as the test: normal numbers, or empty for results.
  Tensor normal(Shape s) {
    Tensor t = result(s);
    for (float& x : t.values<float>()) x = static_cast<float>(random_.normal());
    return t;
  }
  Tensor result(Shape s) {
    memory_.emplace_back(static_cast<size_t>(s.size()));
    return Tensor::of(memory_.back().data(), s);
  }

  std::unique_ptr<Backend> backend_;
  Random random_{3};
  std::vector<std::vector<float>> memory_;
};

bool same(Tensor a, Tensor b) {
  return std::memcmp(a.bytes, b.bytes, static_cast<size_t>(a.size()) * size_of(a.dtype)) == 0;
}

TEST_P(CpuRows, LinearAloneEqualsLinearAmongOthers) {
  for (const auto& [in, out] : {std::pair{128, 384}, {33, 70}, {300, 65}, {512, 1}}) {
    const Tensor x = normal({70, in}), w = normal({in, out}), side = normal({out, in}), b = normal({out});
    const Tensor y = result({70, out}), z = result({70, out}), dx = result({70, in}), d = normal({70, out});
    backend_->linear(x, w, b, y);
    backend_->linear(x, side.transposed(), {}, z);
    backend_->linear_backward_input(d, w, dx, Write::set);
    for (int64_t n = 1; n <= 70; ++n) {
      const int64_t at = 70 - n;  // different neighbors for every row
      const Tensor few = result({n, out}), back = result({n, in});
      backend_->linear(x.slice(at, n), w, b, few);
      EXPECT_TRUE(same(few, y.slice(at, n))) << n << " rows, " << in << " x " << out;
      backend_->linear(x.slice(at, n), side.transposed(), {}, few);
      EXPECT_TRUE(same(few, z.slice(at, n))) << n << " rows, " << in << " x " << out << " transposed";
      backend_->linear_backward_input(d.slice(at, n), w, back, Write::set);
      EXPECT_TRUE(same(back, dx.slice(at, n))) << n << " rows, " << in << " x " << out << " backward";
    }
  }
}

TEST_P(CpuRows, AddNormAloneEqualsAmongOthers) {
  const Tensor x = normal({70, 129}), r = normal({70, 129}), gain = normal({129}), bias = normal({129});
  const Tensor y = result({70, 129}), normed = result({70, 129}), rstd = result({70});
  backend_->add_norm(x, r, gain, bias, 1e-6, y, normed, rstd);
  for (int64_t n = 1; n <= 70; ++n) {
    const Tensor few = result({n, 129}), few_normed = result({n, 129}), few_rstd = result({n});
    backend_->add_norm(x.slice(70 - n, n), r.slice(70 - n, n), gain, bias, 1e-6, few, few_normed, few_rstd);
    EXPECT_TRUE(same(few, y.slice(70 - n, n))) << n;
  }
}

TEST_P(CpuRows, LogSoftmaxTopAloneEqualsAmongOthers) {
  std::vector<int32_t> all_ids(70 * 5), few_ids(70 * 5);
  const Tensor x = normal({70, 333}), scores = result({70, 5}), ids = Tensor::of(all_ids.data(), {70, 5});
  backend_->log_softmax_top(x, 5, scores, ids);
  for (int64_t n = 1; n <= 70; ++n) {
    const Tensor few = result({n, 5}), indices = Tensor::of(few_ids.data(), {n, 5});
    backend_->log_softmax_top(x.slice(70 - n, n), 5, few, indices);
    EXPECT_TRUE(same(few, scores.slice(70 - n, n)) && same(indices, ids.slice(70 - n, n))) << n;
  }
}

// Sequences of 1 .. 70 rows, each alone and all together.
TEST_P(CpuRows, ASentenceAloneEqualsOneAmongOthers) {
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
  backend_->attention(input(0, rows, offsets), out, lse);
  for (int32_t n = 1; n <= 70; ++n) {
    const int32_t alone[] = {0, n};
    const Tensor few = result({n, width}), few_lse = result({n, 3});
    backend_->attention(input(offsets[n - 1], n, alone), few, few_lse);
    EXPECT_TRUE(same(few, out.slice(offsets[n - 1], n))) << n;
    EXPECT_TRUE(same(few_lse, lse.slice(offsets[n - 1], n))) << n;
  }
}

// Products and sums large enough to be shared among threads.
TEST_P(CpuRows, LargeWorkHasTheSameBitsForAnyNumberOfThreads) {
  struct Results {
    Tensor y, dx, dw, side, db;
  };
  for (const auto& [rows, in, out] : {std::tuple{700, 128, 384}, {600, 64, 64}, {300, 64, 2000}}) {
    const Tensor x = normal({rows, in}), w = normal({in, out}), dy = normal({rows, out});
    std::vector<Results> all;
    for (const int n : {1, 2, 3}) {
      const cpu::Threads only(n);
      all.push_back({result({rows, out}), result({rows, in}), result({in, out}), result({out, in}), result({out})});
      const Results& r = all.back();
      backend_->linear(x, w, {}, r.y);
      backend_->linear_backward_input(dy, w, r.dx, Write::set);
      backend_->linear_backward_weight(x, dy, r.dw, r.db);
      backend_->linear_backward_weight(x, dy, r.side.transposed(), {});
      EXPECT_TRUE(same(r.y, all[0].y)) << n << " threads, linear";
      EXPECT_TRUE(same(r.dx, all[0].dx)) << n << " threads, linear_backward_input";
      EXPECT_TRUE(same(r.dw, all[0].dw) && same(r.db, all[0].db)) << n << " threads, linear_backward_weight";
      EXPECT_TRUE(same(r.side, all[0].side)) << n << " threads, linear_backward_weight transposed";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CpuRows, testing::ValuesIn(cpu::variants_of_any_precision()), cpu::variant_name);

TEST(CpuOnednn, OnlyKernelsThatKeepRowsApartAreUsed) {
  const auto products = cpu::make_onednn_products(best_isa());
  if (!products) GTEST_SKIP() << "no oneDNN here, or none with brgemm kernels for AVX-512";
  EXPECT_THAT(products->name(), testing::AnyOf(testing::HasSubstr("(brg:avx512_core"),           // oneDNN 2
                                               testing::HasSubstr("(brg_matmul:avx512_core")));  // oneDNN 3
  EXPECT_FALSE(cpu::make_onednn_products(Isa::generic));
}

}  // namespace
}  // namespace hexapla
