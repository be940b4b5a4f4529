#include "text/vocabulary/sampling.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <map>

#include "base/files/test_folder.h"
#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::text {
namespace {

using testing::HasSubstr;

std::vector<std::string> training_lines() {
  const std::vector<std::string> syllables{"ka", "lo", "mi", "ra", "tu", "ße", "né", "sch", "on", "er", "ing", "ta"};
  Random random(7);
  std::vector<std::string> all;
  for (int i = 0; i < 800; ++i) {
    std::string line;
    for (uint32_t words = 3 + random.below(8); words > 0; --words) {
      if (!line.empty()) line += ' ';
      for (uint32_t n = 1 + random.below(4); n > 0; --n) line += syllables[random.below(12)];
    }
    all.push_back(line + (i % 3 ? "." : "?"));
  }
  return all;
}

Vocabulary trained(VocabularyOptions options) {
  options.size = options.byte_fallback ? 400 : 120;
  return Vocabulary::train(training_lines(), options);
}
const Vocabulary& unigram() {
  static const Vocabulary v = trained({});
  return v;
}
const Vocabulary& bpe() {
  static const Vocabulary v = trained({.type = "bpe"});
  return v;
}

// All segmentations of a text into the model's pieces, with the sums of their scores.
std::map<Ids, double> all_segmentations(const PieceModel& model, const std::string& text) {
  std::map<Ids, double> found;
  std::function<void(size_t, Ids&, double)> go = [&](size_t at, Ids& ids, double score) {
    if (at == text.size()) found[ids] = score;
    for (size_t id = 0; id < model.pieces.size(); ++id) {
      const auto& piece = model.pieces[id];
      if (piece.type != PieceModel::Type::normal || text.compare(at, piece.text.size(), piece.text) != 0) continue;
      ids.push_back(static_cast<int32_t>(id));
      go(at + piece.text.size(), ids, score + piece.score);
      ids.pop_back();
    }
  };
  Ids ids;
  go(0, ids, 0);
  return found;
}

TEST(PieceModel, SaysWhatTheLibrarySays) {
  const PieceModel model = PieceModel::parse(bpe().bytes(), "bpe");
  EXPECT_EQ(model.kind, PieceModel::Kind::bpe);
  EXPECT_EQ(PieceModel::parse(unigram().bytes(), "unigram").kind, PieceModel::Kind::unigram);
  ASSERT_EQ(static_cast<int32_t>(model.pieces.size()), bpe().size());
  for (int32_t i = 0; i < bpe().size(); ++i) EXPECT_EQ(model.pieces[i].text, bpe().piece(i));
  EXPECT_EQ(model.pieces[bpe().unk()].type, PieceModel::Type::unknown);
  EXPECT_EQ(model.pieces[bpe().eos()].type, PieceModel::Type::control);
  EXPECT_THAT(what_of<DataError>([] { PieceModel::parse("\x0A\x7F", "x.spm"); }),
              HasSubstr("x.spm is not a SentencePiece model"));
}

TEST(SubwordSampler, DrawsEachSegmentationWithItsChance) {
  const PieceModel model = PieceModel::parse(unigram().bytes(), "unigram");
  for (const double alpha : {0.2, 1.0}) {
    const auto all = all_segmentations(model, "▁kalomi");
    ASSERT_GT(all.size(), 5u);
    double sum = 0;
    for (const auto& [ids, score] : all) sum += std::exp(alpha * score);
    const SubwordSampler sampler(unigram(), alpha);
    constexpr int draws = 40'000;
    std::map<Ids, int> drawn;
    Random random(5);
    for (int i = 0; i < draws; ++i) ++drawn[sampler.sample("kalomi", random)];
    for (const auto& [ids, count] : drawn) EXPECT_TRUE(all.count(ids)) << unigram().decode(ids);
    for (const auto& [ids, score] : all) {
      const double p = std::exp(alpha * score) / sum;
      EXPECT_NEAR(drawn[ids] / double(draws), p, 4.5 * std::sqrt(p * (1 - p) / draws) + 1e-9);
    }
  }
}

TEST(SubwordSampler, ALargeAlphaDrawsTheBest) {
  const SubwordSampler sampler(unigram(), 200);
  Random random(5);
  for (const std::string& line : training_lines())
    EXPECT_EQ(sampler.sample(line, random), unigram().encode(line)) << line;
}

TEST(SubwordSampler, BpeWithoutDropoutMergesAsSentencePiece) {
  const SubwordSampler sampler(bpe(), 1e-300);
  Random random(5);
  for (const std::string& line : training_lines()) EXPECT_EQ(sampler.sample(line, random), bpe().encode(line)) << line;
}

TEST(SubwordSampler, BpeThatDropsEveryMergeLeavesCharacters) {
  Random random(5);
  const Ids ids = SubwordSampler(bpe(), 1).sample("ßeka né", random);
  std::vector<std::string> pieces;
  for (const int32_t id : ids) pieces.push_back(bpe().piece(id));
  EXPECT_THAT(pieces, testing::ElementsAre("▁", "ß", "e", "k", "a", "▁", "n", "é"));
}

// "on" after its "▁" allows one merge, dropped with probability alpha, unless "▁on" is a piece.
TEST(SubwordSampler, BpeDropsTheShareThatWasAskedFor) {
  const std::vector<std::string> text(200, "on on on");
  const Vocabulary v = Vocabulary::train(text, {.type = "bpe", .size = 8});  // 4 special, "▁", "o", "n", one merge
  ASSERT_EQ(v.size(), 8);
  Random random(5);
  int merged = 0;
  constexpr int draws = 10'000;
  const SubwordSampler sampler(v, 0.3);
  for (int i = 0; i < draws; ++i) merged += sampler.sample("on", random).size() == 2;
  EXPECT_NEAR(merged / double(draws), 0.7, 4.5 * std::sqrt(0.21 / draws));
}

TEST(SubwordSampler, SpellsTheSameTextAnew) {
  for (const Vocabulary* v : {&unigram(), &bpe()}) {
    const SubwordSampler sampler(*v, 0.3);
    Random random(5), same(5);
    int other = 0;
    for (const std::string& line : training_lines()) {
      const Ids ids = sampler.sample(line, random);
      EXPECT_EQ(v->decode(ids), v->decode(v->encode(line)));
      EXPECT_EQ(sampler.sample(line, same), ids);
      other += ids != v->encode(line);
    }
    EXPECT_GT(other, 600);
  }
}

TEST(SubwordSampler, UnknownCharactersAndEmptyText) {
  for (const Vocabulary* v : {&unigram(), &bpe()}) {
    const SubwordSampler sampler(*v, 0.3);
    Random random(5);
    const Ids ids = sampler.sample("ka 日本 ta", random);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), v->unk()), 1);
    EXPECT_TRUE(sampler.sample("", random).empty());
    EXPECT_TRUE(sampler.sample("  ", random).empty());
  }
}

