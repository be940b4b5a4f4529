// Models that transformers has made (scripts/golden/multilingual.py): imported, they compute and translate what they do
// there.
#include "convert/kinds/hugging_face/multilingual.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/compute/random.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/hugging_face/test_golden.h"
#include "decode/models/search_defaults.h"
#include "models/open_model.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string fixture_of(const std::string& name) { return source_path("src/convert/fixtures/hf_" + name); }

void import_multilingual(const std::string& from, const std::string& to, const ImportOptions& options = {}) {
  import_model(from, to, options, [](double) {});
}

class Multilingual : public TestFolder, public testing::WithParamInterface<const char*> {
 protected:
  models::OpenModel imported() const {
    import_multilingual(fixture_of(GetParam()), at("m"));
    return models::open_model(at("m"));
  }
  static nlohmann::json lines() { return nlohmann::json::parse(read_file(fixture_of(GetParam()) + "/golden.json")); }
  static std::string asked(const nlohmann::json& line) {
    const std::string code = line["language"];
    return (code.empty() ? "" : ">>" + code + "<<") + line["text"].get<std::string>();
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Multilingual, testing::Values("m2m", "nllb", "mbart", "bart"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(Multilingual, LogitsAreThoseOfTransformers) {
  const models::OpenModel m = imported();
  const auto golden = SafetensorsFile::open(fixture_of(GetParam()) + "/golden.safetensors");
  for (int i = 0; i < 2; ++i) {
    const TensorEntry& entry = golden.get(cat("logits.", i));
    std::vector<float> expected(static_cast<size_t>(entry.shape.size()));
    golden.read(entry, expected.data());
    EXPECT_THAT(logits_of_pair(m, golden_ids(golden, cat("source.", i)), golden_ids(golden, cat("target.", i))),
                testing::Pointwise(testing::FloatNear(1e-4F), expected))
        << "pair " << i;
  }
}

TEST_P(Multilingual, TextHasTheSameIds) {
  const models::OpenModel m = imported();
  for (const auto& line : lines()) {
    text::Ids ids = m.source.encode(line["text"].get<std::string>());
    ids.push_back(m.source.eos());
    EXPECT_EQ(ids, line["source"].get<text::Ids>()) << line["text"];
  }
  EXPECT_TRUE(m.source.encode("").empty());
  EXPECT_TRUE(m.source.encode("  ").empty());
}

TEST_P(Multilingual, TranslationsAreTheSame) {
  const models::OpenModel m = imported();
  const nlohmann::json all = lines();
  ASSERT_EQ(all.size(), 200u);
  decode::BeamOptions options;
  decode::take_search_defaults(
      m.file.history, [](const auto&) { return false; }, options);
  std::vector<std::string> texts;
  for (const auto& line : all) texts.push_back(asked(line));
  for (const std::string name : {"best", "greedy"}) {
    if (name == "greedy") options.beam_size = 1;
    const auto found = m.translator().translate(texts, options.translate_options());
    for (size_t i = 0; i < texts.size(); ++i) {
      const decode::Translation& first = found[i].front();
      EXPECT_EQ(first.ids, all[i][name].get<text::Ids>()) << name << " of " << texts[i];
      if (std::count(first.ids.begin(), first.ids.end(), m.target.unk()) > 0)
        continue;  // they leave it out, we show it
      EXPECT_EQ(first.text, all[i][name + " text"]) << name << " of " << texts[i];
    }
  }
}

// A folder to be damaged.
class ImportOfMultilingual : public TestFolder {
 protected:
  explicit ImportOfMultilingual(const std::string& name = "m2m") { fs::copy(fixture_of(name), at("m")); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(at("m/" + name)) << text; }
  void set(const std::string& file, const std::string& key, const nlohmann::json& value) const {
    nlohmann::json config = nlohmann::json::parse(read_file(at("m/" + file)));
    config[key] = value;
    write(file, json_text(config));
  }
  std::string refusal() const {
    const std::string what = what_of<DataError>([&] { import_multilingual(at("m"), at("out")); });
    EXPECT_FALSE(fs::exists(at("out"))) << what;
    return what;
  }
};

TEST_F(ImportOfMultilingual, ConfigurationsThatSayNoSuchModelAreRefused) {
  const std::tuple<const char*, const char*, nlohmann::json, const char*> all[] = {
      {"config.json", "vocab_size", 200, "configuration does not belong"},
      {"config.json", "vocab_size", 50, "has the id"},
      {"config.json", "eos_token_id", 5, "fairseq's number"},
      {"config.json", "encoder_layers", 1, "is no part of the model"},
      {"config.json", "decoder_ffn_dim", 25, "'decoder_ffn_dim' is 25"},
      {"config.json", "activation_function", "tanh", "'activation_function'"},
      {"tokenizer_config.json", "src_lang", "xx", "'src_lang' is \"xx\""},
      {"tokenizer_config.json", "legacy_behaviour", true, "begins with its language"},
      {"generation_config.json", "forced_bos_token_id", 4, "the id of a language"},
  };
  for (const auto& [file, key, value, why] : all) {
    const std::string before = read_file(at(cat("m/", file)));
    set(file, key, value);
    if (std::string(key) == "vocab_size" && value == 50) {
      const std::string what = refusal();
      EXPECT_TRUE(what.find("has the id") != what.npos || what.find("does not belong") != what.npos) << what;
    } else {
      EXPECT_THAT(refusal(), HasSubstr(why)) << key;
    }
    write(file, before);
  }
  fs::remove(at("m/sentencepiece.bpe.model"));
  EXPECT_THAT(refusal(), HasSubstr("sentencepiece.bpe.model"));
}

TEST_F(ImportOfMultilingual, LanguagesAreTheUsersChoice) {
  import_multilingual(at("m"), at("zu"), {.source_language = "fr", .target_language = "zu"});
  const models::OpenModel m = models::open_model(at("zu"));
  EXPECT_EQ(m.source.piece(m.source.opening()), ">>fr<<");
  EXPECT_EQ(m.target.piece(m.target.opening()), ">>zu<<");
  EXPECT_EQ(m.target.languages().size(), 100u);
  EXPECT_THAT(what_of<UsageError>([&] { import_multilingual(at("m"), at("x"), {.target_language = "tlh"}); }),
              testing::AllOf(HasSubstr("`target-language` 'tlh'"), HasSubstr("af, am, ar")));
  fs::remove(at("m/tokenizer_config.json"));
  const Imported done = import_model(at("m"), at("none"), {}, [](double) {});
  EXPECT_THAT(done.notes, testing::Contains(HasSubstr("does not say into which language")));
}

struct MutatedFile {
  const char *fixture, *file;
};
class MutatedMultilingual : public TestFolder, public testing::WithParamInterface<MutatedFile> {};
INSTANTIATE_TEST_SUITE_P(
    Files, MutatedMultilingual,
    testing::Values(MutatedFile{"m2m", "config.json"}, MutatedFile{"m2m", "vocab.json"},
                    MutatedFile{"m2m", "tokenizer_config.json"}, MutatedFile{"m2m", "sentencepiece.bpe.model"},
                    MutatedFile{"nllb", "tokenizer.json"}, MutatedFile{"nllb", "model.safetensors.index.json"},
                    MutatedFile{"mbart", "pytorch_model.bin.index.json"},
                    MutatedFile{"mbart", "pytorch_model-00001-of-00002.bin"}, MutatedFile{"bart", "config.json"}),
    [](const auto& p) {
      std::string name = cat(p.param.fixture, "_", p.param.file);
      std::replace_if(
          name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
      return name;
    });

// Whatever is changed in a file: it is imported, or refused with an error that names a file of the folder.
TEST_P(MutatedMultilingual, IsImportedOrRefused) {
  const auto [fixture, name] = GetParam();
  fs::copy(fixture_of(fixture), at("m"));
  const std::string before = read_file(at(cat("m/", name)));
  const uint64_t count = std::getenv("HEXAPLA_LONG_TESTS") ? 2000 : 200;
  uint64_t refused = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Random random(66, i);
    std::string damaged = before;
    const auto window = static_cast<uint32_t>(std::min<size_t>(damaged.size(), random.below(2) ? 2000 : 1U << 30));
    for (uint32_t n = 1 + random.below(3); n > 0; --n)
      damaged[random.below(window)] =
          random.below(2) ? "0123456789\"{}[],:-e."[random.below(20)] : static_cast<char>(random.below(256));
    if (random.below(4) == 0) damaged.resize(random.below(static_cast<uint32_t>(damaged.size())));
    std::ofstream(at(cat("m/", name))) << damaged;
    try {
      import_multilingual(at("m"), at("out"), {.from = "hf-multilingual"});
    } catch (const DataError& e) {
      EXPECT_THAT(e.what(), HasSubstr(at("m")));
      ++refused;
    } catch (const UserError& e) {
      ADD_FAILURE() << "mutation " << i << ": " << e.what();
    }
  }
  EXPECT_GT(refused, count / 20);
}

}  // namespace
}  // namespace hexapla::convert
