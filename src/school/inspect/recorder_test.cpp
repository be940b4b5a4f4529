#include "inspect/recorder.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "backend/cpu/cpu.h"
#include "base/files/test_folder.h"
#include "decode/rescoring/score.h"
#include "inspect/test_small.h"

namespace hexapla::inspect {
namespace {

struct RecordedModel : SmallModel {
  explicit RecordedModel(const model::Config& c) : SmallModel(c, make_cpu_backend()) {}
};

TEST(Recorder, ALongSourceBesideAShortTargetHasTheMemory) {
  model::Config c = small_config();
  c.enc_layers = 24, c.d_model = 64, c.d_ff = 256, c.d_k = c.d_v = 32;
  const RecordedModel small(c);
  EXPECT_LT(small.inspect({text::Ids(512, 4), {6}}).score, 0);
}

std::vector<std::string> names(const Inspection& seen) {
  std::vector<std::string> all;
  for (const auto& [name, value] : seen.seen.tensors()) all.push_back(name);
  return all;
}

std::vector<std::string> in(const std::string& scope, const std::vector<std::string>& own) {
  std::vector<std::string> all;
  for (const std::string& name : own) all.push_back(scope + "." + name);
  return all;
}

std::vector<std::string> together(const std::vector<std::vector<std::string>>& parts) {
  std::vector<std::string> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

const std::vector<std::string> kAttentionNames{"heads",  "k",   "norm",     "output", "q",
                                               "scores", "sum", "unscaled", "v",      "weights"};
const std::vector<std::string> kFeedForwardNames{"hidden", "inner", "norm", "output", "sum"};

TEST(recorder, sees_every_intermediate_once) {
  EXPECT_EQ(names(RecordedModel(small_config()).inspect(kPair)),
            together({{"decoder.embedded"},
                      in("decoder.layers.0.cross_attention", kAttentionNames),
                      in("decoder.layers.0.feed_forward", kFeedForwardNames),
                      in("decoder.layers.0.self_attention", kAttentionNames),
                      {"decoder.mask", "decoder.positions", "decoder.tokens", "encoder.embedded"},
                      in("encoder.layers.0.feed_forward", kFeedForwardNames),
                      in("encoder.layers.0.self_attention", kAttentionNames),
                      {"encoder.positions", "encoder.tokens", "generator.log_probabilities", "generator.logits"}}));
}

TEST(recorder, names_stay_unique_in_every_sibling) {
  for (const char* norm : {"pre", "post"})
    for (bool gated : {false, true}) {
      model::Config c = small_config();
      c.norm_position = c.norm_position.parse("norm-position", norm);
      c.gated = gated;
      c.embedding_norm = true;
      c.dec_layers = 3;
      EXPECT_THAT(names(RecordedModel(c).inspect(kPair)),
                  testing::Contains("decoder.layers.2.cross_attention.weights"));
    }
}

TEST(recorder, shapes) {
  const Inspection seen = RecordedModel(small_config()).inspect(kPair);
  const auto shape = [&](const char* name) { return seen.seen.get(name).shape; };
  EXPECT_EQ(shape("encoder.embedded"), (Shape{4, 8}));
  EXPECT_EQ(shape("encoder.layers.0.self_attention.q"), (Shape{4, kHeads * kDKey}));
  EXPECT_EQ(shape("encoder.layers.0.self_attention.v"), (Shape{4, kHeads * 5}));
  EXPECT_EQ(shape("encoder.layers.0.feed_forward.inner"), (Shape{4, 12}));
  EXPECT_EQ(shape("decoder.layers.0.cross_attention.scores"), (Shape{kHeads, 3, 4}));
  EXPECT_EQ(shape("decoder.layers.0.self_attention.weights"), (Shape{kHeads, 3, 3}));
  EXPECT_EQ(shape("generator.log_probabilities"), (Shape{3, kPieceCount}));
  EXPECT_EQ(seen.target_in, (text::Ids{kBos, 6, 9}));
  EXPECT_EQ(seen.target_out, (text::Ids{6, 9, kEos}));
}

TEST(recorder, scores_are_those_of_the_recorded_queries_and_keys) {
  const Inspection seen = RecordedModel(small_config()).inspect(kPair);
  const Recorded& q = seen.seen.get("decoder.layers.0.self_attention.q");
  const Recorded& k = seen.seen.get("decoder.layers.0.self_attention.k");
  for (int64_t h = 0; h < kHeads; ++h) {
    const std::vector<double> scores = seen.seen.get("decoder.layers.0.self_attention.scores").head(h);
    for (int64_t t = 0; t < 3; ++t)
      for (int64_t u = 0; u < 3; ++u) {
        double s = 0;
        for (int64_t i = h * kDKey; i < (h + 1) * kDKey; ++i)
          s += q.values[t * kHeads * kDKey + i] * k.values[u * kHeads * kDKey + i];
        if (u > t)
          EXPECT_EQ(scores[t * 3 + u], -std::numeric_limits<double>::infinity());
        else
          EXPECT_NEAR(scores[t * 3 + u], s / std::sqrt(double(kDKey)), 1e-6);
      }
  }
}

TEST(recorder, mean_of_heads) {
  const Recorded r{{2, 1, 2}, DType::f64, {1, 2, 3, 6}};
  EXPECT_EQ(r.mean_head(), (std::vector<double>{2, 4}));
  EXPECT_EQ(r.head(1), (std::vector<double>{3, 6}));
  EXPECT_THROW(r.head(2), InternalError);
}

TEST(recorder, the_score_is_that_of_scoring) {
  const RecordedModel small(small_config());
  const Inspection seen = small.inspect(kPair);
  const std::vector<text::Ids> source{kPair.source}, target{kPair.target};
  Arena arena(size_t{1} << 22);
  Context cx{*small.backend, arena};
  const decode::PairScore expected =
      decode::score_pairs(cx, {.models = {&small.model}}, source, target, {kBos, kEos, 0}).front();
  EXPECT_NEAR(seen.score, expected.score, 1e-9);
  EXPECT_EQ(std::ssize(seen.log_p), expected.tokens);
}

TEST(recorder, an_empty_target_is_one_question) {
  EXPECT_EQ(RecordedModel(small_config()).inspect({{4, 2}, {}}).log_p.size(), 1u);
}

TEST(recorder, long_sentences_find_room) {
  Pair longer;
  longer.source.assign(300, 5);
  longer.target.assign(200, 6);
  EXPECT_EQ(RecordedModel(small_config()).inspect(longer).log_p.size(), 201u);
}

TEST(recorder, refuses_ids_without_an_embedding) {
  const RecordedModel small(small_config());
  EXPECT_THAT(what_of<InternalError>([&] { small.inspect({{13}, {}}); }), testing::HasSubstr("source id 13"));
  EXPECT_THAT(what_of<InternalError>([&] { small.inspect({{4}, {-1}}); }), testing::HasSubstr("target id -1"));
  EXPECT_THROW(small.inspect({{}, {}}), InternalError);
}

TEST(recorder, says_which_names_there_are) {
  EXPECT_THAT(what_of<InternalError>([&] { RecordedModel(small_config()).inspect(kPair).seen.get("generator"); }),
              testing::HasSubstr("generator.logits"));
}

}  // namespace
}  // namespace hexapla::inspect
