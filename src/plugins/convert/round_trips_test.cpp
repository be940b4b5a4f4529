// Importing, exporting and importing again preserves the weights, bit by bit, and the vocabularies.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/options/environment.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/hugging_face/writer/marian.h"
#include "convert/kinds/mapped/plain_safetensors.h"
#include "convert/kinds/mapped/tokenizer_json.h"
#include "convert/writing/search_there.h"
#include "data/files/lines.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using testing::HasSubstr;

const std::string kOwnModel = source_path("tests/fixtures/run_of_0.1.0/model.safetensors");

void import_to(const std::string& from, const std::string& to) {
  import_model(from, to, {}, [](double) {});
}

void expect_same_weights(const model::LoadedModel& a, const model::LoadedModel& b) {
  const auto of_a = leaves_of(*a.net).parameters, of_b = leaves_of(*b.net).parameters;
  ASSERT_EQ(of_a.size(), of_b.size());
  auto other = of_b.begin();
  for (const auto& [name, parameter] : of_a) {
    const auto& [name_of_b, parameter_of_b] = *other++;
    const auto x = parameter->value.values<float>(), y = parameter_of_b->value.values<float>();
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << name << " " << name_of_b;
  }
}

class RoundTrip : public TestFolder, public testing::WithParamInterface<const char*> {
 protected:
  void expect_same_model() const {
    const model::LoadedModel a = model::load_model(at("first")), b = model::load_model(at("again"));
    EXPECT_EQ(a.config.to_json(), b.config.to_json());
    EXPECT_EQ(a.source_vocabulary, b.source_vocabulary);
    EXPECT_EQ(a.target_vocabulary, b.target_vocabulary);
    EXPECT_EQ(a.metadata.at("checksum"), b.metadata.at("checksum")) << "of every number";
    EXPECT_EQ(a.usage, b.usage);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, RoundTrip,
                         testing::Values("hf_marian_joint", "hf_marian_separate", "hf_marian_half", "hf_marian_untied",
                                         "marian", "hf_m2m", "hf_nllb", "hf_mbart", "hf_bart"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(RoundTrip, ThroughSafetensorsGivesEqualBytes) {
  import_to(source_path(cat("src/plugins/convert/fixtures/", GetParam())), at("first"));
  model::LoadedModel m = model::load_model(at("first"));
  export_safetensors(m, at("plain"));
  import_to(at("plain"), at("again"));
  expect_same_model();
  m = model::load_model(at("again"));
  export_safetensors(m, at("plain2"));
  import_to(at("plain2"), at("third"));
  EXPECT_EQ(read_file(at("again")), read_file(at("third"))) << "all of it, from the second time on";
}

TEST_P(RoundTrip, ThroughMarianMTGivesEqualBytes) {
  if (!std::string(GetParam()).starts_with("hf_marian")) {
    import_to(source_path(cat("src/plugins/convert/fixtures/", GetParam())), at("first"));
    model::LoadedModel other = model::load_model(at("first"));
    EXPECT_THAT(what_of<DataError>([&] { export_hugging_face_marian(other, at("hf"), own_search(other)); }),
                HasSubstr("MarianMT has no"));
    return;
  }
  import_to(source_path(cat("src/plugins/convert/fixtures/", GetParam())), at("first"));
  model::LoadedModel m = model::load_model(at("first"));
  EXPECT_THAT(export_hugging_face_marian(m, at("hf"), own_search(m)), testing::IsEmpty());
  import_to(at("hf"), at("again"));
  expect_same_model();
}

struct ToMarianMT : TestFolder {
  model::LoadedModel model = model::load_model(kOwnModel);
};

// Reordering the paper's sinusoids and all weights leads to the same sums in another order.
TEST_F(ToMarianMT, APaperModelComputesTheSame) {
  ASSERT_EQ(model.config.positions.text(), "sinusoidal");
  EXPECT_THAT(
      export_hugging_face_marian(model, at("hf"), own_search(model)),
      testing::ElementsAre(HasSubstr("epsilon 1e-05"), HasSubstr("length^0.45"), HasSubstr("`stop-when` full")));
  import_to(at("hf"), at("m"));
  const model::LoadedModel back = model::load_model(at("m"));
  EXPECT_EQ(back.config.positions.text(), "sinusoidal-halves");
  const auto table = [](const model::LoadedModel& m) { return m.net->source_embedding().table.value.values<float>(); };
  const auto d = static_cast<size_t>(model.config.d_model);
  const auto ours = table(model), theirs = table(back);
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); i += d)
    for (size_t j = 0; j < d; ++j) ASSERT_EQ(theirs[i + j], ours[i + (j < d / 2 ? 2 * j : 2 * (j - d / 2) + 1)]);
  EXPECT_EQ(back.source_vocabulary.empty(), false);
  const auto words = nlohmann::json::parse(read_file(at("hf/vocab.json")));
  EXPECT_EQ(words.size(), static_cast<size_t>(model.config.source_vocab));
}

TEST_F(ToMarianMT, WhatItCannotSayIsRefused) {
  const auto refusal = [&](auto change) {
    model::LoadedModel other = model::load_model(kOwnModel);
    change(other.config);
    return what_of<DataError>([&] { export_hugging_face_marian(other, at("refused"), own_search(other)); });
  };
  EXPECT_THAT(refusal([](auto& c) { c.norm_position = "pre"; }), HasSubstr("norm-position pre"));
  EXPECT_THAT(refusal([](auto& c) { c.positions = "learned"; }), HasSubstr("kind learned"));
  EXPECT_THAT(refusal([](auto& c) { c.gated = true; }), HasSubstr("gated"));
  EXPECT_THAT(refusal([](auto& c) { c.norm = "none"; }), HasSubstr("norm none"));
  EXPECT_THAT(refusal([](auto& c) { c.norm_eps = 1e-3; }), HasSubstr("epsilon of 0.001"));
  EXPECT_THAT(refusal([](auto& c) { c.first_position = 2; }), HasSubstr("position 2"));
  EXPECT_THAT(refusal([](auto& c) { c.score = "dot"; }), HasSubstr("score dot"));
  EXPECT_THAT(refusal([](auto& c) { c.d_v = 3; }), HasSubstr("heads of width"));
  EXPECT_FALSE(std::filesystem::exists(at("refused")));
}

TEST_F(ToMarianMT, TransformersTranslatesTheSame) {
  const char* python = environment("HEXAPLA_TRANSFORMERS");
  if (python == nullptr)
    GTEST_SKIP() << "HEXAPLA_TRANSFORMERS names no Python that has transformers, torch and sentencepiece";
  export_hugging_face_marian(model, at("hf"), own_search(model));
  const std::string lines = source_path("tests/fixtures/run_of_0.1.0/valid.a");
  for (const char* beam : {"1", "4"}) {
    const std::string theirs = cat(python, " ", source_path("tests/clients/translate_with_transformers.py"), " ",
                                   at("hf"), " ", beam, " < ", lines, " > ", at("theirs"), " 2> ", at("errors"));
    ASSERT_EQ(std::system(theirs.c_str()), 0) << read_file(at("errors"));
    const std::string ours =
        cat(build_path("hexapla"), " translate -q --length-normalization power --length-penalty 0.45 --beam-size ",
            beam, " -m ", kOwnModel, " < ", lines, " > ", at("ours"));
    ASSERT_EQ(std::system(ours.c_str()), 0);
    size_t different = 0;
    std::istringstream x(read_file(at("theirs"))), y(read_file(at("ours")));
    for (std::string a, b; std::getline(x, a) && std::getline(y, b);) different += a != b;
    // The model's epsilon differs from that of their norms: of 12 lines, one may have two equally
    // good translations.
    EXPECT_LE(different, 1u) << "beam " << beam << "\n" << read_file(at("theirs")) << read_file(at("ours"));
    std::printf("beam %s: %zu of 12 lines differ\n", beam, different);
  }
}

// A hand-written map: another program's names, layers as {i}, matrices separate and transposed.
class MappedSafetensors : public TestFolder {
 protected:
  void write_map(const nlohmann::json& map) const { write_file_atomically(at("plain/map.json"), json_text(map)); }
  nlohmann::json exported() const {
    model::LoadedModel m = model::load_model(kOwnModel);
    export_safetensors(m, at("plain"));
    return nlohmann::json::parse(read_file(at("plain/map.json")));
  }
  std::string refusal(const nlohmann::json& map) const {
    write_map(map);
    return what_of<DataError>([&] { import_to(at("plain"), at("out")); });
  }
};

TEST_F(MappedSafetensors, NamesByPatternsAndOwnNamesAreTheSame) {
  nlohmann::json map = exported();
  import_to(at("plain"), at("long"));
  const nlohmann::json all = map["tensors"];
  map["tensors"] = {{"encoder.layers.{i}.attention_norm.gain", "encoder.layers.{i}.attention_norm.gain"},
                    {"decoder.layers.{i}.feed_forward.inner.weight",
                     {{"tensors", {"decoder.layers.{i}.feed_forward.inner.weight"}}, {"layout", "beside"}}}};
  write_map(map);
  import_to(at("plain"), at("short"));
  EXPECT_EQ(read_file(at("long")), read_file(at("short")));
}

TEST_F(MappedSafetensors, TensorsArePutTogether) {
  model::LoadedModel m = model::load_model(kOwnModel);
  export_hugging_face_marian(m, at("hf"), own_search(m));
  import_to(at("hf"), at("by-kind"));
  export_safetensors(m, at("plain"));
  nlohmann::json map = nlohmann::json::parse(read_file(at("plain/map.json")));
  const model::LoadedModel theirs = model::load_model(at("by-kind"));
  map["config"] = nlohmann::json::parse(theirs.config.to_json());
  const auto side_by_side = [](const std::vector<std::string>& names) {
    return nlohmann::json{{"tensors", names}, {"layout", "transposed"}};
  };
  nlohmann::json tensors = {{"embeddings.0.table", "model.shared.weight"}, {"generator.bias", nullptr}};
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string own = side + ".layers.{i}.", of = "model." + own;
    const auto linear = [&](const std::string& name, const std::vector<std::string>& names) {
      std::vector<std::string> weights, biases;
      for (const std::string& one : names)
        weights.push_back(of + one + ".weight"), biases.push_back(of + one + ".bias");
      tensors[own + name + ".weight"] = side_by_side(weights);
      tensors[own + name + ".bias"] = biases;
    };
    const auto norm = [&](const std::string& name, const std::string& one) {
      tensors[own + name + ".gain"] = of + one + ".weight", tensors[own + name + ".bias"] = of + one + ".bias";
    };
    linear("self_attention.qkv", {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"});
    linear("self_attention.output", {"self_attn.out_proj"});
    linear("feed_forward.inner", {"fc1"}), linear("feed_forward.outer", {"fc2"});
    norm("feed_forward_norm", "final_layer_norm");
    norm(side == "encoder" ? "attention_norm" : "self_norm", "self_attn_layer_norm");
    if (side == "encoder") continue;
    linear("cross_attention.query", {"encoder_attn.q_proj"});
    linear("cross_attention.key_value", {"encoder_attn.k_proj", "encoder_attn.v_proj"});
    linear("cross_attention.output", {"encoder_attn.out_proj"});
    norm("cross_norm", "encoder_attn_layer_norm");
  }
  map["tensors"] = tensors;
  map["ignored"] = {"final_logits_bias"};
  write_map(map);
  import_model(at("hf/model.safetensors"), at("by-map"), {.from = "safetensors", .map = at("plain/map.json")},
               [](double) {});
  expect_same_weights(model::load_model(at("by-map")), theirs);
}

TEST_F(MappedSafetensors, WhatIsWrongIsNamed) {
  const nlohmann::json map = exported();
  const auto with = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json changed = map;
    changed[key] = value;
    return refusal(changed);
  };
  EXPECT_THAT(with("config", nullptr), HasSubstr("'config' is null"));
  EXPECT_THAT(with("config", {{"wide", 3}}), HasSubstr("none is called 'wide'"));
  EXPECT_THAT(with("tensors", {{"encoder.nothing", "x"}}), HasSubstr("none that is called 'encoder.nothing'"));
  EXPECT_THAT(with("tensors", {{"embeddings.0.table", "x"}}), HasSubstr("no tensor x"));
  EXPECT_THAT(with("tensors", {{"embeddings.0.table", 3}}), HasSubstr("the name of a tensor"));
  EXPECT_THAT(with("tensors", {{"embeddings.0.table", {{"layout", "turned"}}}}), HasSubstr("the name of a tensor"));
  EXPECT_THAT(with("tensors", {{"embeddings.0.table", nullptr}}), HasSubstr("is no part of the model"));
  EXPECT_THAT(with("source_vocabulary", "../x.spm"), HasSubstr("named without a folder"));
  EXPECT_THAT(with("usage", {{"search", {{"beam-size", "0"}}}}), HasSubstr("'usage'"));
  nlohmann::json batch = map["config"];
  batch["norm"] = "batch";
  EXPECT_THAT(with("config", batch), HasSubstr("BatchNorm"));
  EXPECT_FALSE(std::filesystem::exists(at("out")));
  std::filesystem::remove(at("plain/map.json"));
  EXPECT_THAT(what_of<UsageError>([&] {
                import_model(at("plain/model.safetensors"), at("out"), {.from = "safetensors"}, [](double) {});
              }),
              HasSubstr("`map` is missing"));
}

// Compared with a peer by tests/clients/cut_text.py, with the same Python as above.
struct ToTokenizers : TestFolder {
  model::LoadedModel model = model::load_model(kOwnModel);
};

TEST_F(ToTokenizers, AUnigramModelIsWrittenPieceByPiece) {
  const text::PieceModel pieces = text::PieceModel::parse(model.source_vocabulary, "source");
  ASSERT_EQ(why_no_tokenizer_json(pieces), "");
  const auto j = nlohmann::json::parse(tokenizer_json(pieces));
  ASSERT_EQ(j["model"]["vocab"].size(), pieces.size());
  for (size_t id = 0; id < pieces.size(); ++id) {
    EXPECT_EQ(j["model"]["vocab"][id][0], pieces.pieces[id].text);
    EXPECT_EQ(j["model"]["vocab"][id][1].get<double>(), static_cast<double>(pieces.pieces[id].score));
  }
  EXPECT_EQ(j["model"]["unk_id"], pieces.unknown());
  EXPECT_EQ(j["pre_tokenizer"]["prepend_scheme"], "always");
}

TEST_F(ToTokenizers, WhatItCannotSayIsNamedAndTheRestIsWritten) {
  text::PieceModel pieces = text::PieceModel::parse(model.source_vocabulary, "source");
  pieces.kind = text::PieceModel::Kind::bpe;
  EXPECT_THAT(why_no_tokenizer_json(pieces), HasSubstr("of the kind bpe"));
  pieces.kind = text::PieceModel::Kind::unigram;
  pieces.opening = ">>de<<";
  EXPECT_THAT(why_no_tokenizer_json(pieces), HasSubstr("begin with a language, >>de<<"));
  pieces.opening = "";
  pieces.pieces.back().type = text::PieceModel::Type::user;
  EXPECT_THAT(why_no_tokenizer_json(pieces), HasSubstr("never cut"));
  import_to(source_path("src/plugins/convert/fixtures/hf_marian_joint"), at("m"));  // a table's ids
  model::LoadedModel with_table = model::load_model(at("m"));
  EXPECT_THAT(export_safetensors(with_table, at("plain")), testing::Each(HasSubstr("cannot say this vocabulary")));
  EXPECT_TRUE(std::filesystem::exists(at("plain/model.safetensors")));
}

TEST_F(ToTokenizers, TokenizersCutTextAlike) {
  const char* python = environment("HEXAPLA_TRANSFORMERS");
  if (python == nullptr)
    GTEST_SKIP() << "HEXAPLA_TRANSFORMERS names no Python that has transformers, torch and sentencepiece";
  export_safetensors(model, at("plain"));
  const std::string command = cat(python, " ", source_path("tests/clients/cut_text.py"), " ", at("plain"), " < ",
                                  source_path("tests/fixtures/run_of_0.1.0/valid.a"));
  EXPECT_EQ(std::system(command.c_str()), 0);
}

// Vocabularies learned on one set of lines give the same ids on another.
TEST_F(ToTokenizers, RealTextHasTheSameIds) {
  const char *python = environment("HEXAPLA_TRANSFORMERS"), *corpus = environment("HEXAPLA_MULTI30K");
  if (python == nullptr) GTEST_SKIP() << "HEXAPLA_TRANSFORMERS names no Python that has tokenizers and sentencepiece";
  if (corpus == nullptr) GTEST_SKIP() << "HEXAPLA_MULTI30K names no folder with val.en.gz and test_2016_flickr.en.gz";
  std::vector<std::string> learned, lines;
  for (const char* language : {"en", "de"}) {
    for (std::string& line : data::read_lines(cat(corpus, "/val.", language, ".gz")))
      learned.push_back(std::move(line));
    for (std::string& line : data::read_lines(cat(corpus, "/test_2016_flickr.", language, ".gz")))
      lines.push_back(std::move(line));
  }
  for (const char* rule : {"nmt_nfkc", "nmt_nfkc_cf", "keep", "identity"})
    for (const bool bytes : {false, true}) {
      const text::VocabularyOptions options{.size = 4000, .normalization = rule, .byte_fallback = bytes};
      const auto v = text::Vocabulary::train(learned, options);
      std::string text, ids;
      for (const std::string& line : lines) {
        text += line + "\n";
        for (const int32_t id : v.encode(line)) ids += cat(id, " ");
        ids += cat(v.eos(), "\n");
      }
      std::filesystem::create_directories(at("cut"));
      write_file_atomically(at("cut/sentencepiece.model"), v.bytes());
      write_file_atomically(at("cut/tokenizer.json"), tokenizer_json(text::PieceModel::parse(v.bytes(), rule)));
      write_file_atomically(at("cut/ids.txt"), ids);
      write_file_atomically(at("lines"), text);
      const std::string command =
          cat(python, " ", source_path("tests/clients/cut_text.py"), " ", at("cut"), " < ", at("lines"));
      std::printf("%s%s: ", rule, bytes ? " with bytes" : "");
      std::fflush(stdout);
      EXPECT_EQ(std::system(command.c_str()), 0) << rule << " " << bytes;
    }
}

}  // namespace
}  // namespace hexapla::convert
