// Models exported to CTranslate2, read back by our reader, and by CTranslate2 itself if
// HEXAPLA_CTRANSLATE2 names a Python that has it (with sentencepiece).
#include "convert/kinds/ctranslate2/ctranslate2_writer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/options/environment.h"
#include "base/system/subprocess.h"
#include "base/test_paths.h"
#include "convert/containers/ctranslate2_file.h"
#include "convert/import.h"
#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {
namespace {

const std::string kSmall = source_path("tests/fixtures/run_of_0.1.0/model.safetensors");

struct ToCTranslate2 : TestFolder {
  model::LoadedModel model = model::load_model(kSmall);
};

std::vector<float> read(const CTranslate2File& file, const std::string& name) { return file.read(file.get(name)); }

TEST_F(ToCTranslate2, HasEveryWeightTransposed) {
  export_ctranslate2(model, at("out"), CTranslate2Type::f32);
  const CTranslate2File file(at("out/model.bin"));
  EXPECT_EQ(file.specification(), "TransformerSpec");
  EXPECT_EQ(file.number("encoder/num_heads"), static_cast<float>(model.config.heads));
  EXPECT_EQ(file.number("decoder/pre_norm"), 0);
  const auto& layers = std::get<std::vector<model::DecoderLayer>>(model.net->decoder.layers);
  const auto& ffn = std::get<model::FeedForward>(layers[0].feed_forward);
  const auto inner = ffn.inner.weight.value.values<float>();
  const std::vector<float> theirs = read(file, "decoder/layer_0/ffn/linear_0/weight");
  const size_t d_model = static_cast<size_t>(model.config.d_model), d_ff = static_cast<size_t>(model.config.d_ff);
  ASSERT_EQ(theirs.size(), inner.size());
  for (size_t i = 0; i < d_model; ++i)
    for (size_t j = 0; j < d_ff; ++j) ASSERT_EQ(theirs[j * d_model + i], inner[i * d_ff + j]);
  const auto table = model.net->source_embedding().table.value.values<float>();
  EXPECT_EQ(read(file, "decoder/projection/weight"), std::vector<float>(table.begin(), table.end()));
  const std::vector<float> positions = read(file, "encoder/position_encodings/encodings");
  ASSERT_EQ(positions.size(), static_cast<size_t>(kPositionsWritten) * d_model);
  EXPECT_EQ(positions[0], 0);
  EXPECT_EQ(positions[1], 1);
  EXPECT_NEAR(positions[5 * d_model], std::sin(5.0), 1e-6);
}

TEST_F(ToCTranslate2, RoundsTo8BitsByRows) {
  export_ctranslate2(model, at("out"), CTranslate2Type::int8);
  const std::vector<float> rounded = read(CTranslate2File(at("out/model.bin")), "encoder/embeddings_0/weight");
  const auto table = model.net->source_embedding().table.value.values<float>();
  const size_t d_model = static_cast<size_t>(model.config.d_model);
  size_t different = 0;
  for (size_t row = 0; row < table.size() / d_model; ++row) {
    float largest = 0;
    for (size_t i = 0; i < d_model; ++i) largest = std::max(largest, std::abs(table[row * d_model + i]));
    for (size_t i = 0; i < d_model; ++i) {
      const float x = table[row * d_model + i], y = rounded[row * d_model + i];
      ASSERT_NEAR(x, y, 0.501 * largest / 127);
      different += x != y;
    }
  }
  EXPECT_GT(different, 0u);
}

TEST_F(ToCTranslate2, HasPiecesAndSettings) {
  export_ctranslate2(model, at("out"), CTranslate2Type::f32);
  const auto pieces = nlohmann::json::parse(read_file(at("out/shared_vocabulary.json")));
  EXPECT_EQ(pieces.size(), static_cast<size_t>(model.config.source_vocab));
  const auto settings = nlohmann::json::parse(read_file(at("out/config.json")));
  EXPECT_EQ(settings["decoder_start_token"], "<s>");
  EXPECT_EQ(settings["add_source_eos"], true);
  EXPECT_EQ(settings["layer_norm_epsilon"], model.config.norm_eps);
  EXPECT_EQ(read_file(at("out/sentencepiece.model")), model.source_vocabulary);
}

TEST_F(ToCTranslate2, MakesPackagesOfArgos) {
  export_argos(model, at("translate-en_de-1_0"), CTranslate2Type::f32, "en", "de");
  EXPECT_EQ(CTranslate2File(at("translate-en_de-1_0/model/model.bin")).version(), 6u);
  EXPECT_EQ(nlohmann::json::parse(read_file(at("translate-en_de-1_0/metadata.json")))["to_code"], "de");
}

TEST_F(ToCTranslate2, WritesAllOrNothing) {
  std::filesystem::create_directories(at("there/file"));
  EXPECT_THROW(export_ctranslate2(model, at("there"), CTranslate2Type::f32), UsageError);
  std::filesystem::create_directory(at("empty"));
  export_ctranslate2(model, at("empty/"), CTranslate2Type::f32);
  EXPECT_TRUE(std::filesystem::exists(at("empty/model.bin")));
  for (const auto& entry : std::filesystem::directory_iterator(at("")))
    EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos) << entry.path();
}

