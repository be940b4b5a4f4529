// Tokens that were added to tokenizers, compared with transformers on random texts
// (scripts/golden/added_tokens.py).
#include "convert/kinds/hugging_face/pieces/added_tokens.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/compute/random.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/kinds/hugging_face/marian.h"
#include "convert/kinds/hugging_face/pieces/languages.h"
#include "convert/kinds/hugging_face/writer/marian.h"
#include "convert/kinds/test_imported.h"
#include "text/plain_line.h"
#include "text/vocabulary/sampling.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct AddedFiles {
  const char *name, *opening;
  LanguageStyle style;
  bool json_alone;  // tokenizer.json instead of the other files
};
std::ostream& operator<<(std::ostream& out, const AddedFiles& f) {
  return out << f.name << (f.json_alone ? "_json" : "");
}

std::string of_fixtures(const std::string& path) { return source_path("src/plugins/convert/fixtures/" + path); }

class AddedTokens : public TestFolder, public testing::WithParamInterface<AddedFiles> {
 protected:
  void SetUp() override {
    const auto& [name, opening, style, json_alone] = GetParam();
    texts_ = nlohmann::json::parse(read_file(of_fixtures(cat("added_tokens/", name, ".json"))));
    fs::copy(of_fixtures(texts_["fixture"]), at("m"));
    for (const auto& [file, content] : texts_["files"].items()) {
      const std::string path = at("m/" + file);
      nlohmann::json all = content;
      if (file == "tokenizer.json") {
        all = nlohmann::json::parse(read_file(path));
        all["added_tokens"] = content["added_tokens"];
      }
      write_file_atomically(path, json_text(all));
    }
    for (const char* file : {"m/sentencepiece.bpe.model", "m/vocab.json", "m/merges.txt"})
      if (json_alone) fs::remove(at(file));
    size_ = texts_["size"];
  }
  bool is_marian() const { return texts_["fixture"] == "hf_marian_joint"; }
  text::Vocabulary vocabulary() const {
    if (is_marian())
      return text::Vocabulary::parse(read_hugging_face_marian(at("m"), {}).text.source_vocabulary, "source");
    text::PieceModel pieces = pieces_in(at("m"), GetParam().style, size_);
    pieces.opening = GetParam().opening;
    return text::Vocabulary::parse(pieces.serialized(), "v");
  }

  nlohmann::json texts_;
  size_t size_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Files, AddedTokens,
                         testing::Values(AddedFiles{"bart", "<s>", LanguageStyle::none, false},
                                         AddedFiles{"bart", "<s>", LanguageStyle::none, true},
                                         AddedFiles{"nllb", ">>eng_Latn<<", LanguageStyle::script, false},
                                         AddedFiles{"nllb", ">>eng_Latn<<", LanguageStyle::script, true},
                                         AddedFiles{"mbart", ">>en_XX<<", LanguageStyle::country, false},
                                         AddedFiles{"mbart", ">>en_XX<<", LanguageStyle::country, true},
                                         AddedFiles{"m2m", ">>en<<", LanguageStyle::underlined, false},
                                         AddedFiles{"marian", "", LanguageStyle::none, false},
                                         AddedFiles{"marian_legacy", "", LanguageStyle::none, false}),
                         [](const auto& p) { return testing::PrintToString(p.param); });

// Blanks at the end of a line are dropped here (ADR 60).
TEST_P(AddedTokens, TextHasTheIdsOfTransformers) {
  const text::Vocabulary v = vocabulary();
  for (const auto& one : texts_["encoded"]) {
    const std::string text = one["text"];
    text::Ids ids = v.encode(text);
    v.end_source(ids);
    if (text.ends_with(' ') || text.ends_with("\u00A0") || text.ends_with('\t')) continue;
    EXPECT_EQ(ids, one["ids"].get<text::Ids>()) << text;
  }
}

std::string comparable(const std::string& text) {
  std::string all = text::plain_line(text);
  const std::string mark = "\uFFFD";
  for (size_t at = all.find(mark + mark); at != all.npos; at = all.find(mark + mark, at)) all.erase(at, mark.size());
  return all;
}

TEST_P(AddedTokens, IdsAreDecodedToTheSameText) {
  const text::Vocabulary v = vocabulary();
  for (const auto& one : texts_["decoded"])
    EXPECT_EQ(comparable(v.decode(one["ids"].get<text::Ids>())), comparable(one["text"])) << one;
}

