// Models exported to Marian are the same when read back, and Marian translates with them as before.
#include "convert/kinds/marian/marian_writer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "backend/reference/reference.h"
#include "base/compute/random.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "base/system/subprocess.h"
#include "base/test_paths.h"
#include "convert/containers/npz_file.h"
#include "convert/import.h"
#include "convert/writing/search_there.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

struct ToMarian : TestFolder {
  model::LoadedModel imported(const std::string& from, const std::string& name) const {
    import_model(from, at(name), {}, [](double) {});
    return model::load_model(at(name));
  }
};

void expect_equal_bytes(model::LoadedModel& a, model::LoadedModel& b) {
  const auto left = leaves_of(*a.net).parameters, right = leaves_of(*b.net).parameters;
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    ASSERT_EQ(left[i].name, right[i].name);
    EXPECT_TRUE(std::ranges::equal(left[i].leaf->value.values<float>(), right[i].leaf->value.values<float>()))
        << left[i].name;
  }
  EXPECT_EQ(a.config.to_json(), b.config.to_json());
}

TEST_F(ToMarian, AndBackGivesTheSameBytes) {
  for (const char* fixture : {"marian", "marian_ssru"}) {
    const std::string name = fixture;
    model::LoadedModel first = imported(source_path("src/plugins/convert/fixtures/" + name), name + ".safetensors");
    export_marian(first, at(name), own_search(first));
    model::LoadedModel second = imported(at(name), name + ".again");
    expect_equal_bytes(first, second);
    EXPECT_EQ(first.usage, second.usage);
  }
}

TEST_F(ToMarian, TheArchiveHasTheSettingsInside) {
  model::LoadedModel m = imported(source_path("src/plugins/convert/fixtures/marian_ssru"), "m");
  export_marian(m, at("out"), own_search(m));
  const NpzFile file(at("out/model.npz"));
  const std::string settings = file.bytes(file.get("special:model.yml"));
  EXPECT_THAT(settings, testing::HasSubstr("dec-cell: ssru\n"));
  EXPECT_EQ(settings.find('\0'), settings.size() - 1) << "converters cut off one zero";
  EXPECT_EQ(file.get("decoder_l1_rnn_bf").shape, (std::vector<size_t>{1, size_t(m.config.d_model)}));
}

// Marian's norm before the recurrence has the name of the cell, that after it one of its own.
TEST_F(ToMarian, EveryPlaceOfNormsIsReadBack) {
  model::LoadedModel m = imported(source_path("src/plugins/convert/fixtures/marian_ssru"), "m");
  for (const char* position : {"post", "post-last", "pre"})
    for (const char* mixing : {"attention", "ssru"}) {
      model::Config config = m.config;
      config.norm_position = config.norm_position.parse("norm-position", position);
      config.decoder_mixing = config.decoder_mixing.parse("decoder-mixing", mixing);
      model::Transformer net(config);
      const model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
      Random random(3);
      const auto all = parameters.values().values<float>();
      for (float& x : all) x = static_cast<float>(0.3 * random.normal());
      const auto table = net.embeddings.back().table.value.values<float>();  // the start is zeros
      std::fill(table.end() - config.d_model, table.end(), 0.0F);
      const std::string name = cat(position, mixing);
      model::save_model(at(name + "1"), net, m.text(), {});
      model::LoadedModel first = model::load_model(at(name + "1"));
      first.net->generator.bias->value.values<float>().back() = -1e4F;
      export_marian(first, at(name), own_search(first));
      model::LoadedModel second = imported(at(name), name + "2");
      expect_equal_bytes(first, second);
      const NpzFile file(at(name + "/model.npz"));
      const bool ssru = mixing == std::string("ssru"), pre = position == std::string("pre");
      EXPECT_NE(file.find(!ssru ? (pre ? "decoder_l1_self_Wo_ln_scale_pre" : "decoder_l1_self_Wo_ln_scale")
                          : pre ? "decoder_l1_rnn_ln_scale_pre"
                                : "decoder_l1_rnn_ffn_ln_scale"),
                nullptr)
          << name;
    }
}

TEST_F(ToMarian, SaysWhichLayerAlignsWords) {
  model::LoadedModel m = imported(source_path("src/plugins/convert/fixtures/marian_ssru"), "m");
  m.usage.alignment_layer = 0;
  const auto other = testing::Contains(testing::HasSubstr("aligned by the first head"));
  EXPECT_THAT(export_marian(m, at("out"), own_search(m)), testing::Not(other));
  EXPECT_EQ(imported(at("out"), "again").usage, m.usage);
  m.usage.alignment_head = 1;
  EXPECT_THAT(export_marian(m, at("other"), own_search(m)), other);
}

TEST_F(ToMarian, RefusesWhatItCannotSay) {
  model::LoadedModel own = model::load_model(source_path("tests/fixtures/run_of_0.1.0/model.safetensors"));
  EXPECT_THAT(what_of<DataError>([&] { export_marian(own, at("out"), own_search(own)); }),
              testing::HasSubstr("positions sinusoidal"));
  own.config.positions = "timing-signal";
  own.config.first_position = 2;
  EXPECT_THAT(what_of<DataError>([&] { export_marian(own, at("out"), own_search(own)); }),
              testing::HasSubstr("no positions that begin at 2"));
  own.config.first_position = 0;
  own.config.norm_position = "pre";
  EXPECT_THAT(what_of<DataError>([&] { export_marian(own, at("out"), own_search(own)); }),
              testing::HasSubstr("start token with an embedding in a model with the norm before"));
  own.config.gated = true;
  EXPECT_THAT(what_of<DataError>([&] { export_marian(own, at("out"), own_search(own)); }), testing::HasSubstr("gated"));
  EXPECT_FALSE(std::filesystem::exists(at("out")));
}