TEST_F(ToCTranslate2, RefusesWhatItCannotSay) {
  const auto refusal = [&](auto change) {
    model::LoadedModel other = model::load_model(kSmall);
    change(other.config);
    try {
      export_ctranslate2(other, at("refused"), CTranslate2Type::f32);
    } catch (const DataError& e) {
      return std::string(e.what());
    }
    return std::string("nothing is refused");
  };
  EXPECT_THAT(refusal([](auto& c) { c.score = "additive"; }), testing::HasSubstr("attention score additive"));
  EXPECT_THAT(refusal([](auto& c) { c.norm = "batch"; }), testing::HasSubstr("norm batch"));
  EXPECT_THAT(refusal([](auto& c) { c.encoder_mixing = "gru"; }), testing::HasSubstr("gru"));
  EXPECT_THAT(refusal([](auto& c) { c.decoder_mixing = "ssru"; }), testing::HasSubstr("ssru in the decoder"));
  EXPECT_THAT(refusal([](auto& c) { c.d_k = 4; }), testing::HasSubstr("heads of width 4"));
  EXPECT_FALSE(std::filesystem::exists(at("refused")));
}

void expect_read_back(model::LoadedModel& model, const std::string& folder, const std::string& file) {
  import_model(folder, file, {}, [](double) {});
  const model::LoadedModel back = model::load_model(file);
  model::Config own = model.config;
  own.dropout = back.config.dropout, own.attention_dropout = back.config.attention_dropout;
  EXPECT_EQ(back.config.to_json(), own.to_json());
  EXPECT_EQ(back.source_vocabulary, model.source_vocabulary);
  EXPECT_EQ(back.target_vocabulary, model.target_vocabulary);
  const auto ours = leaves_of(*model.net).parameters, theirs = leaves_of(*back.net).parameters;
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(ours[i].leaf->value.values<float>(), theirs[i].leaf->value.values<float>()))
        << ours[i].name;
}

TEST_F(ToCTranslate2, IsReadBackWithoutFurtherFiles) {
  export_ctranslate2(model, at("out"), CTranslate2Type::f32);
  expect_read_back(model, at("out"), at("m"));
  export_argos(model, at("translate-en_de-1_0"), CTranslate2Type::f32, "en", "de");
  expect_read_back(model, at("translate-en_de-1_0"), at("m2"));
}

TEST_F(ToCTranslate2, EveryPlaceOfNormsAndNoPositionsAreReadBack) {
  for (const auto& [norms, positions] :
       {std::pair{"pre", "none"}, {"post-last", "none"}, {"post-last", "sinusoidal"}}) {
    model::Config config = model.config;
    config.norm_position = config.norm_position.parse("norm-position", norms),
    config.positions = config.positions.parse("positions", positions);
    model::Transformer net(config);
    const model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
    float next = 0;
    const auto all = parameters.values().values<float>();
    for (float& x : all) x = std::sin(++next);
    model::save_model(at("own"), net, {model.source_vocabulary, model.target_vocabulary}, {});
    model::LoadedModel own = model::load_model(at("own"));
    const std::string folder = at(cat(norms, positions));
    export_ctranslate2(own, folder, CTranslate2Type::f32);
    if (config.positions == "none") {
      EXPECT_THAT(read(CTranslate2File(folder + "/model.bin"), "decoder/position_encodings/encodings"),
                  testing::Each(0.F));
    }
    expect_read_back(own, folder, at("back"));
  }
}

TEST_F(ToCTranslate2, SaysHowWordsAreAlignedAndSourcesEnd) {
  model.usage.alignment_layer = 0, model.usage.alignment_head = 0;
  text::PieceModel pieces = text::PieceModel::parse(model.source_vocabulary, "source");
  pieces.open_ended = true;
  model.source_vocabulary = pieces.serialized();
  EXPECT_THAT(export_ctranslate2(model, at("out"), CTranslate2Type::f32), testing::IsEmpty());
  EXPECT_EQ(CTranslate2File(at("out/model.bin")).number("decoder/alignment_heads"), 1);
  EXPECT_EQ(nlohmann::json::parse(read_file(at("out/config.json")))["add_source_eos"], false);
  if (model.config.dec_layers > 1) {  // else it equals the default
    import_model(at("out"), at("m"), {}, [](double) {});
    EXPECT_EQ(model::load_model(at("m")).usage.alignment_layer, 0);
  }
  model.usage.alignment_head = 1;
  model.usage.search["beam-size"] = "3";
  EXPECT_THAT(export_ctranslate2(model, at("other"), CTranslate2Type::f32),
              testing::Contains(testing::HasSubstr("only the first ones can be named")));
  EXPECT_THAT(export_ctranslate2(model, at("third"), CTranslate2Type::f32),
              testing::Contains(testing::HasSubstr("beam_size=3")));
}

// Greedy, because its beam search stops by another rule.
TEST_F(ToCTranslate2, CTranslate2GivesTheSameTranslations) {
  const char* python = environment("HEXAPLA_CTRANSLATE2");
  if (python == nullptr) GTEST_SKIP() << "HEXAPLA_CTRANSLATE2 names no Python that has ctranslate2 and sentencepiece";
  export_ctranslate2(model, at("out"), CTranslate2Type::f32);
  const std::string lines = source_path("tests/fixtures/run_of_0.1.0/valid.a");
  const std::string command = cat(python, " ", source_path("tests/clients/translate_with_ctranslate2.py"), " ",
                                  at("out"), " < ", lines, " > ", at("theirs"));
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string ours =
      cat(build_path("hexapla"), " translate -q --beam-size 1 -m ", kSmall, " < ", lines, " > ", at("ours"));
  ASSERT_EQ(std::system(ours.c_str()), 0);
  EXPECT_EQ(read_file(at("theirs")), read_file(at("ours")));
}

}  // namespace
}  // namespace hexapla::convert
