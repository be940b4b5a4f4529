// Every fault of a device gives one clear error.
#include <gtest/gtest.h>

#include <filesystem>

#include "backend/opencl/test_devices.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "opencl/opencl_backend.h"

namespace hexapla::opencl {
namespace {

class OpenclFaults : public DeviceTest {};

class OpenclPrograms : public TestFolder {
 protected:
  void SetUp() override {
    std::string why;
    if (opencl_devices(why).empty()) GTEST_SKIP() << why;
  }
};

TEST_F(OpenclFaults, ADeviceThatIsNotThere) {
  const std::string error = what_of<UsageError>([] { make_opencl_backend("opencl:99"); });
  EXPECT_NE(error.find("there is no OpenCL device 99: opencl:0 is "), std::string::npos) << error;
}

TEST_F(OpenclFaults, MoreMemoryThanTheDeviceHas) {
  const std::string error = what_of<RunError>([] { backend().allocate(size_t{1} << 50); });
  EXPECT_NE(error.find("1073741824 MiB are needed"), std::string::npos) << error;
  backend().fill(Tensor(backend().allocate(400).data(), {100}, DType::f32), 1);  // and it goes on
}

TEST_F(OpenclFaults, ATensorOfTheHost) {
  float x[4] = {};
  EXPECT_THROW(backend().fill(Tensor::of(x, {4}), 1), InternalError);
}

TEST_F(OpenclFaults, TheHostCannotTouchDeviceMemory) {
  const Pages pages = backend().allocate(64);
  EXPECT_DEATH({ *reinterpret_cast<volatile char*>(pages.data()) = 1; }, "");
}

// A process that ends in an error leaves copies in the queue, which read memory of the host.
TEST_F(OpenclFaults, ABackendThatEndsWaitsForItsQueue) {
  const std::vector<char> bytes(60'000, 1);
  constexpr int64_t kMany = 1 << 22;
  for (int i = 0; i < 20; ++i) {
    OpenclBackend one(0);
    const Pages pages = one.allocate(kMany * sizeof(float));
    for (int work = 0; work < 10; ++work) one.fill(Tensor(pages.data(), {kMany}, DType::f32), 1);
    for (int copy = 0; copy < 60; ++copy) one.copy_to_device(bytes.data(), pages.data(), bytes.size());
  }
}

TEST_F(OpenclPrograms, AKernelThatDoesNotCompile) {
  const Device device(0);
  const std::string error =
      what_of<RunError>([&] { Program(device, DType::f32, "kernel void broken() { nonsense }", ""); });
  EXPECT_NE(error.find("the kernels do not compile for the OpenCL device"), std::string::npos) << error;
  EXPECT_NE(error.find("nonsense"), std::string::npos) << error;
}

TEST_F(OpenclPrograms, DamagedProgramsOnDiskAreCompiledAgain) {
  namespace fs = std::filesystem;
  const Device device(0);
  const std::string source = "kernel void nothing(global int *x) { x[0] = 1; }";
  const auto file = [&] {
    std::vector<fs::path> all;
    for (const fs::directory_entry& e : fs::directory_iterator(folder())) all.push_back(e.path());
    EXPECT_EQ(all.size(), 1U);
    return all.at(0).string();
  };
  EXPECT_NE(Program(device, DType::f32, source, folder()).kernel("nothing"), nullptr);
  const std::string kept = read_file(file());
  EXPECT_NE(Program(device, DType::f32, source, folder()).kernel("nothing"), nullptr);  // from the disk
  for (const std::string& damaged : {std::string(), kept.substr(0, kept.size() / 2), kept + "x"}) {
    write_file_atomically(file(), damaged);
    EXPECT_NE(Program(device, DType::f32, source, folder()).kernel("nothing"), nullptr);
    EXPECT_EQ(read_file(file()).size(), kept.size());
  }
}

TEST_F(OpenclPrograms, AFolderThatCannotBeWrittenOnlyCostsTime) {
  const Device device(0);
  EXPECT_NE(
      Program(device, DType::f32, "kernel void nothing(global int *x) { x[0] = 1; }", "/proc/no").kernel("nothing"),
      nullptr);
}

}  // namespace
}  // namespace hexapla::opencl
