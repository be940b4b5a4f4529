#include "model/parameters.h"

#include <cstring>
#include <new>

namespace hexapla {

Tensor Parameters::slab(int64_t n) {
  if (n == 0) return {};
  const size_t bytes = n * size_of(dtype_);
  memory_.emplace_back(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t(64))));
  std::memset(memory_.back().get(), 0, bytes);
  return Tensor(memory_.back().get(), {n}, dtype_);
}

void Parameters::Free::operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(64)); }

namespace detail {
namespace {
void set(Tensor t, int64_t i, double v) {
  if (t.dtype == DType::f64)
    t.data<double>()[i] = v;
  else
    t.data<float>()[i] = static_cast<float>(v);
}
}  // namespace

void initialise(Parameter& p, Random random, double gain) {
  const double limit = p.init.kind == Init::Kind::xavier ? gain * std::sqrt(6 / (p.init.a + p.init.b)) : 0;
  for (int64_t i = 0; i < p.shape.size(); ++i) {
    double v = 0;
    switch (p.init.kind) {
      case Init::Kind::zeros:
        break;
      case Init::Kind::ones:
        v = 1;
        break;
      case Init::Kind::xavier:
        v = (2 * random.uniform() - 1) * limit;
        break;
      case Init::Kind::normal:
        v = random.normal() * p.init.a;
        break;
    }
    set(p.value, i, v);
  }
}

void initialise(Buffer& b) {
  for (int64_t i = 0; i < b.shape.size(); ++i) set(b.value, i, b.initial);
}

}  // namespace detail
}  // namespace hexapla
