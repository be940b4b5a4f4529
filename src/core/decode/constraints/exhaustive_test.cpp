// A search with constraints finds the best translation of all whose text satisfies them, in whatever
// pieces: compared with all translations of a few pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "decode/constraints/phrases.h"
#include "decode/constraints/test_tiny_vocabularies.h"
#include "decode/test_models.h"
#include "decode/text/translator.h"
#include "text/plain_line.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {
using namespace test;

constexpr int kLongest = 3;  // tokens

class Exhaustive : public testing::TestWithParam<TinyVocabulary> {
 protected:
  Exhaustive() {
    std::set<int32_t> used{v_.eos()};
    for (const std::string& piece : GetParam().used) used.insert(id_of(piece));
    for (int32_t id = 0; id < v_.size(); ++id) m_.set_bias(id, used.contains(id) ? 0.f : -1000.f);
    const size_t n = used.size() - 1;
    translations_ = 1 + n + n * n + n * n * n;
    options_.search.beam_size = static_cast<int>(translations_) + 10;
  }
  static model::Config config_of(const text::Vocabulary& v) {
    model::Config c = small_config();
    c.source_vocab = c.target_vocab = v.size();
    c.tied = "none";
    return c;
  }
  int32_t id_of(const std::string& piece) const {
    for (int32_t id = 0; id < v_.size(); ++id)
      if (v_.piece(id) == piece) return id;
    ADD_FAILURE() << "no piece " << piece;
    return v_.unk();
  }
  static std::string any_characters(Random& random, const std::string& text) {
    std::vector<size_t> ends{0};
    while (ends.back() < text.size())
      ends.push_back(ends.back() + text::character_bytes(std::string_view(text).substr(ends.back())));
    const size_t from = ends[random.below(static_cast<uint32_t>(ends.size()))];
    return text.substr(from, ends[random.below(static_cast<uint32_t>(ends.size()))] - from);
  }
  std::vector<Translation> found(const LineConstraints& asked) const {
    const std::vector<std::string> lines{line_};
    const std::vector<LineConstraints> requests{asked};
    return translator_.translate(Lines{lines, requests}, options_)[0];
  }
  // Every translation, best first: the one that comes back without constraints.
  std::vector<Translation> all() {
    TranslateOptions every = options_;
    every.search.n_best = every.search.beam_size;
    const std::vector<std::string> lines{line_};
    std::vector<Translation> translations = translator_.translate(lines, every)[0];
    std::erase_if(translations, [](const Translation& t) { return t.score < -500; });
    EXPECT_EQ(translations.size(), translations_) << "the enumeration is incomplete";
    return translations;
  }
  template <class Satisfies>
  void expect_best(const std::vector<Translation>& all, const LineConstraints& asked, Satisfies&& satisfies) {
    const auto best = std::find_if(all.begin(), all.end(), satisfies);
    const std::vector<Translation> result = found(asked);
    const std::string what = cat("prefix '", asked.prefix, "' require '", asked.require.empty() ? "" : asked.require[0],
                                 "' forbid '", asked.forbid.empty() ? "" : asked.forbid[0], "'");
    ASSERT_EQ(result.size(), 1u);
    if (best == all.end() || result[0].score < -500) {
      EXPECT_TRUE(best == all.end() && result[0].score < -500) << what << ": '" << result[0].text << "'";
      return;
    }
    EXPECT_TRUE(satisfies(result[0])) << what << ": '" << result[0].text << "'";
    EXPECT_NEAR(result[0].score, best->score, 1e-4)
        << what << ": '" << result[0].text << "', not '" << best->text << "'";
    ++compared_;
  }

