// Hugging Face's multilingual models can be exported to their original folder.
#include "convert/kinds/hugging_face/writer/multilingual.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/options/environment.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/test_golden.h"
#include "convert/writing/search_there.h"
#include "decode/opened/open_model.h"

namespace hexapla::convert {
namespace {

using testing::HasSubstr;

std::string folder_of_fixture(const std::string& name) { return source_path("src/plugins/convert/fixtures/" + name); }

class LikeAFolder : public TestFolder, public testing::WithParamInterface<const char*> {
 protected:
  static std::string origin() { return folder_of_fixture(GetParam()); }
  void import_to(const std::string& from, const std::string& to, const ImportOptions& options = {}) const {
    import_model(from, at(to), options, [](double) {});
  }
  model::LoadedModel exported(const model::LoadedModel& m) const {
    model::LoadedModel copy = model::load_model(at("own"));
    copy.usage = m.usage;
    export_hugging_face_multilingual(copy, origin(), at("hf"), own_search(m));
    import_to(at("hf"), "again");
    return model::load_model(at("again"));
  }
  void expect_same(const model::LoadedModel& a, const model::LoadedModel& b) const {
    EXPECT_EQ(a.config.to_json(), b.config.to_json());
    EXPECT_EQ(a.source_vocabulary, b.source_vocabulary);
    EXPECT_EQ(a.target_vocabulary, b.target_vocabulary);
    EXPECT_EQ(a.metadata.at("checksum"), b.metadata.at("checksum")) << "of every number";
    EXPECT_EQ(a.usage, b.usage);
  }
  // Changes every number, as a training would.
  void write_other_weights(const ImportOptions& options = {}) const {
    import_to(origin(), "first", options);
    model::LoadedModel m = model::load_model(at("first"));
    for (const auto& [name, parameter] : leaves_of(*m.net).parameters)
      for (float& x : parameter->value.values<float>()) x = 0.9f * x + 0.01f;
    model::save_model(at("own"), *m.net, m.text(), m.history);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, LikeAFolder,
                         testing::Values("hf_m2m", "hf_nllb", "hf_mbart", "hf_mbart25", "hf_bart", "hf_bart_bytes"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(LikeAFolder, AModelComesBackTheSame) {
  write_other_weights();
  const model::LoadedModel m = model::load_model(at("own"));
  expect_same(m, exported(m));
}

TEST_P(LikeAFolder, ItsSearchAndItsLanguagesComeBack) {
  const std::string name = GetParam();
  ImportOptions other;
  if (name == "hf_m2m") other.source_language = "fr", other.target_language = "zh";
  if (name == "hf_nllb") other.source_language = "fra_Latn", other.target_language = "zho_Hans";
  if (name == "hf_mbart25") other.source_language = "fr_XX";
  if (name == "hf_mbart") other.source_language = "fr_XX", other.target_language = "zh_CN";
  write_other_weights(other);
  model::LoadedModel m = model::load_model(at("own"));
  m.usage.search = {
      {"beam-size", "3"},  {"length-penalty", "0.7"}, {"length-normalization", "power"}, {"longest", "27"},
      {"min-length", "2"}, {"no-repeat-ngram", "4"},  {"repetition-penalty", "1.5"},     {"stop-when", "never"}};
  expect_same(m, exported(m));
}

TEST_P(LikeAFolder, TransformersTranslatesTheSame) {
  const char* python = environment("HEXAPLA_TRANSFORMERS");
  if (python == nullptr)
    GTEST_SKIP() << "HEXAPLA_TRANSFORMERS names no Python that has transformers, torch and sentencepiece";
  if (std::string(GetParam()) == "hf_bart") GTEST_SKIP() << "transformers has no tokenizer for these files";
  write_other_weights();
  const model::LoadedModel m = model::load_model(at("own"));
  exported(m);
  std::vector<std::string> lines;
  for (const auto& line : parse_json(read_file(origin() + "/golden.json"), "golden.json"))
    if (lines.size() < 20) lines.push_back(line["text"]);
  std::ofstream(at("lines")) << [&] {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }();
  const decode::OpenModel own = decode::open_model(at("own"));
  const auto ours = own.translator().translate(lines, search_of(own).translate_options());
  const std::string command =
      cat(python, " ", source_path("tests/clients/translate_with_transformers.py"), " ", at("hf"), " ",
          own_search(m).beam_size, " < ", at("lines"), " > ", at("theirs"), " 2> ", at("errors"));
  ASSERT_EQ(std::system(command.c_str()), 0) << read_file(at("errors"));
  std::istringstream theirs(read_file(at("theirs")));
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string line;
    std::getline(theirs, line);
    if (line.starts_with("__de__ ")) line = line.substr(7);  // this tokenizer writes it as a word
    EXPECT_EQ(ours[i][0].text, line) << lines[i];
  }
}

TEST_P(LikeAFolder, WhatHasNoKeyThereIsNamed) {
  write_other_weights();
  model::LoadedModel m = model::load_model(at("own"));
  EXPECT_THAT(export_hugging_face_multilingual(m, origin(), at("hf"), own_search(m)), testing::IsEmpty());
  m.usage.search["word-penalty"] = "0.5";
  m.usage.alignment_layer = 0;
  EXPECT_THAT(export_hugging_face_multilingual(m, origin(), at("hf-2"), own_search(m)),
              testing::ElementsAre(HasSubstr("decoder layer 0, whose attention"), HasSubstr("`word-penalty` 0.5")));
}

class LikeAnotherFolder : public TestFolder {
 protected:
  std::string refusal(const std::string& like) const {
    model::LoadedModel m = model::load_model(at("own"));
    return what_of<DataError>([&] { export_hugging_face_multilingual(m, like, at("hf"), own_search(m)); });
  }
};

TEST_F(LikeAnotherFolder, IsRefused) {
  import_model(folder_of_fixture("hf_nllb"), at("own"), {}, [](double) {});
  EXPECT_THAT(refusal(folder_of_fixture("hf_m2m")), HasSubstr("the model has source-vocab 99, but"));
  EXPECT_THAT(refusal(folder_of_fixture("hf_marian_joint")), HasSubstr("'model_type' is \"marian\""));
  std::filesystem::copy(folder_of_fixture("hf_nllb"), at("like"), std::filesystem::copy_options::recursive);
  nlohmann::json tokenizer = parse_json(read_file(at("like/tokenizer_config.json")), "tokenizer_config.json");
  tokenizer["legacy_behaviour"] = true;
  std::ofstream(at("like/tokenizer_config.json")) << tokenizer;
  EXPECT_THAT(refusal(at("like")), HasSubstr("pieces are not those of"));
  EXPECT_FALSE(std::filesystem::exists(at("hf")));
}

}  // namespace
}  // namespace hexapla::convert
