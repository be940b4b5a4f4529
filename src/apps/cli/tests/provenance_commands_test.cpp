// Tests replay and reproduce from the command line.
#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "backend/cpu/cpu.h"
#include "backend/cpu/testing.h"
#include "base/files/file.h"
#include "base/files/test_toy_corpus.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RunsAgain : public CommandFolder {
 protected:
  RunsAgain() { write_toy_corpus(at("a"), at("b"), 60); }
  // Trains for a second. more: options with their values, which override or extend those here.
  Result train(const std::string& name, const std::map<std::string, std::string>& more = {}) const {
    std::map<std::string, std::string> options{
        {"--model", at(name)},   {"--vocab-size", "60"}, {"--layers", "1"},        {"--dim-model", "32"},
        {"--dim-ff", "64"},      {"--heads", "2"},       {"--batch-tokens", "64"}, {"--max-updates", "20"},
        {"--lr", "3e-3"},        {"--warmup", "20"},     {"--valid-every", "10"},  {"--report-every", "5"},
        {"--average-last", "0"}, {"--threads", "1"},     {"--precision", "f32"}};
    for (const auto& [option, value] : more) options[option] = value;
    std::vector<std::string> all{"train", "--train-sets", at("a"), at("b"), "--valid-sets", at("a"), at("b")};
    for (const auto& [option, value] : options) all.insert(all.end(), {option, value});
    return run_command(all);
  }
};

TEST_F(RunsAgain, ASmallRunAgreesByteForByte) {
  ASSERT_EQ(train("run").code, 0);
  const Result r = run_command({"reproduce", at("run"), "--threads", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out,
              AllOf(HasSubstr("are identical, byte for byte"), HasSubstr(at("run/reproduced/model.safetensors"))));
  EXPECT_EQ(read_file(at("run/model.safetensors")), read_file(at("run/reproduced/model.safetensors")));
}

TEST_F(RunsAgain, TheUsageRecordIsKept) {
  ASSERT_EQ(train("run").code, 0);
  const std::string changed = at("changed.safetensors");
  ASSERT_EQ(run_command({"set", "beam-size=3", "repetition-penalty=1.2", "alignment-layer=0", "alignment-head=1", "-m",
                         at("run"), "-o", changed})
                .code,
            0);
  for (const char* time : {"first", "again"}) {
    const Result r = run_command({"reproduce", changed, "-o", at("made")});
    EXPECT_EQ(r.code, 0) << time << r.err;
    EXPECT_THAT(r.out, HasSubstr("are identical, byte for byte")) << time;
  }
  EXPECT_EQ(read_file(changed), read_file(at("made/model.safetensors")));
}

TEST_F(RunsAgain, OptionsThatChangedOnTheWayAreTold) {
  const std::map<std::string, std::string> mean{
      {"--average-last", "2"}, {"--save-every", "5"}, {"--lr", "1e-3"}, {"--final-model", "mean"}};
  ASSERT_EQ(train("run", {{"--average-last", "2"}, {"--save-every", "5"}, {"--max-updates", "10"}}).code, 0);
  EXPECT_THAT(train("run", mean).err, HasSubstr("note: resumes with other options: lr 0.003 -> 0.001"));
  EXPECT_THAT(run_command({"info", "-m", at("run")}).out, HasSubstr("update 10: lr 0.003 -> 0.001"));
  const Result r = run_command({"reproduce", at("run")});
  EXPECT_EQ(r.code, 1);
  const std::string told =
      "options were changed during the run (update 10: lr 0.003 -> 0.001), but the reproduction uses";
  EXPECT_LT(r.err.find(told), r.err.find("Ep. 1")) << "before training";
  EXPECT_THAT(r.out, AllOf(HasSubstr("not reproduced"), HasSubstr("likely because:\n  " + told),
                           HasSubstr("changed: not there\n"), Not(HasSubstr("report this as a bug"))));
}

TEST_F(RunsAgain, AnotherInstructionSetOnTheWayIsTold) {
  if (best_isa() == Isa::generic) GTEST_SKIP() << "there is no other";
  {
    const Environment isa("HEXAPLA_ISA", "generic");
    ASSERT_EQ(train("run", {{"--average-last", "2"}, {"--save-every", "5"}, {"--max-updates", "10"}}).code, 0);
  }
  const Environment isa("HEXAPLA_ISA", name_of(best_isa()));
  EXPECT_THAT(train("run", {{"--average-last", "2"}, {"--save-every", "5"}, {"--final-model", "mean"}}).err,
              HasSubstr("or on another processor: instruction set cpu (generic) -> cpu ("));
  const Result r = run_command({"reproduce", at("run")});
  EXPECT_THAT(r.err, HasSubstr("options or the processor were changed during the run (update 10: instruction set"));
  EXPECT_THAT(r.out, Not(HasSubstr("report this as a bug")));
}

TEST_F(RunsAgain, AVocabularyThatWasGivenIsOpenedAndCompared) {
  const std::map<std::string, std::string> alike{{"--target-normalization", "nmt_nfkc"}};
  ASSERT_EQ(train("other", alike).code, 0);
  const std::string given = at("given.spm"), other = at("other/vocab.spm");
  write_file_atomically(given, read_file(other));
  const auto start = [&](const std::string& vocab, const std::string& updates) {
    return run_command({"train",         "--train-sets", at("a"),       at("b"), "--model",        at("run"),
                        "--vocab",       vocab,          "--layers",    "1",     "--dim-model",    "32",
                        "--dim-ff",      "64",           "--heads",     "2",     "--batch-tokens", "64",
                        "--max-updates", updates,        "--precision", "f32"});
  };
  ASSERT_EQ(start(given, "4").code, 0);
  EXPECT_THAT(start("/nonexistent", "6").err, AllOf(HasSubstr("/nonexistent"), HasSubstr("the run has a copy")));
  std::filesystem::remove(given);
  Result r = run_command({"reproduce", at("run"), "-o", at("again")});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, AllOf(HasSubstr(given), HasSubstr("name it with --vocab")));
  r = run_command({"reproduce", at("run"), "-o", at("again"), "--vocab", at("a")});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("was trained with another vocabulary"));
  EXPECT_FALSE(std::filesystem::exists(at("again")));
  r = run_command({"reproduce", at("run"), "-o", at("again"), "--vocab", at("run/vocab.spm")});
  EXPECT_EQ(r.code, 0) << r.err;
}

