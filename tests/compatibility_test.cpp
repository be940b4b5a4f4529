// An earlier version's files are read and continued with identical bytes (docs/formats.md lists them):
// tests/fixtures/run_of_0.1.0/README.md, tests/fixtures/run_of_1.0.0/README.md,
// tests/fixtures/frozen_models/README.md.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class EarlierFiles : public TestFolder {
 protected:
  void copy(const std::string& fixture) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "the C library's functions round otherwise without FMA";
#else
    GTEST_SKIP() << "the fixture was made on x86-64";
#endif
    fs::copy(source_path("tests/fixtures/" + fixture), at("earlier"), fs::copy_options::recursive);
  }
  // Runs the program in the folder with the old files, with kernels that are the same everywhere.
  int program(const std::string& arguments, const std::string& isa = "generic") const {
    const std::string command = cat("cd '", at("earlier"), "' && HEXAPLA_ISA=", isa, " HEXAPLA_PRODUCTS=own '",
                                    build_path("hexapla"), "' ", arguments);
    return std::system(command.c_str());
  }
  std::string file(const std::string& name) const { return read_file(at("earlier/" + name)); }
};

class EarlierRun : public EarlierFiles, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { copy(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(All, EarlierRun, testing::Values("run_of_0.1.0", "run_of_1.0.0"), [](const auto& p) {
  return std::regex_replace(std::string(p.param), std::regex("\\."), "_");
});

class FrozenModel : public EarlierFiles, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { copy("frozen_models"); }
};

TEST_P(EarlierRun, GoesOnToTheSameBytes) {
  ASSERT_EQ(program("train -q --model run --train-sets train.a train.b --valid-sets valid.a valid.b --layers 1 "
                    "--dim-model 16 --dim-ff 32 --heads 2 --vocab-size 40 --batch-tokens 200 --save-every 150 "
                    "--valid-every 150 --report-every 50 --lr 0.01 --warmup 50 --precision f32 --average-last 2 "
                    "--dropout 0.1 --attention-dropout 0.1 --max-epochs 0 --accumulate 2 --ema 0.9 --weight-decay 0.01 "
                    "--source-normalization keep --clip-norm 1 --max-updates 450"),
            0);
  const json was = json::parse(file("manifest_450.json")),
             is = json::parse(file("run/checkpoints/update-00000450/MANIFEST.json"));
  EXPECT_EQ(is["files"]["tensors.safetensors"], was["files"]["tensors.safetensors"]);
  json state_was = json::parse(file("state_450.json")),
       state_is = json::parse(file("run/checkpoints/update-00000450/state.json"));
  state_was.erase("seconds"), state_is.erase("seconds");
  state_is.erase("ties");                                     // 1.0.0 did not record what decides between equal scores
  if (!state_was.contains("usage")) state_is.erase("usage");  // 0.1.0 did not record it
  EXPECT_EQ(state_is, state_was);
}

TEST_P(EarlierRun, ItsModelTranslatesToTheSameBytes) {
  ASSERT_EQ(program("translate -q -m model.safetensors --json --n-best 3 < valid.a > now.jsonl"), 0);
  // The key used to be spelled differently.
  const std::string expected = std::regex_replace(file("translations.jsonl"), std::regex("normalised"), "normalized");
  EXPECT_EQ(file("now.jsonl"), expected);
}

TEST_P(EarlierRun, ItsModelTranslatesInInt8ToTheSameBytes) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx512vl")) GTEST_SKIP() << "the fixture was made with AVX-512";
#endif
  ASSERT_EQ(
      program("translate -q -m model.safetensors --precision int8 --json --n-best 3 < valid.a > now.jsonl", "avx512"),
      0);
  EXPECT_EQ(file("now.jsonl"), file("translations_int8.jsonl"));
}

TEST_P(FrozenModel, TranslatesToTheSameBytes) {
  const std::string name = GetParam();
  ASSERT_EQ(program(cat("translate -q -m ", name, ".safetensors --json --n-best 2 < ", name, ".source > now.jsonl")),
            0);
  EXPECT_EQ(file("now.jsonl"), file(name + ".jsonl"));
}

INSTANTIATE_TEST_SUITE_P(All, FrozenModel, testing::Values("half", "int8"),
                         [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace hexapla
