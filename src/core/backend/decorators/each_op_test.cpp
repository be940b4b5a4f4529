// Compares the roles of an op's tensors with what the op does to them.
#include "backend/decorators/each_op.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "backend/cases.h"
#include "backend/decorators/value_checker.h"
#include "backend/reference/reference.h"

namespace hexapla {
namespace {

// Watches one op. Its results are NaN before it computes, except those that it should read.
class Witness final : public Decorator {
 public:
  Witness(Backend& inner, std::string op) : Decorator(inner), op_(std::move(op)) {}
  std::string name() const override { return "witness"; }
  int calls = 0;

 private:
  void run(const Op& op, const Compute& compute) override {
    if (op.name != op_) return compute(inner_);
    ++calls;
    std::map<const std::byte*, double> squares;
    for (const OpTensor& t : op.tensors) {
      if (!t.tensor || !t.read) continue;
      EXPECT_EQ(extremes_of(*t.tensor).nan, 0) << op.name;  // in cases, results start as NaN: this one is not read
      squares[t.tensor->bytes] = inner_.sum_of_squares(*t.tensor);
    }
    for (const OpTensor& t : op.tensors)
      if (t.tensor && t.output && squares.erase(t.tensor->bytes) == 0)
        inner_.fill(*t.tensor, std::numeric_limits<double>::quiet_NaN());
    compute(inner_);
    for (const OpTensor& t : op.tensors)
      if (t.tensor && squares.contains(t.tensor->bytes) && op_ != "add_norm_dropped") {  // which may overwrite r
        EXPECT_EQ(inner_.sum_of_squares(*t.tensor), squares[t.tensor->bytes]) << op.name << " sets what it reads";
      }
  }

  std::string op_;
};

TEST(EachOp, SaysWhatIsReadAndSet) {
  const auto reference = make_reference_backend();
  for (const OpCase& c : op_cases()) {
    if (c.operations > 1e5) continue;
    Witness witness(*reference, c.op);
    EXPECT_EQ(worst_relative_error(c, witness, *reference), 0) << c.name;
    EXPECT_EQ(witness.calls, 1) << c.name;
  }
}

}  // namespace
}  // namespace hexapla
