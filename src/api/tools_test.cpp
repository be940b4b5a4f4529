// Evaluator, inspector and model of the public face.
#include <gmock/gmock.h>

#include <filesystem>
#include <limits>

#include "api/test_models.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "evaluate/metrics/bleu.h"
#include "hexapla/hexapla.h"

namespace hexapla::api {
namespace {

using test::made_up_lines;
using test::model_file;
using testing::HasSubstr;

TEST(EvaluatorApi, GivesTheScoresOfTheMetrics) {
  const auto hypotheses = made_up_lines(30, 1), references = made_up_lines(30, 2);
  EvaluatorOptions options;
  options.metrics = {"bleu", "chrf", "ter"};
  options.resamples = 20;
  const Evaluator evaluator(options);
  const auto scores = evaluator.score(hypotheses, {references});
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].score, evaluate::corpus_bleu(hypotheses, references, {}).score);
  EXPECT_THAT(scores[0].signature, HasSubstr("bs:20|seed:12345|"));
  EXPECT_GT(scores[1].half_width, 0);
  EXPECT_EQ(evaluator.score_sentences(hypotheses, {references})[2].size(), 30u);
  const auto same = evaluator.compare(hypotheses, hypotheses, {references});
  EXPECT_EQ(same[0].baseline, same[0].system);
  EXPECT_NEAR(evaluator.score(references, {references})[0].score, 100, 1e-9);
}

TEST(EvaluatorApi, RefusesWhatCannotBe) {
  EvaluatorOptions options;
  options.metrics = {"meteor"};
  EXPECT_THROW(Evaluator{options}, UsageError);
  options = {};
  options.resamples = 1;
  EXPECT_THROW(Evaluator{options}, UsageError);
  const Evaluator evaluator;
  EXPECT_THROW(evaluator.score({}, {{}}), UsageError);
  EXPECT_THROW(evaluator.score({"a"}, {}), UsageError);
  EXPECT_THROW(evaluator.score({"a"}, {{"a", "b"}}), UsageError);
}

TEST(InspectorApi, SeesEveryIntermediate) {
  const Inspector inspector(model_file());
  const Inspection seen = inspector.inspect("a dog runs", "two cats");
  const NamedArray& weights = seen.tensors.at("decoder.layers.0.cross_attention.weights");
  const auto rows = static_cast<std::int64_t>(seen.target_tokens.size()),
             columns = static_cast<std::int64_t>(seen.source_tokens.size());
  EXPECT_THAT(weights.shape, testing::ElementsAre(4, rows, columns));
  EXPECT_EQ(weights.values.size(), static_cast<std::size_t>(4 * rows * columns));
  EXPECT_EQ(seen.log_probabilities.size(), seen.predicted.size());
  EXPECT_EQ(seen.predicted.back(), "</s>");
  EXPECT_NEAR(seen.score, Translator(model_file()).score({"a dog runs"}, {"two cats"})[0], 1e-4);
  EXPECT_THAT(Inspector::draw_attention(seen, "encoder.layers.0.self_attention"), HasSubstr("<svg"));
  EXPECT_THROW(Inspector::draw_attention(seen, "encoder.layers.9.self_attention"), UsageError);
  EXPECT_FALSE(inspector.inspect("a dog").target_tokens.empty()) << "translated first";
  EXPECT_THROW(inspector.inspect(""), UsageError);
}

struct ModelApi : TestFolder {};

TEST_F(ModelApi, LoadsChangesAndSaves) {
  Model model = Model::load(model_file());
  EXPECT_THAT(model.configuration(), HasSubstr("\"dim-model\":128"));
  std::int64_t count = 0;
  for (const ParameterView& p : model.parameters()) count += static_cast<std::int64_t>(p.size);
  EXPECT_EQ(count, model.parameter_count());
  model.save(at("same"));
  EXPECT_EQ(read_file(at("same")), read_file(model_file()));
  model.parameters()[0].values[0] += 1;
  model.save(at("other"));
  EXPECT_NE(read_file(at("other")), read_file(model_file()));
  EXPECT_EQ(Model::average({at("same"), model_file()}).parameters()[0].values[0],
            Model::load(model_file()).parameters()[0].values[0]);
  model.save_quantized(at("integers"));
  EXPECT_LT(std::filesystem::file_size(at("integers")), std::filesystem::file_size(at("same")));
  EXPECT_THROW(model.save_quantized(at("x"), {"encoder.layers.9."}), UsageError);
  EXPECT_THROW(model.save("/nowhere/x"), RunError);
  EXPECT_THROW(Model::average({}), UsageError);
  model.parameters()[0].values[0] = std::numeric_limits<float>::quiet_NaN();
  model.save(at("nan"));
  EXPECT_THROW(Model::load(at("nan")), DataError);
}

}  // namespace
}  // namespace hexapla::api
