#include "backend/cases.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace hexapla {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> numbers(const std::vector<std::byte>& bytes, DType type) {
  const auto all = [&]<class T>(const T* first) {
    return std::vector<double>(first, first + bytes.size() / sizeof(T));
  };
  if (type == DType::f32) return all(reinterpret_cast<const float*>(bytes.data()));
  if (type == DType::f64) return all(reinterpret_cast<const double*>(bytes.data()));
  return all(reinterpret_cast<const int32_t*>(bytes.data()));
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

double relative_error(const std::vector<double>& a, const std::vector<double>& b, const CaseData::Result& of) {
  double worst = 0, scale = std::max(of.terms, 1e-30);
  for (size_t i = 0; i < b.size(); ++i) {
    worst = std::max(worst, difference(a[i], b[i], of.value.dtype == DType::i32));
    if (std::isfinite(b[i])) scale = std::max(scale, std::abs(b[i]));
  }
  return worst / scale;
}

}  // namespace

void* CaseData::place(size_t bytes) {
  if (device_ == nullptr || device_->host_memory()) return memory_.emplace_back(bytes / sizeof(double) + 1).data();
  return pages_.emplace_back(device_->allocate(bytes)).data();
}

void CaseData::write(Tensor t, const void* host) {
  const size_t bytes = static_cast<size_t>(t.size()) * size_of(t.dtype);
  if (device_ == nullptr)
    std::memcpy(t.bytes, host, bytes);
  else
    device_->copy_to_device(host, t.bytes, bytes);
}

std::vector<std::byte> CaseData::bytes_of(const Result& r) const {
  std::vector<std::byte> host(static_cast<size_t>(r.value.size()) * size_of(r.value.dtype));
  if (device_ == nullptr)
    std::memcpy(host.data(), r.value.bytes, host.size());
  else
    device_->copy_to_host(r.value.bytes, host.data(), host.size());
  return host;
}

Tensor CaseData::make(Shape s, DType type, const std::function<double()>& next) {
  std::vector<double> host(static_cast<size_t>(s.size()) + 1);
  Tensor t(host.data(), s, type);
  for (int64_t i = 0; i < s.size(); ++i) {
    const float x = static_cast<float>(next());
    if (type == DType::f32)
      t.data<float>()[i] = x;
    else if (type == DType::f64)
      t.data<double>()[i] = x;
    else
      t.data<int32_t>()[i] = static_cast<int32_t>(x);
  }
  t.bytes = static_cast<std::byte*>(place(host.size() * sizeof(double)));
  write(t, host.data());
  return t;
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
  return lists_.emplace_back(std::move(all));
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
    worst = std::max(worst, relative_error(numbers(of_a.bytes_of(x), x.value.dtype),
                                           numbers(of_reference.bytes_of(y), y.value.dtype), y));
  }
  return worst;
}

}  // namespace hexapla
