// Once its buffers have grown, no call allocates memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "backend/cases.h"
#include "backend/cpu/testing.h"

namespace {
std::atomic<int64_t> allocations{0};

void* counted(size_t bytes, size_t alignment) {
  ++allocations;
  void* p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!p) throw std::bad_alloc();
  return p;
}
}  // namespace

// For the whole test program. Not inlined, because GCC would see free() meet operator new and warn.
[[gnu::noinline]] void* operator new(size_t n) { return counted(n, 16); }
[[gnu::noinline]] void* operator new(size_t n, std::align_val_t a) { return counted(n, static_cast<size_t>(a)); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }

namespace hexapla {
namespace {

TEST(CpuMemory, TheCounterCounts) {
  const int64_t before = allocations;
  std::vector<int>* volatile seen = new std::vector<int>;  // volatile: or it could be optimized away
  delete seen;
  EXPECT_EQ(allocations, before + 1);
}

TEST(CpuMemory, NoCallAllocatesTheSecondTime) {
  for (const Isa isa : {Isa::generic, best_isa()}) {
    const auto backend = cpu::make({isa, "own"});
    for (const int n : {1, 2}) {
      const cpu::Threads only(n);
      for (const OpCase& c : op_cases()) {
        CaseData data(DType::f32, 7);
        const auto call = c.prepare(*backend, data);
        call();
        const int64_t before = allocations;
        call();
        EXPECT_EQ(allocations, before) << c.name << ", " << name_of(isa) << ", " << n << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace hexapla
