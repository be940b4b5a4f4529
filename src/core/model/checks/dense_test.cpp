// A batch padded to [B * T, d] with an additive mask gives the same numbers as the ragged batch,
// and the causal flag the same as an explicit triangular mask.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "base/compute/random.h"
#include "model/layers/attention.h"
#include "model/parameters/parameters.h"

namespace hexapla::model {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// Sentences of 3, 0, 5 and 1 queries over 4, 2, 0 and 6 keys: the second has no queries, the third
// sees no keys.
const std::vector<int32_t> kQueries{0, 3, 3, 8, 9}, kKeys{0, 4, 6, 6, 12};
constexpr int64_t kSentences = 4;

int64_t length(Offsets rows, int64_t b) { return rows[b + 1] - rows[b]; }
int64_t longest(Offsets rows) {
  int64_t n = 0;
  for (int64_t b = 0; b < kSentences; ++b) n = std::max(n, length(rows, b));
  return n;
}
// Offsets of the padded batch: every sentence has as many rows as the longest.
std::vector<int32_t> padded(Offsets rows) {
  std::vector<int32_t> offsets;
  for (int64_t b = 0; b <= kSentences; ++b) offsets.push_back(static_cast<int32_t>(b * longest(rows)));
  return offsets;
}
// Calls f(ragged row, padded row) for every real row.
template <class F>
void each_row(Offsets rows, F&& f) {
  for (int64_t b = 0; b < kSentences; ++b)
    for (int64_t t = 0; t < length(rows, b); ++t) f(rows[b] + t, b * longest(rows) + t);
}

struct Device {
  std::string name;
  std::unique_ptr<Backend> (*make)();
  DType dtype;
  double tolerance;
};
void PrintTo(const Device& d, std::ostream* out) { *out << d.name; }
std::string name_of(const testing::TestParamInfo<Device>& device) { return device.param.name; }

class Dense : public testing::TestWithParam<Device> {
 protected:
  static double& at64(Tensor t, int64_t i) { return t.data<double>()[i]; }
  static double get(Tensor t, int64_t i) { return t.dtype == DType::f64 ? at64(t, i) : t.data<float>()[i]; }
  static void put(Tensor t, int64_t i, double v) {
    if (t.dtype == DType::f64)
      at64(t, i) = v;
    else
      t.data<float>()[i] = static_cast<float>(v);
  }
  Tensor filled(Shape s, double value) {
    Tensor t = cx.keep(s);
    cx.backend.fill(t, value);
    return t;
  }
  Tensor random(int64_t rows, int64_t width) {
    Tensor t = cx.keep({rows, width});
    for (int64_t i = 0; i < t.size(); ++i) put(t, i, random_.normal());
    return t;
  }
  // The rows of x in a padded batch; padding holds `rest`.
  Tensor pad(Tensor x, Offsets rows, double rest) {
    Tensor y = filled({kSentences * longest(rows), x.shape[1]}, rest);
    const int64_t d = x.shape[1];
    each_row(rows, [&](int64_t from, int64_t to) {
      for (int64_t i = 0; i < d; ++i) put(y, to * d + i, get(x, from * d + i));
    });
    return y;
  }
  // 0 where query and key are real (and, if causal, the key is no later than the query), else -inf:
  // padded queries see nothing.
  Tensor padding_mask(bool causal) {
    const int64_t n = longest(kQueries), m = longest(kKeys);
    Tensor mask = filled({kSentences * n, m}, kMinusInfinity);
    for (int64_t b = 0; b < kSentences; ++b)
      for (int64_t t = 0; t < length(kQueries, b); ++t)
        for (int64_t u = 0; u < (causal ? std::min(t + 1, length(kKeys, b)) : length(kKeys, b)); ++u)
          put(mask, (b * n + t) * m + u, 0);
    return mask;
  }
  // The causal mask of the ragged queries.
  Tensor triangle() {
    const int64_t m = longest(kKeys);
    Tensor mask = filled({kQueries.back(), m}, 0);
    for (int64_t b = 0; b < kSentences; ++b)
      for (int64_t t = 0; t < length(kQueries, b); ++t)
        for (int64_t u = t + 1; u < m; ++u) put(mask, (kQueries[b] + t) * m + u, kMinusInfinity);
    return mask;
  }

