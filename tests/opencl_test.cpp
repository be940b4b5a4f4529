// The program on an OpenCL device beside the processor: trainings, checkpoints that go from one to the other,
// translations, and devices that cannot be used.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "backend/opencl/opencl.h"
#include "base/json.h"
#include "program.h"

namespace hexapla {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class OpenclProgram : public Program {
 protected:
  void SetUp() override {
    std::string why;
    if (opencl_devices(why).empty()) GTEST_SKIP() << why;
  }
  // 48 updates of a small model.
  std::string train_on(const std::string& where, const std::string& run, int updates = 48,
                       const std::string& precision = "f32") const {
    return cat(train(run, 2, precision), " --max-updates ", updates, " ", where);
  }
  std::vector<double> losses(const std::string& run) const {
    std::vector<double> all;
    std::istringstream lines(read_file(path(run + "/train.jsonl")));
    for (std::string line; std::getline(lines, line);) all.push_back(parse_json(line, run).at("loss").get<double>());
    return all;
  }
  void expect_losses_of(const std::string& run, const std::string& other) const {
    const std::vector<double> a = losses(run), b = losses(other);
    ASSERT_EQ(a.size(), b.size()) << run;
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-3 * b[i]) << run << ", report " << i + 1;
  }
  // The lines that a command prints.
  std::vector<std::string> printed(const std::string& command) const {
    EXPECT_EQ(finish(start(command + " > " + path("out"))), 0) << command;
    std::vector<std::string> all;
    std::istringstream lines(read_file(path("out")));
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
  }
};

TEST_F(OpenclProgram, TrainsAsTheProcessorAndAgainAfterAKill) {
  const std::string killed = train_on("--device opencl", "killed");
  ASSERT_EQ(finish(start(train_on("", "cpu"))), 0);
  ASSERT_EQ(finish(start(train_on("--device opencl", "device"))), 0);
  expect_losses_of("device", "cpu");
  kill_after(killed, "killed", 4);
  ASSERT_EQ(finish(start(killed)), 0);
  EXPECT_EQ(log("killed"), log("device"));
  EXPECT_EQ(validations("killed"), validations("device"));
  for (const char* file : {"/model.safetensors", "/best.safetensors"})
    EXPECT_TRUE(read_file(path("killed") + file) == read_file(path("device") + file)) << file;
  EXPECT_FALSE(read_file(path("cpu/model.safetensors")) == read_file(path("device/model.safetensors")))
      << "the option had no effect";
}

TEST_F(OpenclProgram, ContinuesARunOfTheProcessorAndTheReverse) {
  ASSERT_EQ(finish(start(train_on("", "cpu"))), 0);
  const std::string none, device = "--device opencl";
  for (const auto& [first, second] : {std::pair{none, device}, std::pair{device, none}}) {
    const std::string run = cat("from_", first.empty() ? "cpu" : "device");
    ASSERT_EQ(finish(start(train_on(first, run, 24))), 0);
    ASSERT_EQ(finish(start(train_on(second, run))), 0);
    expect_losses_of(run, "cpu");
    const std::vector<std::string> record = printed(kProgram + " info -m " + path(run));
    EXPECT_THAT(record, Contains(HasSubstr("update 24: instruction set "))) << run;
  }
}

TEST_F(OpenclProgram, TranslatesAndScoresAsTheProcessorInBatchesOfAnySize) {
  const auto translated = [&](const std::string& how) {
    return printed(kProgram + " translate -q --precision f32 -m " + kToyModel + how + " < " + path("a"));
  };
  const std::vector<std::string> here = translated(""), there = translated(" --device opencl --batch-size 64");
  ASSERT_EQ(there.size(), here.size());
  size_t other = 0;
  for (size_t i = 0; i < here.size(); ++i) other += here[i] != there[i];
  EXPECT_LE(other, here.size() / 200);
  for (const char* size : {"1", "7"}) EXPECT_EQ(translated(cat(" --device opencl:0 --batch-size ", size)), there);
  const std::string score = kProgram + " score -q -m " + kToyModel + " " + path("a") + " " + path("b");
  const std::vector<std::string> a = printed(score), b = printed(score + " --device opencl");
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(std::stod(a[i]), std::stod(b[i]), 1e-4) << a[i] << " " << b[i];
}

TEST_F(OpenclProgram, RefusesWhatTheDeviceDoesNotHave) {
  const auto refusal = [&](const std::string& command) {
    EXPECT_EQ(finish(start(command + " 2> " + path("err"))), 2) << command;
    return read_file(path("err"));
  };
  const std::string train = train_on("--device opencl", "run");
  EXPECT_THAT(refusal(train_on("--device opencl", "run", 48, "bf16")),
              HasSubstr("OpenCL multiplies in f32, not in bf16; give --precision f32"));
  EXPECT_THAT(refusal(train + " --accumulate 2 --shards 2"), HasSubstr("--shards 2 does not run on opencl"));
  EXPECT_THAT(refusal(train + " --experts 2"), HasSubstr("--experts does not run on opencl"));
  EXPECT_THAT(refusal(train + " --score additive"), HasSubstr("OpenCL has no additive attention"));
  EXPECT_FALSE(std::filesystem::exists(path("run"))) << "refused before anything is written";
  for (const char* const precision : {"bf16", "int8"})
    EXPECT_THAT(refusal(kProgram + " bench translate --device opencl --precision " + precision),
                HasSubstr(std::string("OpenCL multiplies in f32, not in ") + precision));
  EXPECT_THAT(refusal(train_on("--device opencl:7", "run")),
              AllOf(HasSubstr("there is no OpenCL device 7"), HasSubstr("opencl:0 is ")));
}

TEST_F(OpenclProgram, TheDoctorSaysWhatTheDeviceDoesNotHave) {
  const std::vector<std::string> lines = printed(kProgram + " doctor --device opencl");
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("kernels          OK "), HasSubstr(" cases on opencl"),
                                    HasSubstr(" more that it does not have"))));
  EXPECT_THAT(printed(kProgram + " doctor"), Not(Contains(HasSubstr("does not have"))));
}

TEST_F(OpenclProgram, ADriverWithoutItsFolderIsNotReportedAsMissing) {
  const std::string command = "env XDG_CACHE_HOME=/proc/none POCL_CACHE_DIR=/proc/none HOME=/proc/none " +
                              train_on("--device opencl", "nowhere") + " 2> " + path("err");
  if (finish(start(command)) == 0) GTEST_SKIP() << "this driver needs no folder";
  EXPECT_THAT(read_file(path("err")), AllOf(HasSubstr("driver is installed"), HasSubstr("XDG_CACHE_HOME")));
}

// Needs no device.
TEST_F(Program, RefusesADeviceThatIsNotThereAndLeavesNothingBehind) {
  std::filesystem::create_directory(path("none"));
  const std::string no_driver = "env OCL_ICD_VENDORS=" + path("none") + "/ ";
  for (const auto& [before, device, why] :
       {std::tuple<std::string, std::string, std::string>{"", "gpu",
                                                          "--device is 'gpu', but must be cpu, opencl or opencl:N"},
        {"", "opencl:x", "--device is 'opencl:x', but must be cpu, opencl or opencl:N"},
        {no_driver, "opencl", "or give --device cpu"}}) {
    EXPECT_EQ(finish(start(before + train("run", 1) + " --device " + device + " 2> " + path("err"))), 2) << device;
    EXPECT_THAT(read_file(path("err")), AllOf(HasSubstr("hexapla: error: "), HasSubstr(why)));
    EXPECT_FALSE(std::filesystem::exists(path("run"))) << device;
  }
}

}  // namespace
}  // namespace hexapla
