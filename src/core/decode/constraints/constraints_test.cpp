#include "decode/constraints/constraints.h"

#include <algorithm>
#include <limits>

#include "base/compute/parallel.h"
#include "decode/constraints/test_constraints.h"
#include "decode/strategies/beam_entry.h"
#include "text/plain_line.h"
#include "text/vocabulary/pieces/test_byte_model.h"

namespace hexapla::decode {
namespace {
using namespace test;  // the tests' shared names

using ConstraintsTest = WithTranslator;

int count(const std::vector<std::string>& texts, const std::string& phrase) {
  return static_cast<int>(std::count_if(texts.begin(), texts.end(), [&](const auto& t) { return has(t, phrase); }));
}

// ---- phrases ----

TEST(Phrases, AreWholeWords) {
  EXPECT_TRUE(has("ein Hund läuft", "Hund"));
  EXPECT_TRUE(has("(Hund)", "Hund"));
  EXPECT_TRUE(has("Hund", "Hund"));
  EXPECT_FALSE(has("ein Hundehaus", "Hund"));
  EXPECT_FALSE(has("Windhund und Schlosshund", "hund"));
  EXPECT_TRUE(has("Hunde, Hund", "Hund"));  // not at the first place, but at the second
  EXPECT_TRUE(has("in der Tat so", "der Tat"));
  EXPECT_TRUE(has("我在北京的家", "北京"));
  EXPECT_FALSE(must_not_stand_in({"Hund", {}}, "ein Hund", Ending::open)) << "it may become a Hundehaus";
  EXPECT_TRUE(must_not_stand_in({"Hund", {}}, "ein Hund", Ending::closed));
  EXPECT_FALSE(must_not_stand_in({"ein", {}}, "ein Hund und", Ending::open, 6)) << "ends before byte 6";
  EXPECT_TRUE(must_not_stand_in({"ก", {}}, "ก\u0E34", Ending::open)) << "it was there before the mark";
}

// Whatever pieces wrote it.
TEST(Phrases, ProgressIsThatOfTheTextBegun) {
  const std::vector<Requirement> phrases{any_of({phrase("ein Hund")}), any_of({phrase("Katzen")})};
  const auto at = [&](const std::string& text) { return met(phrases, {.text = text, .begun = !text.empty()}); };
  const int64_t hund = phrases[0].tokens(), katzen = phrases[1].tokens();
  EXPECT_EQ(at("").tokens, 0);
  EXPECT_EQ(at("").next,
            (text::Ids{phrase_vocabulary().encode("ein Hund")[0], phrase_vocabulary().encode("Katzen")[0]}));
  EXPECT_GT(at("die ein").tokens, 0);
  for (const char* text : {"die", "die ", "die e", "die ei", "die ein", "die ein ", "die ein Hun"}) {
    EXPECT_LT(at(text).tokens, hund) << text;
    EXPECT_FALSE(at(text).all) << text;
    // Its next tokens lead to the end.
    std::string whole = text;
    for (int i = 0; i < 20 && !has(whole, "ein Hund"); ++i) whole += phrase_pieces()[at(whole).next[0]];
    EXPECT_EQ(whole, "die ein Hund");
  }
  EXPECT_EQ(at("fein Hun").tokens, 0) << "inside of another word";
  EXPECT_EQ(at("Katzen ein Hund").tokens, hund + katzen);
  EXPECT_TRUE(at("Katzen ein Hund").all);
}

TEST(Phrases, OneFormIsEnoughAndTermsHavePlacesApart) {
  const Phrase hund = phrase("Hund"), katzen = phrase("zwei Katzen");
  const Requirement term = any_of({hund, katzen}, true);
  EXPECT_EQ(term.tokens(), katzen.spelling.tokens());
  const auto met_by = [&](std::vector<Requirement> required, const std::string& text) {
    return met(required, {.text = text}).all;
  };
  EXPECT_TRUE(met_by({term}, "ein Hund"));
  EXPECT_TRUE(met_by({term}, "zwei Katzen"));
  EXPECT_FALSE(met_by({term}, "ein Hundehaus"));
  EXPECT_FALSE(met_by({term, term}, "zwei Katzen"));
  EXPECT_TRUE(met_by({term, term}, "ein Hund und zwei Katzen"));
  EXPECT_TRUE(met_by({any_of({hund}), term}, "ein Hund")) << "a phrase only has to be there";
  const Requirement both = any_of({phrase("Hund und Hund")}, true);
  EXPECT_FALSE(met_by({both, term}, "Hund und Hund"));
  EXPECT_TRUE(met_by({both, term}, "Hund, Hund und Hund"));
  EXPECT_EQ(met(std::vector{term}, {.text = "ein Hund"}).tokens, term.tokens()) << "as much as the longest form";
}

TEST(Phrases, BadOnesAreRefused) {
  EXPECT_THROW(make_phrase(phrase_pieces(), "  ", "`forbid`"), UsageError);
  EXPECT_THROW(writable_phrase(phrase_vocabulary(), phrase_pieces(), "Hund Ж", "`require`"), UsageError);
  EXPECT_NO_THROW(make_phrase(phrase_pieces(), "Ж", "`forbid`"));
  EXPECT_THROW(ConstraintMaker(phrase_vocabulary(), phrase_pieces(), {.require = {"ein Hund"}, .forbid = {"Hund"}}),
               UsageError);
  std::string long_phrase;
  for (int i = 0; i < 1000; ++i) long_phrase += "Hund ";
  EXPECT_THROW(ConstraintMaker(phrase_vocabulary(), phrase_pieces(), {}).make({.require = {long_phrase}}, 0),
               UsageError);
}

TEST(PieceTextsTest, ReadAsTheVocabularyDecodes) {
  for (const std::string& line : phrase_lines(20, 3)) {
    text::Ids ids = phrase_vocabulary().encode(line);
    ids.insert(ids.begin(), phrase_vocabulary().bos());
    EXPECT_EQ(phrase_pieces().read(ids).text, line);
  }
  EXPECT_EQ(phrase_pieces().normalized(" ein  Hund "), "ein Hund ");
  EXPECT_EQ(phrase_pieces().unwritable("ЖЖ ein"), 4u);
}

// A prefix must fit into a translation's memory with any tokens.
TEST(PieceTextsTest, CountTheMostTokensOfAText) {
  EXPECT_EQ(phrase_pieces().most_tokens("Hünd ЖЖ"), 7);
  const text::Vocabulary v = text::Vocabulary::train(phrase_lines(300, 1), {.size = 320, .byte_fallback = true});
  EXPECT_EQ(PieceTexts(v).most_tokens("Hünd ЖЖ"), 10);
  EXPECT_EQ(v.encode("ЖЖЖЖЖЖЖЖ").size(), 17u) << "a blank and two bytes of each";
}

// PieceTexts and Vocabulary::decode() give the same line.
TEST(PieceTextsTest, BytesAreReadAsTheVocabularyDecodes) {
  const text::Vocabulary v = text::Vocabulary::train(phrase_lines(300, 1), {.size = 320, .byte_fallback = true});
  const PieceTexts texts(v);
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    text::Ids begun{v.bos()};
    for (uint32_t n = 1 + random.below(12); n > 0; --n) {
      begun.push_back(4 + static_cast<int32_t>(random.below(static_cast<uint32_t>(v.size() - 4))));
    }
    const PieceTexts::Reading reading = texts.read(begun, "", {});
    EXPECT_EQ(reading.text, v.decode(begun));
    EXPECT_EQ(reading.text, text::plain_line(reading.text));
    EXPECT_EQ(reading.spans.size() + 1, begun.size());
    for (const text::TokenSpan& span : reading.spans) EXPECT_LE(span.to, reading.text.size());
  }
  EXPECT_EQ(texts.read({v.bos(), v.unk()}, "", std::vector<std::string>{"a\nb\x01"}).text, "a b");
  EXPECT_EQ(texts.normalized("ein\r\n\x01Hund\n"), "ein Hund ");
  EXPECT_EQ(make_phrase(texts, "ein\nHund", "`forbid`").text, "ein Hund");
}

TEST(PieceTextsTest, ByteLevelPiecesAreBytesAndBlanksAreCharacters) {
  const auto v = text::vocabulary_of(text::byte_model({{"\u0120", "w"}, {"\u00C3", "\u00A4"}, {"\u00BC", "\u0120"}}));
  const PieceTexts texts(v);
  for (const std::string line : {" w\u00E4r \u00FC  wo", "wo \u732B"}) {
    text::Ids ids = v.encode(line);
    ids.insert(ids.begin(), v.bos());
    EXPECT_EQ(texts.read(ids).text, line);
    EXPECT_EQ(texts.normalized(line), line);
    EXPECT_EQ(texts.read({ids.begin(), ids.end() - 1}, "", {}).text, v.decode({ids.begin() + 1, ids.end() - 1}));
  }
  EXPECT_EQ(texts.unwritable("\u732B"), 0u);
  EXPECT_EQ(texts.most_tokens("w\u00E4"), 3);
  EXPECT_EQ(writable_phrase(v, texts, "wo", "`require`").spelling.after("w\u00E4r", true).next, v.encode(" wo")[0])
      << "a phrase mostly follows a word";
}

// ---- searches ----

TEST_F(ConstraintsTest, WithoutEffectTheyChangeNothing) {
  const auto lines = phrase_lines(60, 5);
  for (int n : {1, 4}) {
    options_.search.n_best = n;
    const auto plain = translator_.translate(lines, options_);
    TranslateOptions is_constrained = options_;
    is_constrained.everywhere.forbid = {"Ж"};
    const auto same = translator_.translate(lines, is_constrained);
    for (size_t i = 0; i < lines.size(); ++i) {
      ASSERT_EQ(same[i].size(), plain[i].size());
      for (size_t k = 0; k < plain[i].size(); ++k) {
        EXPECT_EQ(same[i][k].text, plain[i][k].text);
        EXPECT_EQ(same[i][k].score, plain[i][k].score);
      }
    }
  }
}

TEST_F(ConstraintsTest, RequiredPhrasesAreInEveryTranslation) {
  const auto lines = phrase_lines(1000, 6);
  Random random(9);
  std::vector<LineConstraints> requests(lines.size());
  for (LineConstraints& r : requests)
    for (uint32_t i = random.below(3) + 1; i > 0; --i) {
      r.require.push_back(kPhraseWords[random.below(12)]);
      if (random.below(2) == 0) r.require.back() += " " + kPhraseWords[random.below(12)];
    }
  const auto found = texts({lines, requests}, options_), free = texts({lines}, options_);
  int missing = 0, missing_before = 0;
  for (size_t i = 0; i < lines.size(); ++i)
    for (const std::string& phrase : requests[i].require) {
      missing += !has(found[i], phrase);
      missing_before += !has(free[i], phrase);
    }
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(warnings_, 0);
  EXPECT_GT(missing_before, 1000) << "the model says them of its own accord";
}

TEST_F(ConstraintsTest, ForbiddenPhrasesAreInNone) {
  const auto lines = phrase_lines(300, 7);
  const auto free = texts({lines}, options_);
  // The words that the model prefers.
  std::vector<std::pair<int, std::string>> liked;
  for (const std::string& t : free)
    for (size_t at = 0; at < t.size();) {
      const size_t end = std::min(t.find(' ', at), t.size());
      const std::string word = t.substr(at, end - at);
      at = end + 1;
      if (word.empty() || std::any_of(liked.begin(), liked.end(), [&](auto& l) { return l.second == word; })) continue;
      liked.push_back({count(free, word), word});
    }
  std::sort(liked.rbegin(), liked.rend());
  ASSERT_GE(liked.size(), 3u);
  for (size_t i = 0; i < 3; ++i) options_.everywhere.forbid.push_back(liked[i].second);
  EXPECT_GT(liked[0].first, 30) << "the model is too dull for this test";
  options_.search.n_best = 4;
  for (const auto& all : translator_.translate(lines, options_))
    for (const Translation& t : all)
      for (const std::string& phrase : options_.everywhere.forbid) EXPECT_FALSE(has(t.text, phrase)) << t.text;
  options_.search.sampling = SamplingOptions{};
  for (const auto& all : translator_.translate(lines, options_))
    for (const Translation& t : all)
      for (const std::string& phrase : options_.everywhere.forbid) EXPECT_FALSE(has(t.text, phrase)) << t.text;
}

TEST_F(ConstraintsTest, TranslationsBeginAsTheyMust) {
  const auto lines = phrase_lines(100, 8);
  for (const bool sampled : {false, true}) {
    if (sampled) options_.search.sampling = SamplingOptions{};
    for (const std::string prefix : {"zwei Katzen", "Hünd", "ein ", "die Ж", "und über die Straße läuft ein"}) {
      const std::vector<LineConstraints> requests(lines.size(), LineConstraints{.prefix = prefix});
      const auto found = texts({lines, requests}, options_);
      for (const std::string& t : found) EXPECT_EQ(t.substr(0, prefix.size()), prefix);
      EXPECT_EQ(warnings_, 0);
    }
  }
}

TEST_F(ConstraintsTest, AllTogetherAndWhateverTheNeighbors) {
  const auto lines = phrase_lines(60, 10);
  std::vector<LineConstraints> requests(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i % 2 == 0) requests[i].prefix = "die ";
    if (i % 3 == 0) requests[i].require = {"zwei Katzen", "Hund"};
    if (i % 5 == 0) requests[i].forbid = {"ein"};
  }
  options_.search.no_repeat_ngram = 3;
  options_.search.n_best = 3;
  const auto all = translator_.translate(Lines{lines, requests}, options_);
  for (size_t i = 0; i < lines.size(); ++i)
    for (const Translation& t : all[i]) {
      EXPECT_TRUE(i % 2 != 0 || t.text.starts_with("die ")) << t.text;
      EXPECT_TRUE(i % 3 != 0 || (has(t.text, "zwei Katzen") && has(t.text, "Hund"))) << t.text;
      EXPECT_FALSE(i % 5 == 0 && has(t.text, "ein")) << t.text;
    }
  TranslateOptions few = options_;
  few.batch_sentences = 3;
  use_threads(2);
  const auto again = translator_.translate(Lines{lines, requests}, few);
  use_threads(1);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto alone =
        translator_.translate(Lines{std::span(lines).subspan(i, 1), std::span(requests).subspan(i, 1), i}, options_);
    for (size_t k = 0; k < all[i].size(); ++k) {
      EXPECT_EQ(again[i][k].text, all[i][k].text);
      EXPECT_EQ(again[i][k].score, all[i][k].score);
      EXPECT_EQ(alone[0][k].text, all[i][k].text);
    }
  }
}

