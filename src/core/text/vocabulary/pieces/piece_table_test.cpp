#include "text/vocabulary/pieces/piece_table.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/compute/random.h"
#include "base/error.h"
#include "base/files/test_folder.h"
#include "text/vocabulary/sampling.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::text {
namespace {

using testing::HasSubstr;

std::vector<std::string> lines() {
  Random random(3);
  std::vector<std::string> all;
  for (int i = 0; i < 300; ++i) {
    std::string& line = all.emplace_back();
    for (int word = 0; word < 6; ++word) {
      for (uint64_t n = 1 + random.below(5); n > 0; --n) line += static_cast<char>('a' + random.below(9));
      line += ' ';
    }
  }
  return all;
}

class PieceTables : public testing::TestWithParam<const char*> {
 protected:
  const Vocabulary own_ = Vocabulary::train(lines(), {.type = GetParam(), .size = 60});
  const PieceModel model_ = PieceModel::parse(own_.bytes(), "own");
  // In reverse order, without two of the pieces, with three others.
  PieceTable table() const {
    PieceTable t{{"</s>", "<unk>", "z", ">>de<<", ""}, "<pad>", "</s>", "<unk>", "<pad>"};
    for (int32_t id = own_.size() - 1; id > 3; --id)
      if (id != 20 && id != 31) t.pieces.push_back(own_.piece(id));
    t.pieces.insert(t.pieces.end(), {"\u2581zz", "<pad>"});
    return t;
  }
  Vocabulary with(const PieceTable& t) const {
    return Vocabulary::parse(with_ids_of(t, model_, "vocab.json").serialized(), "both");
  }
  // The result of looking up each piece.
  static Ids looked_up(const Vocabulary& own, const PieceTable& t, const std::string& text) {
    Ids ids;
    for (const std::string& piece : own.pieces(text)) {
      const auto at = std::find(t.pieces.begin(), t.pieces.end(), piece);
      ids.push_back(at == t.pieces.end() ? 1 : static_cast<int32_t>(at - t.pieces.begin()));
    }
    return ids;
  }
};

TEST_P(PieceTables, CutTextAsTheModelDoesAndNumberItAsTheTable) {
  const PieceTable t = table();
  const Vocabulary both = with(t);
  EXPECT_EQ(both.size(), static_cast<int32_t>(t.pieces.size()));
  EXPECT_EQ(both.eos(), 0);
  EXPECT_EQ(both.unk(), 1);
  EXPECT_EQ(both.bos(), both.size() - 1);
  EXPECT_EQ(both.pad(), both.size() - 1);
  bool unknown = false;
  for (const std::string& line : lines()) {
    EXPECT_EQ(both.encode(line), looked_up(own_, t, line)) << line;
    EXPECT_EQ(both.encode(line), both.encode_with_spans(line).ids);
    const Ids ids = both.encode(line);
    unknown |= std::find(ids.begin(), ids.end(), 1) != ids.end();
  }
  EXPECT_TRUE(unknown) << "two of the pieces have no id";
  for (const char* text : {"", " ", "abc q\u00e9 q", "a\u00e9\u00e9b", "z", "<pad>", "<\u00e9"})
    EXPECT_EQ(both.encode(text), looked_up(own_, t, text)) << text;
  if (GetParam() == std::string("bpe")) return;  // BPE merges pieces that only the table has
  for (const char* text : {"abc z zz", "zz z"}) EXPECT_EQ(both.encode(text), looked_up(own_, t, text)) << text;
}

TEST_P(PieceTables, ALanguageBeginsAText) {
  const Vocabulary both = with(table());
  Ids expected{3};
  for (const int32_t id : both.encode("abc de")) expected.push_back(id);
  EXPECT_EQ(both.encode(">>de<< abc de"), expected);
  EXPECT_EQ(both.encode_with_spans(">>de<< abc de").spans[0], (TokenSpan{0, 6}));
  EXPECT_EQ(both.encode_with_spans(">>de<<abc").spans[1].to, both.encode_with_spans("abc").spans[0].to + 6);
  EXPECT_EQ(both.pieces(">>de<< abc")[0], ">>de<<");
  EXPECT_NE(both.encode(">>fr<< abc")[0], 3);
  EXPECT_NE(both.encode("abc >>de<<").back(), 3);
  EXPECT_EQ(both.decode(both.encode(">>de<< abc")), "abc");
}

TEST_P(PieceTables, ReadPiecesThatTheModelDoesNotHave) {
  const Vocabulary both = with(table());
  const Ids ids{both.size() - 2, 2, 4};
  EXPECT_EQ(both.decode(ids), "zzz");
}

TEST_P(PieceTables, SamplesHaveIdsOfTheTable) {
  const Vocabulary both = with(table());
  const SubwordSampler sampler(both, 0.5);
  Random random(1);
  for (const std::string& line : lines())
    for (const int32_t id : sampler.sample(">>de<< " + line, random)) ASSERT_LT(id, both.size());
  EXPECT_EQ(sampler.sample(">>de<< abc", random)[0], 3);
}

TEST_P(PieceTables, WhatDoesNotBelongTogetherIsRefused) {
  const auto refused = [&](auto&& change) {
    PieceTable t = table();
    change(t);
    return what_of<DataError>([&] { with(t); });
  };
  EXPECT_THAT(refused([](PieceTable& t) { t.end = "</end>"; }), HasSubstr("vocab.json has no piece </end>"));
  EXPECT_THAT(refused([](PieceTable& t) { t.pieces[2] = t.pieces[9]; }), HasSubstr("is there twice"));
  EXPECT_THAT(refused([](PieceTable& t) { t.pieces[2] = std::string(5000, 'x'); }), HasSubstr("is too long"));
  EXPECT_THAT(refused([](PieceTable& t) { t.pieces[2] = "\xff"; }), HasSubstr("is not UTF-8"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, PieceTables, testing::Values("unigram", "bpe"),
                         [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace hexapla::text