  const text::Vocabulary v_ = text::vocabulary_of(GetParam().model);
  const PieceTexts texts_{v_};
  TestModel m_{config_of(v_), DType::f32, 7 + GetParam().used.size()};
  std::unique_ptr<Backend> backend_ = m_.on_backend();
  TextTranslator translator_{m_.model, v_, v_, *backend_};
  std::string line_ = "a ab";
  TranslateOptions options_{
      .search = {.length_penalty = PowerPenalty{0}, .stop_when = StopWhen::never, .longest = kLongest}};
  size_t translations_ = 0;
  int compared_ = 0;
};

// A blank before the first word that the vocabulary drops is no part of a translation.
TEST_P(Exhaustive, PiecesReadAsTheVocabularyDecodes) {
  for (const Translation& t : all()) {
    text::Ids ids{v_.bos()};
    ids.insert(ids.end(), t.ids.begin(), t.ids.end());
    const std::string text = texts_.read(ids).text;
    EXPECT_EQ(text::plain_line(texts_.closed(text)), v_.decode(t.ids)) << testing::PrintToString(t.ids);
    EXPECT_EQ(texts_.read(ids, "", {}).text, v_.decode(t.ids));
  }
}

TEST_P(Exhaustive, TheBestWithAPrefix) {
  const std::vector<Translation> translations = all();
  Random random(1);
  for (int i = 0; i < 80; ++i) {
    const Translation& one = translations[random.below(static_cast<uint32_t>(translations.size()))];
    if (one.text.find("\uFFFD") != one.text.npos) continue;
    std::string prefix = any_characters(random, one.text);
    prefix = one.text.substr(0, prefix.size());
    if (text::invalid_utf8(prefix) || texts_.normalized(prefix) != prefix) continue;
    expect_best(translations, {.prefix = prefix}, [&](const Translation& t) { return t.text.starts_with(prefix); });
  }
  EXPECT_GT(compared_, 2) << "the test shows little";
}

TEST_P(Exhaustive, TheBestWithAPhrase) {
  const std::vector<Translation> translations = all();
  options_.search.beam_size = 1000;  // impossible ones with the phrase have their share
  Random random(2);
  for (int i = 0; i < 30; ++i) {
    const bool forbid = i % 2 == 0;
    const Translation& one = translations[random.below(forbid ? 4 : static_cast<uint32_t>(translations.size()))];
    const std::string text = any_characters(random, one.text);
    if (text::invalid_utf8(text) || text.find("\uFFFD") != text.npos ||
        texts_.normalized(text).find_first_not_of(' ') == text.npos)
      continue;
    const Phrase phrase = make_phrase(texts_, text, "phrase");
    if (forbid)
      expect_best(translations, {.prefix = "", .require = {}, .forbid = {text}},
                  [&](const Translation& t) { return !must_not_stand_in(phrase, t.text, Ending::closed); });
    else
      expect_best(translations, {.prefix = "", .require = {text}, .forbid = {}},
                  [&](const Translation& t) { return stands_in(phrase, t.text); });
  }
  EXPECT_GT(compared_, 2) << "the test shows little";
}

// Greedy decoding, where every piece that is not allowed would show, goes the way that it went
// without a prefix.
TEST_P(Exhaustive, EveryBeginningOfAGreedyTranslationGivesIt) {
  options_ = {.search = {.beam_size = 1, .longest = 7}};
  for (const char* line : {"a", "b a", "ab ab", "我们", "a b a"}) {
    line_ = line;
    const Translation own = found({})[0];
    for (size_t n = 1; n <= own.text.size(); ++n) {
      const std::string prefix = own.text.substr(0, n);
      if (text::invalid_utf8(prefix) || texts_.normalized(prefix) != prefix) continue;
      if (prefix.ends_with("\uFFFD")) break;
      const Translation again = found({.prefix = prefix})[0];
      EXPECT_EQ(again.ids, own.ids) << "'" << prefix << "' of '" << own.text << "'";
      EXPECT_NEAR(again.score, own.score, 1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Exhaustive, testing::ValuesIn(tiny_vocabularies()), [](const auto& one) {
  std::string name = one.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace hexapla::decode
