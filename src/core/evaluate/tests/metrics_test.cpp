// Compares every configuration of every metric, per sentence, and paired bootstrap resampling with
// sacreBLEU's results (scripts/fixtures/make_metrics_fixture.py): the committed fixture, and newly
// made longer ones if HEXAPLA_SACREBLEU names a Python that has the package.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/options/environment.h"
#include "base/test_paths.h"
#include "evaluate/metrics/bootstrap.h"
#include "evaluate/metrics/make_metric.h"
#include "evaluate/metrics/metric.h"

namespace hexapla::evaluate {
namespace {

using nlohmann::json;

json read_json(const std::string& path) {
  std::ifstream in(path);
  return json::parse(in);
}

std::unique_ptr<Metric> metric_of(const json& c) {
  MetricOptions o;
  const bool lowercase = c.value("lowercase", false);
  o.tokenize = c.value("tokenize", o.tokenize);
  o.lowercase = o.chrf_lowercase = lowercase;
  o.ter_case_sensitive = c.value("case_sensitive", false);
  o.ter_normalized = c.value("normalized", false);
  o.ter_no_punct = c.value("no_punct", false);
  o.ter_asian_support = c.value("asian_support", false);
  return make_metric(c["metric"].get<std::string>(), o);
}

void expect_result(const Metric& metric, const json& corpus, const json& expected) {
  const auto hypotheses = corpus["hypotheses"].get<Sentences>();
  const auto references = corpus["references"].get<std::vector<Sentences>>();
  EXPECT_EQ(expected["name"], metric.name());
  EXPECT_EQ(expected["settings"], metric.settings());
  const std::vector<MetricStatistics> statistics = sentence_statistics(metric, hypotheses, references);
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    ASSERT_EQ(statistics[i], expected["statistics"][i].get<MetricStatistics>()) << "'" << hypotheses[i] << "'";
    ASSERT_NEAR(metric.sentence_score(statistics[i]), expected["sentence_scores"][i].get<double>(), 1e-9)
        << "'" << hypotheses[i] << "'";
  }
  EXPECT_NEAR(metric.score(sum(statistics)), expected["score"].get<double>(), 1e-9);
}

// Returns the number of sentences compared, in all configurations.
size_t expect_all(const json& fixture) {
  size_t compared = 0;
  for (const json& corpus : fixture["corpora"]) {
    for (size_t i = 0; i < fixture["configurations"].size(); ++i) {
      SCOPED_TRACE(cat(corpus["name"], " ", fixture["configurations"][i].dump()));
      expect_result(*metric_of(fixture["configurations"][i]), corpus, corpus["results"][i]);
      compared += corpus["hypotheses"].size();
    }
  }
  return compared;
}

// sacreBLEU resamples in f32, so means and widths agree to six digits, and a p-value may differ by
// one resample at the boundary.
void expect_paired(const json& comparison) {
  const auto references = comparison["references"].get<std::vector<Sentences>>();
  for (const auto& [name, expected] : comparison["results"].items()) {
    const auto metric = make_metric(name, {});
    double baseline_score = 0;
    std::vector<double> baseline;
    for (size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(cat(comparison["name"], " ", name, " system ", i));
      const auto statistics = sentence_statistics(*metric, comparison["systems"][i].get<Sentences>(), references);
      const std::vector<double> scores = resampled_scores(*metric, statistics, {});
      const double score = metric->score(sum(statistics));
      if (i == 0) baseline = scores, baseline_score = score;
      const ConfidenceInterval interval = confidence_interval(scores);
      EXPECT_NEAR(score, expected[i]["score"].get<double>(), 1e-9);
      EXPECT_NEAR(interval.mean, expected[i]["mean"].get<double>(), 1e-4);
      EXPECT_NEAR(interval.half_width, expected[i]["ci"].get<double>(), 1e-4);
      if (i > 0) {
        EXPECT_NEAR(paired_p_value(baseline, scores, score - baseline_score), expected[i]["p_value"].get<double>(),
                    .0011);
      }
    }
  }
}

class SacreBleuItself : public TestFolder {
 protected:
  void SetUp() override {
    TestFolder::SetUp();
    const char* python = environment("HEXAPLA_SACREBLEU");
    if (!python) GTEST_SKIP() << "HEXAPLA_SACREBLEU names no Python that has sacreBLEU";
    python_ = python;
  }
  json made(const std::string& arguments) const {
    const std::string command = cat(python_, " ", source_path("scripts/fixtures/make_metrics_fixture.py"), " ",
                                    at("fixture.json"), " ", arguments);
    if (std::system(command.c_str()) != 0) throw std::runtime_error("this failed: " + command);
    return read_json(at("fixture.json"));
  }

