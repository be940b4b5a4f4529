#include "decode/rescoring/alignment.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "base/compute/parallel.h"
#include "decode/test_text.h"
#include "decode/text/text_scorer.h"

namespace hexapla::decode {
namespace {
using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<SoftAlignment> align(Backend& backend, const model::Transformer& model, std::span<const text::Ids> sources,
                                 std::span<const text::Ids> targets, const AttentionHead& head) {
  const DType dtype = model.target_embedding().table.value.dtype;
  Arena arena(align_memory(model, sources, targets, dtype));
  Context cx{backend, arena, dtype};
  const auto found = align_pairs(cx, model, sources, targets, kSpecials, head);
  EXPECT_EQ(arena.mark().bottom, 0u) << "the arena is not given back";
  return found;
}

std::vector<text::Ids> random_targets(int n, int longest) {
  std::vector<text::Ids> targets = random_sentences(n, longest, 24, 9);
  for (text::Ids& target : targets) target.pop_back();
  return targets;
}

TEST(Alignment, RowsSumToOneInEveryVariant) {
  const auto backend = make_cpu_backend();
  const std::vector<text::Ids> sources = random_sentences(12, 9, 24), targets = random_targets(12, 11);
  for (const Variant& v : variants()) {
    if (!v.config.softmax()) continue;  // other weights need not sum to one
    const TestModel m(v.config);
    for (int64_t layer = 0; layer < v.config.dec_layers; ++layer)
      for (int64_t head : {AttentionHead::kMean, int64_t{0}, int64_t{1}}) {
        const auto found = align(*backend, m.model, sources, targets, {layer, head});
        ASSERT_EQ(found.size(), sources.size());
        for (size_t i = 0; i < found.size(); ++i) {
          const SoftAlignment& a = found[i];
          ASSERT_EQ(a.rows, int64_t(targets[i].size()) + 1);
          ASSERT_EQ(a.columns, int64_t(sources[i].size()));
          for (int64_t t = 0; t < a.rows; ++t) {
            double sum = 0;
            for (int64_t s = 0; s < a.columns; ++s) sum += a.at(t, s);
            EXPECT_NEAR(sum, 1, 1e-12) << v.name;
          }
        }
      }
  }
}

TEST(Alignment, LongSourcesBesideShortTargetsHaveTheMemory) {
  const auto backend = make_reference_backend();
  std::vector<text::Ids> shorter = random_sentences(3, 2, 24);
  for (Variant v : variants()) {
    v.config.enc_layers = 7, v.config.max_positions = 100;
    const TestModel m(v.config, DType::f64);
    EXPECT_EQ(align(*backend, m.model, random_sentences(3, 60, 24), shorter, {}).size(), 3u) << v.name;
    EXPECT_EQ(align(*backend, m.model, shorter, random_targets(3, 60), {}).size(), 3u) << v.name;
  }
}

// Records every weight of every layer, as hexapla inspect does.
struct SeeAll : Observer {
  std::map<std::string, std::vector<double>> weights;
  void observe(const std::string&, Tensor, Offsets) override {}
  void observe_attention(const std::string& scope, int64_t, Tensor, Tensor w) override {
    weights[scope] = {w.data<double>(), w.data<double>() + w.size()};
  }
};

TEST(Alignment, IsTheAttentionOfThatLayerAndHead) {
  const auto backend = make_cpu_backend();
  const TestModel m(small_config());
  const text::Ids source{5, 7, 9, 2}, target{6, 4}, shifted{kSpecials.bos, 6, 4};
  Arena arena(8 << 20);
  SeeAll all;
  Context cx{*backend, arena};
  cx.observer = &all;
  const std::vector<int32_t> from{0, 4}, to{0, 3};
  model::Transformer::Saved saved;
  m.model.decode(cx, {m.model.encode(cx, source, from, saved), from}, shifted, to, saved);
  for (int64_t layer : {0, 1}) {
    const auto& w = all.weights.at(cat("decoder.layers.", layer, ".cross_attention"));
    const std::vector<text::Ids> x{source}, y{target};
    const auto first = align(*backend, m.model, x, y, {layer, 0})[0].weights;
    const auto second = align(*backend, m.model, x, y, {layer, 1})[0].weights;
    const auto mean = align(*backend, m.model, x, y, {layer})[0].weights;
    for (size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(first[i], w[i]);
      EXPECT_EQ(second[i], w[12 + i]);
      EXPECT_NEAR(mean[i], (w[i] + w[12 + i]) / 2, 1e-15);
    }
  }
}

TEST(Alignment, NeighborsAndThreadsDoNotMatter) {
  const auto backend = make_cpu_backend();
  const TestModel m(small_config());
  const std::vector<text::Ids> sources = random_sentences(40, 12, 24), targets = random_targets(40, 15);
  use_threads(2);
  const auto together = align(*backend, m.model, sources, targets, {1, 1});
  use_threads(1);
  EXPECT_EQ(align(*backend, m.model, sources, targets, {1, 1}), together);
  for (size_t i = 0; i < sources.size(); ++i)
    EXPECT_EQ(
        align(*backend, m.model, std::vector<text::Ids>{sources[i]}, std::vector<text::Ids>{targets[i]}, {1, 1})[0],
        together[i]);
}

TEST(Alignment, WrongInput) {
  const auto backend = make_reference_backend();
  const TestModel m(small_config());
  const std::vector<text::Ids> one{{5, 2}}, none;
  EXPECT_TRUE(align(*backend, m.model, none, none, {0}).empty());
  EXPECT_THROW(align(*backend, m.model, one, none, {0}), InternalError);
  EXPECT_THROW(align(*backend, m.model, one, one, {2}), InternalError);
  EXPECT_THROW(align(*backend, m.model, one, one, {0, 2}), InternalError);
  EXPECT_NO_THROW(check(AttentionHead{1, 1}, m.model.config));
  for (const AttentionHead& wrong : {AttentionHead{2, 0}, AttentionHead{-1, 0}, AttentionHead{0, 2}})
    EXPECT_THROW(check(wrong, m.model.config), UsageError);
}

// Two source words "ab c" and </s>; three target tokens in two words and </s>.
const SoftAlignment kTokens{4,
                            4,
                            {.4, .3, .2, .1,  //
                             .1, .1, .8, 0,   //
                             .0, .2, .6, .2,  //
                             .1, .1, .1, .7}};
const std::vector<text::WordSpan> kFrom{0, 0, 1}, kTo{0, 1, 1};

TEST(Alignment, MergesTokensToWords) {
  const SoftAlignment words = merge(kTokens, {kFrom, 2}, {kTo, 2});
  ASSERT_EQ(words.rows, 3);
  ASSERT_EQ(words.columns, 3);
  const std::vector<double> expected{.7, .2, .1, .2, .7, .1, .2, .1, .7};
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(words.weights[i], expected[i], 1e-15) << i;
  const SoftAlignment cut = merge(kTokens, {kFrom, 2}, {kTo, 3});  // no token was read of the third word
  EXPECT_THAT(hard_links(cut), ElementsAre(data::Link{0, 0}, data::Link{1, 1}));
}

TEST(Alignment, LinksAndText) {
  EXPECT_THAT(hard_links(kTokens), ElementsAre(data::Link{0, 0}, data::Link{2, 1}, data::Link{2, 2}));
  EXPECT_EQ(data::pharaoh(hard_links(kTokens)), "0-0 2-1 2-2");
  EXPECT_EQ(data::pharaoh(links_above(kTokens, .3)), "0-0 1-0 2-1 2-2");
  EXPECT_EQ(soft_text({2, 2, {.25, .75, 1, 0}}), "0.25,0.75 1,0");
  const SoftAlignment nothing{1, 1, {1}};  // two empty lines
  EXPECT_THAT(hard_links(nothing), IsEmpty());
  EXPECT_EQ(data::pharaoh({}), "");
}

class AlignText : public testing::Test {
 protected:
  AlignText() { m_.set_bias(vocabulary().eos(), -2); }  // fewer empty translations
  TestModel m_{config()};
  std::unique_ptr<Backend> backend_ = m_.on_backend();
  TextTranslator translator_{m_.model, vocabulary(), vocabulary(), *backend_};
  TextScorer scorer_{m_.model, vocabulary(), vocabulary(), *backend_};
  TranslateOptions options_{.search = {.extra_length = 5}, .batch_tokens = 40};
};

TEST_F(AlignText, WordsOfBothSidesAndNoNeighbors) {
  const std::vector<std::string> sources = made_up_lines(40, 4), targets = made_up_lines(40, 5);
  const auto together = scorer_.align(sources, targets, options_, {{1, 0}});
  for (size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(together[i].rows, int64_t(text::words(targets[i]).size()) + 1);
    EXPECT_EQ(together[i].columns, int64_t(text::words(sources[i]).size()) + 1);
    for (int64_t t = 0; t < together[i].rows; ++t) {
      double sum = 0;
      for (int64_t s = 0; s < together[i].columns; ++s) sum += together[i].at(t, s);
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    const std::vector<std::string> x{sources[i]}, y{targets[i]};
    EXPECT_EQ(scorer_.align(x, y, options_, {{1, 0}})[0], together[i]);
  }
}

TEST_F(AlignText, OfFoundTranslationsIsThatOfTheirTokens) {
  const std::vector<std::string> sources = made_up_lines(40, 4);
  std::vector<Translation> found;
  for (auto& t : translator_.translate(sources, options_)) found.push_back(t[0]);
  const auto pieces = scorer_.align(sources, found, options_, {{1, 0}, AlignmentUnit::pieces});
  const auto by_word = scorer_.align(sources, found, options_, {{1, 0}});
  int same = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(pieces[i].rows, int64_t(found[i].ids.size()) + 1);
    EXPECT_EQ(by_word[i].rows, int64_t(text::words(found[i].text).size()) + 1);
    if (vocabulary().encode(found[i].text) != found[i].ids) continue;
    const std::vector<std::string> x{sources[i]}, y{found[i].text};
    EXPECT_EQ(scorer_.align(x, y, options_, {{1, 0}})[0], by_word[i]);
    ++same;
  }
  EXPECT_GT(same, 3);
}

// Each part of the translation is aligned with its own part of the line, and the whole line is
// covered.
TEST_F(AlignText, ALineInPartsIsAlignedPartByPart) {
  options_.search.token_scores = true;
  const std::vector<std::string> parts{"ein Hund läuft.", "zwei Katzen."}, whole{parts[0] + " " + parts[1]};
  options_.max_length = static_cast<int64_t>(vocabulary().encode(parts[0]).size()) + 1;  // the longer part
  const auto alone = translator_.translate(parts, options_);
  const Translation joined = translator_.translate(whole, options_)[0][0];
  ASSERT_EQ(joined.parts.size(), 2u);
  EXPECT_EQ(joined.text, alone[0][0].text + " " + alone[1][0].text);
  ASSERT_EQ(joined.token_scores.size(), joined.ids.size() + 1);
  EXPECT_EQ(joined.token_scores.back(), alone[0][0].token_scores.back() + alone[1][0].token_scores.back());
  for (const AlignmentUnit unit : {AlignmentUnit::words, AlignmentUnit::pieces}) {
    const AlignmentOptions how{{1, 0}, unit};
    const SoftAlignment all = scorer_.align(whole, std::vector{joined}, options_, how)[0];
    const auto of_parts = scorer_.align(parts, std::vector{alone[0][0], alone[1][0]}, options_, how);
    EXPECT_EQ(all.rows, of_parts[0].rows + of_parts[1].rows - 1);
    EXPECT_EQ(all.columns, of_parts[0].columns + of_parts[1].columns - 1);
    EXPECT_EQ(static_cast<size_t>(all.columns), scorer_.units_of_source(whole[0], options_, unit).size() + 1);
    for (int64_t t = 0; t < all.rows; ++t) {
      double sum = 0;
      for (int64_t s = 0; s < all.columns; ++s) sum += all.at(t, s);
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    for (int64_t t = 0; t + 1 < of_parts[1].rows; ++t)
      for (int64_t s = 0; s + 1 < of_parts[1].columns; ++s)
        EXPECT_EQ(all.at(of_parts[0].rows - 1 + t, of_parts[0].columns - 1 + s), of_parts[1].at(t, s));
  }
}

TEST_F(AlignText, BlankLines) {
  const std::vector<std::string> blank{"", "ein"}, texts{"ein", ""};
  const auto found = scorer_.align(blank, texts, options_, {{1, 0}});
  EXPECT_EQ(found[0].columns, 1);
  EXPECT_EQ(found[0].rows, 2);
  EXPECT_EQ(found[1].rows, 1);
  EXPECT_THAT(hard_links(found[0]), IsEmpty());
}

}  // namespace
}  // namespace hexapla::decode
