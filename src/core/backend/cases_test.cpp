#include "backend/cases.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backend/reference/reference.h"

namespace hexapla {
namespace {

TEST(Cases, ReferenceInF32IsTheReferenceInF64) {
  const auto reference = make_reference_backend();
  for (const OpCase& c : op_cases())
    EXPECT_LE(worst_relative_error(c, *reference, *reference, DType::f32, DType::f64), 1e-5) << c.name;
}

TEST(Cases, NamesAreUnique) {
  std::set<std::string> names;
  for (const OpCase& c : op_cases()) EXPECT_TRUE(names.insert(c.name).second) << c.name;
}

TEST(Cases, EveryCallOfTheContractHasCases) {
  std::map<std::string, int> count;
  for (const OpCase& c : op_cases()) ++count[c.op];
  for (const char* op : {"fill",
                         "add",
                         "combine",
                         "multiply",
                         "activate",
                         "activate_backward",
                         "activate_dropped",
                         "activate_dropped_backward",
                         "dropout",
                         "linear",
                         "linear_selected",
                         "linear_backward_input",
                         "linear_backward_weight",
                         "add_norm",
                         "add_norm_backward",
                         "add_norm_dropped",
                         "add_norm_dropped_backward",
                         "batch_norm",
                         "batch_norm_backward",
                         "batch_norm_inference",
                         "embed",
                         "embed_backward",
                         "put_rows",
                         "sinusoids",
                         "attention",
                         "attention_backward",
                         "additive_attention",
                         "additive_attention_backward",
                         "alignment_loss",
                         "alignment_loss_backward",
                         "attention_step",
                         "additive_attention_step",
                         "cross_entropy",
                         "cross_entropy_with_gradient",
                         "log_softmax",
                         "log_softmax_top",
                         "adam",
                         "sum_of_squares"}) {
    EXPECT_GE(count[op], 5) << op;
    count.erase(op);
  }
  EXPECT_TRUE(count.empty()) << count.begin()->first << " is not a call of the contract";
}

// Made-up calls, to test that the comparison notices differences.
double error_of(const std::function<void(Tensor)>& a, const std::function<void(Tensor)>& b) {
  const auto first = make_reference_backend(), second = make_reference_backend();
  const OpCase c{"made up", "made up", [&](Backend& backend, CaseData& d) -> std::function<void()> {
                   return [&, y = d.result("y", {2})] { (&backend == first.get() ? a : b)(y); };
                 }};
  return worst_relative_error(c, *first, *second);
}
std::function<void(Tensor)> writes(float x, float y) {
  return [=](Tensor t) {
    t.data<float>()[0] = x;
    t.data<float>()[1] = y;
  };
}

TEST(Cases, TheComparisonNoticesWrongNumbers) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error_of(writes(1, 4), writes(1, 4)), 0);
  EXPECT_EQ(error_of(writes(1, 4), writes(2, 4)), 0.25);
  EXPECT_EQ(error_of(writes(1, -infinity), writes(1, -infinity)), 0);
  EXPECT_EQ(error_of(writes(1, infinity), writes(1, -infinity)), infinity);
  EXPECT_EQ(error_of(writes(1, 4), writes(1, infinity)), infinity);
  EXPECT_EQ(error_of(writes(1, nan), writes(1, 4)), infinity);
  EXPECT_EQ(error_of(writes(1, nan), writes(1, nan)), infinity);
  EXPECT_EQ(error_of([](Tensor) {}, writes(1, 4)), infinity);
}

}  // namespace
}  // namespace hexapla