// As after a kill: the vocabulary exists, but no checkpoint.
TEST_F(RunsAgain, AVocabularyOfAnEarlyEndIsNotUsed) {
  ASSERT_EQ(train("run").code, 0);
  std::filesystem::remove_all(at("run/checkpoints"));
  const Result again = train("run", {{"--vocab-size", "30"}});
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.err, HasSubstr("left by an earlier start"));
  EXPECT_THAT(run_command({"info", "-m", at("run")}).out, HasSubstr("30"));
  const Result r = run_command({"reproduce", at("run")});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
}

TEST_F(RunsAgain, AProgramThatTheFileNamesIsNotRunUnasked) {
  const std::string program = at("measure");
  std::ofstream(program) << "#!/bin/sh\necho x >> '" << at("calls") << "'\nwc -c < \"$1\"\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ASSERT_EQ(train("run", {{"--valid-script", program}, {"--best-by", "script"}}).code, 0);
  const auto calls = read_file(at("calls"));
  const Result r = run_command({"reproduce", at("run")});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, AllOf(HasSubstr(program), HasSubstr("is not run without permission")));
  EXPECT_EQ(read_file(at("calls")), calls);
  EXPECT_EQ(run_command({"reproduce", at("run"), "--valid-script", program}).code, 0);
  EXPECT_EQ(read_file(at("calls")), calls + calls);
}

TEST_F(RunsAgain, AModelToStartFromBringsItsVocabulary) {
  ASSERT_EQ(train("run").code, 0);
  const std::vector<std::string> tuning{"train",          "--train-sets", at("a"),         at("b"),     "--model",
                                        at("tuned"),      "--init-from",  at("run"),       "--threads", "1",
                                        "--batch-tokens", "64",           "--max-updates", "1"};
  const Result r = run_command(tuning + std::vector<std::string>{"--preset", "tiny"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.err, AllOf(HasSubstr("pieces keep their embeddings"), Not(HasSubstr("--vocab-size"))));
  EXPECT_THAT(r.err, HasSubstr("done: 1 update, 0 epochs\n"));
}

TEST_F(RunsAgain, AModelToStartFromAndLinksMayHaveMoved) {
  ASSERT_EQ(train("run").code, 0);
  ASSERT_EQ(train("other", {{"--seed", "7"}}).code, 0);
  std::string links;
  for (int i = 0; i < 60; ++i) links += "0-0\n";
  write_file_atomically(at("links"), links);
  const std::map<std::string, std::string> more{
      {"--init-from", at("run")}, {"--guided-alignment", at("links")}, {"--max-updates", "4"}};
  std::vector<std::string> start{"train",   "--train-sets", at("a"),       at("b"),
                                 "--model", at("tuned"),    "--precision", "f32"};
  for (const auto& [option, value] : more) start.insert(start.end(), {option, value});
  ASSERT_EQ(run_command(start).code, 0);
  std::filesystem::rename(at("run"), at("moved"));
  std::filesystem::rename(at("links"), at("moved links"));
  const std::vector<std::string> again{"reproduce", at("tuned"), "-o", at("again")};
  Result r = run_command(again);
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, AllOf(HasSubstr(at("links")), HasSubstr("--guided-alignment and --init-from")));
  const std::vector<std::string> with_links{"--guided-alignment", at("moved links")};
  r = run_command(again + with_links);
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, AllOf(HasSubstr(at("run")), HasSubstr("--init-from")));
  r = run_command(again + with_links + std::vector<std::string>{"--init-from", at("other")});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, AllOf(HasSubstr("trained on other data"), HasSubstr(at("other/model.safetensors"))));
  EXPECT_FALSE(std::filesystem::exists(at("again")));
  r = run_command(again + with_links + std::vector<std::string>{"--init-from", at("moved")});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("the weights are identical"));
}

