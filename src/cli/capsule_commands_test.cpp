// replay and reproduce as users meet them.
#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "base/file.h"
#include "base/random.h"
#include "base/test_folder.h"
#include "cli/run.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
  int code;
  std::string out, err;
};

class RunsAgain : public TestFolder {
 protected:
  RunsAgain() { write_corpus(60); }
  void write_corpus(int pairs) const {
    const std::vector<std::string> words{"red", "green", "small", "large", "house", "tree", "dog", "cat"};
    std::ofstream source(at("a")), target(at("b"));
    Random random(7);
    for (int i = 0; i < pairs; ++i) {
      std::string a, b;
      for (uint32_t n = 1 + random.below(5); n > 0; --n) {
        const std::string& word = words[random.below(8)];
        a += (a.empty() ? "" : " ") + word;
        b = word + (b.empty() ? "" : " ") + b;
      }
      source << a << "\n";
      target << b << "\n";
    }
  }
  static Outcome hexapla(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "hexapla");
    std::vector<const char*> argv;
    for (const auto& a : arguments) argv.push_back(a.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run(static_cast<int>(argv.size()), argv.data());
    std::fflush(stdout);
    std::string out = testing::internal::GetCapturedStdout();
    return {code, out, testing::internal::GetCapturedStderr()};
  }
  // A training of a second; more: options with their values, in place of those here or beside them.
  Outcome train(const std::string& name, const std::map<std::string, std::string>& more = {}) const {
    std::map<std::string, std::string> options{
        {"--model", at(name)},   {"--vocab-size", "60"}, {"--layers", "1"},        {"--dim-model", "32"},
        {"--dim-ff", "64"},      {"--heads", "2"},       {"--batch-tokens", "64"}, {"--max-updates", "20"},
        {"--lr", "3e-3"},        {"--warmup", "20"},     {"--valid-every", "10"},  {"--report-every", "5"},
        {"--average-last", "0"}, {"--threads", "1"},     {"--precision", "f32"}};
    for (const auto& [option, value] : more) options[option] = value;
    std::vector<std::string> all{"train", "--train-sets", at("a"), at("b"), "--valid-sets", at("a"), at("b")};
    for (const auto& [option, value] : options) all.insert(all.end(), {option, value});
    return hexapla(all);
  }
};

TEST_F(RunsAgain, ASmallRunAgreesByteForByte) {
  ASSERT_EQ(train("run").code, 0);
  const Outcome r = hexapla({"reproduce", at("run"), "--threads", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("are the same, byte by byte"), HasSubstr(at("run/reproduced/model.safetensors"))));
  EXPECT_EQ(read_file(at("run/model.safetensors")), read_file(at("run/reproduced/model.safetensors")));
}

TEST_F(RunsAgain, FilesThatHaveMovedAreNamed) {
  ASSERT_EQ(train("run").code, 0);
  std::filesystem::rename(at("a"), at("moved"));
  const Outcome lost = hexapla({"reproduce", at("run")});
  EXPECT_EQ(lost.code, 3);
  EXPECT_THAT(lost.err, AllOf(HasSubstr(at("a")), HasSubstr("if the files have moved, name them with --train-sets")));
  const Outcome found = hexapla({"reproduce", at("run/model.safetensors"), "--train-sets", at("moved"), at("b"),
                                 "--valid-sets", at("moved"), at("b"), "-o", at("again"), "-q"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("the weights are the same, bit by bit; only the record differs"),
                               HasSubstr("data: "), HasSubstr("moved")));
}

TEST_F(RunsAgain, ChangedDataIsRefusedBeforeTraining) {
  ASSERT_EQ(train("run").code, 0);
  std::ofstream(at("b"), std::ios::app) << " ";
  const Outcome r = hexapla({"reproduce", at("run")});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, AllOf(HasSubstr("was trained on other data: the data differs: " + at("b") + " has the hash "),
                           HasSubstr("name the files that it was trained on with --train-sets")));
  EXPECT_FALSE(std::filesystem::exists(at("run/reproduced")));
}

