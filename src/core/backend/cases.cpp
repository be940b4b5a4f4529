#include "backend/cases.h"

#include <cmath>
#include <limits>

#include "backend/on_host.h"

namespace hexapla {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double element(const Tensor& t, int64_t i) {
  switch (t.dtype) {
    case DType::f32:
      return t.data<float>()[i];
    case DType::f64:
      return t.data<double>()[i];
    default:
      return t.data<int32_t>()[i];
  }
}

// FNV-1a: adding cases to the table does not change the inputs of the others.
uint64_t seed_of(const std::string& name) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

double difference(double a, double b, bool whole_numbers) {
  if (a == b) return 0;
  if (whole_numbers || !std::isfinite(a) || !std::isfinite(b)) return kInfinity;
  return std::abs(a - b);
}

double relative_error(const CaseData::Result& a, const CaseData::Result& b) {
  double worst = 0, scale = std::max(b.terms, 1e-30);
  for (int64_t i = 0; i < b.value.size(); ++i) {
    const double x = element(a.value, i), y = element(b.value, i);
    worst = std::max(worst, difference(x, y, b.value.dtype == DType::i32));
    if (std::isfinite(y)) scale = std::max(scale, std::abs(y));
  }
  return worst / scale;
}

}  // namespace

Tensor CaseData::make(Shape s, DType type, const std::function<double()>& next) {
  memory_.emplace_back(static_cast<size_t>(s.size()) + 1);
  Tensor t(memory_.back().data(), s, type);
  for (int64_t i = 0; i < s.size(); ++i) {
    const float x = static_cast<float>(next());
    if (type == DType::f32)
      t.data<float>()[i] = x;
    else if (type == DType::f64)
      t.data<double>()[i] = x;
    else
      t.data<int32_t>()[i] = static_cast<int32_t>(x);
  }
  return placed(t);
}

Tensor CaseData::placed(const Tensor& made) {
  if (!backend_ || backend_->host_memory()) return made;
  const size_t bytes = static_cast<size_t>(made.size()) * size_of(made.dtype);
  const Pages& pages = device_memory_.emplace_back(backend_->allocate(bytes + 8));  // of an empty tensor, too
  backend_->copy_to_device(made.bytes, pages.data(), bytes);
  return Tensor(pages.data(), made.shape, made.dtype);
}

Tensor CaseData::normal(Shape s, double size) {
  return make(s, type_, [&] { return size * random_.normal(); });
}

Tensor CaseData::positive(Shape s, double size) {
  return make(s, type_, [&] { return size * (0.05 + random_.uniform()); });
}

Tensor CaseData::constant(Shape s, double value) {
  return make(s, type_, [&] { return value; });
}

Tensor CaseData::mask(Shape s) {
  int64_t i = 0;
  return make(s, type_, [&] {
    const bool blind = i++ / s[1] % 4 == 3;
    const double x = random_.normal();
    return blind || x > 0.9 ? -kInfinity : x;
  });
}

Tensor CaseData::coarse(Shape s) {
  return make(s, type_, [&] { return 0.5 * random_.below(8); });
}

Tensor CaseData::ids(Shape s, int64_t below) {
  return make(s, DType::i32, [&] { return random_.below(static_cast<uint32_t>(below)); });
}

Tensor CaseData::integers(const std::vector<int32_t>& values) {
  size_t i = 0;
  return make({std::ssize(values)}, DType::i32, [&] { return values[i++]; });
}

Offsets CaseData::offsets(const std::vector<int64_t>& lengths) {
  std::vector<int32_t> all{0};
  for (const int64_t n : lengths) all.push_back(all.back() + static_cast<int32_t>(n));
  return offsets_.emplace_back(std::move(all));
}

Tensor CaseData::result(const std::string& name, Shape s, DType type, double terms) {
  const double unwritten = type == DType::i32 ? -1 : std::numeric_limits<double>::quiet_NaN();
  return changed(name, make(s, type, [=] { return unwritten; }), terms);
}

Tensor CaseData::changed(const std::string& name, Tensor t, double terms) {
  HEXAPLA_CHECK(t.contiguous(), "result ", name, " is not contiguous: give the whole matrix");
  results_.push_back({name, t, terms});
  return t;
}

std::vector<OpCase> op_cases() {
  std::vector<OpCase> cases;
  add_elementwise_cases(cases);
  add_product_cases(cases);
  add_norm_cases(cases);
  add_attention_cases(cases);
  add_loss_cases(cases);
  return cases;
}

double worst_relative_error(const OpCase& c, Backend& a, Backend& reference, DType type_of_a, DType type_of_reference) {
  CaseData of_a(type_of_a, seed_of(c.name), &a), of_reference(type_of_reference, seed_of(c.name), &reference);
  c.prepare(a, of_a)();
  c.prepare(reference, of_reference)();
  HEXAPLA_CHECK(!of_reference.results().empty(), "the case ", c.name, " has no results");
  double worst = 0;
  for (size_t i = 0; i < of_reference.results().size(); ++i) {
    const CaseData::Result &x = of_a.results()[i], &y = of_reference.results()[i];
    const OnHost x_here(a, x.value), y_here(reference, y.value);
    worst = std::max(worst, relative_error({x.name, x_here, x.terms}, {y.name, y_here, y.terms}));
  }
  return worst;
}

}  // namespace hexapla
