// Models written for Marian: read back, they are the same; and Marian translates with them as before.
#include "convert/out/marian.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/system/subprocess.h"
#include "base/test_paths.h"
#include "convert/containers/npz_file.h"
#include "convert/import.h"

namespace hexapla::convert {
namespace {

struct ToMarian : TestFolder {
  model::LoadedModel imported(const std::string& from, const std::string& name) const {
    import_model(from, at(name), {}, [](double) {});
    return model::load_model(at(name));
  }
};

void expect_equal_bytes(model::LoadedModel& a, model::LoadedModel& b) {
  const auto left = leaves_of(*a.net).parameters, right = leaves_of(*b.net).parameters;
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    ASSERT_EQ(left[i].name, right[i].name);
    EXPECT_TRUE(std::ranges::equal(left[i].leaf->value.values<float>(), right[i].leaf->value.values<float>()))
        << left[i].name;
  }
  EXPECT_EQ(a.config.to_json(), b.config.to_json());
}

TEST_F(ToMarian, AndBackGivesTheSameBytes) {
  for (const char* fixture : {"marian", "marian_ssru"}) {
    const std::string name = fixture;
    model::LoadedModel first = imported(source_path("src/convert/fixtures/" + name), name + ".safetensors");
    export_marian(first, at(name));
    model::LoadedModel second = imported(at(name), name + ".again");
    expect_equal_bytes(first, second);
    EXPECT_EQ(first.history.at("search"), second.history.at("search"));
  }
}

TEST_F(ToMarian, TheArchiveHasTheSettingsInside) {
  model::LoadedModel m = imported(source_path("src/convert/fixtures/marian_ssru"), "m");
  export_marian(m, at("out"));
  const NpzFile file(at("out/model.npz"));
  EXPECT_THAT(file.bytes(file.get("special:model.yml")), testing::HasSubstr("dec-cell: ssru\n"));
  EXPECT_EQ(file.get("decoder_l1_rnn_bf").shape, (std::vector<size_t>{1, size_t(m.config.d_model)}));
}

TEST_F(ToMarian, RefusesWhatItCannotSay) {
  model::LoadedModel own = model::load_model(source_path("tests/fixtures/run_of_0.1.0/model.safetensors"));
  EXPECT_THAT(what_of<DataError>([&] { export_marian(own, at("out")); }), testing::HasSubstr("positions sinusoidal"));
  own.config.positions = "timing-signal";
  EXPECT_THAT(what_of<DataError>([&] { export_marian(own, at("out")); }), testing::HasSubstr("start"));
  own.config.gated = true;
  EXPECT_THAT(what_of<DataError>([&] { export_marian(own, at("out")); }), testing::HasSubstr("gated"));
  EXPECT_FALSE(std::filesystem::exists(at("out")));
}

TEST_F(ToMarian, MarianGivesTheSameTranslations) {
  const char* python = std::getenv("HEXAPLA_PYMARIAN");
  if (python == nullptr) GTEST_SKIP() << "HEXAPLA_PYMARIAN names no Python that has pymarian and sentencepiece";
  model::LoadedModel m = imported(source_path("src/convert/fixtures/marian_ssru"), "m");
  export_marian(m, at("out"));
  const std::string command = cat(python, " ", source_path("tests/clients/translate_with_marian.py"), " ", at("out"),
                                  " ", source_path("src/convert/fixtures/marian_ssru/golden.json"));
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace hexapla::convert