TEST_F(RunsAgain, AModelOfUnknownTrainingIsRefused) {
  ASSERT_EQ(train("run", {{"--max-updates", "5"}}).code, 0);
  const std::string model = at("run/model.safetensors");
  ASSERT_EQ(hexapla({"average", model, model, "-o", at("mean.safetensors")}).code, 0);
  const Outcome mean = hexapla({"reproduce", at("mean.safetensors")});
  EXPECT_EQ(mean.code, 3);
  EXPECT_THAT(mean.err, AllOf(HasSubstr("mean.safetensors"), HasSubstr("is the mean of several models")));
  const Outcome folder = hexapla({"reproduce", at("run"), "-o", at("run")});
  EXPECT_EQ(folder.code, 2);
  EXPECT_THAT(folder.err, HasSubstr("is the folder of the model itself; name another one"));
  const Outcome none = hexapla({"reproduce", at("nowhere")});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr(at("nowhere")));
}

TEST_F(RunsAgain, AFailedStepIsReplayed) {
  const Outcome failed = train("run", {{"--lr", "1e38"}, {"--warmup", "1"}});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("at update 2; the batch holds lines"), HasSubstr("`hexapla replay ")));
  const Outcome r = hexapla({"replay", at("run")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("at update 2\n"), HasSubstr("found    the first bad value is in"),
                           HasSubstr("^ the first bad value")));
  const Outcome all = hexapla({"replay", at("run/failure"), "--all"});
  EXPECT_GT(all.out.size(), r.out.size());
  EXPECT_THAT(all.out, HasSubstr("\n     0  "));
}

TEST_F(RunsAgain, ReplayRefusesWhatIsNoFailedStep) {
  const Outcome none = hexapla({"replay", at("nothing")});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("holds no failed step; give the --model folder of a run that stopped"));
  EXPECT_EQ(hexapla({"replay", folder(), "--threads", "-1"}).code, 2);
  EXPECT_EQ(hexapla({"replay"}).code, 2);
}

TEST_F(RunsAgain, ATrainingLeavesItsReportAndEvents) {
  const Outcome r = train("run");
  EXPECT_THAT(r.err, AllOf(HasSubstr("parameters "), HasSubstr("working memory"), HasSubstr("(--memory)"),
                           HasSubstr("[valid] Ep. "), HasSubstr("chrF"), HasSubstr("report: ")));
  EXPECT_THAT(r.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(read_file(at("run/report.html")), AllOf(HasSubstr("Cross-attention"), HasSubstr("options train-sets")));
  size_t events = 0;
  for (const auto& e : std::filesystem::directory_iterator(at("run")))
    events += e.path().filename().string().rfind("events.out.tfevents.", 0) == 0;
  EXPECT_EQ(events, 1u);
  const Outcome info = hexapla({"info", "-m", at("run")});
  EXPECT_THAT(info.out, AllOf(HasSubstr("options train-sets"), HasSubstr("data 0 hash"), HasSubstr("machine"),
                              HasSubstr("BLEU|nrefs:1")));
}

TEST_F(RunsAgain, BatchesThatFitAreFoundAndOthersRefused) {
  EXPECT_THAT(train("auto", {{"--batch-tokens", "auto"}, {"--max-updates", "2"}}).err,
              HasSubstr("of at most 24,960 target tokens"));
  const Outcome small = train("small", {{"--memory", "1"}, {"--dim-model", "128"}});
  EXPECT_EQ(small.code, 2);
  EXPECT_THAT(small.err, AllOf(HasSubstr("training needs "), HasSubstr("but may take 1 MiB")));
  EXPECT_THAT(train("bad", {{"--memory", "-1"}}).err, HasSubstr("--memory is -1, but must be at least 0"));
  EXPECT_THAT(train("bad", {{"--max-loss-jump", "0.5"}}).err,
              HasSubstr("--max-loss-jump is 0.5, but must be at least 1"));
  EXPECT_THAT(train("bad", {{"--batch-tokens", "many"}}).err, AllOf(HasSubstr("--batch-tokens"), HasSubstr("many")));
}

}  // namespace
}  // namespace hexapla::cli
