#include "backend/device/device.h"

#include <gtest/gtest.h>

#include "backend/cpu/testing.h"

namespace hexapla {
namespace {

std::string refusal(const std::string& device) {
  try {
    make_backend(Precision::f32, device);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(Device, IsTheProcessorUnlessAskedOtherwise) {
  EXPECT_TRUE(make_backend()->host_memory());
  EXPECT_EQ(make_backend()->name(), make_cpu_backend()->name());
  EXPECT_NE(refusal("opencl").find("`device` opencl is unknown: this build has no OpenCL"), std::string::npos);
}

TEST(Device, IsGuardedForTests) {
  const cpu::Environment guarded("HEXAPLA_DEVICE", "guarded");
  EXPECT_FALSE(make_backend()->host_memory());
  const cpu::Environment other("HEXAPLA_DEVICE", "gpu");
  EXPECT_NE(refusal("cpu").find("HEXAPLA_DEVICE is \"gpu\""), std::string::npos);
}

}  // namespace
}  // namespace hexapla
