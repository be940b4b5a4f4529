// Models made by fairseq, OpenNMT-py and JoeyNMT (scripts/golden/toolkits.py) compute and translate
// the same after import.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"
#include "convert/containers/test_containers.h"
#include "convert/import.h"
#include "convert/kinds/test_golden.h"
#include "decode/opened/open_model.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string toolkit_fixture(const std::string& name) { return source_path("src/plugins/convert/fixtures/" + name); }

struct Toolkit {
  std::string name, file, origin;  // file: in the folder; "": the folder
  std::string path() const { return toolkit_fixture(name) + (file.empty() ? "" : "/" + file); }
};
std::ostream& operator<<(std::ostream& out, const Toolkit& t) { return out << t.name; }

class Toolkits : public TestFolder, public testing::WithParamInterface<Toolkit> {
 protected:
  decode::OpenModel imported() const {
    EXPECT_EQ(import_model(GetParam().path(), at("m"), {}, [](double) {}).origin, GetParam().origin);
    return decode::open_model(at("m"));
  }
};
INSTANTIATE_TEST_SUITE_P(Models, Toolkits,
                         testing::Values(Toolkit{"fairseq_post", "", "fairseq"},
                                         Toolkit{"fairseq_pre", "model.pt", "fairseq"},
                                         Toolkit{"opennmt_py", "model_step_400.pt", "OpenNMT-py"},
                                         Toolkit{"opennmt_py_gated", "model_step_400.pt", "OpenNMT-py"},
                                         Toolkit{"opennmt_py_2", "model_step_400.pt", "OpenNMT-py"},
                                         Toolkit{"joeynmt_post", "", "JoeyNMT"},
                                         Toolkit{"joeynmt_pre", "best.ckpt", "JoeyNMT"}),
                         [](const auto& p) { return p.param.name; });

TEST_P(Toolkits, LogitsAreThoseOfTheSystem) { expect_golden_logits(imported(), toolkit_fixture(GetParam().name), 3); }

TEST_P(Toolkits, TextHasTheSameIds) {
  expect_golden_sources(imported(), golden_lines(toolkit_fixture(GetParam().name)));
}

TEST_P(Toolkits, TranslationsAreTheSame) {
  const decode::OpenModel m = imported();
  const nlohmann::json all = golden_lines(toolkit_fixture(GetParam().name));
  ASSERT_EQ(all.size(), 200u);
  decode::DecodingOptions options = search_of(m);
  for (const auto& [name, beam] : {std::pair{"best", 4}, {"greedy", 1}}) {
    options.beam_size = beam;
    EXPECT_THAT(golden_differences(m, all, name, options, golden_texts(all), [](const auto&, const auto&) {}),
                testing::IsEmpty())
        << name;
  }
}

class ImportOfToolkits : public TestFolder {
 protected:
  void copy(const std::string& name) const { fs::copy(toolkit_fixture(name), at(name), fs::copy_options::recursive); }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read_file(at(file));
    const size_t place = text.find(from);
    ASSERT_NE(place, text.npos) << from;
    std::ofstream(at(file)) << text.replace(place, from.size(), to);
  }
  std::string refusal(const std::string& path, const ImportOptions& options = {}) const {
    const auto import = [&] { import_model(at(path), at("out"), options, [](double) {}); };
    const std::string what = what_of<DataError>(import);
    EXPECT_FALSE(fs::exists(at("out"))) << what;
    return what;
  }
};

