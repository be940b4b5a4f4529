// Tampered models of other systems are imported, or rejected with one message that names the file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"
#include "convert/containers/test_containers.h"
#include "convert/kinds/hostile/test_tampered.h"

namespace hexapla::convert {
namespace {

struct Target {
  std::string name, model, file;  // the fixture, and the file in it to change; "": the fixture is the file
  bool pickle = false;            // change the options in an archive and correct its checksums
};
std::ostream& operator<<(std::ostream& out, const Target& t) { return out << t.name; }

class TamperedModels : public TestFolder, public testing::WithParamInterface<Target> {
 protected:
  // Whether it is in the folder of self-contained models.
  static bool ours() {
    return std::filesystem::exists(source_path("src/plugins/convert/fixtures/" + GetParam().model));
  }
  ImportOptions options() const {
    ImportOptions o;
    if (ours()) return o;
    if (GetParam().model.starts_with("torch_")) o.activation = "relu", o.norm_eps = 1e-5;
    o.heads = 2, o.norm_position = GetParam().model == "torch_post_norm.pt" ? "post" : "pre";
    o.source_vocab = source_path("tests/fixtures/foreign/tokens_23.txt");
    o.target_vocab = source_path("tests/fixtures/foreign/tokens_19.txt");
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, TamperedModels,
                         testing::Values(Target{"TorchTransformer", "torch_pre_norm.pt", ""},
                                         Target{"TorchTransformerPostNorm", "torch_post_norm.pt", ""},
                                         Target{"Tutorial", "tutorial.pt", ""}, Target{"Annotated", "annotated.pt", ""},
                                         Target{"Notes", "notes.pt", ""},
                                         Target{"CTranslate2", "ctranslate2_learned", "model.bin"},
                                         Target{"CTranslate2Int8", "ctranslate2_int8", "model.bin"},
                                         Target{"CTranslate2Config", "ctranslate2_built_in", "config.json"},
                                         Target{"CTranslate2Tokens", "ctranslate2_built_in", "shared_vocabulary.json"},
                                         Target{"Firefox", "marian_ssru", "model.intgemm.alphas.bin"},
                                         Target{"Fairseq", "fairseq_post", "model.pt"},
                                         Target{"FairseqOptions", "fairseq_post", "model.pt", true},
                                         Target{"FairseqTree", "fairseq_pre", "model.pt", true},
                                         Target{"FairseqDictionary", "fairseq_pre", "dict.src.txt"},
                                         Target{"OpenNmt", "opennmt_py", "model_step_400.pt"},
                                         Target{"OpenNmtOptions", "opennmt_py", "model_step_400.pt", true},
                                         Target{"OpenNmtGated", "opennmt_py_gated", "model_step_400.pt", true},
                                         Target{"Joey", "joeynmt_pre", "best.ckpt"},
                                         Target{"JoeyState", "joeynmt_post", "best.ckpt", true},
                                         Target{"JoeyConfiguration", "joeynmt_post", "config.yaml"},
                                         Target{"JoeyTokens", "joeynmt_post", "src_vocab.txt"},
                                         Target{"JoeyMerges", "joeynmt_post", "bpe.codes"}),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(TamperedModels, AreImportedOrRefused) {
  const uint64_t count = mutations();
  const std::string folder_of = ours() ? "src/plugins/convert/fixtures/" : "tests/fixtures/foreign/";
  const std::string from = source_path(folder_of + GetParam().model), to = at(GetParam().model);
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
  const std::string path = GetParam().file.empty() ? to : to + "/" + GetParam().file;
  const std::string original = GetParam().file.empty() ? from : from + "/" + GetParam().file;
  const std::string model = GetParam().file.ends_with(".pt") ? path : to;
  const std::string honest = read_file(path);
  uint64_t refused = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Random random(62, i);
    const auto change = [&](const std::string& bytes) { return tampered(random, bytes); };
    std::ofstream(path) << (GetParam().pickle ? rezipped(original, "data.pkl", change) : change(honest));
    SCOPED_TRACE(cat("mutation ", i));
    refused += is_refused(model, at("m.safetensors"), options(), folder());
  }
  EXPECT_GT(refused, count / 20);
}

}  // namespace
}  // namespace hexapla::convert
