// Models written in PyTorch (scripts/golden/foreign_torch.py) compute the same after import.
#include <gmock/gmock.h>

#include "backend/reference/reference.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"
#include "convert/containers/test_containers.h"
#include "convert/kinds/ctranslate2/ctranslate2_writer.h"
#include "convert/kinds/mapped/plain_safetensors.h"
#include "convert/kinds/test_imported.h"
#include "convert/texts/token_list.h"
#include "model/weights/quantize.h"
#include "model/weights/save_quantized.h"
#include "tensor/safetensors.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using testing::HasSubstr;

std::string foreign(const std::string& name) { return source_path("tests/fixtures/foreign/" + name); }

struct Layout {
  std::string name, origin;
  ImportOptions options;
};
std::ostream& operator<<(std::ostream& out, const Layout& l) { return out << l.name; }

// PyTorch's defaults.
ImportOptions usual(ImportOptions o) {
  o.activation = "relu", o.norm_eps = 1e-5;
  return o;
}

ImportOptions options_with(const std::string& source, const std::string& target, int64_t heads = 2) {
  ImportOptions o;
  o.heads = heads;
  o.source_vocab = foreign(source);
  o.target_vocab = foreign(target);
  return o;
}

std::vector<Layout> layouts() {
  const ImportOptions two = options_with("tokens_23.txt", "tokens_19.txt"),
                      shared = options_with("tokens_19.txt", "tokens_19.txt", 0);  // the checkpoint records the heads
  ImportOptions pre = usual(two), other = usual(two), recorded = options_with("tokens_23.txt", "tokens_19.txt", 0);
  pre.norm_position = "pre";
  other.activation = "gelu", other.norm_eps = 0.01;
  return {{"torch_pre_norm", "torch.nn.Transformer", pre},
          {"torch_post_norm", "torch.nn.Transformer", usual(two)},
          {"torch_gelu", "torch.nn.Transformer", other},
          {"torch_gelu_recorded", "torch.nn.Transformer", recorded},
          {"tutorial", "modules after pytorch-seq2seq", two},
          {"annotated", "The Annotated Transformer", two},
          {"notes", "modules after attention-is-all-you-need-pytorch", two},
          {"jadore", "attention-is-all-you-need-pytorch", shared},
          {"jadore_scaled_embeddings", "attention-is-all-you-need-pytorch", shared},
          {"jadore_apart", "attention-is-all-you-need-pytorch", recorded}};
}

class TorchStateDict : public TestFolder, public testing::WithParamInterface<Layout> {};
INSTANTIATE_TEST_SUITE_P(Layouts, TorchStateDict, testing::ValuesIn(layouts()),
                         [](const auto& one) { return one.param.name; });

template <class T>
std::vector<T> numbers_of(const SafetensorsFile& file, const std::string& name) {
  const TensorEntry& entry = file.get(name);
  std::vector<T> values(static_cast<size_t>(entry.shape.size()));
  file.copy(entry, Tensor::of(values.data(), entry.shape));
  return values;
}

TEST_P(TorchStateDict, ComputesTheSame) {
  ImportedModel model(foreign(GetParam().name + ".pt"), at("m.safetensors"), GetParam().options);
  EXPECT_EQ(model.import().origin, GetParam().origin);
  const auto golden = SafetensorsFile::open(foreign(GetParam().name + ".safetensors"));
  const auto source = numbers_of<int32_t>(golden, "source"), in = numbers_of<int32_t>(golden, "target_in"),
             out = numbers_of<int32_t>(golden, "target_out"), source_rows = numbers_of<int32_t>(golden, "source_rows"),
             target_rows = numbers_of<int32_t>(golden, "target_rows");
  const auto got = model.log_probabilities(*make_reference_backend(), {source, in, out, source_rows, target_rows});
  EXPECT_LT(largest_difference(got, numbers_of<float>(golden, "log_probabilities")), 1e-4);
}

using TorchImports = TestFolder;

TEST_F(TorchImports, PyTorchsDefaultHasNormsAfterEachSublayerAndBehindEachStack) {
  const ImportOptions o = usual(options_with("tokens_23.txt", "tokens_19.txt"));
  const Imported done = import_model(foreign("torch_post_norm.pt"), at("m"), o, [](double) {});
  EXPECT_EQ(done.config.norm_position.text(), "post-last");
  EXPECT_THAT(done.notes, testing::Contains(HasSubstr("norm_first=True")));
}

TEST_F(TorchImports, SourcesOfTheTutorialBeginWithItsStart) {
  ImportOptions o = options_with("tokens_23.txt", "tokens_19.txt");
  import_model(foreign("tutorial.pt"), at("m"), o, [](double) {});
  const auto source = text::Vocabulary::parse(model::load_model(at("m")).source_vocabulary, "source");
  EXPECT_EQ(source.encode("w5 w7"), (text::Ids{1, 5, 7}));
}