TEST_F(ImportOfToolkits, JoeysConfigurationsAreChecked) {
  copy("joeynmt_post");
  const std::string config = "joeynmt_post/config.yaml", honest = read_file(at(config));
  const std::tuple<const char*, const char*, const char*> all[] = {
      {"num_heads: 4", "num_heads: 3", "'model.decoder.num_heads' is '4'"},
      {"num_layers: 2", "num_layers: x", "'model.encoder.num_layers' is 'x'"},
      {"activation: \"gelu\"", "activation: \"tanh\"", "'model.decoder.activation' is 'gelu'"},
      {"layer_norm: \"post\"", "layer_nor: \"post\"", "'model.encoder.layer_norm'"},
      {"ff_size: 24", "ff_size: 24\n        alpha: 0.5", "'model.encoder.alpha' is '0.5'"},
      {"type: \"transformer\"", "type: \"recurrent\"", "'model.encoder.type' is 'recurrent'"},
      {"hidden_size: 16", "hidden_size 16", "is no 'key: value'"},
      {"num_layers: 2", "num_layers: 3", "model_state.encoder.layers.2"}};
  for (const auto& [from, to, why] : all) {
    replace(config, from, to);
    EXPECT_THAT(refusal("joeynmt_post"), HasSubstr(why)) << to;
    std::ofstream(at(config)) << honest;
  }
  replace("joeynmt_post/src_vocab.txt", "a\n", "");
  EXPECT_THAT(refusal("joeynmt_post"), testing::AllOf(HasSubstr("src_vocab.txt"), HasSubstr("67 tokens")));
  fs::remove(at("joeynmt_post/trg_vocab.txt"));
  replace("joeynmt_post/src_vocab.txt", "b\n", "a\nb\n");
  EXPECT_THAT(refusal("joeynmt_post"), HasSubstr("trg_vocab.txt"));
}

TEST_F(ImportOfToolkits, FairseqsDictionariesAreChecked) {
  copy("fairseq_pre");
  replace("fairseq_pre/dict.src.txt", "a 7", "a seven");
  EXPECT_THAT(refusal("fairseq_pre"), HasSubstr("dict.src.txt:1: "));
  replace("fairseq_pre/dict.src.txt", "a seven", "b 7");
  EXPECT_THAT(refusal("fairseq_pre"), testing::AllOf(HasSubstr("dict.src.txt"), HasSubstr("twice")));
  fs::remove(at("fairseq_pre/dict.src.txt"));
  EXPECT_THAT(what_of<UsageError>([&] { import_model(at("fairseq_pre"), at("out"), {}, [](double) {}); }),
              HasSubstr("`source-vocab` is missing"));
  import_model(at("fairseq_pre"), at("out"), {.source_vocab = toolkit_fixture("fairseq_pre/dict.src.txt")},
               [](double) {});
  EXPECT_TRUE(fs::exists(at("out")));
}

// Replaces a word of the pickle by one of the same length.
TEST_F(ImportOfToolkits, RecordedOptionsAreChecked) {
  const std::tuple<const char*, const char*, const char*, const char*, const char*> all[] = {
      {"fairseq_pre", "model.pt", "_name", "langs", "'cfg.task.langs' is 'translation'; allowed is none: of fairseq's"},
      {"opennmt_py_2", "model_step_400.pt", "itos", "isto", "vocab.itos' is missing"},
      {"fairseq_pre", "model.pt", "gelu_accurate", "gelu_sensible", "'cfg.model.activation_fn' is 'gelu_sensible'"},
      {"opennmt_py_gated", "model_step_400.pt", "SinusoidalConcat", "SinusoidalConcar", "'opt.position_encoding_type'"},
      {"opennmt_py_gated", "model_step_400.pt", "transformer_ff", "transformer_fx", "'opt.transformer_ff' is missing"}};
  for (const auto& [name, file, from, to, why] : all) {
    if (!fs::exists(at(name))) copy(name);
    const std::string path = cat(name, "/", file), honest = read_file(at(path));
    std::ofstream(at(path)) << rezipped(toolkit_fixture(path), "data.pkl",
                                        [&, &from = from, &to = to](std::string pickle) {
                                          const size_t place = pickle.find(from);
                                          EXPECT_NE(place, pickle.npos) << from;
                                          return pickle.replace(place, std::string(from).size(), to);
                                        });
    EXPECT_THAT(refusal(path), HasSubstr(why));
    std::ofstream(at(path)) << honest;
  }
}

}  // namespace
}  // namespace hexapla::convert