TEST_F(RunsAgain, WhatIsMadeOfModelsIsRefused) {
  ASSERT_EQ(train("run").code, 0);
  const std::string run = at("run"), integers = at("integers.safetensors"), mean = at("mean.safetensors");
  ASSERT_EQ(run_command({"quantize", "-m", run, "-o", integers}).code, 0);
  ASSERT_EQ(run_command({"average", run + "/model.safetensors", run + "/model.safetensors", "-o", mean}).code, 0);
  for (const auto& [file, why] :
       {std::pair{integers, "is quantized; reproduce the model that it was made from"},
        std::pair{mean, "is the mean of several models; reproduce those, and average them"}}) {
    const Result r = run_command({"reproduce", file});
    EXPECT_EQ(r.code, 3);
    EXPECT_THAT(r.err, AllOf(HasSubstr(file), HasSubstr(why)));
    EXPECT_EQ(r.out, "");
  }
}

TEST_F(RunsAgain, WhatCameFromStdinIsGone) {
  const Result trained = run_command({"train",
                                      "--train-sets",
                                      "-",
                                      at("b"),
                                      "--model",
                                      at("piped"),
                                      "--vocab-size",
                                      "60",
                                      "--layers",
                                      "1",
                                      "--dim-model",
                                      "32",
                                      "--dim-ff",
                                      "64",
                                      "--heads",
                                      "2",
                                      "--batch-tokens",
                                      "64",
                                      "--max-updates",
                                      "2"},
                                     read_file(at("a")));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Result r = run_command({"reproduce", at("piped")});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("it was trained on stdin, which cannot be read again"));
}

TEST_F(RunsAgain, AnotherRunIsNotOverwritten) {
  ASSERT_EQ(train("run").code, 0);
  ASSERT_EQ(train("other", {{"--max-updates", "4"}}).code, 0);
  const std::string before = read_file(at("other/model.safetensors"));
  const Result r = run_command({"reproduce", at("run"), "-o", at("other")});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, AllOf(HasSubstr("-o " + at("other") + " holds files that"), HasSubstr("name a new folder")));
  EXPECT_EQ(run_command({"reproduce", at("run"), "-o", at("run")}).code, 2);
  EXPECT_EQ(read_file(at("other/model.safetensors")), before);
  for (int time = 0; time < 2; ++time) EXPECT_EQ(run_command({"reproduce", at("run"), "-o", at("new")}).code, 0);
}

TEST_F(RunsAgain, FilesThatHaveMovedAreNamed) {
  ASSERT_EQ(train("run").code, 0);
  std::filesystem::rename(at("a"), at("moved"));
  const Result lost = run_command({"reproduce", at("run")});
  EXPECT_EQ(lost.code, 3);
  EXPECT_THAT(lost.err,
              AllOf(HasSubstr(at("a")),
                    HasSubstr("if the files that it was trained on have moved, name them with --train-sets")));
  const Result found = run_command({"reproduce", at("run/model.safetensors"), "--train-sets", at("moved"), at("b"),
                                    "--valid-sets", at("moved"), at("b"), "-o", at("again"), "-q"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("the weights are identical, bit for bit; only the record differs"),
                               HasSubstr("data: "), HasSubstr("moved")));
}

TEST_F(RunsAgain, AFileThatTheTrainingDidNotHaveIsRefused) {
  ASSERT_EQ(train("run").code, 0);
  for (const std::string option : {"--init-from", "--guided-alignment"}) {
    const Result r = run_command({"reproduce", at("run"), option, at("run/model.safetensors")});
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_THAT(r.err, HasSubstr("its training had no " + option + "; leave it out"));
  }
}

