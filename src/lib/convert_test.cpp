#include "hexapla/convert.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/containers/safetensors_model.h"
#include "convert/test_narrow.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"
#include "model/weights/model_file.h"

namespace hexapla {
namespace {

using testing::HasSubstr;

class ConvertModels : public TestFolder {
 protected:
  static std::vector<std::string> translations(const std::string& model) {
    TranslatorOptions how;
    how.beam_size = 2;
    how.length_penalty = 0.6;
    how.length_normalization = "paper";
    return Translator(model).translate(api::test::made_up_lines(8, 3), how);
  }
  template <class F>
  static std::string refused(const F& f) {
    try {
      f();
      return "nothing was refused";
    } catch (const UsageError& e) {
      return e.what();
    }
  }
};

TEST_F(ConvertModels, ThereAndBackTranslatesTheSame) {
  const std::string model = api::test::model_file(), there = at("there"), back = at("back.safetensors");
  export_model(model, there, "hf-marian", {{"beam_size", 3}});
  EXPECT_THAT(read_file(there + "/generation_config.json"), HasSubstr("\"num_beams\": 3"));
  std::vector<double> seen;
  const ImportedModel imported = import_model(there, back, {}, [&](double fraction) { seen.push_back(fraction); });
  EXPECT_EQ(imported.kind, "hf-marian");
  ASSERT_FALSE(seen.empty());
  EXPECT_GT(seen.front(), 0);
  EXPECT_EQ(seen.back(), 1);
  EXPECT_EQ(translations(back), translations(model));
  EXPECT_EQ(Model::load(back).history().at("origin"), imported.origin);
}

// The folder that it came from has a narrower decoder; the model here was filled with zeros.
TEST_F(ConvertModels, DifferentWidthsGoBack) {
  const std::string whole = source_path("src/plugins/convert/fixtures/hf_m2m"), narrow = at("narrow");
  std::filesystem::copy(whole, narrow);
  convert::write_narrow(convert::SafetensorsModel(whole + "/model.safetensors"), "decoder", "fc1", "fc2", 10,
                        narrow + "/model.safetensors");
  auto config = nlohmann::json::parse(read_file(narrow + "/config.json"));
  config["decoder_ffn_dim"] = 10;
  write_file_atomically(narrow + "/config.json", json_text(config));
  import_model(narrow, at("first"));
  export_model(at("first"), at("back"), "hf-multilingual", {{"like", narrow}});
  import_model(at("back"), at("again"));
  EXPECT_EQ(model::load_model(at("again")).metadata.at("checksum"),
            model::load_model(at("first")).metadata.at("checksum"));
}

TEST_F(ConvertModels, OptionsAreCheckedAndSpelledAsFields) {
  const std::string model = api::test::model_file(), there = at("there"), back = at("back.safetensors");
  EXPECT_THAT(refused([&] { export_model(model, there, "tensorflow"); }),
              HasSubstr("to is 'tensorflow', but must be one of: ctranslate2, argos"));
  EXPECT_THAT(refused([&] {
                export_model(model, there, "marian", {{"languages", "en-de"}});
              }),
              HasSubstr("languages en-de is for to argos: leave it out"));
  EXPECT_THAT(refused([&] {
                export_model(model, there, "ctranslate2", {{"beam_size", 2}});
              }),
              HasSubstr("beam_size 2 is for hf-marian, hf-multilingual and marian"));
  EXPECT_THAT(refused([&] {
                export_model(model, there, "ctranslate2", {{"beem_size", 2}});
              }),
              HasSubstr("did you mean 'beam_size'"));
  EXPECT_THAT(refused([&] {
                export_model(model, there, "marian", {{"precision", "int8"}});
              }),
              HasSubstr("leave precision out"));
  EXPECT_FALSE(std::filesystem::exists(there));
  export_model(model, there, "hf-marian");
  EXPECT_THAT(refused([&] { import_model(there, back, {{"norm_eps", 2}}); }), HasSubstr("norm_eps is 2, but must be"));
  EXPECT_THAT(refused([&] {
                import_model(there, back, {{"source_language", "de"}});
              }),
              HasSubstr("source_language de is for from hf-multilingual, ctranslate2, but"));
  EXPECT_FALSE(std::filesystem::exists(back));
}

TEST_F(ConvertModels, WhatIsNoModelOfOursIsNotReplaced) {
  const std::string there = at("there"), mine = at("mine.txt");
  export_model(api::test::model_file(), there, "hf-marian");
  std::ofstream(mine) << "mine";
  EXPECT_THAT(refused([&] { import_model(there, mine); }), HasSubstr("output " + mine + " already exists"));
  EXPECT_THAT(refused([&] { import_model(there, there + "/model.safetensors"); }),
              HasSubstr("is one of the input files"));
  EXPECT_EQ(read_file(mine), "mine");
}

TEST_F(ConvertModels, AnExceptionOfTheCallerEndsAnImport) {
  const std::string there = at("there"), back = at("back.safetensors");
  export_model(api::test::model_file(), there, "hf-marian");
  EXPECT_THROW(import_model(there, back, {}, [](double) { throw std::out_of_range("mine"); }), std::out_of_range);
  EXPECT_FALSE(std::filesystem::exists(back));
}

TEST(ConvertOptions, AreDescribed) {
  std::vector<std::string> names;
  for (const OptionDescription& o : export_options()) names.push_back(o.name + ": " + o.type + " = " + o.usual);
  EXPECT_EQ(names, (std::vector<std::string>{"precision: text = f32",
                                             "languages: text = ", "like: text = ", "beam_size: integer = 4",
                                             "length_penalty: number = 0.6", "length_normalization: text = paper"}));
  EXPECT_EQ(import_options().front().name, "from");
  EXPECT_THAT(import_options().front().help, HasSubstr("hf-marian, hf-multilingual, hf-fsmt, marian, ctranslate2"));
}

}  // namespace
}  // namespace hexapla
