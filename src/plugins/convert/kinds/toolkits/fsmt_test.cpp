// A model of transformers' FSMT (scripts/golden/fsmt.py) computes and translates the same here.
#include "convert/kinds/toolkits/fsmt.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/test_golden.h"
#include "decode/opened/open_model.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kFixture = source_path("src/plugins/convert/fixtures/hf_fsmt");

class Fsmt : public TestFolder {
 protected:
  decode::OpenModel imported() {
    notes_ = import_model(kFixture, at("m"), {}, [](double) {}).notes;
    return decode::open_model(at("m"));
  }
  std::vector<std::string> notes_;
};

TEST_F(Fsmt, LogitsAreThoseOfTransformers) { expect_golden_logits(imported(), kFixture, 2); }

TEST_F(Fsmt, WordsHaveTheSameIds) { expect_golden_sources(imported(), golden_lines(kFixture)); }

TEST_F(Fsmt, TranslationsAreTheSame) {
  const decode::OpenModel m = imported();
  const nlohmann::json all = golden_lines(kFixture);
  ASSERT_EQ(all.size(), 200u);
  decode::DecodingOptions options = search_of(m);
  EXPECT_EQ(options.beam_size, 4);
  for (const auto& [name, beam] : {std::pair<std::string, int>{"best", 4}, {"greedy", 1}}) {
    options.beam_size = beam;
    const auto other = golden_differences(
        m, all, name, options, golden_texts(all),
        [&, key = name + " text"](const auto& first, const auto& line) { EXPECT_EQ(line[key], first.text); });
    EXPECT_THAT(other, testing::IsEmpty()) << name;
  }
}

TEST_F(Fsmt, TheUserIsToldOfWordsAndWidths) {
  imported();
  EXPECT_THAT(notes_, testing::Contains(HasSubstr("Moses' tokenizer")));
  EXPECT_THAT(notes_, testing::Contains(HasSubstr("decoder 20")));
}

class FsmtFolder : public TestFolder {
 protected:
  FsmtFolder() { fs::copy(kFixture, at("m")); }
  void set(const std::string& file, const std::string& key, const nlohmann::json& value) const {
    nlohmann::json all = nlohmann::json::parse(read_file(at("m/" + file)));
    all[key] = value;
    std::ofstream(at("m/" + file)) << json_text(all);
  }
  void import() const {
    import_model(at("m"), at("out"), {}, [](double) {});
  }
  std::string refusal() const {
    const std::string what = what_of<DataError>([&] { import(); });
    EXPECT_FALSE(fs::exists(at("out"))) << what;
    return what;
  }
};

TEST_F(FsmtFolder, IsRefusedByFileAndKey) {
  const std::tuple<const char*, const char*, nlohmann::json, const char*> all[] = {
      {"config.json", "src_vocab_size", 30, "embeddings.0.table is [30, 16]"},
      {"config.json", "vocab_size", 30, "'vocab_size' is 30"},
      {"config.json", "bos_token_id", 5, "'bos_token_id' is 5"},
      {"config.json", "activation_function", "tanh", "'activation_function'"},
      {"config.json", "decoder_ffn_dim", 24, "says 24"},
      {"config.json", "layer_norm_eps", 0.1, "hexapla does not know this key"},
      {"tokenizer_config.json", "do_lower_case", true, "'do_lower_case' is true"},
      {"tokenizer_config.json", "tokenizer_class", "XLMTokenizer", "'tokenizer_class' is \"XLMTokenizer\""},
      {"generation_config.json", "decoder_start_token_id", 0, "'decoder_start_token_id' is 0"},
      {"generation_config.json", "forced_bos_token_id", 4, "'forced_bos_token_id' is 4"},
      {"vocab-tgt.json", "zz", 1000, "has the id 1000"}};
  for (const auto& [file, key, value, why] : all) {
    const std::string before = read_file(at(cat("m/", file)));
    set(file, key, value);
    EXPECT_THAT(refusal(), HasSubstr(why)) << key;
    std::ofstream(at(cat("m/", file))) << before;
  }
  fs::remove(at("m/merges.txt"));
  EXPECT_THAT(refusal(), HasSubstr("merges.txt"));
}

// Files of 2020 leave out what is transformers' default.
TEST_F(FsmtFolder, MayLeaveOutDefaults) {
  import();
  const std::string all = read_file(at("out"));
  nlohmann::json config = nlohmann::json::parse(read_file(at("m/config.json")));
  for (const char* key : {"decoder_start_token_id", "forced_eos_token_id", "bos_token_id", "pad_token_id"})
    config.erase(key);
  config["num_beams"] = 4, config["max_length"] = 40;
  std::ofstream(at("m/config.json")) << json_text(config);
  fs::remove(at("m/generation_config.json"));
  import();
  EXPECT_EQ(read_file(at("out")), all);
}

}  // namespace
}  // namespace hexapla::convert
