// A checked backend computes the same results and reports the first value that is not finite.
#include "backend/decorators/value_checker.h"

#include <gtest/gtest.h>

#include <limits>

#include "backend/cases.h"
#include "backend/reference/reference.h"
#include "base/scope.h"

namespace hexapla {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

TEST(Extremes, CountEveryValueOfAView) {
  std::vector<float> x{1, -7, kNan, kInfinity, 3, 99, -kInfinity, 0, 88};
  EXPECT_EQ(extremes_of(Tensor::of(x.data(), {9})).infinite, 2);
  const Extremes columns = extremes_of(Tensor::of(x.data(), {3, 3}).columns(0, 2));  // 1 -7, inf 3, -inf 0
  EXPECT_EQ(columns.values, 6);
  EXPECT_EQ(columns.nan, 0);
  EXPECT_EQ(columns.infinite, 2);
  EXPECT_EQ(columns.largest, 7);
  std::vector<int32_t> ids{1, 2};
  EXPECT_FALSE(extremes_of(Tensor::of(ids.data(), {2})).bad());
}

TEST(ValueChecker, EveryOpGivesTheSameAndIsSeen) {
  const auto reference = make_reference_backend();
  for (const OpCase& c : op_cases()) {
    if (c.operations > 1e6) continue;
    int seen = 0;
    const auto checked = make_value_checker(*reference, [&](const OpOutput& o) {
      seen += o.op == c.op;  // a case of a backward op calls the forward op first
      EXPECT_FALSE(o.found.bad()) << c.name << " " << o.output;
      EXPECT_EQ(o.found.values, o.shape.size()) << c.name;
    });
    EXPECT_EQ(worst_relative_error(c, *checked, *reference, DType::f64, DType::f64), 0) << c.name;
    if (c.op != "put_rows" && c.op != "sum_of_squares") {
      EXPECT_GT(seen, 0) << c.name;
    }
  }
}

TEST(ValueChecker, NamesScopeOpAndOutput) {
  const auto reference = make_reference_backend();
  std::vector<OpOutput> seen;
  const auto checked = make_value_checker(*reference, [&](const OpOutput& o) { seen.push_back(o); });
  std::vector<float> x{1, 2}, w{3e38f, 1, 3e38f, kNan}, y(2);
  Scope encoder("encoder");
  {
    Scope layer("layers", 3);
    checked->linear(Tensor::of(x.data(), {1, 2}), Tensor::of(w.data(), {2, 2}), {}, Tensor::of(y.data(), {1, 2}));
  }
  checked->add(Tensor::of(x.data(), {2}), Tensor::of(x.data(), {2}), Tensor::of(x.data(), {2}));
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].scope, "encoder.layers.3");
  EXPECT_EQ(seen[0].op, "linear");
  EXPECT_EQ(seen[0].output, "y");
  EXPECT_EQ(seen[0].found.infinite, 1);
  EXPECT_EQ(seen[0].found.nan, 1);
  EXPECT_EQ(seen[0].inputs.nan, 1);
  EXPECT_FLOAT_EQ(static_cast<float>(seen[0].inputs.largest), 3e38f);
  EXPECT_EQ(seen[1].scope, "encoder");
  EXPECT_EQ(seen[1].inputs.largest, 2);  // as before the call: y is x
  EXPECT_EQ(seen[1].found.largest, 4);
}

// A query that sees no key: its output is 0, and the log of its empty sum is -inf.
TEST(ValueChecker, ARowThatSeesNothingIsNoFault) {
  const auto reference = make_reference_backend();
  bool bad = false;
  const auto checked = make_value_checker(*reference, [&](const OpOutput& o) { bad |= o.found.bad(); });
  std::vector<float> x{1, 2}, mask{-kInfinity}, out(2), lse(1);
  const std::vector<int32_t> offsets{0, 1};
  AttentionInput a;
  a.q = a.k = a.v = Tensor::of(x.data(), {1, 1, 2});
  a.queries = a.keys = offsets;
  a.mask = Tensor::of(mask.data(), {1, 1});
  checked->attention(a, Tensor::of(out.data(), {1, 2}), Tensor::of(lse.data(), {1, 1}));
  EXPECT_EQ(lse[0], -kInfinity);
  EXPECT_FALSE(bad);
}

}  // namespace
}  // namespace hexapla
