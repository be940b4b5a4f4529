// Models of transformers (scripts/golden/multilingual.py) compute and translate the same here.
#include "convert/kinds/hugging_face/multilingual.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
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
using testing::HasSubstr;

std::string fixture_of(const std::string& name) { return source_path("src/plugins/convert/fixtures/hf_" + name); }

void import_multilingual(const std::string& from, const std::string& to, const ImportOptions& options = {}) {
  import_model(from, to, options, [](double) {});
}

class Multilingual : public TestFolder, public testing::WithParamInterface<const char*> {
 protected:
  decode::OpenModel imported() const {
    import_multilingual(fixture_of(GetParam()), at("m"));
    return decode::open_model(at("m"));
  }
  static nlohmann::json lines() { return golden_lines(fixture_of(GetParam())); }
  static std::string asked(const nlohmann::json& line) {
    const std::string code = line["language"];
    return (code.empty() ? "" : ">>" + code + "<<") + line["text"].get<std::string>();
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Multilingual, testing::Values("m2m", "nllb", "mbart", "mbart25", "bart", "bart_bytes"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(Multilingual, LogitsAreThoseOfTransformers) { expect_golden_logits(imported(), fixture_of(GetParam()), 2); }

TEST_P(Multilingual, TextHasTheSameIds) {
  const decode::OpenModel m = imported();
  expect_golden_sources(m, lines());
  EXPECT_TRUE(m.source.encode("").empty());
  EXPECT_TRUE(m.source.encode("  ").empty());
}

// In mBART's line 193, the fourth and fifth hypotheses of ten tokens, -15.5937099 and -15.5937109,
// differ by one f32 unit in the last place. In f64 transformers continues with the fourth, as do
// our kernels except the generic ones; in f32 it continues with the fifth and misses the
// translation with the better score (-2.95330 instead of -3.07697).
const text::Ids kFoundInF64{93, 90, 79, 89, 90, 89, 89, 90, 89, 89, 82, 90, 89, 79, 90, 89, 89, 82};
TEST_P(Multilingual, TranslationsAreTheSame) {
  const decode::OpenModel m = imported();
  const nlohmann::json all = lines();
  ASSERT_EQ(all.size(), 200u);
  decode::DecodingOptions options = search_of(m);
  std::vector<std::string> texts;
  for (const auto& line : all) texts.push_back(asked(line));
  for (const std::string name : {"best", "greedy"}) {
    if (name == "greedy") options.beam_size = 1;
    const auto other = golden_differences(m, all, name, options, texts, [&](const auto& first, const auto& line) {
      if (std::count(first.ids.begin(), first.ids.end(), m.target.unk()) > 0) return;  // they omit it, we show it
      const size_t begin = first.text.find_first_not_of(' ');                          // the script strips it, too
      const std::string text = first.text.substr(begin, first.text.find_last_not_of(' ') + 1 - begin);
      EXPECT_EQ(line[name + " text"], text) << name << " of " << line["text"];
    });
    for (const size_t i : other) {
      const std::vector<std::string> text{texts[i]};
      const auto ids = m.translator().translate(text, options.translate_options())[0][0].ids;
      EXPECT_TRUE(GetParam() == std::string("mbart") && i == 193 && name == "best" && ids == kFoundInF64)
          << name << " of line " << i << ", " << text[0] << ": " << testing::PrintToString(ids);
    }
  }
}

// A folder to damage.
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
      {"config.json", "decoder_ffn_dim", 25, "says 25"},
      {"config.json", "activation_function", "tanh", "'activation_function'"},
      {"tokenizer_config.json", "src_lang", "xx", "'src_lang' is \"xx\""},
      {"generation_config.json", "forced_bos_token_id", 4, "the id of a language"},
      {"generation_config.json", "decoder_start_token_id", 0, "'decoder_start_token_id' is 0"},
      {"generation_config.json", "eos_token_id", 4, "'eos_token_id'"},
      {"generation_config.json", "encoder_no_repeat_ngram_size", 3, "'encoder_no_repeat_ngram_size' is 3"},
      {"generation_config.json", "exponential_decay_length_penalty", nlohmann::json::parse("[3,1.5]"),
       "'exponential_decay_length_penalty'"},
      {"generation_config.json", "repetition_penalty", 0, "'repetition_penalty' is 0"},
      {"generation_config.json", "no_repeat_ngram_size", 1, "'no_repeat_ngram_size' is 1"},
      {"generation_config.json", "min_length", 50, "'min_length' is 50"},
      {"generation_config.json", "do_sample", true, "'do_sample' is true"},
      {"generation_config.json", "early_stopping", "perhaps", "'early_stopping'"},
      {"generation_config.json", "bad_words_ids", nlohmann::json::parse("[[7]]"), "'bad_words_ids' is [[7]]"},
      {"generation_config.json", "my_own", 1, "'my_own' is 1; hexapla does not know this key"},
      {"config.json", "layer_norm_eps", 1e-3, "'layer_norm_eps' is 0.001; hexapla does not know this key"},
      {"config.json", "pruned_heads", nlohmann::json::parse("{\"0\":[1]}"), "'pruned_heads'"},
      {"config.json", "num_hidden_layers", 3, "'num_hidden_layers' is 3"},
      {"config.json", "tokenizer_class", "SMALL100Tokenizer", "'tokenizer_class' is \"SMALL100Tokenizer\""},
      {"tokenizer_config.json", "tokenizer_class", "NllbTokenizer", "as M2M-100 the model would read other tokens"},
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

// For example transformers' NLLB-MoE or T5.
TEST_F(ImportOfMultilingual, OtherTypesAreRefusedByName) {
  set("config.json", "model_type", "t5");
  EXPECT_THAT(refusal(), HasSubstr("a model of the T5 family"));
  set("config.json", "model_type", "nllb-moe");
  EXPECT_THAT(refusal(), HasSubstr("'model_type' is \"nllb-moe\"; allowed is marian, m2m_100, mbart, bart or fsmt"));
}

// transformers uses mBART-25's tokenizer for mbart folders that do not name another.
TEST_F(ImportOfMultilingual, OtherTokenizersOfMBartAreRefusedByName) {
  fs::remove_all(at("m"));
  fs::copy(fixture_of("mbart"), at("m"));
  set("tokenizer_config.json", "tokenizer_class", "XLMRobertaTokenizer");
  EXPECT_THAT(refusal(), HasSubstr("'tokenizer_class' is \"XLMRobertaTokenizer\"; allowed is MBart50Tokenizer"));
  set("tokenizer_config.json", "tokenizer_class", "MBartTokenizer");
  EXPECT_THAT(refusal(), HasSubstr("'decoder_start_token_id' is 2; allowed is the id of a language"));
  set("tokenizer_config.json", "tokenizer_class", "MBart50TokenizerFast");
  EXPECT_NO_THROW(import_multilingual(at("m"), at("ok")));
  fs::remove(at("m/tokenizer_config.json"));
  EXPECT_THAT(refusal(), HasSubstr("'decoder_start_token_id' is 2; allowed is the id of a language"));
}

class ImportOfMBart25 : public ImportOfMultilingual {
 protected:
  ImportOfMBart25() : ImportOfMultilingual("mbart25") {}
};

TEST_F(ImportOfMBart25, LanguagesAreFixed) {
  import_multilingual(at("m"), at("out"));
  const decode::OpenModel m = decode::open_model(at("out"));
  text::Ids ids;
  m.source.end_source(ids);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(m.source.piece(ids[1]), "en_XX");
  EXPECT_EQ(m.target.piece(m.target.bos()), "ro_RO");
  EXPECT_TRUE(m.source.languages().empty());
  EXPECT_EQ(m.target.opening(), -1);
  import_multilingual(at("m"), at("other"), {.source_language = "ro_RO", .target_language = "zh_CN"});
  const decode::OpenModel other = decode::open_model(at("other"));
  EXPECT_EQ(other.target.piece(other.target.bos()), "zh_CN");
  EXPECT_THAT(what_of<UsageError>([&] { import_multilingual(at("m"), at("no"), {.target_language = "xx"}); }),
              HasSubstr("`target-language` 'xx' is none of the model's languages"));
}

TEST_F(ImportOfMBart25, FoldersMayLeaveOutTheLanguages) {
  import_multilingual(at("m"), at("out"));
  for (const char* file : {"m/tokenizer.json", "m/tokenizer_config.json"}) fs::remove(at(file));
  import_multilingual(at("m"), at("again"));
  EXPECT_EQ(read_file(at("again")), read_file(at("out")));
}

TEST_F(ImportOfMBart25, AFirstTokenBesideTheLanguageIsRefused) {
  set("generation_config.json", "forced_bos_token_id", 4);
  EXPECT_THAT(refusal(), HasSubstr("'forced_bos_token_id' is 4; allowed is null"));
}

TEST_F(ImportOfMultilingual, TheSearchIsThatOfTheGenerationConfiguration) {
  const auto recorded = [&] {
    import_multilingual(at("m"), at("out"));
    return decode::open_model(at("out")).file.usage.search;
  };
  set("config.json", "num_beams", 7);
  set("generation_config.json", "early_stopping", "never");
  set("generation_config.json", "repetition_penalty", 1.25);
  set("generation_config.json", "max_new_tokens", 30);
  set("generation_config.json", "min_length", 6);
  std::map<std::string, std::string> expected{
      {"beam-size", "4"},    {"length-penalty", "1"}, {"length-normalization", "power"},
      {"longest", "29"},     {"min-length", "5"},     {"repetition-penalty", "1.25"},
      {"stop-when", "never"}};
  EXPECT_EQ(recorded(), expected) << "max_new_tokens comes before max_length, and </s> is forced";
  set("generation_config.json", "min_new_tokens", 3);
  expected["min-length"] = "3";
  EXPECT_EQ(recorded(), expected) << "and min_new_tokens before min_length";
  EXPECT_THAT(import_model(at("m"), at("again"), {}, [](double) {}).notes,
              testing::Contains(HasSubstr("says otherwise: num_beams")));
  fs::remove(at("m/generation_config.json"));
  set("config.json", "decoder_start_token_id", 2);
  const auto old = recorded();  // old versions wrote everything to one file
  EXPECT_EQ(old.at("beam-size"), "7");
  EXPECT_EQ(old.at("longest"), "20") << "transformers' own where nothing is said";
}

// With untied tables, transformers has separate ones for encoder, decoder and output.
TEST_F(ImportOfMultilingual, UntiedTablesAreThoseThatTransformersComputesWith) {
  const auto write_with = [&](bool same) {
    const auto file = SafetensorsFile::open(fixture_of("m2m") + "/model.safetensors");
    std::vector<TensorSource> all;
    const auto add = [&](const std::string& name, const TensorEntry& t, bool noise) {
      std::vector<char> own(t.byte_count());
      file.read(t, own.data());
      if (noise) std::reverse(reinterpret_cast<float*>(own.data()), reinterpret_cast<float*>(own.data() + own.size()));
      all.push_back({name, t.dtype, t.shape, [own](const auto& take) { take(own.data()); }});
    };
    for (const TensorEntry& t : file.tensors()) {
      add(t.name, t, t.name == "model.shared.weight" && !same);
      if (t.name != "model.shared.weight") continue;
      for (const char* name :
           {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"})
        add(name, t, false);
    }
    write_safetensors(at("m/model.safetensors"), all, {{"format", "pt"}});
  };
  write_with(false);
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("model.shared.weight"), HasSubstr("are one table"),
                                        HasSubstr("but they differ")))
      << "tied, the file would have to be one of the four";
  set("config.json", "tie_word_embeddings", false);
  const Imported done = import_model(at("m"), at("out"), {}, [](double) {});
  EXPECT_THAT(done.notes, testing::Contains(HasSubstr("model.shared.weight")));
  expect_golden_logits(decode::open_model(at("out")), fixture_of("m2m"), 2);
  write_with(true);
  set("config.json", "tie_word_embeddings", true);
  EXPECT_NO_THROW(import_multilingual(at("m"), at("tied")));
}

TEST_F(ImportOfMultilingual, LanguagesAreTheUsersChoice) {
  import_multilingual(at("m"), at("zu"), {.source_language = "fr", .target_language = "zu"});
  const decode::OpenModel m = decode::open_model(at("zu"));
  EXPECT_EQ(m.source.piece(m.source.opening()), ">>fr<<");
  EXPECT_EQ(m.target.piece(m.target.opening()), ">>zu<<");
  EXPECT_EQ(m.target.languages().size(), 100u);
  EXPECT_THAT(what_of<UsageError>([&] { import_multilingual(at("m"), at("x"), {.target_language = "tlh"}); }),
              testing::AllOf(HasSubstr("`target-language` 'tlh'"), HasSubstr("af, am, ar")));
  fs::remove(at("m/tokenizer_config.json"));
  const Imported done = import_model(at("m"), at("none"), {}, [](double) {});
  EXPECT_THAT(done.notes, testing::Contains(HasSubstr("does not say into which language")));
}

// Folders saved by transformers 5 have no other file with pieces.
TEST_F(ImportOfMultilingual, TokenizerJsonAloneSaysTheSame) {
  for (const std::string name : {"mbart", "nllb", "bart_bytes"}) {
    fs::copy(fixture_of(name), at(name));
    for (const char* file : {"/sentencepiece.bpe.model", "/vocab.json", "/merges.txt"}) fs::remove(at(name + file));
    import_multilingual(at(name), at(name + ".model"));
    const decode::OpenModel m = decode::open_model(at(name + ".model"));
    SCOPED_TRACE(name);
    expect_golden_sources(m, golden_lines(fixture_of(name)));
    const nlohmann::json first = golden_lines(fixture_of(name))[0];  // in the model's default language
    const std::vector<std::string> text{first["text"]};
    EXPECT_EQ(m.translator().translate(text, search_of(m).translate_options())[0][0].ids,
              first["best"].get<text::Ids>());
  }
  fs::remove(at("mbart/tokenizer.json"));
  EXPECT_THAT(what_of<DataError>([&] { import_multilingual(at("mbart"), at("out")); }),
              HasSubstr("no sentencepiece.bpe.model and no tokenizer.json"));
}

// NLLB-200 was trained with the language before a source; its first tokenizer put it after </s>.
TEST_F(ImportOfMultilingual, LegacyBehaviourPutsTheLanguageBehindTheSource) {
  fs::remove_all(at("m"));
  fs::copy(fixture_of("nllb"), at("m"));
  set("tokenizer_config.json", "legacy_behaviour", true);
  import_multilingual(at("m"), at("out"));
  const decode::OpenModel m = decode::open_model(at("out"));
  for (const auto& line : golden_lines(fixture_of("nllb"))) {
    text::Ids expected = line["source"], ids = m.source.encode(line["text"].get<std::string>());
    std::rotate(expected.begin(), expected.begin() + 1, expected.end());
    m.source.end_source(ids);
    EXPECT_EQ(ids, expected);
  }
  EXPECT_EQ(m.source.opening(), -1);
  EXPECT_EQ(m.target.piece(m.target.opening()), ">>deu_Latn<<");
  text::Ids ids;
  m.source.opening_with("fra_Latn", "source-language").end_source(ids);
  EXPECT_EQ(m.source.piece(ids.back()), ">>fra_Latn<<");
}

struct MutatedFile {
  const char *fixture, *file;
  bool alone = false;  // without the files that it can replace
};
class MutatedMultilingual : public TestFolder, public testing::WithParamInterface<MutatedFile> {};
INSTANTIATE_TEST_SUITE_P(
    Files, MutatedMultilingual,
    testing::Values(MutatedFile{"m2m", "config.json"}, MutatedFile{"m2m", "vocab.json"},
                    MutatedFile{"m2m", "tokenizer_config.json"}, MutatedFile{"m2m", "sentencepiece.bpe.model"},
                    MutatedFile{"nllb", "tokenizer.json"}, MutatedFile{"nllb", "model.safetensors.index.json"},
                    MutatedFile{"mbart", "pytorch_model.bin.index.json"},
                    MutatedFile{"mbart", "pytorch_model-00001-of-00002.bin"}, MutatedFile{"bart", "config.json"},
                    MutatedFile{"bart_bytes", "vocab.json"}, MutatedFile{"bart_bytes", "merges.txt"},
                    MutatedFile{"bart_bytes", "tokenizer_config.json"},
                    MutatedFile{"bart_bytes", "tokenizer.json", true}, MutatedFile{"mbart", "tokenizer.json", true},
                    MutatedFile{"nllb", "tokenizer.json", true}),
    [](const auto& p) {
      std::string name = cat(p.param.fixture, "_", p.param.file, p.param.alone ? "_alone" : "");
      std::replace_if(
          name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
      return name;
    });

// Any change of a file is imported, or rejected with an error that names a file of the folder.
TEST_P(MutatedMultilingual, IsImportedOrRefused) {
  const auto [fixture, name, alone] = GetParam();
  fs::copy(fixture_of(fixture), at("m"));
  for (const char* other : {"m/sentencepiece.bpe.model", "m/vocab.json", "m/merges.txt"})
    if (alone) fs::remove(at(other));
  const std::string before = read_file(at(cat("m/", name)));
  const uint64_t count = mutations();
  uint64_t refused = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Random random(66, i);
    SCOPED_TRACE(cat("mutation ", i));
    std::ofstream(at(cat("m/", name))) << tampered_text(random, before);
    refused += is_refused(at("m"), at("out"), {.from = "hf-multilingual"}, at("m"));
  }
  EXPECT_GT(refused, count / 20);
}

}  // namespace
}  // namespace hexapla::convert
