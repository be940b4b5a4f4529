// Tests of Evaluator, Inspector and Model.
#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <thread>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "evaluate/metrics/bleu.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"

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
  EXPECT_EQ(scores[2].sentences, evaluator.score_sentences(hypotheses, {references})[2]);
  EXPECT_EQ(scores[0].resamples.size(), 20u);
  EXPECT_TRUE(scores[0].higher_is_better);
  EXPECT_FALSE(scores[2].higher_is_better);
  const auto other = evaluator.score(references, {references});
  EXPECT_EQ(Evaluator::p_value(scores[1], other[1]),
            evaluator.compare(hypotheses, references, {references})[1].p_value);
  EXPECT_THROW(Evaluator::p_value(scores[0], MetricScore()), UsageError);
  EXPECT_THROW(Evaluator::p_value(MetricScore(), MetricScore()), UsageError);
  const auto same = evaluator.compare(hypotheses, hypotheses, {references});
  EXPECT_EQ(same[0].baseline, same[0].system);
  EXPECT_NEAR(evaluator.score(references, {references})[0].score, 100, 1e-9);
}

// The mean of the runs; the same runs twice are the same system, and a better set is found to be better.
TEST(EvaluatorApi, ScoresRunsOfOneSystemTogether) {
  const Evaluator evaluator({.metrics = {"chrf"}, .resamples = 300});
  Evaluator::Lines reference, good, other, bad;
  for (int i = 0; i < 60; ++i) {
    reference.push_back("line number " + std::to_string(i * 37) + " has some words");
    good.push_back(i % 4 ? reference.back() : "line number one");
    other.push_back(i % 5 ? reference.back() : "some words");
    bad.push_back(i % 2 ? reference.back() : "no");
  }
  const auto score = [&](const Evaluator::Lines& lines) { return evaluator.score(lines, {reference}).at(0); };
  const MetricScore set = Evaluator::of_runs({score(good), score(other)});
  EXPECT_DOUBLE_EQ(set.score, (score(good).score + score(other).score) / 2);
  EXPECT_DOUBLE_EQ(set.sentences[4], (score(good).sentences[4] + score(other).sentences[4]) / 2);
  EXPECT_LT(Evaluator::p_value(score(bad), set), 0.05);
  EXPECT_GT(Evaluator::p_value(set, Evaluator::of_runs({score(other), score(good)})), 0.05);
  EXPECT_EQ(Evaluator::of_runs({score(good)}).resamples, score(good).resamples);
  EXPECT_THROW(Evaluator::of_runs({}), UsageError);
  EXPECT_THROW(Evaluator::of_runs({score(good), Evaluator().score(good, {reference}).at(0)}), UsageError);
}

TEST(EvaluatorApi, NotesWhatMayBeOtherThanExpected) {
  EvaluatorOptions options;
  options.metrics = {"bleu", "ter"};
  options.tokenize = "auto";
  const Evaluator evaluator(options);
  const Evaluator::Lines chinese(3, "一只狗在草地上跑。"), english(3, "a dog runs over the grass");
  EXPECT_EQ(evaluator.notes({}, {english}).size(), 0u);
  const auto of_chinese = evaluator.notes({}, {chinese});
  ASSERT_EQ(of_chinese.size(), 2u);
  EXPECT_THAT(of_chinese[0], HasSubstr("Chinese"));
  EXPECT_THAT(of_chinese[1], HasSubstr("ter_normalized"));
  EXPECT_EQ(evaluator.notes(chinese, {chinese}), of_chinese);
  EXPECT_THAT(evaluator.notes({"a dog", "two cats", "a dog runs here now"}, {english}),
              testing::ElementsAre(testing::StartsWith("2 of 3 lines have fewer than four words")));
  EXPECT_THAT(evaluator.notes(Evaluator::Lines(100, "a dog runs here ."), {english}),
              testing::ElementsAre(testing::StartsWith("100 lines end in ' .'")));
  options.metrics = {"chrf"};
  EXPECT_THAT(Evaluator(options).notes({"a"}, {chinese}), testing::IsEmpty());
}

