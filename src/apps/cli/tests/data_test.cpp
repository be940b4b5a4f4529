// Tests hexapla data from the command line.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "base/files/file.h"
#include "base/json.h"
#include "cli/terminal/terminal.h"
#include "cli/test_command.h"
#include "data/curate/test_text.h"
#include "inspect/report/data_report.h"
#include "text/utf8.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DataCommand : public TestFolder {
 protected:
  DataCommand() { write(); }
  void write() const {
    write_file_atomically(at("x"), joined(text_.source));
    write_file_atomically(at("y"), joined(text_.target));
  }
  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    return text;
  }
  static Result data(const std::vector<std::string>& arguments) {
    return run_command(std::vector<std::string>{"data"} + arguments);
  }
  Result data_of_pair(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {at("x"), at("y")});
    return data(more);
  }
  void expect_error(const std::vector<std::string>& arguments, int code, const std::string& message) const {
    const Result r = data(arguments);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, AllOf(HasSubstr("hexapla: error: "), HasSubstr(message)));
    EXPECT_EQ(r.out, "");
  }

  data::MadeText text_ = data::made_text(2000, 1);
};

TEST_F(DataCommand, CleanText) {
  const Result r = data_of_pair({"--strict"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_THAT(r.out,
              AllOf(HasSubstr(at("x") + " + " + at("y")), HasSubstr("2,000 lines, 2,000 pairs"),
                    HasSubstr("not found: blank, invalid UTF-8"), HasSubstr("in step: no shift of up to 10 lines"),
                    HasSubstr("nats per pair"), Not(HasSubstr("OUT OF STEP"))));
}

TEST_F(DataCommand, FaultsAreShownWithTheirLines) {
  text_.source[99] = "";
  text_.target[199] += " bell\x07 caf\xE9";
  write();
  const Result r = data_of_pair();
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.out, AllOf(HasSubstr("source blank"), HasSubstr("0.050 %"), HasSubstr("         100  \n"),
                           HasSubstr("target invalid UTF-8"), HasSubstr("target control characters"),
                           HasSubstr("         200  …"), HasSubstr("bell\\u0007 caf\uFFFD")));
  EXPECT_FALSE(text::invalid_utf8(r.out));
}

TEST_F(DataCommand, StrictFailsOnFaultsAndStillReports) {
  text_.source[99] = "";
  write();
  const Result r = data_of_pair({"--strict"});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("--strict: 1 kind of fault found"));
  EXPECT_THAT(r.out, HasSubstr("source blank"));
}

TEST_F(DataCommand, StrictAllowsRepeatedSources) {
  text_.source[99] = text_.source[98];
  text_.target[99] = text_.target[98] + " x";
  write();
  const Result r = data_of_pair({"--strict"});
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.out, HasSubstr("source repeated"));
}

TEST_F(DataCommand, ShiftIsNamedWithItsLine) {
  text_.target.erase(text_.target.begin() + 1000);
  write();
  const Result r = data_of_pair();
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.out, AllOf(HasSubstr("2,000 source lines but 1,999 target lines"),
                           HasSubstr("OUT OF STEP: from line 1,001 on, source line i goes with target line i - 1")));
}

TEST_F(DataCommand, Json) {
  text_.source[99] = "caf\xE9";
  text_.target.erase(text_.target.begin() + 1000);
  write();
  const auto j = nlohmann::json::parse(data_of_pair({"--json"}).out);
  EXPECT_EQ(j["source_lines"], 2000);
  EXPECT_EQ(j["target_lines"], 1999);
  EXPECT_EQ(j["findings"][0]["fault"], "encoding");
  EXPECT_EQ(j["findings"][0]["where"], "source");
  EXPECT_EQ(j["findings"][0]["count"], 1);
  EXPECT_EQ(j["findings"][0]["examples"][0]["line"], 100);
  EXPECT_EQ(j["findings"][0]["examples"][0]["source"], "caf\uFFFD");
  EXPECT_EQ(j["step"]["can_judge"], true);
  EXPECT_EQ(j["step"]["shifts"][0]["line"], 1001);
  EXPECT_EQ(j["step"]["shifts"][0]["after"], -1);
}

