// Files built to overwhelm their reader, for every kind of model and for ours: each is read or
// rejected within 10 seconds and a GiB of memory.
#include <gmock/gmock.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "base/test_paths.h"
#include "convert/kinds/hostile/test_hostile.h"
#include "convert/kinds/hugging_face/pieces/tokenizer_json.h"
#include "convert/kinds/mapped/plain_safetensors.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

#ifdef __SANITIZE_ADDRESS__
constexpr double kMostSeconds = 120;  // half a million merges, the worst, take 4 s, with the sanitizer 44 s
#else
constexpr double kMostSeconds = 10;
#endif
// Processor time does not depend on what else runs.
double processor_seconds_since(std::clock_t began) {
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

struct Victim {
  std::string name, model;         // the fixture: a file or a folder
  std::vector<std::string> files;  // the files in the folder that are read
  std::string from;                // kind
};
std::ostream& operator<<(std::ostream& out, const Victim& v) { return out << v.name; }

const std::vector<Victim> kVictims{
    {"Marian",
     "hf_marian_joint",
     {"config.json", "generation_config.json", "model.safetensors", "source.spm", "target.spm", "vocab.json"},
     "hf-marian"},
    {"M2M",
     "hf_m2m",
     {"config.json", "generation_config.json", "sentencepiece.bpe.model", "tokenizer_config.json", "vocab.json"},
     "hf-multilingual"},
    {"Nllb",
     "hf_nllb",
     {"config.json", "model.safetensors.index.json", "sentencepiece.bpe.model", "tokenizer.json",
      "tokenizer_config.json"},
     "hf-multilingual"},
    {"MBart",
     "hf_mbart",
     {"config.json", "pytorch_model-00001-of-00002.bin", "pytorch_model.bin.index.json", "sentencepiece.bpe.model",
      "tokenizer.json"},
     "hf-multilingual"},
    {"Tokenizer", "texts_nllb", {"tokenizer.json"}, ""},
    {"BartBytes",
     "hf_bart_bytes",
     {"config.json", "merges.txt", "tokenizer.json", "tokenizer_config.json", "vocab.json"},
     "hf-multilingual"},
    {"MarianItself", "marian", {"decoder.yml", "model.npz", "source.spm", "vocab.yml"}, "marian"},
    {"Firefox", "marian_ssru", {"config.intgemm8bitalpha.yml", "model.intgemm.alphas.bin", "vocab.spm"}, "marian"},
    {"CTranslate2", "ctranslate2_built_in", {"config.json", "model.bin", "shared_vocabulary.json"}, "ctranslate2"},
    {"Fairseq", "fairseq_post", {"dict.src.txt", "dict.tgt.txt", "model.pt", "sentencepiece.bpe.model"}, "fairseq"},
    {"Fsmt",
     "hf_fsmt",
     {"config.json", "merges.txt", "tokenizer_config.json", "vocab-src.json", "vocab-tgt.json"},
     "hf-fsmt"},
    {"OpenNmt", "opennmt_py", {"model_step_400.pt", "both.model"}, "opennmt-py"},
    {"Joey", "joeynmt_post", {"best.ckpt", "bpe.codes", "config.yaml", "src_vocab.txt"}, "joeynmt"},
    {"Torch", "torch_pre_norm.pt", {"torch_pre_norm.pt", "tokens_23.txt"}, "torch"},
    {"Mapped", "", {"map.json", "model.safetensors", "sentencepiece.model"}, "safetensors"},
    {"OwnModel", "", {"own.safetensors"}, ""},
};

bool long_tests() { return environment("HEXAPLA_LONG_TESTS") != nullptr; }

class HostileFiles : public TestFolder, public testing::WithParamInterface<Victim> {
 protected:
  HostileFiles() {
    fs::create_directory(at("m"));
    const std::string own = source_path("tests/fixtures/run_of_0.1.0/model.safetensors");
    if (GetParam().name == "OwnModel") {
      fs::copy(own, at("m/own.safetensors"));
    } else if (GetParam().name == "Mapped") {
      model::LoadedModel loaded = model::load_model(own);
      fs::remove(at("m"));
      export_safetensors(loaded, at("m"));
    } else if (GetParam().from == "torch") {
      for (const std::string& file : GetParam().files) fs::copy(foreign(file), at("m/" + file));
    } else {
      const std::string usual = source_path("src/plugins/convert/fixtures/" + GetParam().model);
      fs::copy(fs::exists(usual) ? usual : foreign(GetParam().model), at("m"),
               fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    }
    for (const std::string& file : GetParam().files) honest_[file] = read_file(at("m/" + file));
  }
  static std::string foreign(const std::string& name) { return source_path("tests/fixtures/foreign/" + name); }

  ImportOptions options() const {
    ImportOptions o;
    o.from = GetParam().from;
    if (o.from != "torch") return o;
    o.heads = 2, o.activation = "relu", o.norm_eps = 1e-5;
    o.source_vocab = at("m/tokens_23.txt"), o.target_vocab = foreign("tokens_19.txt");
    return o;
  }
  bool refused() const {
    if (GetParam().name == "Tokenizer") return is_refused_by([&] { read_tokenizer(); }, folder());
    if (GetParam().name == "OwnModel") return is_refused_by([&] { read_own(); }, folder());
    const bool file = GetParam().from == "torch" || GetParam().from == "opennmt-py";
    return is_refused(file ? at("m/" + GetParam().files[0]) : at("m"), at("out"), options(), folder());
  }
  void restore(const std::string& file) const {
    fs::remove_all(at("m/" + file));
    std::ofstream(at("m/" + file)) << honest_.at(file);
  }
  std::map<std::string, std::string> honest_;

 private:
  void read_own() const {
    const model::LoadedModel m = model::load_to_translate(at("m/own.safetensors"));
    text::Vocabulary::parse(m.source_vocabulary, at("m/own.safetensors"));
  }
  void read_tokenizer() const { read_tokenizer_json(at("m/tokenizer.json"), LanguageStyle::script, 1 << 16); }
};
INSTANTIATE_TEST_SUITE_P(OfEveryKind, HostileFiles, testing::ValuesIn(kVictims),
                         [](const auto& kind) { return kind.param.name; });

// The nightly run tries 10^5 files.
TEST_P(HostileFiles, AreReadOrRefusedInTime) {
  const size_t count = long_tests() ? 100'000 / kVictims.size() + 1 : 200;
  const size_t most = long_tests() ? size_t{1} << 19 : size_t{1} << 15;
  EXPECT_FALSE(refused()) << "as it is";
  size_t refusals = 0;
  for (size_t i = 0; i < count; ++i) {
    Random random(40, i);
    const std::string file = GetParam().files[random.below(static_cast<uint32_t>(GetParam().files.size()))];
    fs::remove(at("out"));
    Hostile(random, most).replace(at("m/" + file), honest_.at(file));
    SCOPED_TRACE(cat("file ", i, ": ", file));
    const std::clock_t began = std::clock();
    refusals += refused();
    EXPECT_LT(processor_seconds_since(began), kMostSeconds);
    restore(file);
  }
  EXPECT_GT(refusals, count / 4);
}

class Known : public TestFolder {
 protected:
  Known() {
    fs::copy(source_path("src/plugins/convert/fixtures/hf_marian_joint"), at("hf"), fs::copy_options::recursive);
    fs::copy(source_path("src/plugins/convert/fixtures/hf_nllb"), at("nllb"), fs::copy_options::recursive);
  }
  std::string refusal(const std::string& model, const ImportOptions& options = {}) const {
    const AddressSpaceLimit limit(size_t{1} << 30);
    return what_of<DataError>([&] { import_model(at(model), at("out"), options, [](double) {}); });
  }
};

TEST_F(Known, DeepJsonIsRefused) {
  for (const char* file : {"config.json", "generation_config.json", "vocab.json"}) {
    const std::string honest = read_file(at(cat("hf/", file)));
    std::ofstream(at(cat("hf/", file))) << R"({"model_type":)" << std::string(400'000, '[');
    EXPECT_THAT(refusal("hf", {.from = "hf-marian"}), HasSubstr(file));
    std::ofstream(at(cat("hf/", file))) << honest;
  }
}

TEST_F(Known, NothingIsWaitedForOrReadWithoutEnd) {
  fs::remove(at("hf/source.spm"));
  fs::create_symlink("/dev/zero", at("hf/source.spm"));
  EXPECT_THAT(refusal("hf"), HasSubstr("source.spm: it is not a regular file"));
  fs::remove(at("hf/source.spm"));
  ASSERT_EQ(mkfifo(at("hf/source.spm").c_str(), 0600), 0);
  EXPECT_THAT(refusal("hf"), HasSubstr("source.spm: it is not a regular file"));
  const std::string spm = read_file(at("hf/target.spm"));
  std::ofstream(at("hf/source.spm.big")) << "";
  fs::resize_file(at("hf/source.spm.big"), size_t{1} << 40);
  fs::rename(at("hf/source.spm.big"), at("hf/source.spm"));
  EXPECT_THAT(refusal("hf"), HasSubstr("source.spm: it has 1099511627776 bytes"));
}

// A list of a million objects used to take hours.
TEST_F(Known, ManyObjectsTakeTimeInProportion) {
  const std::clock_t began = std::clock();
  std::ofstream(at("nllb/tokenizer.json")) << R"({"added_tokens":[)" << [] {
    std::string all;
    for (int i = 0; i < 300'000; ++i) all += "{},";
    return all;
  }() << "{}]}";
  refusal("nllb");
  EXPECT_LT(processor_seconds_since(began), kMostSeconds);
}

TEST_F(Known, ManyEmptyLinesTakeLittleMemory) {
  std::ofstream(at("v.txt")) << std::string(60'000'000, '\n');
  ImportOptions o;
  o.heads = 2, o.activation = "relu", o.norm_eps = 1e-5, o.source_vocab = at("v.txt");
  fs::copy(source_path("tests/fixtures/foreign/torch_pre_norm.pt"), at("t.pt"));
  EXPECT_THAT(refusal("t.pt", o), HasSubstr("v.txt: it has 60000000 lines"));
}

}  // namespace
}  // namespace hexapla::convert