TEST_F(ConstraintsTest, WhatCannotBeIsAWarningAndAnEmptyLine) {
  options_.search.longest = 2;
  const std::vector<std::string> lines{"ein Hund", "zwei"};
  const std::vector<LineConstraints> requests{{.require = {"zwei Katzen und ein Hund und die Straße"}}, {}};
  const auto found = texts({lines, requests}, options_);
  EXPECT_EQ(found[0], "");
  EXPECT_EQ(warnings_, 1);
}

TEST_F(ConstraintsTest, LengthsAreKept) {
  const auto lines = phrase_lines(60, 11);
  const auto lengths = [&](const TranslateOptions& o) {
    std::vector<int64_t> all;
    for (const auto& t : translator_.translate(lines, o)) all.push_back(std::ssize(t[0].ids));
    return all;
  };
  TranslateOptions o = options_;
  o.search.min_length = 12;
  for (const int64_t n : lengths(o)) EXPECT_GE(n, 12);
  o = options_;
  o.search.longest = 4;
  for (const int64_t n : lengths(o)) EXPECT_LE(n, 4);
  o = options_;
  o.search.longest_ratio = 0.5;
  const auto half = lengths(o);
  for (size_t i = 0; i < lines.size(); ++i)
    EXPECT_LE(half[i], (static_cast<int64_t>(phrase_vocabulary().encode(lines[i]).size()) + 1) / 2);
  const auto total = [](const std::vector<int64_t>& n) {
    int64_t sum = 0;
    for (const int64_t x : n) sum += x;
    return sum;
  };
  EXPECT_EQ(normalized(-6, 3, {.length_penalty = PowerPenalty{1}, .word_penalty = 2}), -4);
  m_.set_bias(phrase_vocabulary().eos(), 1);
  TranslateOptions brief = options_, wordy = options_;
  brief.search.word_penalty = 20, wordy.search.word_penalty = -20;
  EXPECT_LT(total(lengths(brief)), total(lengths(wordy)));
}

