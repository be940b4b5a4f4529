#include "backend/device/device.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/opencl/opencl.h"

namespace hexapla {
namespace {

TEST(MakeBackend, RefusesUnknownDevices) {
  EXPECT_THROW(make_backend(Precision::f32, "gpu"), UsageError);
  EXPECT_THROW(make_backend(Precision::f32, "opencl:x"), UsageError);
  setenv("HEXAPLA_DEVICE", "gpu", 1);
  EXPECT_THROW(make_backend(), UsageError);
  unsetenv("HEXAPLA_DEVICE");
  EXPECT_EQ(make_backend()->name().substr(0, 3), "cpu");
}

TEST(MakeBackend, RefusesAPrecisionThatOpenclLacks) {
  try {
    make_backend(Precision::bf16, "opencl");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(), "OpenCL multiplies in f32, not in bf16; give `precision` f32");
  }
}

TEST(MakeBackend, OpensOpencl) {
  std::string why;
  if (opencl_devices(why).empty()) GTEST_SKIP() << why;
  setenv("HEXAPLA_DEVICE", "opencl", 1);
  EXPECT_FALSE(make_backend()->host_memory());
  unsetenv("HEXAPLA_DEVICE");
}

}  // namespace
}  // namespace hexapla