 private:
  std::string python_;
};

const json& committed() {
  static const json data = read_json(source_path("tests/fixtures/metrics.json"));
  return data;
}

TEST(SacreBleuMetrics, EverySentenceInEveryConfiguration) { EXPECT_GE(expect_all(committed()), 1000u); }

TEST(SacreBleuMetrics, PairedBootstrap) {
  ASSERT_FALSE(committed()["paired"].empty());
  for (const json& comparison : committed()["paired"]) expect_paired(comparison);
}

TEST_F(SacreBleuItself, TenThousandRandomPairs) {
  const size_t pairs = environment("HEXAPLA_LONG_TESTS") ? 10000 : 500;
  const json fixture = made(cat("--pairs ", pairs, " --seed 2"));
  EXPECT_GE(expect_all(fixture), pairs * fixture["configurations"].size());
}

TEST_F(SacreBleuItself, RealText) {
  const char* multi30k = environment("HEXAPLA_MULTI30K");
  if (!multi30k) GTEST_SKIP() << "HEXAPLA_MULTI30K names no folder with the corpus";
  const json fixture = made(cat("--text ", multi30k, "/test_2016_flickr.de.gz"));
  EXPECT_GE(expect_all(fixture), 2000 * fixture["configurations"].size());
  for (const json& comparison : fixture["paired"]) expect_paired(comparison);
}

TEST(NumpyGenerator, DrawsWhatNumpyDraws) {
  NumpyGenerator words(12345);  // default_rng(12345).bit_generator.random_raw(3)
  for (const uint64_t expected : {4193609425186963869u, 5843160025838961886u, 14708796524633321433u})
    EXPECT_EQ(words.next(), expected);
  NumpyGenerator small(12345);  // default_rng(12345).choice(1000, 8)
  for (const uint32_t expected : {699u, 227u, 788u, 316u, 204u, 797u, 642u, 676u})
    EXPECT_EQ(small.below(1000), expected);
  NumpyGenerator large(99999999999);  // uses the seed's high half; redraws numbers to avoid bias
  uint64_t sum = 0;
  for (int i = 0; i < 1000; ++i) sum += large.below(3000000000);
  EXPECT_EQ(sum, 1477156241031u);
}

TEST(Bootstrap, AConstantHasNoWidth) {
  const ConfidenceInterval interval = confidence_interval({3, 3, 3});
  EXPECT_EQ(interval.mean, 3);
  EXPECT_EQ(interval.half_width, 0);
}

TEST(Bootstrap, WholeFortiethsAreCutOffOnBothSides) {
  std::vector<double> scores;
  for (int i = 0; i < 79; ++i) scores.push_back(i);
  EXPECT_EQ(confidence_interval(scores).half_width, .5 * (77 - 1));
}

TEST(Bootstrap, PValueByHand) {
  const std::vector<double> scores = {1, 2, 3};
  EXPECT_EQ(paired_p_value(scores, scores, 0), .25);  // (0 + 1) / (3 + 1), as in sacreBLEU
  const std::vector<double> better = {11, 12, 13};
  EXPECT_EQ(paired_p_value(scores, better, 10), .25);
  EXPECT_EQ(paired_p_value(scores, std::vector<double>{2, 2, 6}, -.5), .5);  // differences 1, 0, 3; less mean: 5/3 > .5
}

}  // namespace
}  // namespace hexapla::evaluate
