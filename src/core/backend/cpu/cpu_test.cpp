// Compares every case of the table with the reference, on every instruction set of this machine;
// results must be bit-identical for any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backend/cases.h"
#include "backend/cpu/testing.h"
#include "backend/reference/reference.h"
#include "base/compute/parallel.h"
#include "base/files/hash.h"

namespace hexapla {
namespace {

using cpu::Variant;
class CpuBackendTest : public testing::TestWithParam<Variant> {};

TEST_P(CpuBackendTest, EqualsTheReference) {
  const auto backend = cpu::make(GetParam());
  const auto reference = make_reference_backend();
  for (const OpCase& c : op_cases()) EXPECT_LE(worst_relative_error(c, *backend, *reference), 1e-5) << c.name;
}

class CpuThreads : public testing::TestWithParam<Variant> {};

// The bytes of all results of a case.
std::string bytes_of(const OpCase& c, Backend& backend) {
  CaseData data(DType::f32, 7);
  c.prepare(backend, data)();
  std::string bytes;
  for (const auto& r : data.results())
    bytes.append(reinterpret_cast<const char*>(r.value.bytes),
                 static_cast<size_t>(r.value.size()) * size_of(r.value.dtype));
  return bytes;
}

TEST_P(CpuThreads, SameBitsForAnyNumber) {
  const auto backend = cpu::make(GetParam());
  const std::vector<OpCase> cases = op_cases();
  std::vector<std::string> one;
  for (const int n : {1, 2, 3}) {
    const cpu::Threads only(n);
    for (size_t i = 0; i < cases.size(); ++i) {
      const std::string bytes = bytes_of(cases[i], *backend);
      if (n == 1) one.push_back(bytes);
      EXPECT_TRUE(bytes == one[i]) << cases[i].name << " with " << n << " threads";
    }
  }
}

// docs/adr/0096-arm.md. The hash was made on x86-64.
TEST(CpuIsa, PortableKernelsGiveTheSameBitsOnEveryArchitecture) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "the C library's functions round otherwise without FMA";
#endif
  const auto backend = make_cpu_backend(Isa::generic);
  std::string hashes;
  for (const OpCase& c : op_cases()) hashes += hash_hex(bytes_of(c, *backend));
  EXPECT_EQ(hash_hex(hashes), "55aef18d29449c8aaf18df4ff75c7742");
}

// Large enough to be written with non-temporal stores, from any start.
TEST_P(CpuBackendTest, FillsWhatIsLargerThanACache) {
  const auto backend = cpu::make(GetParam());
  std::vector<float> x((1 << 21) + 100, 5);
  for (const int64_t from : {1, 2, 19}) {
    const int64_t n = (1 << 21) + from;
    std::fill(x.begin(), x.end(), 5);
    backend->fill(Tensor::of(x.data() + from, {n}), 7);
    EXPECT_EQ(std::count(x.begin(), x.end(), 7), n);
    EXPECT_EQ(std::count(x.begin() + from, x.begin() + from + n, 7), n);
  }
}

TEST_P(CpuBackendTest, SaysWhatItIs) {
  const auto backend = cpu::make(GetParam());
  EXPECT_EQ(backend->name(), cat("cpu (", name_of(GetParam().isa), ")"));
  EXPECT_TRUE(backend->supports(DType::f32));
  EXPECT_FALSE(backend->supports(DType::f64));
  const std::string products = product_implementation(*backend);
  EXPECT_EQ(products.find(GetParam().products == "own" ? "own kernels" : "oneDNN"), 0u) << products;
}

INSTANTIATE_TEST_SUITE_P(All, CpuBackendTest, testing::ValuesIn(cpu::variants()), cpu::variant_name);
INSTANTIATE_TEST_SUITE_P(All, CpuThreads, testing::ValuesIn(cpu::variants_of_any_precision()), cpu::variant_name);

TEST(CpuIsa, NamesAreParsed) {
  EXPECT_EQ(parse_isa("generic"), Isa::generic);
  EXPECT_EQ(parse_isa(name_of(best_isa())), best_isa());
  EXPECT_THROW(parse_isa("sse9"), UsageError);
}

TEST(CpuIsa, TheEnvironmentLowersIt) {
  const Environment isa("HEXAPLA_ISA", "generic");
  EXPECT_EQ(make_cpu_backend()->name(), "cpu (generic)");
}

TEST(CpuIsa, UnknownProductsAreRefused) {
  const Environment products("HEXAPLA_PRODUCTS", "abacus");
  EXPECT_THROW(make_cpu_backend(), UsageError);
}

}  // namespace
}  // namespace hexapla