TEST_F(DataCommand, TestSetVocabularyAndCleanFiles) {
  text_.source[99] = "";
  text_.target[149] += " ☃";
  write();
  write_file_atomically(at("test.tsv"), text_.source[4] + "\tneu\n");
  const text::Vocabulary vocabulary = text::Vocabulary::train(text_.source, {.size = 120});
  write_file_atomically(at("v.spm"), vocabulary.bytes());
  const std::vector<std::string> all{"--test-sets",   at("test.tsv"), "--vocab",  at("v.spm"),
                                     "--write-clean", at("cx.gz"),    at("cy.gz")};
  const Result r = data_of_pair(all);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("test set: 1 of 1 different source sentence in the text"),
                           HasSubstr("vocabulary, source:"), HasSubstr("never used"), HasSubstr("clean: 1,998 pairs"),
                           HasSubstr("dropped: blank"), HasSubstr("dropped: sentence of the test set")));
  auto with_json = all;
  with_json.push_back("--json");
  const auto j = nlohmann::json::parse(data_of_pair(with_json).out);
  EXPECT_EQ(j["clean"]["pairs"], 1998);
  EXPECT_EQ(j["clean"]["dropped"]["in-test"], 1);
  EXPECT_EQ(j["tests"]["source"]["found"], 1);
  EXPECT_EQ(j["vocabulary"]["source"]["unknown"], 0);
  EXPECT_EQ(j["vocabulary"]["target"]["unknown"], 1);
  EXPECT_EQ(data({at("cx.gz"), at("cy.gz"), "--strict"}).code, 0);
}

TEST_F(DataCommand, VocabulariesOfTheSides) {
  text_.source[99] = "ｃａｆｅ";
  text_.target[149] = "ｃａｆｅ";
  write();
  text::VocabularyPair joint = text::train_joint_vocabulary(text_.source, text_.source, {.size = 120}, "keep");
  write_file_atomically(at("s.spm"), joint.source.bytes());
  write_file_atomically(at("t.spm"),
                        text::Vocabulary::train(text_.source, {.size = 90, .normalization = "keep"}).bytes());
  auto j = nlohmann::json::parse(data_of_pair({"--json", "--vocab", at("s.spm"), at("t.spm")}).out)["vocabulary"];
  EXPECT_EQ(j["source"]["unknown"], 0);
  EXPECT_EQ(j["source"]["size"], joint.source.size());
  EXPECT_NE(j["target"]["size"], j["source"]["size"]);
  EXPECT_TRUE(j["target"].contains("never_used"));
  write_file_atomically(at("t.spm"), joint.target.bytes());
  const Result r = data_of_pair({"--vocab", at("s.spm"), at("t.spm")});
  EXPECT_THAT(r.out, testing::ContainsRegex("vocabulary: [0-9]+ of [0-9]+ pieces never used"));
}

TEST_F(DataCommand, WhatIsNotUtf8ComesWithTheCommandThatConvertsIt) {
  text_.source[99] = "caf\xE9";
  text_.source[199] = "it\x92s";
  text_.target[299] = "caf\xE9";
  text_.target[300] = text_.target[301] = "Straße";
  write();
  std::string out = data_of_pair({}).out;
  std::replace(out.begin(), out.end(), '\n', ' ');
  EXPECT_THAT(
      out, AllOf(HasSubstr(at("x") + ": it looks like WINDOWS-1252: convert it with: iconv -f WINDOWS-1252 -t UTF-8 " +
                           at("x") + " > " + at("x") + ".utf8"),
                 HasSubstr(at("y") + ": the rest is UTF-8, so do not convert it")));
}

TEST_F(DataCommand, AShiftThatIsTooLargeIsNotTakenForAnother) {
  text_.target.erase(text_.target.begin() + 1000, text_.target.begin() + 1015);
  write();
  const Result r = data_of_pair({"--write-clean", at("cx"), at("cy")});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(
      r.out, AllOf(HasSubstr("PERHAPS OUT OF STEP: from about line 1,0"), testing::Not(HasSubstr("source line i goes")),
                   testing::Not(HasSubstr("in step: no shift"))));
  EXPECT_EQ(entries(), 2u);
  EXPECT_EQ(nlohmann::json::parse(data_of_pair({"--json"}).out)["step"]["lost"].size(), 1u);
}

TEST_F(DataCommand, CleanFilesAreNotWrittenOutOfStep) {
  text_.target.erase(text_.target.begin() + 1000);
  write();
  const Result r = data_of_pair({"--write-clean", at("cx"), at("cy")});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("--realign"));
  EXPECT_THAT(r.out, HasSubstr("OUT OF STEP"));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(DataCommand, RealignedFilesAreInStepAndPairsAreShown) {
  text_.target.erase(text_.target.begin() + 1000);
  write();
  const Result r = data_of_pair({"--realign", at("rx"), at("ry"), "--json"});
  EXPECT_EQ(r.code, 0) << r.err;
  const nlohmann::json realigned = nlohmann::json::parse(r.out)["realigned"];
  EXPECT_EQ(realigned["pairs"], text_.target.size());
  EXPECT_EQ(realigned["look"].size(), 20u);
  EXPECT_THAT(data_of_pair({"--realign", at("rx"), at("ry")}).out,
              AllOf(HasSubstr("1 source line and 0 target lines"), HasSubstr("  1,002  ")));
  EXPECT_EQ(data({at("rx"), at("ry"), "--strict"}).code, 0);
}