// No file says whether sources begin with a token: the option does, or a note says what was assumed. Every
// way to another file keeps it.
TEST_F(TorchImports, SourcesBeginAsTheOptionSays) {
  const auto encoded = [&](const std::string& file) {
    return text::Vocabulary::parse(model::load_model(at(file)).source_vocabulary, "source").encode("w5 w7");
  };
  for (const char* layout : {"annotated", "jadore_apart", "torch_post_norm", "tutorial"}) {
    ImportOptions o = options_with("tokens_23.txt", "tokens_19.txt");
    if (layout == std::string("torch_post_norm")) o = usual(o);
    const std::string from = foreign(cat(layout, ".pt"));
    const bool usually = layout == std::string("tutorial");
    EXPECT_THAT(import_model(from, at("usual"), o, [](double) {}).notes,
                testing::Contains(HasSubstr("`source-start`")));
    for (const char* start : {"bos", "none"}) {
      o.source_start = start;
      const Imported done = import_model(from, at("m"), o, [](double) {});
      EXPECT_THAT(done.notes, testing::Not(testing::Contains(HasSubstr("source-start"))));
      const bool begins = o.source_start == "bos";
      EXPECT_EQ(encoded("m"), begins ? (text::Ids{1, 5, 7}) : (text::Ids{5, 7})) << layout;
      if (begins == usually) {
        EXPECT_EQ(encoded("usual"), encoded("m")) << layout;
      }
      model::StoredModel stored(at("m"));
      model::save_quantized(at("q"), stored, {});
      EXPECT_EQ(encoded("q"), encoded("m")) << layout;
      model::LoadedModel m = model::load_model(at("m"));
      std::filesystem::remove_all(at("plain"));
      export_safetensors(m, at("plain"));
      import_model(at("plain"), at("again"), {}, [](double) {});
      EXPECT_EQ(encoded("again"), encoded("m")) << layout;
      if (layout == std::string("jadore_apart") || layout == std::string("tutorial")) continue;
      std::filesystem::remove_all(at("ct2"));
      export_ctranslate2(m, at("ct2"), CTranslate2Type::f32);
      import_model(at("ct2"), at("again"), {}, [](double) {});
      EXPECT_EQ(encoded("again"), encoded("m")) << layout;
    }
    o.source_start = "eos";
    EXPECT_THAT(what_of<UsageError>([&] { import_model(from, at("m"), o, [](double) {}); }), HasSubstr("source-start"));
  }
}

// A pickled list of texts, alone or under torchtext's name.
TEST_F(TorchImports, TokensMayBePickled) {
  std::string list = "](";
  for (const char* token : {"<unk>", "<pad>", "<sos>", "<eos>", "c"}) list += pickled::text(token);
  list += "e";
  write_file_atomically(at("a.pkl"), pickled::whole(list));
  write_file_atomically(at("b.pkl"), pickled::whole(pickled::dictionary({{"stoi", "}"}, {"itos", list}})));
  const std::vector<std::string> tokens{"<unk>", "<pad>", "<sos>", "<eos>", "c"};
  EXPECT_EQ(read_token_list(at("a.pkl")), tokens);
  EXPECT_EQ(read_token_list(at("b.pkl")), tokens);
  write_file_atomically(at("c.pkl"), pickled::whole(pickled::dictionary({{"stoi", "}"}})));
  EXPECT_THAT(what_of<DataError>([&] { read_token_list(at("c.pkl")); }), HasSubstr("c.pkl"));
  write_file_atomically(at("d.pkl"), pickled::whole(pickled::global("os", "system")));
  EXPECT_THAT(what_of<DataError>([&] { read_token_list(at("d.pkl")); }), HasSubstr("os.system"));
}

TEST_F(TorchImports, SayWhatIsMissing) {
  const auto import = [&](const ImportOptions& o) {
    import_model(foreign("torch_pre_norm.pt"), at("m"), o, [](double) {});
  };
  ImportOptions o = options_with("tokens_23.txt", "tokens_19.txt");
  o.norm_position = "pre";
  EXPECT_THAT(what_of<UsageError>([&] { import(o); }), HasSubstr("`activation` is missing"));
  o.activation = "relu";
  EXPECT_THAT(what_of<UsageError>([&] { import(o); }), HasSubstr("`norm-eps` is missing"));
  o.norm_eps = 1e-5, o.heads = 0;
  EXPECT_THAT(what_of<UsageError>([&] { import(o); }), HasSubstr("`heads` is missing"));
  o.heads = 3;
  EXPECT_THAT(what_of<DataError>([&] { import(o); }), HasSubstr("torch_pre_norm.pt"));
  o.heads = 2, o.source_vocab = "";
  EXPECT_THAT(what_of<UsageError>([&] { import(o); }), HasSubstr("`source-vocab` is missing"));
  o.source_vocab = foreign("tokens_19.txt");
  EXPECT_THAT(what_of<DataError>([&] { import(o); }), HasSubstr("it has 19 tokens, but the model's table 23 rows"));
  o.source_vocab = foreign("tokens_23.txt"), o.generator = "no.such";
  EXPECT_THAT(what_of<UsageError>([&] { import(o); }), HasSubstr("`generator` 'no.such' is no tensor"));
  EXPECT_EQ(entries(), 0u);
}

TEST_F(TorchImports, ActivationsOfFixedLayoutsAreNotGiven) {
  ImportOptions o = options_with("tokens_23.txt", "tokens_19.txt");
  o.activation = "gelu";
  EXPECT_THAT(what_of<UsageError>([&] { import_model(foreign("annotated.pt"), at("m"), o, [](double) {}); }),
              HasSubstr("`activation` gelu is for torch.nn.Transformer; The Annotated Transformer has one of its own"));
}

}  // namespace
}  // namespace hexapla::convert
