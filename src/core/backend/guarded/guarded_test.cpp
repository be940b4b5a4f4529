// Tensors whose addresses the host cannot access: same results, and a wrong access is noticed.
#include "backend/guarded/guarded.h"

#include <gtest/gtest.h>

#include "backend/cases.h"
#include "backend/context.h"
#include "backend/on_host.h"
#include "backend/reference/reference.h"

namespace hexapla {
namespace {

std::unique_ptr<Backend> make_guarded() { return make_guarded_backend(make_reference_backend()); }

TEST(Guarded, EveryOpGivesTheSameBits) {
  const auto guarded = make_guarded(), reference = make_reference_backend();
  for (const OpCase& c : op_cases())
    if (c.operations < 1e6) {
      EXPECT_EQ(worst_relative_error(c, *guarded, *reference), 0) << c.name;
    }
}

TEST(Guarded, AnAccessByTheHostEndsTheProcess) {
  const auto guarded = make_guarded();
  Arena arena = make_arena(*guarded, 4096);
  Context cx{*guarded, arena};
  const Tensor x = cx.keep({3});
  EXPECT_DEATH(static_cast<void>(*const_cast<volatile float*>(x.data<float>() + 2)), "");
  EXPECT_DEATH(*const_cast<volatile float*>(x.data<float>()) = 1, "");
}

TEST(Guarded, RefusesMemoryOfTheHost) {
  const auto guarded = make_guarded();
  std::vector<float> numbers(3);
  try {
    guarded->fill(Tensor::of(numbers.data(), {3}), 1);
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("memory of the device"), std::string::npos) << e.what();
  }
}

TEST(Guarded, MemoryIsZeroAndGivenBack) {
  const auto guarded = make_guarded();
  Pages pages = guarded->allocate(4000);
  const Tensor x(pages.data(), {1000}, DType::f32);
  EXPECT_EQ(guarded->sum_of_squares(x), 0);
  pages.forget(0, 4000);
  pages.give_back();
  guarded->fill(x, 2);
  EXPECT_EQ(OnHost(*guarded, x)->values<float>()[999], 2);
  pages = Pages();
  EXPECT_THROW(guarded->fill(x, 2), InternalError);
}

TEST(OnHost, WritesRowsBackAndNothingBetween) {
  const auto guarded = make_guarded();
  const Pages pages = guarded->allocate(48);
  const Tensor all(pages.data(), {3, 4}, DType::f32);
  guarded->fill(all, 1);
  const OnHost middle(*guarded, all.columns(1, 2));
  guarded->fill(all, 5);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j) EXPECT_EQ(middle->data<float>()[4 * i + j], 1);
  middle.write_back();
  const OnHost now(*guarded, all);
  const std::span<float> values = now->values<float>();
  EXPECT_EQ(std::vector(values.begin(), values.end()), (std::vector<float>{5, 1, 1, 5, 5, 1, 1, 5, 5, 1, 1, 5}));
}

TEST(OnHost, IsTheTensorItselfInHostMemory) {
  const auto reference = make_reference_backend();
  std::vector<float> numbers(3);
  EXPECT_EQ(OnHost(*reference, Tensor::of(numbers.data(), {3}))->bytes, reinterpret_cast<std::byte*>(numbers.data()));
}

TEST(Context, PutsIdsOnTheDeviceAndLeavesThemInHostMemory) {
  const auto guarded = make_guarded(), reference = make_reference_backend();
  const std::vector<int32_t> ids{3, 1, 2};
  Arena there = make_arena(*guarded, 4096), here = make_arena(*reference, 4096);
  Context device{*guarded, there}, host{*reference, here};
  const Tensor copied = device.on_device(ids), seen = host.on_device(ids);
  EXPECT_EQ(OnHost(*guarded, copied)->values<int32_t>()[2], 2);
  EXPECT_EQ(seen.data<int32_t>(), ids.data());
  EXPECT_EQ(there.peak(), here.peak());
}

}  // namespace
}  // namespace hexapla
