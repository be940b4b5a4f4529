#pragma once
// One table of cases for every call of the contract, used three ways: the tests prove a backend equal to the
// reference, `doctor` does the same on the user's machine, and the benchmarks time the same calls.
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/compute/random.h"

namespace hexapla {

// Memory, inputs and results of one run of a case. The inputs depend on the seed alone: an f64 run gets the very
// numbers of the f32 run.
class CaseData {
 public:
  struct Result {
    std::string name;
    Tensor value;
    double terms;  // size of the terms that the result is a sum of, where they may cancel; else 0
  };

  CaseData(DType type, uint64_t seed) : type_(type), random_(seed) {}
  CaseData(const CaseData&) = delete;
  CaseData& operator=(const CaseData&) = delete;

  DType type() const { return type_; }
  // Normal numbers times `size`.
  Tensor normal(Shape s, double size = 1);
  // Columns of a wider matrix: its rows lie apart.
  Tensor strided(Shape s) { return normal({s[0], s[1] + 3}).columns(2, s[1]); }
  Tensor positive(Shape s, double size = 1);
  Tensor constant(Shape s, double value);
  // An additive mask: normal numbers, some -inf, and every fourth row nothing but -inf.
  Tensor mask(Shape s);
  // Numbers from so few values that many are equal.
  Tensor coarse(Shape s);
  Tensor ids(Shape s, int64_t below);
  Tensor integers(const std::vector<int32_t>& values);
  Offsets offsets(const std::vector<int64_t>& lengths);

  // Will be compared. It starts as NaN, so whatever the call does not write counts as wrong.
  Tensor result(const std::string& name, Shape s, double terms = 0) { return result(name, s, type_, terms); }
  Tensor result(const std::string& name, Shape s, DType type, double terms = 0);
  // Will be compared, as it is after the call: sums that are added to, and calls in place.
  Tensor changed(const std::string& name, Tensor t, double terms = 0);
  const std::vector<Result>& results() const { return results_; }

 private:
  Tensor make(Shape s, DType type, const std::function<double()>& next);

  DType type_;
  Random random_;
  std::deque<std::vector<double>> memory_;
  std::deque<std::vector<int32_t>> offsets_;
  std::vector<Result> results_;
};

struct OpCase {
  std::string op;    // the call: "linear"
  std::string name;  // the call, its shapes and variant: "linear 7x33x65 transposed"
  // Makes the inputs and gives back the call itself, which may be made again and again (for timing).
  std::function<std::function<void()>(Backend&, CaseData&)> prepare;
  double operations = 0;  // multiplications and additions of one call; 0 where they are not what takes the time
};

std::vector<OpCase> op_cases();

// Runs the case on both backends, in these types, and compares every result. The error of a result tensor is
//   max |a - b| / max(max |b|, terms, 1e-30),
// b being the reference's numbers (infinite ones left out of the maximum) and `terms` as in CaseData::Result. Where
// one side is infinite the other must be so too; NaN and unequal integers count as an infinite error.
// Returns the largest error of all results.
double worst_relative_error(const OpCase& c, Backend& a, Backend& reference, DType type_of_a = DType::f32,
                            DType type_of_reference = DType::f32);

// The parts of the table.
void add_elementwise_cases(std::vector<OpCase>& cases);
void add_product_cases(std::vector<OpCase>& cases);
void add_norm_cases(std::vector<OpCase>& cases);
void add_attention_cases(std::vector<OpCase>& cases);
void add_loss_cases(std::vector<OpCase>& cases);

}  // namespace hexapla
