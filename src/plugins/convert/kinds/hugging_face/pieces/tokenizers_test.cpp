// Folders' vocabularies compared with transformers on the same files
// (scripts/golden/byte_level.py).
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/kinds/hugging_face/pieces/languages.h"
#include "convert/kinds/hugging_face/pieces/tokenizer_json.h"
#include "text/plain_line.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct TokenizerFiles {
  const char *fixture, *opening;
  LanguageStyle style;
  bool json_alone;  // tokenizer.json instead of the other files
};
std::ostream& operator<<(std::ostream& out, const TokenizerFiles& f) {
  return out << f.fixture << (f.json_alone ? "_json" : "");
}

class TokenizersOfFolders : public TestFolder, public testing::WithParamInterface<TokenizerFiles> {
 protected:
  void SetUp() override {
    const auto [fixture, opening, style, json_alone] = GetParam();
    fs::copy(source_path(cat("src/plugins/convert/fixtures/", fixture)), at("m"));
    for (const char* file : {"m/sentencepiece.bpe.model", "m/vocab.json", "m/merges.txt"})
      if (json_alone) fs::remove(at(file));
    if (!json_alone && style == LanguageStyle::none) fs::remove(at("m/tokenizer.json"));
    texts_ = nlohmann::json::parse(read_file(at("m/texts.json")));
  }
  text::Vocabulary vocabulary(bool behind = false) const {
    text::PieceModel pieces = pieces_in(at("m"), GetParam().style, texts_["size"].get<size_t>());
    pieces.opening = GetParam().opening;
    pieces.opening_behind = behind;
    return text::Vocabulary::parse(pieces.serialized(), "v");
  }
  // Skips blanks at the end of a line, which SentencePiece models drop. For a run of marks with two
  // equally probable splits, SentencePiece and tokenizers choose differently.
  void expect_ids(const text::Vocabulary& v, const char* key) const {
    for (const auto& one : texts_["encoded"]) {
      const std::string text = one["text"];
      text::Ids ids = v.encode(text), expected = one[key];
      v.end_source(ids);
      if (!v.byte_level() && (text.ends_with(' ') || text.ends_with("\u00A0"))) continue;
      if (GetParam().style == LanguageStyle::country && text.starts_with("...!!!???")) {
        std::sort(ids.begin(), ids.end());
        std::sort(expected.begin(), expected.end());
      }
      EXPECT_EQ(ids, expected) << text;
    }
  }
  nlohmann::json texts_;
};
INSTANTIATE_TEST_SUITE_P(Files, TokenizersOfFolders,
                         testing::Values(TokenizerFiles{"hf_bart_bytes", "<s>", LanguageStyle::none, false},
                                         TokenizerFiles{"hf_bart_bytes", "<s>", LanguageStyle::none, true},
                                         TokenizerFiles{"texts_nllb", ">>eng_Latn<<", LanguageStyle::script, false},
                                         TokenizerFiles{"texts_nllb", ">>eng_Latn<<", LanguageStyle::script, true},
                                         TokenizerFiles{"texts_mbart", ">>en_XX<<", LanguageStyle::country, false},
                                         TokenizerFiles{"texts_mbart", ">>en_XX<<", LanguageStyle::country, true}),
                         [](const auto& p) { return testing::PrintToString(p.param); });

TEST_P(TokenizersOfFolders, TextHasTheIdsOfTransformers) {
  expect_ids(vocabulary(), "ids");
  if (GetParam().style == LanguageStyle::script) expect_ids(vocabulary(true), "legacy");
}

// Where they write one U+FFFD for an incomplete character, we write one per byte, and always a
// single line.
std::string comparable_text(const std::string& text) {
  std::string all = text::plain_line(text);
  const std::string mark = "\uFFFD";
  for (size_t at = all.find(mark + mark); at != all.npos; at = all.find(mark + mark, at)) all.erase(at, mark.size());
  return all;
}

TEST_P(TokenizersOfFolders, IdsAreDecodedToTheSameText) {
  const text::Vocabulary v = vocabulary();
  if (!v.byte_level()) GTEST_SKIP() << "SentencePiece's pieces are compared elsewhere";
  for (const auto& one : texts_["decoded"])
    EXPECT_EQ(comparable_text(v.decode(one["ids"].get<text::Ids>())), comparable_text(one["text"])) << one;
  for (const auto& one : texts_["encoded"])
    EXPECT_EQ(v.decode(v.encode(one["text"].get<std::string>())), text::plain_line(one["text"].get<std::string>()));
}