// Every token has its place in the text, in order, and a copy of the vocabulary finds the same ones.
TEST_P(AddedTokens, SpansAndCopiesFollow) {
  const text::Vocabulary v = vocabulary(), copy = text::Vocabulary::parse(v.bytes(), "copy");
  EXPECT_EQ(copy.bytes(), v.bytes());
  for (const auto& one : texts_["encoded"]) {
    const std::string text = one["text"];
    const text::EncodedText encoded = v.encode_with_spans(text);
    EXPECT_EQ(copy.encode(text), encoded.ids);
    EXPECT_EQ(v.pieces(text).size() + (v.opening() >= 0 && !encoded.ids.empty() ? 1 : 0), encoded.ids.size());
    size_t at = 0;
    for (size_t i = 0; i < encoded.ids.size(); ++i) {
      const auto [from, to] = encoded.spans[i];
      EXPECT_LE(at, from) << text;
      EXPECT_LE(from, to) << text;
      EXPECT_LE(to, text.size()) << text;
      at = from;
      if (!v.is_added(encoded.ids[i])) continue;
      const std::string piece = v.piece(encoded.ids[i]), there = text.substr(from, to - from);
      if (piece == "ﬀ") continue;
      EXPECT_THAT(there, HasSubstr(piece));
    }
  }
}

TEST_P(AddedTokens, SamplesKeepThem) {
  const text::Vocabulary v = vocabulary();
  if (v.byte_level()) GTEST_SKIP() << "nothing is sampled";
  const text::SubwordSampler sampler(v, 0.3);
  Random random(1);
  // A word that is not on its own may still be unknown characters that equal it: not in these texts.
  const auto added = [&](text::Ids ids) {
    std::erase_if(ids, [&](int32_t id) { return !v.is_added(id); });
    return ids;
  };
  for (const auto& one : texts_["encoded"]) {
    const std::string text = one["text"];
    const auto has = [&](const char* word) { return text.find(word) != text.npos; };
    if (has("ab") || has("né") || has("WL") || has("WR")) continue;
    EXPECT_EQ(added(sampler.sample(text, random)), added(v.encode(text))) << text;
  }
}

TEST_P(AddedTokens, AreWrittenBack) {
  if (!is_marian()) GTEST_SKIP() << "copied from the folder";
  const ImportedModel imported(at("m"), at("m.safetensors"), {});
  model::LoadedModel m = model::load_model(at("m.safetensors"));
  export_hugging_face_marian(m, at("again"), {});
  const ImportedModel again(at("again"), at("again.safetensors"), {});
  EXPECT_EQ(again.file().source_vocabulary, m.source_vocabulary);
  EXPECT_EQ(again.file().target_vocabulary, m.target_vocabulary);
}

// A number that the model lacks, one that is taken, and a property of another type.
TEST_P(AddedTokens, WhatDoesNotFitIsNamed) {
  if (std::string(GetParam().name) != "nllb" || GetParam().json_alone) GTEST_SKIP() << "one kind is enough";
  const auto refusal = [&](const char* file, auto&& change) {
    const std::string path = at(cat("m/", file)), before = fs::exists(path) ? read_file(path) : "{}";
    nlohmann::json all = nlohmann::json::parse(before);
    change(all);
    write_file_atomically(path, json_text(all));
    const std::string what = what_of<DataError>([&] { vocabulary(); });
    write_file_atomically(path, before);
    return what;
  };
  using Json = nlohmann::json;
  const auto config = [&](const Json& token, const char* id) {
    return refusal("tokenizer_config.json", [&](Json& j) { j["added_tokens_decoder"][id] = token; });
  };
  EXPECT_THAT(config({{"content", "<new>"}}, "999999"), HasSubstr("<new>"));
  EXPECT_THAT(config({{"content", "<new>"}}, "9"), HasSubstr("<new>"));
  EXPECT_THAT(config({{"content", "<new>"}, {"lstrip", "yes"}}, "9"), HasSubstr("lstrip"));
  EXPECT_THAT(config({{"content", ""}}, "9"), HasSubstr("added_tokens_decoder"));
  EXPECT_THAT(refusal("added_tokens.json", [](Json& j) { j["<new>"] = 999999; }), HasSubstr("<new>"));
  EXPECT_THAT(refusal("special_tokens_map.json", [](Json& j) { j["additional_special_tokens"] = {"<new>"}; }),
              HasSubstr("<new>"));
}

}  // namespace
}  // namespace hexapla::convert