TEST_F(ConstraintsTest, NothingIsRepeated) {
  const auto lines = phrase_lines(100, 12);
  const auto most = [&](const TranslateOptions& o) {  // number of repeated trigrams within translations
    int all = 0;
    for (const auto& t : translator_.translate(lines, o)) {
      const text::Ids& ids = t[0].ids;
      for (size_t i = 0; i + 3 <= ids.size(); ++i)
        for (size_t j = i + 1; j + 3 <= ids.size(); ++j) all += std::equal(&ids[i], &ids[i] + 3, &ids[j]);
    }
    return all;
  };
  TranslateOptions o = options_;
  o.search.min_length = 15;
  EXPECT_GT(most(o), 0) << "the model is too dull for this test";
  o.search.no_repeat_ngram = 3;
  EXPECT_EQ(most(o), 0);
}

// Marian's decoders begin with </s>: that first token is not part of the translation.
TEST(Constraints, ABeginningThatIsAlsoTheEndIsNoRepeatedToken) {
  const Queue queue{.sources = {}, .order = {}, .sentences = 1, .tokens = 1, .pieces = &phrase_pieces()};
  const SpecialIds same{.bos = kSpecials.eos, .eos = kSpecials.eos, .pad = kSpecials.pad};
  const SentenceConstraints request;
  for (const int64_t n : {1, 2, 3}) {
    const Constraints rules(queue.constraints(), {.no_repeat_ngram = n}, same);
    for (const text::Ids& so_far : {text::Ids{same.eos}, text::Ids{same.eos, 5}, text::Ids{same.eos, 5, 6}})
      EXPECT_TRUE(rules.allows({so_far, {}, request}, same.eos)) << n << " " << so_far.size();
    const text::Ids repeated{same.eos, 5, 6, 7, 5, 6};
    EXPECT_FALSE(rules.allows({repeated, {}, request}, 7)) << n;
  }
}

