#include "backend/device/device.h"

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/opencl/opencl.h"
#include "base/options/test_environment.h"

namespace hexapla {
namespace {

std::string refusal(const std::string& device, Precision precision = Precision::f32) {
  try {
    make_backend(precision, device);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(Device, IsTheProcessorUnlessAskedOtherwise) {
  EXPECT_TRUE(make_backend()->host_memory());
  EXPECT_EQ(make_backend()->name(), make_cpu_backend()->name());
  EXPECT_EQ(refusal("gpu"), "`device` is 'gpu', but must be cpu, opencl or opencl:N");
}

TEST(Device, IsGuardedForTests) {
  const Environment guarded("HEXAPLA_DEVICE", "guarded");
  EXPECT_FALSE(make_backend()->host_memory());
  const Environment other("HEXAPLA_DEVICE", "opencl");
  EXPECT_EQ(refusal("cpu"), "HEXAPLA_DEVICE is \"opencl\", but is for tests and can only be guarded; give `device`");
}

TEST(Device, IsOneOfOpenclByName) {
  EXPECT_EQ(refusal("opencl", Precision::bf16), "OpenCL multiplies in f32, not in bf16; give `precision` f32");
  std::string why;
  if (opencl_devices(why).empty()) GTEST_SKIP() << why;
  EXPECT_FALSE(make_backend(Precision::f32, "opencl")->host_memory());
  EXPECT_FALSE(make_backend(Precision::f32, "opencl:0")->host_memory());
}

TEST(Device, ChoosesThePrecisionThatAutoMeans) {
  EXPECT_EQ(parse_precision("auto", "opencl:1"), Precision::f32);
  EXPECT_EQ(parse_precision("auto", "cpu"), parse_precision("auto"));
  EXPECT_THROW(parse_precision("f8", "opencl"), UsageError);
}

// With HEXAPLA_ISA=generic, too, which is without bf16.
TEST(Device, TellsItselfWhatItLacks) {
  for (const char* const lacking : {"bf16", "int8"}) {
    std::string why;
    try {
      parse_precision(lacking, "opencl");
    } catch (const UsageError& e) {
      why = e.what();
    }
    EXPECT_EQ(why, cat("OpenCL multiplies in f32, not in ", lacking, "; give `precision` f32"));
  }
}

}  // namespace
}  // namespace hexapla
