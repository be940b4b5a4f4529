#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/compute/parallel.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "lab/bench/copying.h"
#include "lab/bench/layer_time.h"
#include "lab/bench/sampled_input.h"
#include "lab/bench/text_bench.h"
#include "lab/bench/training.h"
#include "lab/experiments/table3_rows.h"
#include "lab/spread.h"
#include "train/plan/resolve/recipes.h"

namespace hexapla::lab {

void PrintTo(const Experiment& e, std::ostream* out) { *out << e.name; }

namespace {

using nlohmann::json;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Counts measurements; stops before measurement `last`.
class Counter : public Watcher {
 public:
  explicit Counter(int64_t last = 1 << 20) : last_(last) {}
  void begins(int64_t done, int64_t all, const std::string&) override {
    EXPECT_EQ(done, begun++);
    EXPECT_LT(done, all);
    all_ = all;
    if (done == last_) throw Canceled("stopped");
  }
  const std::atomic<bool>& stop() const override { return stop_; }
  int64_t all() const { return all_; }

  int64_t begun = 0;

 private:
  int64_t last_, all_ = 0;
  std::atomic<bool> stop_ = false;
};

class Lab : public TestFolder {};
class LabReport : public TestFolder {};
class BenchTest : public TestFolder {};

TEST(Spread, IsTheMeanWithTheEnds) {
  const Spread s = spread_of({3, 1, 2});
  EXPECT_EQ(show(s, 1), "2.0 (1.0 to 3.0)");
  EXPECT_EQ(show(spread_of({2}), 2), "2.00");
}

TEST(Comparison, IsAcrossSeeds) {
  EXPECT_EQ(verdict({1, 2}, {3, 4}, "it"), "every seed is better with it");
  EXPECT_EQ(verdict({3, 4}, {1, 2}, "it"), "every seed is better without it, against the claim");
  EXPECT_EQ(verdict({1, 3}, {2, 4}, "it"), "not told apart");
  EXPECT_EQ(verdict({1, 3}, {3, 4}, "it"), "not told apart") << "a seed of one is as low as one of the other";
  EXPECT_EQ(verdict({1}, {2}, "it"), "one seed, no verdict");
  EXPECT_EQ(verdict({1}, {2, 3, 4}, "it"), "one seed, no verdict");
  EXPECT_EQ(verdict(negative({1, 2}), negative({3, 4}), "it"), "every seed is better without it, against the claim");
  EXPECT_EQ(verdict(with_failed({1, 2}, 1), {3, 4, 5}, "it"), "not told apart") << "one of its seeds diverged";
  EXPECT_EQ(verdict(with_failed({}, 2), {3, 4}, "it"), "every seed is better without it, against the claim");
}

// Enumerates all orders of a + b seeds, equally likely if nothing differs, and counts those that
// are told apart.
TEST(Comparison, SaysHowOftenItIsWrong) {
  for (size_t a = 1; a <= 5; ++a)
    for (size_t b = 1; b <= 5; ++b) {
      std::vector<int> of_first(a, 1);
      of_first.resize(a + b, 0);
      double orders = 0, apart = 0;
      std::sort(of_first.begin(), of_first.end());
      do {
        std::vector<double> first, second;
        for (size_t rank = 0; rank < a + b; ++rank) (of_first[rank] ? first : second).push_back(double(rank));
        const Spread x = spread_of(first), y = spread_of(second);
        ++orders;
        apart += x.most < y.least || y.most < x.least;
        if (std::min(a, b) > 1) {
          const Verdict found = judge(first, second);
          EXPECT_EQ(found == Verdict::first || found == Verdict::second, x.most < y.least || y.most < x.least);
        }
      } while (std::next_permutation(of_first.begin(), of_first.end()));
      EXPECT_NEAR(false_positives(a, b), apart / orders, 1e-12) << a << " and " << b;
    }
  EXPECT_NEAR(false_positives(2, 2), 1. / 3, 1e-12);
  EXPECT_NEAR(false_positives(3, 3), 1. / 10, 1e-12);
  EXPECT_NEAR(false_positives(4, 4), 1. / 35, 1e-12);
  EXPECT_THAT(rule_of_comparison(3), HasSubstr("in one of 10 comparisons of 3 seeds with 3"));
  EXPECT_THAT(rule_of_comparison(1), HasSubstr("nothing here is called better"));
}

TEST_F(LabReport, IsAPageWithPicturesAndFigures) {
  Report r;
  r.findings = {"It is so."};
  r.tables = {{"A table", {"n", "loss"}, {{"1", "0.5"}}}};
  r.charts = {{.title = "A < B", .x_label = "n", .series = {{.name = "loss", .points = {{1, 2}, {2, 1}}}}}};
  r.figures["loss"] = {0.5};
  const auto files = write_report(folder(), {"demo", "Is it so?", "", "hexapla lab demo", 1, 2}, r);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_THAT(read_file(files[0]), StartsWith("# demo: Is it so?\n"));
  EXPECT_THAT(read_file(files[0]), HasSubstr("- It is so.\n"));
  EXPECT_THAT(read_file(files[0]), HasSubstr("| n | loss |\n|:-|-:|\n| 1 | 0.5 |\n"));
  EXPECT_THAT(read_file(files[0]), HasSubstr("](demo-1.svg)"));
  EXPECT_THAT(read_file(files[1]), StartsWith("<svg "));
  EXPECT_THAT(read_file(files[1]), HasSubstr("A &lt; B"));
  EXPECT_THAT(read_file(files[1]), HasSubstr("<style>"));
  EXPECT_EQ(json::parse(read_file(files[2])).at("figures").at("loss").at(0), 0.5);
}

TEST_F(LabReport, RefusesATableWithAHole) {
  Report r;
  r.tables = {{"A table", {"n", "loss"}, {{"1"}}}};
  EXPECT_THROW(as_markdown({"x", "?", "", "", 1, 1}, r), InternalError);
}

TEST_F(Lab, NamesTheNearestExperiment) {
  EXPECT_THAT([] { experiment("scal"); }, testing::ThrowsMessage<UsageError>(HasSubstr("did you mean 'scale'?")));
}

TEST_F(Lab, ScoresOfUntrainedLayersGrowAsFootnote4Says) {
  Counter counter;
  const Report r = run(experiment("scale"), {folder(), 1, 1, 10}, counter);
  for (const auto& one : r.figures.at("untrained")) {
    const double d_k = one.at("d_k"), deviation = one.at("deviation").at(0);
    if (one.at("score") == "dot") {
      EXPECT_NEAR(deviation / std::sqrt(d_k), 1, 0.15) << d_k;
    }
    if (one.at("score") == "scaled-dot") {
      EXPECT_NEAR(deviation, 1, 0.15) << d_k;
    }
  }
  EXPECT_EQ(counter.begun, counter.all());
  EXPECT_THAT(r.findings, Each(Not(HasSubstr("nan"))));
}

class EachExperiment : public TestFolder, public testing::WithParamInterface<Experiment> {};

// A stopped run resumes without repeating finished measurements.
TEST_P(EachExperiment, GoesOnWhereItWasStopped) {
  const int64_t seeds = GetParam().name == std::string("ffn") ? 2 : 1;  // one measurement per seed
  Counter early(1);
  EXPECT_THROW(run(GetParam(), {folder(), seeds, 1, 10}, early), Canceled);
  int64_t marked = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder()))
    if (entry.path().filename() == "result.json") {
      json j = json::parse(read_file(entry.path()));
      j["found"]["loss"] = 12345.5;
      write_file_atomically(entry.path(), j.dump());
      ++marked;
    }
  EXPECT_EQ(marked, 1);
  Counter whole;
  const Report r = run(GetParam(), {folder(), seeds, 1, 10}, whole);
  int64_t found = 0;
  for (const auto& one : r.figures.at("trained")) found += one.at("loss") == 12345.5;
  EXPECT_EQ(found, marked);
  EXPECT_FALSE(r.findings.empty());
  if (seeds == 1) {
    EXPECT_THAT(r.findings, Each(Not(testing::ContainsRegex("better|worse|not told apart|lowest with"))))
        << "of one seed";
  }
  for (const inspect::Chart& c : r.charts)
    for (const inspect::Series& s : c.series)
      EXPECT_TRUE(s.bars.empty() || s.bars.size() == s.points.size()) << c.title;
  EXPECT_NO_THROW(as_markdown({GetParam().name, "?", "", "", 1, 1}, r));
}