  void expect_equal(const char* what, Tensor ragged, Tensor dense) {
    ASSERT_EQ(ragged.shape, dense.shape) << what;
    for (int64_t i = 0; i < ragged.size(); ++i) expect_near(what, i, get(ragged, i), get(dense, i));
  }
  // Real rows are equal; padding rows hold `rest`.
  void expect_equal_rows(const char* what, Tensor ragged, Tensor dense, Offsets rows, double rest) {
    const Tensor expected = pad(ragged, rows, rest);
    expect_equal(what, expected, dense);
  }
  void expect_near(const char* what, int64_t i, double a, double b) {
    if (a == b) return;  // -inf, too
    EXPECT_NEAR(a, b, GetParam().tolerance * (1 + std::abs(a))) << what << ", number " << i;
  }

  std::unique_ptr<Backend> backend = GetParam().make();
  Arena arena{size_t{16} << 20};
  Context cx{*backend, arena, GetParam().dtype, true};
  std::vector<int32_t> dense_queries = padded(kQueries), dense_keys = padded(kKeys);

 private:
  Random random_{7};
};

// Forward and backward pass of attention alone.
struct Pass {
  Attention a;
  Tensor dq, dk, dv;
};

constexpr int64_t kHeads = 2, kDk = 3, kDv = 5;

struct Raw {  // as matrices: [N, H * d]
  Tensor q, k, v, d_out;
  Offsets queries, keys;
};

Pass run(Context& cx, const Raw& raw, bool causal, Tensor mask) {
  const AttentionInput in{.q = raw.q.heads(kHeads),
                          .k = raw.k.heads(kHeads),
                          .v = raw.v.heads(kHeads),
                          .queries = raw.queries,
                          .keys = raw.keys,
                          .causal = causal,
                          .scale = 1 / std::sqrt(double(kDk)),
                          .mask = mask};
  Pass p{attention(cx, in), cx.keep(raw.q.shape), cx.keep(raw.k.shape), cx.keep(raw.v.shape)};
  attention_backward(cx, in, p.a, raw.d_out, {p.dq.heads(kHeads), p.dk.heads(kHeads), p.dv.heads(kHeads)});
  return p;
}

TEST_P(Dense, AttentionOverPaddingEqualsRagged) {
  const int64_t n = kQueries.back(), m = kKeys.back();
  const Raw ragged{random(n, kHeads * kDk),
                   random(m, kHeads * kDk),
                   random(m, kHeads * kDv),
                   random(n, kHeads * kDv),
                   kQueries,
                   kKeys};
  // Padding holds large numbers everywhere, also in the incoming gradient: none of them may leak.
  const Raw dense{pad(ragged.q, kQueries, 50),
                  pad(ragged.k, kKeys, -70),
                  pad(ragged.v, kKeys, 90),
                  pad(ragged.d_out, kQueries, 30),
                  dense_queries,
                  dense_keys};
  for (bool causal : {false, true}) {
    SCOPED_TRACE(causal ? "causal" : "all keys");
    const Pass a = run(cx, ragged, causal, {}), b = run(cx, dense, false, padding_mask(causal));
    expect_equal_rows("out", a.a.out, b.a.out, kQueries, 0);
    expect_equal_rows("dq", a.dq, b.dq, kQueries, 0);
    expect_equal_rows("dk", a.dk, b.dk, kKeys, 0);
    expect_equal_rows("dv", a.dv, b.dv, kKeys, 0);
    for (int64_t i = 0; i < kHeads; ++i) EXPECT_EQ(get(b.a.lse, 3 * kHeads + i), kMinusInfinity) << "a padded query";
    const int64_t first_of_third = 3;  // the sentence without keys
    for (int64_t i = 0; i < 5 * kHeads * kDv; ++i) EXPECT_EQ(get(a.a.out, first_of_third * kHeads * kDv + i), 0);
  }
}

TEST_P(Dense, CausalFlagEqualsTriangularMask) {
  const int64_t n = kQueries.back(), m = kKeys.back();
  const Raw raw{random(n, kHeads * kDk),
                random(m, kHeads * kDk),
                random(m, kHeads * kDv),
                random(n, kHeads * kDv),
                kQueries,
                kKeys};
  const Pass flag = run(cx, raw, true, {}), mask = run(cx, raw, false, triangle()), all = run(cx, raw, false, {});
  expect_equal("out", flag.a.out, mask.a.out);
  expect_equal("lse", flag.a.lse, mask.a.lse);
  expect_equal("dq", flag.dq, mask.dq);
  expect_equal("dk", flag.dk, mask.dk);
  expect_equal("dv", flag.dv, mask.dv);
  EXPECT_NE(get(all.a.out, 0), get(flag.a.out, 0)) << "the first query must not see all its keys";
}

TEST_P(Dense, MaskOfFiniteNumbersIsAddedToTheScores) {
  // A mask of log(2) counts a key twice, as if the sentence contained it twice.
  const int32_t one_query[] = {0, 1}, two_keys[] = {0, 2}, three_keys[] = {0, 3};
  const Tensor q = random(1, kHeads * kDk), k = random(2, kHeads * kDk), v = random(2, kHeads * kDv);
  const auto with_twice = [&](Tensor x) {
    Tensor y = cx.keep({3, x.shape[1]});
    for (int64_t i = 0; i < y.size(); ++i) put(y, i, get(x, i % x.size()));  // the third row repeats the first
    return y;
  };
  Tensor mask = filled({1, 2}, 0);
  put(mask, 0, std::log(2));
  const Tensor d_out = random(1, kHeads * kDv);
  const Pass a = run(cx, {q, k, v, d_out, one_query, two_keys}, false, mask);
  const Pass b = run(cx, {q, with_twice(k), with_twice(v), d_out, one_query, three_keys}, false, {});
  expect_equal("out", a.a.out, b.a.out);
  expect_equal("dq", a.dq, b.dq);
}

// General multi-head attention, with all widths different.
class DenseMultiHead : public Dense {
 protected:
  struct Side {
    Tensor query, key, value, dy;
    Offsets queries, keys;
  };
  struct Result {
    Tensor y, d_query, d_key, d_value;
    std::vector<std::pair<std::string, Tensor>> gradients;
  };

