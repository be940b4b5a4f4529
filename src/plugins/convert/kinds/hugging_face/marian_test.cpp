// Models of transformers (scripts/golden/marian.py) compute and translate the same after import.
#include "convert/kinds/hugging_face/marian.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/hostile/test_tampered.h"
#include "convert/kinds/test_golden.h"
#include "decode/opened/open_model.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

Imported import(const std::string& from, const std::string& to, const ImportOptions& options = {}) {
  return import_model(from, to, options, [](double) {});
}

class HuggingFaceMarian : public TestFolder, public testing::WithParamInterface<const char*> {
 protected:
  std::string model_folder() const { return source_path(cat("src/plugins/convert/fixtures/hf_marian_", GetParam())); }
  decode::OpenModel imported() const {
    import(model_folder(), at("model.safetensors"));
    return decode::open_model(at("model.safetensors"));
  }
  nlohmann::json lines() const { return nlohmann::json::parse(read_file(model_folder() + "/golden.json")); }
};

TEST_P(HuggingFaceMarian, LogitsAreThoseOfTransformers) {
  const decode::OpenModel m = imported();
  for_each_golden_pair(m, model_folder(), 2, [&](const std::vector<float>& expected, std::vector<float> found) {
    ASSERT_EQ(found.size(), expected.size());
    if (GetParam() == std::string("half"))  // the search removes padding's probability before comparing scores
      for (size_t j = static_cast<size_t>(m.target.pad()); j < found.size(); j += static_cast<size_t>(m.target.size()))
        found[j] = expected[j];
    EXPECT_THAT(found, testing::Pointwise(testing::FloatNear(1e-4F), expected));
  });
}

TEST_P(HuggingFaceMarian, TextHasTheSameIds) { expect_golden_sources(imported(), lines()); }

// name: of one of the line's two translations
void expect_translations(const decode::OpenModel& m, const nlohmann::json& lines, const std::string& name,
                         const decode::DecodingOptions& options) {
  const auto same_text = [&](const auto& first, const nlohmann::json& line) {
    const bool unknown = std::count(first.ids.begin(), first.ids.end(), m.target.unk()) > 0;
    if (unknown) return;  // they omit it, we show it
    EXPECT_EQ(line[name + " text"], first.text) << name << " of " << line["text"];
  };
  EXPECT_THAT(golden_differences(m, lines, name, options, golden_texts(lines), same_text), testing::IsEmpty()) << name;
}

TEST_P(HuggingFaceMarian, TranslationsAreTheSame) {
  const decode::OpenModel m = imported();
  const nlohmann::json all = lines();
  ASSERT_GE(all.size(), 20u);
  decode::DecodingOptions options = search_of(m);
  EXPECT_EQ(options.longest, 38) << "the start token and the forced </s> were counted";
  expect_translations(m, all, "best", options);
  options.beam_size = 1;
  expect_translations(m, all, "greedy", options);
}

INSTANTIATE_TEST_SUITE_P(Variants, HuggingFaceMarian, testing::Values("joint", "separate", "half", "untied"),
                         [](const auto& p) { return std::string(p.param); });

// A folder to damage.
class ImportOfMarian : public TestFolder {
 protected:
  ImportOfMarian() { fs::copy(source_path("src/plugins/convert/fixtures/hf_marian_joint"), at("m")); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(at("m/" + name)) << text; }
  void set(const std::string& key, const nlohmann::json& value) const {
    nlohmann::json config = nlohmann::json::parse(read_file(at("m/config.json")));
    config[key] = value;
    write("config.json", json_text(config));
  }
  std::string refusal() const {
    const std::string what = what_of<DataError>([&] { import(at("m"), at("out"), {.from = "hf-marian"}); });
    EXPECT_FALSE(fs::exists(at("out"))) << what;
    EXPECT_EQ(entries(), 1u) << "a part of the file is left";
    return what;
  }
};

TEST_F(ImportOfMarian, IsRecognized) {
  EXPECT_EQ(import(at("m"), at("out")).kind, "hf-marian");
  EXPECT_THAT(what_of<UsageError>([&] { import(at("m"), at("out"), {.from = "x"}); }), HasSubstr("hf-marian"));
  fs::create_directory(at("empty"));
  EXPECT_THAT(what_of<DataError>([&] { import(at("empty"), at("out2")); }), HasSubstr("hf-marian"));
  EXPECT_THAT(what_of<DataError>([&] { import(at("none"), at("out2")); }), HasSubstr("no such file"));
}

TEST_F(ImportOfMarian, TheSameFilesGiveTheSameBytes) {
  import(at("m"), at("a"));
  import(at("m"), at("b"));
  EXPECT_EQ(read_file(at("a")), read_file(at("b")));
}

