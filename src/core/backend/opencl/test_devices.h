#pragma once
// Shared by the tests of this folder: one device, or the reason why there is none.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "backend/opencl/opencl.h"

namespace hexapla::opencl {

class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (opencl_devices(why).empty()) GTEST_SKIP() << why;
  }
  // One for all tests: compiling takes long.
  static Backend& backend() {
    static const std::unique_ptr<Backend> one = make_opencl_backend();
    return *one;
  }
};

}  // namespace hexapla::opencl