  Result pass(Heads heads, const Side& side, bool causal, Tensor mask) {
    heads.bias = true;
    MultiHeadAttention attention(heads, {.query = 6, .key = 5, .value = 7, .output = 4});
    parameters_.push_back(std::make_unique<Parameters>(attention, cx.dtype, Parameters::Use::training));
    initialize(attention, 3);
    Tensor values = parameters_.back()->values();
    Random noise(8);
    for (int64_t i = 0; i < values.size(); ++i) put(values, i, get(values, i) + 0.2 * noise.normal());
    MultiHeadAttention::Saved saved;
    const MultiHeadAttention::Inputs in{side.query, side.key, side.value, side.queries, side.keys, causal, mask};
    Result r{attention.forward(cx, in, saved),
             filled(side.query.shape, 0),
             filled(side.key.shape, 0),
             filled(side.value.shape, 0),
             {}};
    attention.backward(cx, saved, side.dy, r.d_query, r.d_key, r.d_value);
    for_each<Parameter>(attention,
                        [&](const std::string& name, Parameter& p) { r.gradients.emplace_back(name, p.grad); });
    return r;
  }
  void check(const Heads& heads, bool causal) {
    const int64_t n = kQueries.back(), m = kKeys.back();
    const Side ragged{random(n, 6), random(m, 5), random(m, 7), random(n, 4), kQueries, kKeys};
    // A loss ignores padding rows, so their incoming gradient is zero.
    const Side dense{pad(ragged.query, kQueries, 2),
                     pad(ragged.key, kKeys, -3),
                     pad(ragged.value, kKeys, 4),
                     pad(ragged.dy, kQueries, 0),
                     dense_queries,
                     dense_keys};
    const Result a = pass(heads, ragged, causal, {}), b = pass(heads, dense, false, padding_mask(causal));
    each_row(kQueries, [&](int64_t from, int64_t to) { expect_equal("y", a.y.slice(from, 1), b.y.slice(to, 1)); });
    for (int64_t i = 0; i < b.y.size(); ++i) EXPECT_TRUE(std::isfinite(get(b.y, i))) << "y, number " << i;
    expect_equal_rows("d_query", a.d_query, b.d_query, kQueries, 0);
    expect_equal_rows("d_key", a.d_key, b.d_key, kKeys, 0);
    expect_equal_rows("d_value", a.d_value, b.d_value, kKeys, 0);
    ASSERT_EQ(a.gradients.size(), b.gradients.size());
    for (size_t i = 0; i < a.gradients.size(); ++i)
      expect_equal(a.gradients[i].first.c_str(), a.gradients[i].second, b.gradients[i].second);
  }