TEST(Constraints, StutterIsSeenInTheText) {
  const text::Ids nothing{kSpecials.bos};
  SearchOptions options{.max_repetition = 2};
  Queue queue{.sources = {}, .order = {}, .sentences = 1, .tokens = 1, .pieces = &phrase_pieces()};
  const Constraints rules(queue.constraints(), options, special_ids(phrase_vocabulary()));
  const SentenceConstraints request;
  const auto may_add = [&](const std::string& text, const char* piece) {
    for (int32_t id = 0; id < phrase_pieces().size(); ++id)
      if (phrase_pieces()[id] == piece) return rules.allows({nothing, {.text = text}, request}, id);
    ADD_FAILURE() << "no piece reads '" << piece << "'";
    return false;
  };
  EXPECT_TRUE(may_add("xu", "u"));
  EXPECT_FALSE(may_add("xuu", "u"));
  EXPECT_TRUE(may_add("lau la", "u"));
  EXPECT_FALSE(may_add("laulaula", "u"));
  EXPECT_TRUE(may_add("laulaula", "e"));
}

// Repetition is counted in characters of certain kinds, never in bytes.
TEST(Constraints, StutterIsOfCharacters) {
  const text::Vocabulary v = text::Vocabulary::train({"円充丸 谢谢 ab 1 x"}, {.size = 320, .byte_fallback = true});
  const PieceTexts texts(v);
  Queue queue{.sources = {}, .order = {}, .sentences = 1, .tokens = 1, .pieces = &texts};
  const SentenceConstraints request;
  const auto may_read = [&](const std::string& text, int64_t times) {
    const Constraints rules(queue.constraints(), {.max_repetition = times}, special_ids(v));
    text::Ids ids{v.bos()};
    for (const char byte : text) {  // in single bytes
      int32_t id = 0;
      while (texts[id] != std::string(1, byte) || !v.piece(id).starts_with("<0x")) ++id;
      if (!rules.allows({ids, texts.read(ids), request}, id)) return false;
      ids.push_back(id);
    }
    return true;
  };
  for (const char* text :
       {"円", "充", "丸", "——", "……", "————", "😂😂😂", "२२२२", "１１１", "1111", "...", "谢", "e\u0301e"})
    EXPECT_TRUE(may_read(text, 1)) << text;
  for (const char* text : {"円円", "谢谢", "abab", "e\u0301e\u0301", "ーー", "काका", "a——a——"})
    EXPECT_FALSE(may_read(text, 1)) << text;
  EXPECT_TRUE(may_read("谢谢", 2));
  EXPECT_FALSE(may_read("哈哈哈", 2));
  EXPECT_TRUE(may_read("a\u0300\u0300", 1)) << "a mark is no letter";
  EXPECT_TRUE(may_read("x\u0302e\u0302e", 1)) << "what is repeated does not begin inside of a character";
  EXPECT_TRUE(may_read("abab", std::numeric_limits<int64_t>::max()));
}

TEST_F(ConstraintsTest, TheUnknownPieceCanBeForbidden) {
  m_.set_bias(phrase_vocabulary().unk(), 20);
  const auto lines = phrase_lines(10, 13);
  const auto unknown = [&] {
    int n = 0;
    for (const auto& t : translator_.translate(lines, options_))
      n += static_cast<int>(std::count(t[0].ids.begin(), t[0].ids.end(), phrase_vocabulary().unk()));
    return n;
  };
  EXPECT_GT(unknown(), 10);
  options_.search.forbid_unknown = true;
  EXPECT_EQ(unknown(), 0);
}

TEST(Constraints, OptionsAreChecked) {
  for (const SearchOptions& o :
       {SearchOptions{.word_penalty = NAN}, SearchOptions{.longest = -1}, SearchOptions{.longest_ratio = -1},
        SearchOptions{.min_length = -1}, SearchOptions{.longest = 3, .min_length = 4},
        SearchOptions{.no_repeat_ngram = -1}, SearchOptions{.max_repetition = -1}})
    EXPECT_THROW(check(o), UsageError);
}

}  // namespace
}  // namespace hexapla::decode