TEST_F(DataCommand, SidesWithNothingInCommonAreNotRealigned) {
  text_.target = data::made_text(std::ssize(text_.source), 99).target;
  write();
  EXPECT_EQ(data_of_pair({"--realign", at("rx"), at("ry")}).code, 3);
  EXPECT_EQ(entries(), 2u);
}

TEST_F(DataCommand, Tsv) {
  std::string tsv;
  for (size_t i = 0; i < 1000; ++i) tsv += text_.source[i] + "\t" + text_.target[i] + "\n";
  write_file_atomically(at("a.tsv"), tsv + "no tab\n");
  const Result r = data({"--tsv", at("a.tsv")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out,
              AllOf(HasSubstr("1,001 lines, 1,000 pairs"), HasSubstr("not two fields"), HasSubstr("1,001  no tab")));
}

TEST_F(DataCommand, WrongUse) {
  expect_error({}, 2, "a corpus needs a source and a target file, or one TSV file");
  expect_error({at("x")}, 2, "one file alone: give SOURCE and TARGET, or --tsv " + at("x"));
  expect_error({at("x"), at("y"), "--tsv", at("x")}, 2, "two files or one TSV file, not both");
  expect_error({at("x"), at("y"), "--keep", "duplicate"}, 2, "give --write-clean, too");
  expect_error({at("x"), at("y"), "--write-clean", at("c"), "--keep", "dupes"}, 2,
               "--keep 'dupes' is unknown; allowed are");
  expect_error({at("x"), at("y"), "--write-clean", at("c"), "--drop", "x"}, 2, "--drop 'x' is unknown; allowed are");
  expect_error({at("x"), at("y"), "--write-clean", at("x")}, 2, "would overwrite the input text");
  expect_error({at("x"), at("y"), "--max-ratio", "1"}, 2, "--max-ratio is 1, but must be a number above 1");
  expect_error({at("x"), at("y"), "--max-length", "0"}, 2, "--max-length is 0, but must be a whole number from 1");
  expect_error({at("x"), at("y"), "--max-shift", "0"}, 2, "--max-shift");
  expect_error({at("x"), at("y"), "--write-clean", at("none/c")}, 1, "none/c");
  expect_error({at("x"), at("none")}, 3, at("none") + ": No such file");
  expect_error({at("x"), at("y"), "--test-sets", at("none")}, 3, at("none"));
  expect_error({at("x"), at("y"), "--vocab", at("x")}, 3, at("x"));
}

TEST_F(DataCommand, ASignalEndsItAsItEndsTraining) {
  text_ = data::made_text(9000, 1);
  write();
  const auto stopped = [&](int number) {
    stop_on_signals();
    std::raise(number);
    const std::string source = at("x"), target = at("y"), clean = at("cx"), clean_target = at("cy");
    const char* argv[] = {"hexapla",       "data",        source.c_str(),      target.c_str(),
                          "--write-clean", clean.c_str(), clean_target.c_str()};
    _exit(run(std::size(argv), argv));
  };
  EXPECT_EXIT(stopped(SIGTERM), testing::ExitedWithCode(143), "interrupted; nothing was written");
  EXPECT_EXIT(stopped(SIGINT), testing::ExitedWithCode(130), "interrupted; nothing was written");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(DataCommand, WhatALineCommandsATerminalIsNotObeyed) {
  text_.source[99] +=
      " \xC2\x9B"
      "31m";  // C1: a control sequence in one character
  write();
  const Result r = data_of_pair();
  EXPECT_THAT(r.out, AllOf(HasSubstr("\\u009b31m"), Not(HasSubstr("\xC2\x9B"))));
  EXPECT_THAT(data_of_pair({"--json"}).out, Not(HasSubstr("\xC2\x9B")));
}

TEST_F(DataCommand, Help) {
  const Result r = data({"--help"});
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.out, AllOf(HasSubstr("--write-clean"), HasSubstr("Examples:"), HasSubstr("same-source")));
}

TEST(ShiftText, SaysWhatIsMissing) {
  EXPECT_EQ(
      inspect::shift_text({501, 0, -1, 99, true}),
      "from line 501 on, source line i goes with target line i - 1: 1 target line is missing there, or 1 source line "
      "is too many");
  EXPECT_EQ(
      inspect::shift_text({1501, -1, 2, 99, false}),
      "from about line 1,501 on, source line i goes with target line i + 2: 3 source lines are missing there, or 3 "
      "target lines are too many");
  EXPECT_THAT(inspect::shift_text({5, 2, 0, 99, true}),
              HasSubstr("source line i goes with target line i: 2 target lines are"));
}

}  // namespace
}  // namespace hexapla::cli