TEST(EvaluatorApi, EveryCallStopsWhenItIsTold) {
  std::atomic<bool> stop = false;
  EvaluatorOptions options;
  options.metrics = {"bleu", "chrf++", "ter"};
  options.resamples = 1'000'000;
  options.stop = &stop;
  const Evaluator evaluator(options);
  const std::vector<std::string> lines = made_up_lines(200, 1);
  std::thread later([&] { stop = true; });
  EXPECT_THROW(evaluator.score(lines, {lines}), Canceled);
  later.join();
  EXPECT_THROW(evaluator.score_sentences(lines, {lines}), Canceled);
  EXPECT_THROW(evaluator.compare(lines, lines, {lines}), Canceled);
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
  const auto rows = std::ssize(seen.target_tokens), columns = std::ssize(seen.source_tokens);
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

TEST(InspectorApi, KeepsTheValuesOfWhatIsAskedForAndTheShapesOfTheRest) {
  const Inspector inspector(model_file());
  InspectionOptions options;
  options.tensors = {"encoder.*.weights", "loss"};
  const Inspection all = inspector.inspect("a dog runs", "two cats"),
                   some = inspector.inspect("a dog runs", "two cats", options);
  ASSERT_EQ(some.tensors.size(), all.tensors.size());
  for (const auto& [name, array] : some.tensors) {
    EXPECT_EQ(array.shape, all.tensors.at(name).shape) << name;
    const bool asked = name == "encoder.layers.0.self_attention.weights" || name == "loss";
    EXPECT_EQ(array.values, asked ? all.tensors.at(name).values : std::vector<double>{}) << name;
    EXPECT_NE(inspector.formula(name), "") << name;
  }
  EXPECT_EQ(inspector.formula("nothing"), "");
}

TEST(InspectorApi, ReadsATranslationByItsTokens) {
  const Inspector inspector(model_file());
  Inspection other = inspector.inspect("a dog runs", "t w o");  // not as the text "two" is split
  other.target_tokens.erase(other.target_tokens.begin());
  InspectionOptions options;
  options.target_tokens = other.target_tokens;
  options.top_tokens = 2;
  const Inspection seen = inspector.inspect("a dog runs", "", options);
  EXPECT_EQ(seen.log_probabilities, other.log_probabilities);
  ASSERT_EQ(seen.top.size(), seen.predicted.size());
  EXPECT_EQ(seen.top[0].size(), 2u);
  EXPECT_GE(seen.top[0][0].log_probability, seen.top[0][1].log_probability);
  EXPECT_THROW(inspector.inspect("a dog runs", "two", options), UsageError) << "a text, too";
  options.target_tokens = {"no such token"};
  EXPECT_THROW(inspector.inspect("a dog runs", "", options), UsageError);
  options.target_tokens.reset();
  for (const int wrong : {-1, 101}) {
    options.top_tokens = wrong;
    EXPECT_THROW(inspector.inspect("a", "a", options), UsageError) << wrong;
  }
}

TEST(InspectorApi, DrawsNoInspectionThatLacksWhatThePictureNeeds) {
  const Inspector inspector(model_file());
  const std::string layer = "encoder.layers.0.self_attention";
  const Inspection whole = inspector.inspect("a dog runs", "two cats");
  const auto refused = [&](const Inspection& seen) {
    try {
      Inspector::draw_attention(seen, layer);
    } catch (const UsageError& e) {
      return std::string(e.what());
    }
    return std::string("drawn");
  };
  for (const char* only : {".weights", ".scores", ".nothing"}) {
    InspectionOptions options;
    options.tensors = {layer + only};
    EXPECT_THAT(refused(inspector.inspect("a dog runs", "two cats", options)), HasSubstr("InspectionOptions::tensors"));
  }
  const std::vector<std::function<void(Inspection&)>> changes{
      [&](Inspection& i) { i.tensors.erase(layer + ".scores"); },
      [&](Inspection& i) {
        i.tensors[layer + ".scores"].shape = {1, 1, 1};
      },
      [&](Inspection& i) { i.tensors[layer + ".weights"].shape[0] = -1; },
      [&](Inspection& i) { i.tensors[layer + ".weights"].shape[0] = 0; },
      [&](Inspection& i) { i.tensors[layer + ".weights"].values.pop_back(); },
      [&](Inspection& i) { i.source_tokens.pop_back(); }};
  for (const auto& change : changes) {
    Inspection changed = whole;
    change(changed);
    EXPECT_NE(refused(changed), "drawn") << &change - changes.data();
  }
}

TEST(InspectorApi, RefusesASideOfMoreTokensThanItMayHave) {
  const Inspector inspector(model_file());
  InspectionOptions options;
  options.longest = static_cast<int>(inspector.inspect("a dog runs", "a").source_tokens.size());
  EXPECT_NO_THROW(inspector.inspect("a dog runs", "a", options));
  --options.longest;
  EXPECT_THROW(inspector.inspect("a dog runs", "a", options), UsageError);
  for (const int wrong : {0, 513}) {
    options.longest = wrong;
    EXPECT_THROW(inspector.inspect("a", "a", options), UsageError) << wrong;
  }
}

TEST(InspectorApi, RefusesMoreNumbersThanAreAllowed) {
  const Inspector inspector(model_file());
  InspectionOptions options;
  options.tensors = {"decoder.layers.0.cross_attention.weights"};
  options.most_values = inspector.inspect("a dog", "a").tensors.at(options.tensors[0]).values.size();
  EXPECT_NO_THROW(inspector.inspect("a dog", "a", options));
  --options.most_values;
  EXPECT_THROW(inspector.inspect("a dog", "a", options), UsageError);
  options.tensors = {};
  EXPECT_NO_THROW(inspector.inspect("a dog", "a", options)) << "shapes alone";
}

TEST(InspectorApi, TracesTheSearchOfATranslator) {
  const Inspector inspector(model_file());
  TranslatorOptions options;
  options.beam_size = options.n_best = 3;
  options.extra_length = 5;
  for (const std::string& line : made_up_lines(5, 3)) {
    const SearchTrace trace = inspector.trace(line, options);
    const auto found = Translator(model_file()).translate_n_best({line}, options)[0];
    ASSERT_EQ(trace.finished.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(trace.finished[i].text, found[i].text);
      EXPECT_EQ(trace.finished[i].tokens, found[i].tokens);
      EXPECT_NEAR(trace.finished[i].normalized, found[i].normalized, 1e-4);
    }
    EXPECT_EQ(trace.source_tokens.back(), "</s>");
    EXPECT_THAT((std::vector<std::string>{"enough", "passed", "longest"}), testing::Contains(trace.ending));
  }
}

TEST(InspectorApi, EachStepOfATraceGoesOnWithWhatTheLastOneKept) {
  TranslatorOptions options;
  options.beam_size = 3;
  options.extra_length = 5;
  const SearchTrace trace = Inspector(model_file()).trace("a dog runs", options);
  ASSERT_GT(trace.steps.size(), 2u);
  for (std::size_t i = 0; i + 1 < trace.steps.size(); ++i) {
    std::vector<std::vector<std::string>> kept;
    std::vector<double> scores;
    for (const SearchCandidate& c : trace.steps[i].candidates) {
      const SearchHypothesis& from = trace.steps[i].beams.at(c.beam);
      EXPECT_NEAR(c.score, from.score + c.log_probability, 1e-9);
      if (c.fate != "goes on") continue;
      kept.push_back(from.tokens);
      kept.back().push_back(c.token);
      scores.push_back(c.score);
    }
    ASSERT_EQ(trace.steps[i + 1].beams.size(), kept.size());
    for (std::size_t k = 0; k < kept.size(); ++k) {
      EXPECT_EQ(trace.steps[i + 1].beams[k].tokens, kept[k]);
      EXPECT_EQ(trace.steps[i + 1].beams[k].score, scores[k]);
    }
  }
}

TEST(InspectorApi, TracesPlainBeamSearchAlone) {
  const Inspector inspector(model_file());
  EXPECT_THROW(inspector.trace(""), UsageError);
  TranslatorOptions options;
  options.coverage_penalty = 0.2;
  EXPECT_THROW(inspector.trace("a dog", options), UsageError);
  const Translator translator(model_file());
  for (TranslatorOptions other :
       {TranslatorOptions{.n_best = 2, .distinct = true}, TranslatorOptions{.require = {"a"}},
        TranslatorOptions{.forbid = {"a"}}, TranslatorOptions{.glossary = Glossary({{"a", "b"}})}}) {
    EXPECT_THROW(inspector.trace("a dog", other), UsageError);
    EXPECT_THROW(translator.trace("a dog", other), UsageError);
  }
  options = {};
  options.sample = true;
  EXPECT_THROW(inspector.trace("a dog", options), UsageError);
  options = {};
  options.max_length = 2;
  EXPECT_THROW(inspector.trace("a dog runs fast", options), UsageError);
  const std::atomic<bool> stop = true;
  options = {};
  options.stop = &stop;
  EXPECT_THROW(inspector.trace("a dog", options), Canceled);
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
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e11F}) {
    model.parameters()[0].values[0] = bad;
    EXPECT_THROW(model.save(at("same")), RunError) << bad;
    EXPECT_THROW(model.save_quantized(at("same")), RunError) << bad;
    EXPECT_EQ(read_file(at("same")), read_file(model_file())) << "a good file does not give way to " << bad;
  }
}

}  // namespace
}  // namespace hexapla::api
