#pragma once
// Shared by the tests of this folder.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/compute/parallel.h"
#include "base/options/test_environment.h"

namespace hexapla::cpu {

class Threads {
 public:
  explicit Threads(int n) : before_(threads()) { use_threads(n); }
  ~Threads() { use_threads(before_); }
  Threads(const Threads&) = delete;

 private:
  int before_;
};

struct Variant {
  Isa isa;
  std::string products;
  Precision precision = Precision::f32;
};
inline std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const Isa isa : isas_here()) {
    all.push_back({isa, "own"});
    if (make_onednn_products(isa)) all.push_back({isa, "onednn"});
  }
  return all;
}
// Variants that round: compared with the reference on rounded factors, and as deterministic as the
// others.
inline std::vector<Variant> variants_of_any_precision() {
  std::vector<Variant> all = variants();
  for (const Isa isa : isas_here())
    if (has(isa, Precision::bf16)) all.push_back({isa, "own", Precision::bf16});
  return all;
}
inline std::string variant_name(const testing::TestParamInfo<Variant>& v) {
  return cat(name_of(v.param.isa), "_", v.param.products, "_", name_of(v.param.precision));
}
inline std::ostream& operator<<(std::ostream& out, const Variant& v) {
  return out << name_of(v.isa) << ' ' << v.products << ' ' << name_of(v.precision);
}

inline std::unique_ptr<Backend> make(const Variant& v) {
  const Environment products("HEXAPLA_PRODUCTS", v.products);
  return make_cpu_backend(v.isa, v.precision);
}

}  // namespace hexapla::cpu
