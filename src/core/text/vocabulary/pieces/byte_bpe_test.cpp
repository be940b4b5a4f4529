#include "text/vocabulary/pieces/byte_bpe.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "text/vocabulary/pieces/test_byte_model.h"
#include "text/vocabulary/sampling.h"

namespace hexapla::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ByteBpe, TheEarliestMergeComesFirstAndThenTheLeftmost) {
  const Vocabulary v = vocabulary_of(byte_model({{"b", "c"}, {"a", "b"}, {"a", "a"}, {"ab", "c"}}));
  EXPECT_THAT(v.pieces("abc"), ElementsAre("a", "bc")) << "abc is a piece, but made of ab and c alone";
  EXPECT_THAT(v.pieces("aaab"), ElementsAre("aa", "ab"));
  EXPECT_THAT(v.pieces("aaaaa"), ElementsAre("aa", "aa", "a"));
}

TEST(ByteBpe, TextComesBackByteForByte) {
  const Vocabulary v = vocabulary_of(byte_model({{"\u0120", "w"}, {"\u00C3", "\u00A4"}, {"\u00F0", "\u0141"}}));
  for (const std::string text :
       {" two  blanks ", "sch\u00F6n w\u00E4r's", "\u4E24\u53EA\u72D7", "\U0001F44D\U0001F3FD"}) {
    EXPECT_EQ(v.decode(v.encode(text)), text);
    const EncodedText encoded = v.encode_with_spans(text);
    EXPECT_EQ(encoded.ids, v.encode(text));
    size_t at = 0;
    for (const TokenSpan& span : encoded.spans) {
      EXPECT_EQ(span.from, at);
      at = span.to;
    }
    EXPECT_EQ(at, text.size());
  }
  EXPECT_TRUE(v.encode("").empty());
  EXPECT_TRUE(v.encode(" \u00A0 ").empty());
  EXPECT_EQ(v.normalization(), "");
}

TEST(ByteBpe, WhatIsNoUtf8IsReplacedAndControlPiecesAreNothing) {
  const Vocabulary v = vocabulary_of(byte_model({}));
  const Ids ids = v.encode("a\u00E4\n");
  EXPECT_EQ(v.decode({ids.begin(), 2}), "a\uFFFD");
  EXPECT_EQ(v.decode(ids), "a\u00E4 ") << "one line";
  EXPECT_EQ(v.decode(Ids{v.bos(), ids[0], v.eos()}), "a");
  EXPECT_EQ(v.decode(Ids{ids[0], v.unk()}), "a \u2047 ");
  EXPECT_THAT(v.spans_in(Ids{ids[0], ids[2]}), ElementsAre(TokenSpan{0, 1}, TokenSpan{1, 4}));
}

TEST(ByteBpe, ABlankMayBePutBeforeEveryText) {
  PieceModel model = byte_model({{"\u0120", "w"}});
  model.normalizer.add_dummy_prefix = true;
  const Vocabulary v = vocabulary_of(model);
  EXPECT_THAT(v.pieces("wo"), ElementsAre("\u0120w", "o"));
  EXPECT_EQ(v.encode(" wo"), v.encode("wo"));
  EXPECT_THAT(v.encode_with_spans("wo").spans, ElementsAre(TokenSpan{0, 1}, TokenSpan{1, 2}));
}

// Takes hours if every merge examines the whole word.
TEST(ByteBpe, AMillionLettersWithoutABlank) {
  const Vocabulary v = vocabulary_of(byte_model({{"a", "b"}, {"ab", "ab"}}));
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += "ab";
  EXPECT_EQ(v.encode(text).size(), 250'000u);
}

TEST(ByteBpe, DamagedModelsAreRefused) {
  const auto refusal = [](const PieceModel& model) {
    return what_of<DataError>([&] { PieceModel::parse(model.serialized(), "v"); });
  };
  PieceModel model = byte_model({{"a", "b"}});
  model.merges[0].second = 9999;
  EXPECT_THAT(refusal(model), HasSubstr("merge 0 is of pieces that it does not have"));
  model.merges[0].second = 0;
  EXPECT_THAT(refusal(model), HasSubstr("merge 0 is of pieces"));
  model.merges[0] = {4, 5};
  EXPECT_THAT(refusal(model), HasSubstr("makes a piece that it does not have"));
  model = byte_model({});
  model.pieces[100].text = "another";
  EXPECT_THAT(refusal(model), HasSubstr("no piece for the byte 97"));
  model = byte_model({{"a", "b"}});
  model.kind = PieceModel::Kind::bpe;
  EXPECT_THAT(refusal(model), HasSubstr("it has merges"));
}

TEST(ByteBpe, IsNotSampled) {
  const Vocabulary v = vocabulary_of(byte_model({}));
  EXPECT_THAT(what_of<UsageError>([&] { SubwordSampler(v, 0.1); }), HasSubstr("byte-level bpe"));
}

}  // namespace
}  // namespace hexapla::text