TEST(SubwordSampler, BytesAndSymbolsOfTheUser) {
  for (const char* type : {"unigram", "bpe"}) {
    const Vocabulary v = trained({.type = type, .byte_fallback = true, .user_symbols = {"<de>", "kata"}});
    const SubwordSampler sampler(v, 0.3);
    Random random(5);
    const std::string text = "<de> ka 日 katata <de>lo";
    EXPECT_EQ(v.decode(v.encode(text)), text);
    for (int i = 0; i < 50; ++i) {
      const Ids ids = sampler.sample(text, random);
      EXPECT_EQ(v.decode(ids), text);
      int symbols = 0;
      for (const int32_t id : ids) symbols += v.piece(id) == "<de>" || v.piece(id) == "kata";
      EXPECT_EQ(symbols, 3);
    }
  }
}

TEST(SubwordSampler, RefusesWhatItCannotDraw) {
  EXPECT_THAT(what_of<UsageError>([] { SubwordSampler(unigram(), -1); }), HasSubstr("`subword-alpha` is -1"));
  EXPECT_THAT(what_of<UsageError>([] { SubwordSampler(bpe(), 1.5); }), HasSubstr("share of merges"));
}

TEST(VocabularyOptions, AreChecked) {
  auto message = [](const VocabularyOptions& o) {
    return what_of<UsageError>([&] { Vocabulary::train(training_lines(), o); });
  };
  EXPECT_THAT(message({.type = "word"}), HasSubstr("`vocab-type`"));
  EXPECT_THAT(message({.user_symbols = {"a b"}}), HasSubstr("\"a b\" cannot be a symbol"));
  EXPECT_THAT(message({.user_symbols = {"<s>"}}), HasSubstr("has <s> already"));
  EXPECT_THAT(message({.user_symbols = {"<x>", "<x>"}}), HasSubstr("is given twice"));
  EXPECT_THAT(message({.character_coverage = 0.5}), HasSubstr("`character-coverage` 0.5"));
  EXPECT_THAT(what_of<DataError>([] { Vocabulary::train(training_lines(), {.type = "bpe", .size = 8}); }),
              HasSubstr("change `vocab-size`"));
}

}  // namespace
}  // namespace hexapla::text