// Marian ends every source with </s>; OpenNMT-py does not, and BART begins texts with <s>.
TEST_F(ToMarian, RefusesTextsThatAreOtherwiseThere) {
  model::LoadedModel own = model::load_model(source_path("tests/fixtures/run_of_0.1.0/model.safetensors"));
  own.config.positions = "timing-signal";
  text::PieceModel pieces = text::PieceModel::parse(own.source_vocabulary, "source");
  const auto refusal = [&] { return what_of<DataError>([&] { export_marian(own, at("out"), own_search(own)); }); };
  pieces.open_ended = true;
  own.source_vocabulary = pieces.serialized();
  EXPECT_THAT(refusal(), testing::HasSubstr("Marian has no source that does not end with </s>"));
  pieces.open_ended = false, pieces.opening_behind = true, pieces.opening = pieces.bos;
  own.source_vocabulary = pieces.serialized();
  EXPECT_THAT(refusal(), testing::HasSubstr("Marian has no source that does not end with </s>"));
  pieces.opening_behind = false;
  own.source_vocabulary = pieces.serialized();
  EXPECT_THAT(refusal(), testing::HasSubstr("that a model begins its texts with by itself"));
  EXPECT_FALSE(std::filesystem::exists(at("out")));
}

// Log probabilities of all next pieces after the first piece `start`.
std::vector<float> log_probabilities(const model::LoadedModel& m, int32_t start) {
  const auto backend = make_reference_backend();
  Arena arena(8 << 20);
  Context cx{*backend, arena};
  const std::vector<int32_t> source{5, 7, 9, 2}, target_in{start, 6, 4, 11}, target_out{6, 4, 11, 2}, source_rows{0, 4},
      target_rows{0, 4};
  model::Transformer::Saved saved;
  const auto all = m.net->log_probabilities(cx, {source, target_in, target_out, source_rows, target_rows}, saved);
  return {all.values<float>().begin(), all.values<float>().end()};
}

// The paper's models begin with a token, Marian's with zeros.
TEST_F(ToMarian, AStartTokenWithAnEmbeddingBecomesZeros) {
  const model::LoadedModel own = model::load_model(source_path("tests/fixtures/run_of_0.1.0/model.safetensors"));
  for (const char* tied : {"all", "decoder", "none"})
    for (const bool bias : {false, true}) {
      model::Config config = own.config;
      config.positions = "timing-signal";
      config.tied = config.tied.parse("tied", tied);
      config.attention_bias = config.generator_bias = bias;
      model::Transformer net(config);
      const model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
      Random random(3);
      const auto all = parameters.values().values<float>();
      for (float& x : all) x = static_cast<float>(0.3 * random.normal());
      model::save_model(at("paper"), net, {own.source_vocabulary, own.target_vocabulary}, {});
      model::LoadedModel paper = model::load_model(at("paper"));
      EXPECT_THAT(export_marian(paper, at(cat(tied, bias)), own_search(paper)),
                  testing::ElementsAre(testing::HasSubstr("length^0.45"), testing::HasSubstr("`longest-ratio` 3"),
                                       testing::HasSubstr("shrinking"), testing::HasSubstr("the same search here")));
      const model::LoadedModel there = imported(at(cat(tied, bias)), "there");
      EXPECT_EQ(there.config.target_vocab, config.target_vocab + 1) << "zeros behind all pieces";
      const auto target = text::Vocabulary::parse(own.target_vocabulary, "target");
      const auto a = log_probabilities(paper, target.bos());
      const auto b = log_probabilities(there, static_cast<int32_t>(config.target_vocab));
      const auto pieces = static_cast<size_t>(config.target_vocab);
      const auto never = [&](size_t i) { return std::cmp_equal(i, target.bos()) || std::cmp_equal(i, target.pad()); };
      for (size_t t = 0; t < 4; ++t) {
        double left = 0;  // to the pieces that translations may have
        for (size_t i = 0; i < pieces; ++i) left += never(i) ? 0 : std::exp(double(a[t * pieces + i]));
        for (size_t i = 0; i < pieces; ++i) {
          const std::string where = cat(tied, " ", bias, " ", t, " ", i);
          const float there_is = b[t * (pieces + 1) + i];
          if (never(i))
            ASSERT_LT(there_is, -1000) << where << ": Marian would write it";
          else
            ASSERT_NEAR(a[t * pieces + i] - std::log(left), there_is, 2e-5) << where;
        }
      }
    }
}

TEST_F(ToMarian, MarianGivesTheSameTranslations) {
  const char* python = environment("HEXAPLA_PYMARIAN");
  if (python == nullptr) GTEST_SKIP() << "HEXAPLA_PYMARIAN names no Python that has pymarian and sentencepiece";
  model::LoadedModel m = imported(source_path("src/plugins/convert/fixtures/marian_ssru"), "m");
  export_marian(m, at("out"), own_search(m));
  const std::string command = cat(python, " ", source_path("tests/clients/translate_with_marian.py"), " ", at("out"),
                                  " ", source_path("src/plugins/convert/fixtures/marian_ssru/golden.json"));
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace hexapla::convert