TEST_F(RunsAgain, ChangedDataIsRefusedBeforeTraining) {
  ASSERT_EQ(train("run").code, 0);
  std::ofstream(at("b"), std::ios::app) << " ";
  const Result r = run_command({"reproduce", at("run")});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, AllOf(HasSubstr("was trained on other data: the data differs: " + at("b") + " has the hash "),
                           HasSubstr("if the files that it was trained on have moved, name them with --train-sets")));
  EXPECT_FALSE(std::filesystem::exists(at("run/reproduced")));
}

TEST_F(RunsAgain, AModelOfUnknownTrainingIsRefused) {
  ASSERT_EQ(train("run", {{"--max-updates", "5"}}).code, 0);
  const std::string model = at("run/model.safetensors");
  ASSERT_EQ(run_command({"average", model, model, "-o", at("mean.safetensors")}).code, 0);
  const Result mean = run_command({"reproduce", at("mean.safetensors")});
  EXPECT_EQ(mean.code, 3);
  EXPECT_THAT(mean.err, AllOf(HasSubstr("mean.safetensors"), HasSubstr("is the mean of several models")));
  const Result folder = run_command({"reproduce", at("run"), "-o", at("run")});
  EXPECT_EQ(folder.code, 2);
  EXPECT_THAT(folder.err, HasSubstr("holds files that do not belong to a reproduction"));
  const Result none = run_command({"reproduce", at("nowhere")});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr(at("nowhere")));
}

TEST_F(RunsAgain, AFailedStepIsReplayed) {
  const Result failed = train("run", {{"--lr", "1e38"}, {"--warmup", "1"}});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("at update 2; the batch holds lines"), HasSubstr("with: hexapla replay ")));
  const Result r = run_command({"replay", at("run")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("at update 2\n"), HasSubstr("found    the first bad value is in"),
                           HasSubstr("^ the first bad value")));
  const Result all = run_command({"replay", at("run/failure"), "--all"});
  EXPECT_GT(all.out.size(), r.out.size());
  EXPECT_THAT(all.out, HasSubstr("\n     0  "));
}

TEST_F(RunsAgain, ReplayRefusesWhatIsNoFailedStep) {
  const Result none = run_command({"replay", at("nothing")});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("holds no failed step; give the --model folder of a run that stopped"));
  EXPECT_EQ(run_command({"replay", folder(), "--threads", "-1"}).code, 2);
  EXPECT_EQ(run_command({"replay"}).code, 2);
}

TEST_F(RunsAgain, ATrainingLeavesItsReportAndEvents) {
  const Result r = train("run");
  EXPECT_THAT(r.err, AllOf(HasSubstr("parameters "), HasSubstr("working memory"), HasSubstr("(--memory)"),
                           HasSubstr("[valid] Ep. "), HasSubstr("chrF"), HasSubstr("report: ")));
  EXPECT_THAT(r.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(read_file(at("run/report.html")), AllOf(HasSubstr("Cross-attention"), HasSubstr("options train-sets")));
  size_t events = 0;
  for (const auto& e : std::filesystem::directory_iterator(at("run")))
    events += e.path().filename().string().rfind("events.out.tfevents.", 0) == 0;
  EXPECT_EQ(events, 1u);
  const Result info = run_command({"info", "-m", at("run")});
  EXPECT_THAT(info.out, AllOf(HasSubstr("options train-sets"), HasSubstr("data 0 hash"), HasSubstr("machine"),
                              HasSubstr("BLEU|nrefs:1")));
}

TEST_F(RunsAgain, BatchesThatFitAreFoundAndOthersRefused) {
  EXPECT_THAT(train("auto", {{"--batch-tokens", "auto"}, {"--max-updates", "2"}}).err,
              HasSubstr("of at most 24,960 target tokens"));
  const Result small = train("small", {{"--memory", "1"}, {"--dim-model", "128"}});
  EXPECT_EQ(small.code, 2);
  EXPECT_THAT(small.err, AllOf(HasSubstr("training needs "), HasSubstr("but may use 1 MiB")));
  EXPECT_THAT(train("bad", {{"--memory", "-1"}}).err, HasSubstr("--memory is -1, but must be a whole number from 0"));
  EXPECT_THAT(train("bad", {{"--max-loss-jump", "0.5"}}).err,
              HasSubstr("--max-loss-jump is 0.5, but must be 0, or a number from 1"));
  for (const char* none : {"0", "00", "-0"})
    EXPECT_THAT(train("bad", {{"--batch-tokens", none}}).err,
                HasSubstr(cat("error: --batch-tokens is ", none, ", but must be auto, or a whole number from 1 to")));
  EXPECT_THAT(train("bad", {{"--batch-tokens", "many"}}).err, AllOf(HasSubstr("--batch-tokens"), HasSubstr("many")));
}

}  // namespace
}  // namespace hexapla::cli
