#pragma once
// A table of cases for every call of the contract, used in three ways: tests compare a backend with
// the reference, `doctor` does the same on the user's machine, and benchmarks time the same calls.
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/compute/random.h"

namespace hexapla {

// Memory, inputs and results of one run of a case. Inputs depend on the seed only: an f64 run gets
// exactly the numbers of the f32 run.
class CaseData {
 public:
  struct Result {
    std::string name;
    Tensor value;
    double terms;  // magnitude of the terms of a sum that may cancel; else 0
  };

  // Tensors lie in memory of the backend, if it is given.
  CaseData(DType type, uint64_t seed, Backend* backend = nullptr) : type_(type), random_(seed), backend_(backend) {}
  CaseData(const CaseData&) = delete;
  CaseData& operator=(const CaseData&) = delete;

  DType type() const { return type_; }
  // Normal numbers times `size`.
  Tensor normal(Shape s, double size = 1);
  // Columns of a wider matrix: its rows are strided.
  Tensor strided(Shape s) { return normal({s[0], s[1] + 3}).columns(2, s[1]); }
  Tensor positive(Shape s, double size = 1);
  Tensor constant(Shape s, double value);
  // An additive mask: normal numbers, some -inf, and every fourth row all -inf.
  Tensor mask(Shape s);
  // Values from a small set, so that many are equal.
  Tensor coarse(Shape s);
  Tensor ids(Shape s, int64_t below);
  Tensor integers(const std::vector<int32_t>& values);
  template <class T>
  Tensor copy(const std::vector<T>& values, Shape s) {
    auto& room = memory_.emplace_back(values.size() * sizeof(T) / sizeof(double) + 1);
    std::memcpy(room.data(), values.data(), values.size() * sizeof(T));
    return placed(Tensor(room.data(), s, dtype_of<T>()));
  }
  Offsets offsets(const std::vector<int64_t>& lengths);
  std::span<const int32_t> host_integers(std::vector<int32_t> values) {
    return offsets_.emplace_back(std::move(values));
  }

  // A result to compare. It starts as NaN, so elements that the call does not write count as wrong.
  Tensor result(const std::string& name, Shape s, double terms = 0) { return result(name, s, type_, terms); }
  Tensor result(const std::string& name, Shape s, DType type, double terms = 0);
  // A tensor to compare after the call: accumulated sums, and calls in place.
  Tensor changed(const std::string& name, Tensor t, double terms = 0);
  const std::vector<Result>& results() const { return results_; }

 private:
  Tensor make(Shape s, DType type, const std::function<double()>& next);
  Tensor placed(const Tensor& made);  // the tensor, or its copy on the device

  DType type_;
  Random random_;
  Backend* backend_;
  std::deque<std::vector<double>> memory_;
  std::deque<Pages> device_memory_;
  std::deque<std::vector<int32_t>> offsets_;
  std::vector<Result> results_;
};

struct OpCase {
  std::string op;    // the call: "linear"
  std::string name;  // the call, its shapes and variant: "linear 7x33x65 transposed"
  // Makes the inputs and returns the call, which may be repeated (for timing).
  std::function<std::function<void()>(Backend&, CaseData&)> prepare;
  double operations = 0;  // multiplications and additions of one call; 0 if other work dominates
};

std::vector<OpCase> op_cases();

// Runs the case on both backends in these types and compares every result. The error of a result
// tensor is
//   max |a - b| / max(max |b|, terms, 1e-30),
// where b is the reference (without infinite values in the maximum) and `terms` as in
// CaseData::Result. Where one side is infinite, the other must be, too; NaN and unequal integers
// count as an infinite error.
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