INSTANTIATE_TEST_SUITE_P(All, EachExperiment, testing::ValuesIn(experiments().begin(), experiments().end()),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

// With the paper's base model, the rows are the paper's.
TEST(Table3, HasThePapersRows) {
  train::TrainOptions base = train::preset_options("base");
  std::vector<std::string> changes;
  std::map<std::string, double> work;
  for (const Table3Row& row : table3_rows(base)) {
    changes.push_back(row.change);
    train::TrainOptions o = base;
    row.make(o);
    work[row.change] = work_per_token(o) / work_per_token(base);
  }
  EXPECT_THAT(changes, testing::ElementsAre("base", "h = 1", "h = 4", "h = 16", "h = 32", "d_k = 16", "d_k = 32",
                                            "N = 2", "N = 4", "N = 8", "d_model = 256", "d_model = 1024", "d_ff = 1024",
                                            "d_ff = 4096", "P_drop = 0", "P_drop = 0.2", "eps_ls = 0", "eps_ls = 0.2",
                                            "learned positions", "big"));
  EXPECT_EQ(base.lr, 0) << "the paper's formula, which has d_model in it";
  EXPECT_EQ(work.at("h = 32"), 1) << "as many multiply-adds with any number of heads";
  EXPECT_LT(work.at("d_k = 16"), 1);
  EXPECT_GT(work.at("big"), 3);
}

// Compares with the paper by the paper's measure, and states what chance alone would give.
TEST_F(Lab, Table3ComparesAMeasureWithItself) {
  Counter counter;
  const Report r = run(experiment("table3"), {folder(), 2, 1, 10}, counter);
  EXPECT_THAT(r.findings, Each(testing::AnyOf(StartsWith("By perplexity, "), StartsWith("If no row differed"))));
  EXPECT_THAT(r.findings.back(), HasSubstr("6.0 of these 18 would be told apart from it by chance"));
  EXPECT_EQ(r.charts.at(0).series.at(0).bars.size(), r.tables.at(0).rows.size());
}

// Effects in an untrained network are not evidence of learning.
TEST_F(Lab, FfnHasAnUntrainedNetworkBesideIt) {
  Counter counter;
  const Report r = run(experiment("ffn"), {folder(), 2, 1, 10}, counter);
  EXPECT_EQ(r.tables.at(0).columns, (std::vector<std::string>{"%", "trained", "untrained"}));
  EXPECT_EQ(r.figures.at("untrained").size(), 2u);
  EXPECT_NE(r.figures.at("untrained").at(0).at("agree"), r.figures.at("untrained").at(1).at("agree")) << "other seeds";
  EXPECT_THAT(r.findings, Each(Not(HasSubstr("belong together"))));
  EXPECT_THAT(r.findings.back(), HasSubstr("before training"));
}

TEST(Table3, WiderModelsLearnAtTheRateOfThePapersFormula) {
  const train::TrainOptions base = train::preset_options("tiny");
  std::map<std::string, double> rates;
  for (const Table3Row& row : table3_rows(base)) {
    train::TrainOptions o = base;
    row.make(o);
    rates[row.change] = o.lr;
  }
  EXPECT_DOUBLE_EQ(rates.at("d_model = 64"), base.lr * std::sqrt(2));
  EXPECT_DOUBLE_EQ(rates.at("d_model = 256"), base.lr / std::sqrt(2));
  EXPECT_DOUBLE_EQ(rates.at("big"), base.lr / std::sqrt(2));
  for (const char* row : {"base", "d_ff = 512", "h = 8", "learned positions"}) EXPECT_EQ(rates.at(row), base.lr) << row;
}

class OnText : public TestFolder {
 protected:
  Report run_on_text(const char* name, int64_t seeds) {
    std::string source, target;
    for (int i = 0; i < 60; ++i) {  // an update takes them all
      source += fmt::format("number {} and {}\n", i % 17, i % 23);
      target += fmt::format("{} und {} sind Zahlen\n", i % 17, i % 23);
    }
    write_file_atomically(at("x"), source);
    write_file_atomically(at("y"), target);
    write_file_atomically(at("v"), "number 3 and 5\nnumber 9 and 1\n");
    write_file_atomically(at("w"), "3 und 5 sind Zahlen\n9 und 1 sind Zahlen\n");
    Settings s{.folder = at("runs"),
               .seeds = seeds,
               .updates = 1,
               .train_sets = {at("x"), at("y")},
               .valid_sets = {at("v"), at("w")}};
    Counter counter;
    const Report r = run(experiment(name), s, counter);
    EXPECT_EQ(counter.begun, counter.all());
    EXPECT_EQ(r.figures.at("trained").size(), static_cast<size_t>(seeds) * r.tables.at(0).rows.size());
    return r;
  }
};

TEST_F(OnText, Table3OfOneSeedHasNumbersAndNoVerdict) {
  const Report r = run_on_text("table3", 1);
  EXPECT_EQ(r.tables.at(0).columns.at(3), "BLEU");
  EXPECT_THAT(r.tables.at(0).rows.at(0).at(3), HasSubstr(" ± "));
  EXPECT_THAT(r.findings, testing::ElementsAre(HasSubstr("After 1 update the base has a BLEU of"),
                                               HasSubstr("By perplexity, one seed says nothing"),
                                               HasSubstr("By BLEU, one seed says nothing")));
}

TEST_F(OnText, SoftmaxComparesTheSeeds) {
  const Report r = run_on_text("softmax", 2);
  EXPECT_EQ(r.tables.at(0).columns.at(2), "BLEU");
  ASSERT_EQ(r.findings.size(), r.tables.at(0).rows.size());
  EXPECT_THAT(r.findings.at(0), HasSubstr("hardly translates yet"));
  for (size_t i = 1; i < r.findings.size(); ++i)
    EXPECT_THAT(r.findings.at(i), testing::ContainsRegex("BLEU .*, (not told apart|every seed is better .*); loss .*, "
                                                         "(not told apart|every seed is better .*)"));
}

TEST_F(OnText, IsForExperimentsThatTakeIt) {
  Counter counter;
  const auto refused = [&](const char* name, const Settings& s, const char* why) {
    EXPECT_THAT([&] { run(experiment(name), s, counter); }, testing::ThrowsMessage<UsageError>(HasSubstr(why)));
  };
  refused("scale", {.folder = folder(), .train_sets = {"x", "y"}, .valid_sets = {"x", "y"}}, "makes its own text");
  refused("scale", {.folder = folder(), .minutes = 3}, "a fixed number of updates");
  refused("softmax", {.folder = folder(), .minutes = 3}, "on made-up dates");
  refused("table3", {.folder = folder(), .updates = 3, .minutes = 3}, "give one of them");
  refused("table3", {.folder = folder(), .train_sets = {"x", "y"}}, "needs other text to measure on");
  refused("table3", {.folder = folder(), .valid_sets = {"x", "y"}}, "is for text of your own");
}

TEST_F(BenchTest, SaysWhichResultCannotBeRead) {
  Counter counter;
  const Bench bench({folder(), 1, 1}, counter, dates(50));
  std::filesystem::create_directories(at("a"));
  write_file_atomically(at("a/result.json"), "{");
  EXPECT_THAT([&] { bench.train({.name = "a", .architecture = Bench::small(), .updates = 1}); },
              testing::ThrowsMessage<DataError>(HasSubstr("a/result.json: it cannot be read")));
}

// At distance 1; beyond the reach of two convolutions of width 3, accuracy stays at chance.
TEST_F(BenchTest, CopiesWhatTheEncoderReaches) {
  Counter counter;
  const auto right = [&](const std::string& mixing, int64_t distance) {
    Copying task{.architecture = Bench::small(), .distance = distance, .updates = 120};
    task.architecture.source_vocab = task.architecture.target_vocab = Copying::kSymbols;
    task.architecture.encoder_mixing = task.architecture.encoder_mixing.parse("encoder-mixing", mixing);
    task.architecture.resolve();
    return copy_at_distance(task, at(cat(mixing, "-", distance)), counter).accuracy;
  };
  EXPECT_GT(right("convolution", 1), 0.9);
  EXPECT_GT(right("gru", 1), 0.9);
  EXPECT_LT(right("convolution", 4), 0.15) << "1 of 16 by chance";
}

// Reading its own tokens changes a training but is reproducible; a wrong digit costs accuracy on
// later tokens.
TEST_F(BenchTest, ReadsItsOwnTokens) {
  Counter counter;
  const Bench bench({folder(), 1, 1}, counter, dates(50));
  const auto trained = [&](const char* name, double own) {
    return train_with_own_tokens({.name = name, .own = own, .updates = 80}, bench, folder(), counter);
  };
  const Forced right = trained("right", 0), own = trained("own", 0.5);
  EXPECT_NE(right.loss, own.loss);
  EXPECT_EQ(trained("again", 0.5).loss, own.loss);
  EXPECT_GT(right.after_right, 0.3);
  EXPECT_LT(right.after_wrong, right.after_right);
}

TEST(LayerTime, IsRelativeToSelfAttention) {
  const LayerTime t = time_layers(8, 4, 2, 3);
  EXPECT_EQ(t.ratios[0], 1);
  for (size_t i = 0; i < kTimed.size(); ++i) {
    EXPECT_GT(t.seconds[i], 0) << kTimed[i];
    EXPECT_GT(t.ratios[i], 0) << kTimed[i];
  }
}

TEST_F(BenchTest, TrainsOnAsManyThreadsAsTheExperimentHas) {
  const int before = threads();
  use_threads(1);
  Counter counter;
  Bench({folder(), 1, 1}, counter, dates(10)).train({.name = "a", .architecture = Bench::small(), .updates = 1});
  EXPECT_EQ(threads(), 1);
  use_threads(before);
}

TEST_F(BenchTest, LearnsDates) {
  Counter counter;
  const Bench bench({folder(), 1, 1}, counter, dates(50));
  const Training t{.name = "a", .architecture = Bench::small(), .updates = 60};
  EXPECT_LT(bench.train(t).loss, 2.2) << "of about 2.9 before";
}

}  // namespace
}  // namespace hexapla::lab
