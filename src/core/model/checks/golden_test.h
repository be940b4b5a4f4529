#pragma once
// Golden fixtures: results of PyTorch for tiny models (scripts/golden/make_golden.py), and
// comparison with them.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <set>

#include "backend/context.h"
#include "base/test_paths.h"
#include "tensor/safetensors.h"

namespace hexapla::model {

// Calls f(index, value) for each number of a tensor whose rows may be strided.
template <class F>
void each_number(Tensor t, F&& f) {
  const int64_t width = t.shape[-1], stride = t.shape.rank() > 1 ? t.strides[t.shape.rank() - 2] : width;
  for (int64_t i = 0; i < t.size(); ++i) {
    const int64_t at = i / width * stride + i % width;
    f(i, t.dtype == DType::f64 ? t.data<double>()[at] : static_cast<double>(t.data<float>()[at]));
  }
}

// One fixture. DataError if the file or a tensor is missing.
class Golden {
 public:
  explicit Golden(const std::string& name)
      : file_(SafetensorsFile::open(source_path("tests/fixtures/" + std::string(name) + ".safetensors"))) {}

  std::vector<double> numbers(const std::string& name) const {
    const TensorEntry& entry = file_.get(name);
    std::vector<double> result;
    if (entry.dtype == DType::f64)
      copy<double>(entry, result);
    else
      copy<float>(entry, result);
    return result;
  }
  std::vector<int32_t> ids(const std::string& name) const {
    std::vector<int32_t> result;
    copy<int32_t>(file_.get(name), result);
    return result;
  }
  // Reads into a tensor with as many numbers, f32 or f64.
  void read(const std::string& name, Tensor to) const {
    const std::vector<double> values = numbers(name);
    HEXAPLA_CHECK(to.size() == int64_t(values.size()), name, " of the fixture has ", values.size(), " numbers, not ",
                  to.shape);
    for (size_t i = 0; i < values.size(); ++i)
      if (to.dtype == DType::f64)
        to.data<double>()[i] = values[i];
      else
        to.data<float>()[i] = static_cast<float>(values[i]);
  }
  Shape shape(const std::string& name) const { return file_.get(name).shape; }
  bool has(const std::string& name) const { return file_.find(name); }
  // The names with one of these prefixes.
  std::set<std::string> names(std::initializer_list<std::string_view> prefixes) const {
    std::set<std::string> result;
    for (const TensorEntry& e : file_.tensors())
      for (std::string_view prefix : prefixes)
        if (e.name.starts_with(prefix)) result.insert(e.name);
    return result;
  }

 private:
  template <class Stored, class T>
  void copy(const TensorEntry& entry, std::vector<T>& to) const {
    std::vector<Stored> stored(entry.shape.size());
    file_.copy(entry, Tensor::of(stored.data(), entry.shape));
    to.assign(stored.begin(), stored.end());
  }
  SafetensorsFile file_;
};

// Compares tensors in turn and remembers the first difference, with both values.
class Comparison {
 public:
  explicit Comparison(const Golden& golden) : golden_(golden) {}

  // Relative to PyTorch's largest number in this tensor (a tensor of zeros must be zero to 1e-7).
  void relative(const std::string& name, Tensor got, double tolerance) {
    const std::vector<double> expected = golden_.numbers(name);
    double largest = 1e-3;
    for (double x : expected)
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    absolute(name, got, expected, tolerance * largest);
  }
  void absolute(const std::string& name, Tensor got, double tolerance) {
    absolute(name, got, golden_.numbers(name), tolerance);
  }
  bool knows(const std::string& name) const { return golden_.has(name); }
  const std::set<std::string>& seen() const { return seen_; }
  const std::string& first_difference() const { return first_; }  // "" if all are equal

 private:
  void absolute(const std::string& name, Tensor got, const std::vector<double>& expected, double tolerance) {
    seen_.insert(name);
    if (!first_.empty()) return;
    if (got.size() != int64_t(expected.size())) {
      first_ = cat(name, " has shape ", got.shape, ", PyTorch's has ", golden_.shape(name));
      return;
    }
    each_number(got, [&](int64_t i, double x) {
      const double y = expected[i];
      if (!first_.empty() || x == y || std::abs(x - y) <= tolerance) return;
      const int64_t width = got.shape[-1];
      first_ = cat(std::setprecision(10), name, " differs first: row ", i / width, ", column ", i % width, " is ", x,
                   ", PyTorch has ", y, " (off by ", std::abs(x - y), ", allowed ", tolerance, ")");
    });
  }
  const Golden& golden_;
  std::set<std::string> seen_;
  std::string first_;
};

// Compares every intermediate of a forward pass, in the order of the model.
class ComparingObserver : public Observer {
 public:
  // logits: absolute; everything else: relative.
  ComparingObserver(Comparison& to, double logits, double tolerance)
      : comparison_(to), logits_(logits), tolerance_(tolerance) {}

  void observe(const std::string& name, Tensor value, Offsets) override {
    // Attention shows its weights before q, k and v; they are compared here, in formula order.
    if (name.ends_with(".heads")) compare_attention(name.substr(0, name.size() - 6));
    if (!comparison_.knows("seen." + name)) return;  // no PyTorch module outputs it
    if (name == "generator.logits")
      comparison_.absolute("seen." + name, value, logits_);
    else
      comparison_.relative("seen." + name, value, tolerance_);
  }
  void observe_attention(const std::string&, int64_t, Tensor scores, Tensor weights) override {
    each_number(scores, [&](int64_t, double x) { waiting_scores_.push_back(x); });
    each_number(weights, [&](int64_t, double x) { waiting_weights_.push_back(x); });
  }

 private:
  void compare_attention(const std::string& scope) {
    const Shape all{int64_t(waiting_scores_.size())};
    comparison_.relative("scores." + scope, Tensor::of(waiting_scores_.data(), all), tolerance_);
    comparison_.relative("weights." + scope, Tensor::of(waiting_weights_.data(), all), tolerance_);
    waiting_scores_.clear();
    waiting_weights_.clear();
  }
  Comparison& comparison_;
  double logits_, tolerance_;
  std::vector<double> waiting_scores_, waiting_weights_;
};

}  // namespace hexapla::model