TEST_F(ImportOfMarian, ConfigurationsThatSayNoSuchModelAreRefused) {
  const std::tuple<const char*, nlohmann::json, const char*> all[] = {
      {"d_model", 20, "configuration does not belong"},
      {"d_model", 18, "dim-model 18 is not a multiple of heads 4"},
      {"d_model", "16", "'d_model' is \"16\"; allowed is a whole number"},
      {"d_model", 1e300, "'d_model' is 1e+300"},
      {"vocab_size", -1, "'vocab_size' is -1"},
      {"vocab_size", 4'000'000, "the source has 4000000 pieces"},
      {"encoder_layers", 256, "no tensor model.encoder.layers.2"},
      {"encoder_layers", 1, "is no part of the model"},
      {"encoder_attention_heads", 2, "'decoder_attention_heads' is 4"},
      {"activation_function", "mish", "'activation_function' is \"mish\"; allowed is relu, gelu"},
      {"pad_token_id", 1'000'000, "'pad_token_id' is 1000000"},
      {"eos_token_id", nlohmann::json::array({0, 2}), "'eos_token_id' is [0,2]"},
      {"model_type", "bart", "'model_type' is \"bart\"; allowed is marian"},
      {"share_encoder_decoder_embeddings", "yes", "allowed is true or false"},
      {"is_decoder", true, "'is_decoder' is true"},
      {"tokenizer_class", "T5Tokenizer", "'tokenizer_class' is \"T5Tokenizer\"; allowed is MarianTokenizer"},
      {"attention_temperature", 2, "'attention_temperature' is 2; hexapla does not know this key"},
  };
  const std::string config = read_file(at("m/config.json"));
  for (const auto& [key, value, why] : all) {
    set(key, value);
    EXPECT_THAT(refusal(), HasSubstr(why)) << key << " " << value;
    write("config.json", config);
  }
}

// Special tokens come from the file with the search settings.
TEST_F(ImportOfMarian, TokensOfTheSearchAreThoseOfItsFile) {
  nlohmann::json search = nlohmann::json::parse(read_file(at("m/generation_config.json")));
  const auto refused = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json other = search;
    other[key] = value;
    write("generation_config.json", json_text(other));
    return refusal();
  };
  EXPECT_THAT(refused("forced_bos_token_id", 5), HasSubstr("'forced_bos_token_id' is 5"));
  EXPECT_THAT(refused("forced_eos_token_id", 5), HasSubstr("'forced_eos_token_id' is 5"));
  EXPECT_THAT(refused("eos_token_id", nullptr), HasSubstr("'eos_token_id' is null"));
  search["decoder_start_token_id"] = 116;  // >>de<<, instead of padding
  write("generation_config.json", json_text(search));
  import(at("m"), at("out"));
  EXPECT_EQ(decode::open_model(at("out")).target.bos(), 116);
}

TEST_F(ImportOfMarian, DamagedFilesAreRefused) {
  const std::tuple<const char*, std::string, const char*> all[] = {
      {"config.json", "{", "config.json is not valid JSON"},
      {"config.json", "[]", "config.json holds []"},
      {"config.json", std::string(2 << 20, ' '), "allowed are 1048576"},
      {"vocab.json", "{\"a\": 0, \"b\": 0}", "the id 0 belongs to 'a' and to 'b'"},
      {"vocab.json", "{\"a\": 1000000000}", "has the id 1000000000"},
      {"vocab.json", "{\"a\": -1}", "a number below 0 at 'a'"},
      {"vocab.json", "[[[[", "a list"},
      {"vocab.json", "{\"a\": [", "a list at 'a'"},
      {"vocab.json", "{}", "the id of a piece"},
      {"source.spm", "no model", "source.spm is not a SentencePiece model"},
      {"generation_config.json", "{\"num_beams\": 0}", "'num_beams' is 0"},
      {"model.safetensors", "short", "model.safetensors"},
  };
  for (const auto& [name, content, why] : all) {
    const std::string before = read_file(at(cat("m/", name)));
    write(name, content);
    EXPECT_THAT(refusal(), AllOf(HasSubstr(name), HasSubstr(why)));
    fs::remove(at(cat("m/", name)));
    if (name != std::string("generation_config.json")) {
      EXPECT_THAT(refusal(), HasSubstr(name)) << "missing";
    }
    write(name, before);
  }
}

TEST_F(ImportOfMarian, AFullDiskLeavesNothing) {
  const FileSizeLimit full(20'000);
  EXPECT_THAT(what_of<RunError>([&] { import(at("m"), at("out")); }), HasSubstr(at("out")));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(ImportOfMarian, PositionsMayBeThoseItWasTrainedWith) {
  import(at("m"), at("out"), {.positions = "timing-signal"});
  EXPECT_EQ(decode::open_model(at("out")).file.config.positions.text(), "timing-signal");
  EXPECT_THAT(what_of<UsageError>([&] { import(at("m"), at("out2"), {.positions = "marian"}); }),
              HasSubstr("timing-signal"));
}

// Any change of a file is imported, or rejected with an error that names a file of the folder.
TEST_F(ImportOfMarian, SurvivesMutations) {
  const char* names[] = {"config.json", "generation_config.json", "vocab.json", "source.spm", "model.safetensors"};
  for (const char* name : names) {
    const std::string before = read_file(at(cat("m/", name)));
    uint64_t refused = 0;
    for (uint64_t i = 0; i < mutations(); ++i) {
      Random random(19, i);
      SCOPED_TRACE(cat("mutation ", i, " of ", name));
      write(name, tampered_text(random, before));
      refused += is_refused(at("m"), at("out"), {.from = "hf-marian"}, at("m"));
    }
    EXPECT_GT(refused, mutations() / 20) << name;
    write(name, before);
  }
}

}  // namespace
}  // namespace hexapla::convert
