// Which score decides between models: a better one is never behind, whatever the references look like.
#include "train/measure/deciding.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include "base/compute/random.h"
#include "evaluate/metrics/bleu.h"
#include "evaluate/metrics/chrf.h"
#include "train/record/best_models.h"

namespace hexapla::train {
namespace {

using evaluate::Sentences;
using testing::HasSubstr;

constexpr size_t kLines = 200;

struct Kind {
  const char* name;
  const char* metric;    // that decides
  uint32_t least, most;  // words of a line
  const char* between;
  Sentences words;
};

std::vector<Kind> kinds() {
  const Sentences made_up{"or", "an", "ich", "el", "ut", "es", "eim", "ack", "und", "ig", "ko", "ru"},
      digits{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
      letters{"\u0531", "\u0532", "\u0533", "\u0534", "\u0535", "\u0536", "\u0537", "\u0538"};
  return {{"two words", "chrf", 2, 2, " ", made_up},
          {"one to six words", "chrf", 1, 6, " ", made_up},
          {"dates of three words", "chrf", 3, 3, " ", {"01", "02", "03", "04", "05", "06", "07", "08", "2019", "1987"}},
          {"digits", "chrf", 4, 8, "", digits},
          {"a script without blanks", "chrf", 3, 12, "", letters},
          {"sentences", "bleu", 8, 20, " ", made_up}};
}

Sentences drawn(const Kind& kind, uint64_t seed) {
  Random random(seed);
  Sentences lines;
  for (size_t i = 0; i < kLines; ++i) {
    std::string line;
    for (uint32_t n = kind.least + random.below(kind.most - kind.least + 1); n > 0; --n)
      line += (line.empty() ? "" : kind.between) + kind.words[random.below(static_cast<uint32_t>(kind.words.size()))];
    lines.push_back(line);
  }
  return lines;
}

Validation scored(const Sentences& hypotheses, const Sentences& references, double loss) {
  Validation v;
  v.loss = loss;
  const auto sums = [&](const evaluate::Metric& metric) {
    return evaluate::sum(evaluate::sentence_statistics(metric, hypotheses, {&references, 1}));
  };
  set_text_scores(v, sums(evaluate::Bleu({.tokenize = "13a"})), sums(evaluate::Chrf()));
  return v;
}

Standing standing(const Deciding& deciding, const Validation& v) { return *standing_of(v, deciding.metric_of(v)); }

// A model that has learned `right` percent of the lines; the others are those of other lines.
TEST(Deciding, AModelThatHasLearnedMoreIsBetterWhateverTheReferences) {
  for (const Kind& kind : kinds()) {
    const Sentences references = drawn(kind, 1), others = drawn(kind, 2);
    const Deciding deciding(references, "13a");
    EXPECT_EQ(deciding.metric(), kind.metric) << kind.name;
    EXPECT_EQ(deciding.why().empty(), std::string(kind.metric) == "bleu") << deciding.why();
    std::vector<Standing> models;
    for (size_t right = 0; right <= 100; right += 10) {
      Sentences hypotheses = others;
      for (size_t i = 0; i < kLines * right / 100; ++i) hypotheses[i] = references[i];
      models.push_back(standing(deciding, scored(hypotheses, references, 5 - 0.01 * double(right))));
    }
    for (size_t a = 0; a < models.size(); ++a)
      for (size_t b = 0; b < models.size(); ++b)
        EXPECT_EQ(is_better(models[a], models[b]), a > b) << kind.name << ": " << 10 * a << " % and " << 10 * b;
  }
}

// 0.07 against 0.01 BLEU, while the loss is much better: a few words that happen to be there.
TEST(Deciding, AScoreThatIsChanceDoesNotOverruleTheLoss) {
  for (const Kind& kind : kinds()) {
    const Sentences references = drawn(kind, 1);
    const Deciding deciding(references, "13a");
    int overruled = 0;
    for (uint64_t seed = 10; seed < 30; ++seed) {
      const Standing lucky = standing(deciding, scored(drawn(kind, seed), references, 6)),
                     learned = standing(deciding, scored(drawn(kind, seed + 100), references, 3));
      overruled += !is_better(learned, lucky);
    }
    EXPECT_EQ(overruled, 0) << kind.name;
  }
}

TEST(Deciding, ReferencesThatAreAllEqualLeaveTheLoss) {
  EXPECT_EQ(Deciding(Sentences(50, "the same line in every place"), "13a").metric(), "loss");
  EXPECT_EQ(Deciding(Sentences{"a single line of text"}, "13a").metric(), "loss");
}

// The order is one that sorting may use: whatever the models, the best one is the same.
TEST(Deciding, TheOrderIsTransitive) {
  Random random(5);
  std::vector<Standing> all;
  for (int i = 0; i < 60; ++i) {
    const char* const metrics[] = {"bleu", "chrf", "loss"};
    Standing s{metrics[random.below(3)], double(random.below(4)), {}};
    s.ties = {double(random.below(3)), double(random.below(3))};
    all.push_back(s);
  }
  const auto equal = [](const Standing& a, const Standing& b) { return !is_better(a, b) && !is_better(b, a); };
  for (const Standing& a : all)
    for (const Standing& b : all) {
      EXPECT_FALSE(is_better(a, b) && is_better(b, a));
      for (const Standing& c : all) {
        EXPECT_TRUE(!is_better(a, b) || !is_better(b, c) || is_better(a, c));
        EXPECT_TRUE(!equal(a, b) || !equal(b, c) || equal(a, c));
      }
    }
}

TEST(Deciding, EqualScoresAreToldApartByChrfThenByTheLoss) {
  Validation a, b;
  a.bleu = b.bleu = 0;
  a.chrf = 20, b.chrf = 90;
  a.loss = 1, b.loss = 2;
  EXPECT_TRUE(is_better(*standing_of(b, "bleu"), *standing_of(a, "bleu")));
  b.chrf = 20;
  EXPECT_TRUE(is_better(*standing_of(a, "bleu"), *standing_of(b, "bleu")));
  EXPECT_FALSE(is_better(*standing_of(a, "bleu"), *standing_of(a, "bleu")));
}

}  // namespace
}  // namespace hexapla::train
