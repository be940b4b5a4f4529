#include "decode/rescoring/score.h"

#include <gtest/gtest.h>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "base/compute/parallel.h"
#include "decode/test_models.h"

namespace hexapla::decode {
namespace {
using namespace test;

std::vector<PairScore> score(Backend& backend, const model::Transformer& model, std::span<const text::Ids> sources,
                             std::span<const text::Ids> targets) {
  const DType dtype = model.target_embedding().table.value.dtype;
  Arena arena(score_memory({.models = {&model}}, sources, targets, dtype));
  Context cx{backend, arena, dtype};
  const auto scores = score_pairs(cx, {.models = {&model}}, sources, targets, kSpecials);
  EXPECT_EQ(arena.mark().bottom, 0u) << "the arena is not given back";
  return scores;
}

TEST(Score, IsWhatTheSearchSays) {
  const auto backend = make_reference_backend();
  for (const Variant& v : variants())
    for (const auto& [dtype, tolerance] : {std::pair(DType::f32, 1e-4), std::pair(DType::f64, 1e-10)}) {
      const TestModel m(v.config, dtype);
      std::vector<text::Ids> sources, targets;
      std::vector<double> expected;
      Arena arena(64 << 20);
      Context cx{*backend, arena, dtype};
      const std::vector<text::Ids> sentences = random_sentences(8, 10, 24);
      const auto found = search(cx, m.model, sentences, {.n_best = 3, .extra_length = 6}, kSpecials);
      for (size_t b = 0; b < found.size(); ++b)
        for (const Hypothesis& h : found[b]) {
          sources.push_back(sentences[b]);
          targets.push_back(h.ids);
          expected.push_back(h.score);
        }
      const auto scores = score(*backend, m.model, sources, targets);
      for (size_t i = 0; i < scores.size(); ++i) {
        EXPECT_NEAR(scores[i].score, expected[i], tolerance) << v.name;
        EXPECT_EQ(scores[i].tokens, std::ssize(targets[i]) + 1);
      }
    }
}

TEST(Score, NeighborsTilesAndThreadsDoNotMatter) {
  const auto backend = make_cpu_backend();
  const TestModel m(small_config());
  const std::vector<text::Ids> sources = random_sentences(100, 12, 24);
  std::vector<text::Ids> targets = random_sentences(100, 15, 24, 9);  // more tokens than a tile has rows
  for (text::Ids& target : targets) target.pop_back();
  use_threads(1);
  const auto together = score(*backend, m.model, sources, targets);
  use_threads(2);
  EXPECT_EQ(score(*backend, m.model, sources, targets), together);
  for (size_t i = 0; i < sources.size(); ++i)
    EXPECT_EQ(score(*backend, m.model, std::vector<text::Ids>{sources[i]}, std::vector<text::Ids>{targets[i]})[0],
              together[i]);
  use_threads(1);
}

// score() runs in exactly the memory that is computed for it: of the encoder, which has more layers
// than the decoder, only what it keeps counts.
TEST(Score, LongSourcesBesideShortTargetsHaveTheMemory) {
  const auto backend = make_reference_backend();
  const std::vector<text::Ids> longer = random_sentences(3, 60, 24), shorter{{2}, {5, 2}, {6, 7, 2}};
  for (Variant v : variants()) {
    v.config.enc_layers = 7, v.config.max_positions = 100;
    for (const DType dtype : {DType::f32, DType::f64}) {
      const TestModel m(v.config, dtype);
      EXPECT_EQ(score(*backend, m.model, longer, shorter).size(), 3u) << v.name;
      EXPECT_EQ(score(*backend, m.model, shorter, longer).size(), 3u) << v.name;
    }
  }
}

TEST(Score, EmptyTargetsAndWrongInput) {
  const auto backend = make_reference_backend();
  const TestModel m(small_config());
  const std::vector<text::Ids> one{{5, 2}}, none;
  EXPECT_EQ(score(*backend, m.model, one, std::vector<text::Ids>{{}})[0].tokens, 1);
  EXPECT_TRUE(score(*backend, m.model, none, none).empty());
  EXPECT_THROW(score(*backend, m.model, one, none), InternalError);

  model::Config c = small_config();
  c.positions = "learned", c.max_positions = 4;
  const TestModel few(c);
  Arena arena(1 << 20);
  Context cx{*backend, arena};
  EXPECT_THROW(score_pairs(cx, {.models = {&few.model}}, one, std::vector<text::Ids>{{5, 5, 5, 5}}, kSpecials),
               DataError);
  EXPECT_EQ(arena.mark().bottom, 0u) << "the arena is not given back after an error";
}

}  // namespace
}  // namespace hexapla::decode