// Settings of tokenizer.json that our vocabularies cannot reproduce.
TEST(TokenizerJson, WhatItCannotSayHereIsNamed) {
  const auto refusal = [](const char* fixture, LanguageStyle style, auto&& change) {
    const std::string folder = source_path(cat("src/plugins/convert/fixtures/", fixture));
    const std::string path = testing::TempDir() + "/hexapla_tokenizer/tokenizer.json";
    fs::create_directories(testing::TempDir() + "/hexapla_tokenizer");
    nlohmann::json all = nlohmann::json::parse(read_file(folder + "/tokenizer.json"));
    change(all);
    write_file_atomically(path, json_text(all));
    const auto size = nlohmann::json::parse(read_file(folder + "/texts.json"))["size"].get<size_t>();
    const std::string what = what_of<DataError>([&] { read_tokenizer_json(path, style, size); });
    EXPECT_THAT(what, HasSubstr(path));
    return what;
  };
  const auto bart = [&](auto&& change) { return refusal("hf_bart_bytes", LanguageStyle::none, change); };
  const auto mbart = [&](auto&& change) { return refusal("texts_mbart", LanguageStyle::country, change); };
  const auto nllb = [&](auto&& change) { return refusal("texts_nllb", LanguageStyle::script, change); };
  using Json = nlohmann::json;
  EXPECT_THAT(bart([](Json& j) {
                j["normalizer"] = {{"type", "NFC"}};
              }),
              HasSubstr("'normalizer' has '{\"type\":\"NFC\"}'"));
  EXPECT_THAT(bart([](Json& j) { j["normalizer"] = {{"type", "Strip"}}; }), HasSubstr("null, as the pre-tokenizer is"));
  EXPECT_THAT(bart([](Json& j) { j["pre_tokenizer"]["use_regex"] = false; }), HasSubstr("'pre_tokenizer' is"));
  EXPECT_THAT(bart([](Json& j) {
                j["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
              }),
              HasSubstr("BertPreTokenizer"));
  EXPECT_THAT(bart([](Json& j) { j["post_processor"] = {{"type", "BertProcessing"}}; }), HasSubstr("BertProcessing"));
  EXPECT_THAT(bart([](Json& j) { j["post_processor"] = nullptr; }), HasSubstr("'post_processor' is missing or null"));
  EXPECT_THAT(bart([](Json& j) { j["model"]["ignore_merges"] = true; }), HasSubstr("'model.ignore_merges' is 'true'"));
  EXPECT_THAT(bart([](Json& j) { j["model"]["dropout"] = 0.1; }), HasSubstr("'model.dropout' is '0.1'"));
  EXPECT_THAT(bart([](Json& j) { j["model"]["end_of_word_suffix"] = "</w>"; }),
              HasSubstr("'model.end_of_word_suffix' is"));
  EXPECT_THAT(bart([](Json& j) { j["model"]["type"] = "WordPiece"; }), HasSubstr("'model.type' is '\"WordPiece\"'"));
  EXPECT_THAT(bart([](Json& j) { j["model"]["merges"][0] = "nothing"; }), HasSubstr("no pair"));
  EXPECT_THAT(bart([](Json& j) { j["model"]["merges"][0] = {"q", "zz"}; }), HasSubstr("no piece 'zz' of the merge"));
  EXPECT_THAT(bart([](Json& j) {
                auto& merges = j["model"]["merges"].get_ref<Json::array_t&>();
                merges.resize(merges.size() / 2);
              }),
              HasSubstr("are made by no merge"));
  EXPECT_THAT(bart([](Json& j) { j["added_tokens"][0]["id"] = 9999; }), HasSubstr("ids below 482"));
  EXPECT_THAT(mbart([](Json& j) { j["model"]["unk_id"] = 9999; }), HasSubstr("'model.unk_id' is '9999'"));
  EXPECT_THAT(mbart([](Json& j) { j["model"]["vocab"][5] = {"a"}; }), HasSubstr("no pair"));
  EXPECT_THAT(mbart([](Json& j) { j["model"]["vocab"][5] = {"a", {1, 2}}; }), HasSubstr("in its entries"));
  EXPECT_THAT(mbart([](Json& j) { j["normalizer"]["normalizers"][0]["precompiled_charsmap"] = "!"; }),
              HasSubstr("base64"));
  EXPECT_THAT(mbart([](Json& j) { j["normalizer"]["normalizers"][0]["precompiled_charsmap"] = "AAAA"; }),
              HasSubstr("normalization"));
  EXPECT_THAT(mbart([](Json& j) { j["pre_tokenizer"]["replacement"] = "_"; }), HasSubstr("'pre_tokenizer' is"));
  EXPECT_THAT(nllb([](Json& j) { j["model"]["fuse_unk"] = false; }), HasSubstr("'model.fuse_unk' is 'false'"));
  EXPECT_THAT(nllb([](Json& j) { j["model"]["merges"].push_back(j["model"]["merges"][0]); }),
              HasSubstr("otherwise than SentencePiece would"));
  EXPECT_THAT(nllb([](Json& j) { j["model"]["vocab"]["a"] = -1; }), HasSubstr("'model.vocab' has '-1'"));
}

}  // namespace
}  // namespace hexapla::convert