 private:
  std::vector<std::unique_ptr<Parameters>> parameters_;
};

// MultiHead(x, x, x): one tensor for all three inputs, and one for their gradients.
TEST_P(DenseMultiHead, OfOneInputEqualsSelfAttention) {
  const int64_t n = kQueries.back(), d = 6, keys = kHeads * kDk;
  SelfAttention self(Heads::scaled_dot(kHeads, kDk, kDv), d, true);
  MultiHeadAttention general(Heads::scaled_dot(kHeads, kDk, kDv), {.query = d, .key = d, .value = d, .output = d});
  Parameters of_self(self, cx.dtype, Parameters::Use::training),
      of_general(general, cx.dtype, Parameters::Use::training);
  initialize(self, 3);
  const auto copy = [&](Tensor from, Tensor to) {
    for (int64_t i = 0; i < to.size(); ++i) put(to, i, get(from, i / to.shape[1] * from.strides[0] + i % to.shape[1]));
  };
  const auto parts = [&](Tensor qkv) {
    return std::array{qkv.columns(0, keys), qkv.columns(keys, keys), qkv.columns(2 * keys, kHeads * kDv)};
  };
  const std::array<Linear*, 3> projections{&general.query, &general.key, &general.value};
  for (int i = 0; i < 3; ++i) copy(parts(self.qkv.weight.value)[i], projections[i]->weight.value);
  copy(self.output.weight.value, general.output.weight.value);

  const Tensor x = random(n, d), dy = random(n, d), d_self = filled({n, d}, 1), d_general = filled({n, d}, 1);
  SelfAttention::Saved s;
  MultiHeadAttention::Saved g;
  expect_equal("y", self.forward(cx, x, kQueries, s), general.forward(cx, {x, x, x, kQueries, kQueries, true, {}}, g));
  self.backward(cx, s, dy, d_self);
  general.backward(cx, g, dy, d_general, d_general, d_general);
  expect_equal("dx", d_self, d_general);
  for (int i = 0; i < 3; ++i) {
    Tensor part = cx.keep(projections[i]->weight.shape);
    copy(parts(self.qkv.weight.grad)[i], part);
    expect_equal("d of a projection", part, projections[i]->weight.grad);
  }
  expect_equal("d of the output projection", self.output.weight.grad, general.output.weight.grad);
}

TEST_P(DenseMultiHead, ScaledDotScore) {
  for (bool causal : {false, true}) check(Heads::scaled_dot(kHeads, kDk, kDv), causal);
}

TEST_P(DenseMultiHead, AdditiveScore) {
  Heads heads = Heads::scaled_dot(kHeads, kDk, kDv);
  heads.score = AdditiveScore(kHeads, kDk);
  for (bool causal : {false, true}) check(heads, causal);
}

template <Isa isa>
std::unique_ptr<Backend> make_cpu() {
  return make_cpu_backend(isa);
}
// The backends of this machine.
std::vector<Device> devices() {
  std::vector<Device> all{{"reference_f64", make_reference_backend, DType::f64, 1e-13},
                          {"reference_f32", make_reference_backend, DType::f32, 1e-5},
                          {"cpu_generic", make_cpu<Isa::generic>, DType::f32, 1e-5}};
  if (available(Isa::avx2)) all.push_back({"cpu_avx2", make_cpu<Isa::avx2>, DType::f32, 1e-5});
  if (available(Isa::avx512)) all.push_back({"cpu_avx512", make_cpu<Isa::avx512>, DType::f32, 1e-5});
  if (available(Isa::neon)) all.push_back({"cpu_neon", make_cpu<Isa::neon>, DType::f32, 1e-5});
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, Dense, testing::ValuesIn(devices()), name_of);
INSTANTIATE_TEST_SUITE_P(All, DenseMultiHead, testing::ValuesIn(devices()), name_of);

}  // namespace
}  // namespace hexapla::model
