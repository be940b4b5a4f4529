#include "data/curate/examination.h"

#include <gmock/gmock.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/files/file.h"
#include "data/curate/test_text.h"
#include "data/files/lines.h"
#include "data/files/test_files.h"

namespace hexapla::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

class Examine : public data::TestFiles {
 protected:
  // A clean text to insert faults into.
  MadeText text = made_text(2000, 1);

  ExamineOptions options() const {
    ExamineOptions o;
    o.text = {.source = write("x", joined(text.source)), .target = write("y", joined(text.target))};
    return o;
  }
  Examination run() const { return examine(options()); }
  std::string& x(size_t line) { return text.source[line - 1]; }
  std::string& y(size_t line) { return text.target[line - 1]; }

  static std::vector<int64_t> lines_of(const Examination& e, Fault fault, Where where) {
    std::vector<int64_t> lines;
    for (const FaultExample& example : e.findings.of(fault, where).examples) lines.push_back(example.line);
    EXPECT_LE(std::ssize(lines), e.findings.of(fault, where).count);
    return lines;
  }
  // Expects these faults and no others.
  static void expect_only(const Examination& e, std::vector<Fault> faults) {
    for (size_t i = 0; i < kFaults; ++i) {
      const auto fault = static_cast<Fault>(i);
      if (fault_info(fault).harmless) continue;
      EXPECT_EQ(e.count(fault) > 0, std::count(faults.begin(), faults.end(), fault) > 0) << fault_info(fault).id;
    }
  }
};

TEST_F(Examine, CleanText) {
  const Examination e = run();
  EXPECT_EQ(e.source_lines, 2000);
  EXPECT_EQ(e.target_lines, 2000);
  EXPECT_EQ(e.pairs, 2000);
  EXPECT_EQ(e.faulty(), 0);
  EXPECT_FALSE(e.out_of_step());
  EXPECT_TRUE(e.path.can_judge);
  EXPECT_NEAR(e.typical_ratio, 1, 0.01);
  EXPECT_GT(e.source_characters, 2000 * 20);
}

TEST_F(Examine, FaultsOfOneSideAtTheirLines) {
  x(100) = " ";
  y(200) = "caf\xE9";
  x(300) += "\x07";
  y(400) += "\uFFFD";
  x(500) += " MÃ¤dchen";
  y(600) += "\r";
  x(1) = "\xEF\xBB\xBF" + x(1);
  const Examination e = run();
  expect_only(e, {Fault::blank, Fault::encoding, Fault::control, Fault::replacement, Fault::mojibake, Fault::line_end,
                  Fault::mark, Fault::ratio});
  EXPECT_THAT(lines_of(e, Fault::blank, Where::source), ElementsAre(100));
  EXPECT_THAT(lines_of(e, Fault::encoding, Where::target), ElementsAre(200));
  EXPECT_THAT(lines_of(e, Fault::control, Where::source), ElementsAre(300));
  EXPECT_THAT(lines_of(e, Fault::replacement, Where::target), ElementsAre(400));
  EXPECT_THAT(lines_of(e, Fault::mojibake, Where::source), ElementsAre(500));
  EXPECT_THAT(lines_of(e, Fault::line_end, Where::target), ElementsAre(600));
  EXPECT_THAT(lines_of(e, Fault::mark, Where::source), ElementsAre(1));
  EXPECT_THAT(lines_of(e, Fault::mark, Where::target), IsEmpty());
  EXPECT_THAT(lines_of(e, Fault::ratio, Where::pair), ElementsAre(200));  // "café" lost its sentence
}

TEST_F(Examine, LengthsAndRatio) {
  x(10) = std::string(1001, 'a');
  y(10) = std::string(1000, 'b');
  x(20) = "one two three four five six seven eight nine ten";
  y(20) = "t";
  x(30) = "OK";
  y(30) = "In Ordnung";
  const Examination e = run();
  EXPECT_THAT(lines_of(e, Fault::too_long, Where::source), ElementsAre(10));
  EXPECT_THAT(lines_of(e, Fault::too_long, Where::target), IsEmpty());
  EXPECT_THAT(lines_of(e, Fault::ratio, Where::pair), ElementsAre(20));
}

// Chinese needs a third of the characters; this is not a fault.
TEST_F(Examine, RatioIsMeasuredAgainstTheTypicalOne) {
  for (auto& line : text.target) line.resize(line.size() / 4);
  y(50) += y(50) + y(50) + y(50) + y(50);
  const Examination e = run();
  EXPECT_NEAR(e.typical_ratio, 0.25, 0.02);
  EXPECT_THAT(lines_of(e, Fault::ratio, Where::pair), ElementsAre(50));
}

TEST_F(Examine, Identical) {
  y(10) = x(10);
  x(20) = y(20) = "2012";
  x(21) = y(21) = "100 €";
  x(22) = y(22) = "– 1984 –";
  x(23) = y(23) = "你好";
  const Examination e = run();
  EXPECT_THAT(lines_of(e, Fault::identical, Where::pair), ElementsAre(10, 23));
}

TEST_F(Examine, Duplicates) {
  x(500) = x(10), y(500) = y(10);
  x(600) = x(20);
  y(700) = y(30);
  y(600) = y(600).substr(0, x(600).size());
  const Examination e = run();
  EXPECT_THAT(lines_of(e, Fault::duplicate, Where::pair), ElementsAre(500));
  EXPECT_THAT(lines_of(e, Fault::same_source, Where::pair), ElementsAre(600));
  EXPECT_THAT(lines_of(e, Fault::same_target, Where::pair), ElementsAre(700));
}

TEST_F(Examine, TestSentencesInTheText) {
  ExamineOptions o = options();
  std::string found = x(40);
  found[0] = 'S';
  o.tests = data::ParallelSource{
      .tsv = write("test", "new\tneu\n" + found + " .\tanders\nmehr\t" + y(50) + "\nmehr\tja\n!\t?\n")};
  const Examination e = examine(o);
  EXPECT_THAT(lines_of(e, Fault::in_test, Where::source), ElementsAre(40));
  EXPECT_THAT(lines_of(e, Fault::in_test, Where::target), ElementsAre(50));
  ASSERT_TRUE(e.tests);
  EXPECT_THAT(e.tests->sentences, ElementsAre(3, 4));
  EXPECT_THAT(e.tests->found, ElementsAre(1, 1));
}

TEST_F(Examine, ShiftFromHalfOn) {
  for (const int missing : {1, 2, 3}) {
    text = made_text(2000, 3);
    text.target.erase(text.target.begin() + 1000, text.target.begin() + 1000 + missing);
    const Examination e = run();
    EXPECT_TRUE(e.out_of_step());
    ASSERT_EQ(e.shifts.size(), 1u);
    EXPECT_EQ(e.shifts[0].line, 1001);
    EXPECT_EQ(e.shifts[0].before, 0);
    EXPECT_EQ(e.shifts[0].after, -missing);
    EXPECT_TRUE(e.shifts[0].exact);
    EXPECT_EQ(e.source_lines, 2000);
    EXPECT_EQ(e.target_lines, 2000 - missing);
    EXPECT_EQ(e.pairs, 2000 - missing);
    EXPECT_EQ(e.faulty() > 1, true);
  }
}

TEST_F(Examine, ShiftInATsvWithBrokenLines) {
  text.target.erase(text.target.begin() + 1000);
  std::string tsv;
  for (size_t i = 0; i < text.target.size(); ++i)
    tsv += i == 10 ? "no tab\n" : i == 20 ? "a\tb\tc\n" : text.source[i] + "\t" + text.target[i] + "\n";
  ExamineOptions o;
  o.text = {.tsv = write("a.tsv", tsv)};
  const Examination e = examine(o);
  EXPECT_THAT(lines_of(e, Fault::fields, Where::pair), ElementsAre(11, 21));
  EXPECT_EQ(e.pairs, 1997);
  ASSERT_EQ(e.shifts.size(), 1u);
  EXPECT_EQ(e.shifts[0].line, 1001);
}

TEST_F(Examine, CanBeStoppedWhileItLocates) {
  text = made_text(9000, 3);
  text.target.erase(text.target.begin() + 1000);
  std::vector<int64_t> told;
  examine(options(), [&](int64_t lines, double) { told.push_back(lines); });
  EXPECT_THAT(told, testing::IsSupersetOf({4096, 8192, 9000}));
  EXPECT_EQ(std::count(told.begin(), told.end(), 8192), 2) << "once for each reading";
}

TEST_F(Examine, OfManyShiftsEachIsFoundToTheLine) {
  text = made_text(20'000, 5);
  for (const size_t line : {500, 1300, 2400, 8000, 9000, 18'500})  // alternately a line lost and a line too many
    text.target.erase(text.target.begin() + static_cast<std::ptrdiff_t>(line));
  const Examination e = run();
  std::vector<int64_t> lines;
  for (const ShiftPlace& place : e.shifts) lines.push_back(place.line);
  EXPECT_THAT(lines, ElementsAre(501, 1302, 2403, 8004, 9005, 18'506));
}

TEST_F(Examine, OfStdinAShiftIsFoundAboutWhereItBegins) {
  text.target.erase(text.target.begin() + 1000);
  ASSERT_NE(std::freopen(write("in", joined(text.source)).c_str(), "rb", stdin), nullptr);
  ExamineOptions o = options();
  o.text.source = "-";
  const Examination e = examine(o);
  ASSERT_EQ(e.shifts.size(), 1u);
  EXPECT_FALSE(e.shifts[0].exact);
  EXPECT_NEAR(static_cast<double>(e.shifts[0].line), 1001, 15);
}

TEST_F(Examine, Vocabulary) {
  ExamineOptions o = options();
  std::vector<std::string> lines = text.source;
  lines.insert(lines.end(), text.target.begin(), text.target.end());
  lines.insert(lines.end(), 20, "Querschnitt qqqqq");
  const text::Vocabulary vocabulary = text::Vocabulary::train(lines, {.size = 150});
  o.vocabularies = {write("v.spm", vocabulary.bytes())};
  x(70) += " ☃";
  o.text.source = write("x", joined(text.source));
  const Examination e = examine(o);
  EXPECT_THAT(lines_of(e, Fault::unknown, Where::source), ElementsAre(70));
  ASSERT_TRUE(e.coverage);
  EXPECT_EQ(e.coverage->of(Where::source).unknown, 1);
  EXPECT_EQ(e.coverage->of(Where::target).unknown, 0);
  EXPECT_GT(e.coverage->of(Where::source).tokens, e.coverage->of(Where::source).words);
  const auto never = e.coverage->never_used(Where::source);
  EXPECT_THAT(never, Not(IsEmpty()));
  for (const int32_t id : never) EXPECT_THAT(vocabulary.piece(id), testing::ContainsRegex("[Qqucnhi]"));
}

class WriteClean : public Examine {
 protected:
  ExamineOptions cleaning(const std::string& end = "") const {
    ExamineOptions o = options();
    o.clean = {folder() + "/clean.x" + end, folder() + "/clean.y" + end};
    return o;
  }
  void plant_everything() {
    x(100) = "";
    y(200) = "caf\xE9";
    x(300) += "\x07";
    y(400) += "\uFFFD";
    x(500) += " MÃ¤dchen";
    y(600) += "\r";
    x(1) = "\xEF\xBB\xBF" + x(1);
    x(700) = y(700);
    x(800) = x(10), y(800) = y(10);
    y(900) = std::string(1001, 'a');
    x(950) = std::string(900, 'a');
    x(960) = x(11);
    y(960) = x(11).substr(2);
  }
};

TEST_F(WriteClean, NothingFilteredIsLeft) {
  plant_everything();
  for (const std::string end : {"", ".gz", ".zst", ".xz"}) {
    const ExamineOptions o = cleaning(end);
    const Examination dirty = examine(o);
    ASSERT_TRUE(dirty.clean && dirty.clean->written);
    int64_t dropped = 0;
    for (const int64_t n : dirty.clean->dropped) dropped += n;
    EXPECT_EQ(dropped, 9);
    EXPECT_EQ(dirty.clean->kept, 2000 - dropped);
    ExamineOptions again;
    again.text = {.source = o.clean[0], .target = o.clean[1]};
    const Examination clean = examine(again);
    EXPECT_EQ(clean.pairs, dirty.clean->kept);
    EXPECT_EQ(clean.faulty(), 0);
    EXPECT_EQ(clean.count(Fault::same_source), dirty.count(Fault::same_source));
  }
}

TEST_F(WriteClean, WhatHasNoFaultIsCopiedAsItIs) {
  examine(cleaning());
  EXPECT_TRUE(read_file(folder() + "/clean.x") == joined(text.source));
  EXPECT_TRUE(read_file(folder() + "/clean.y") == joined(text.target));
}

TEST_F(WriteClean, KeepAndDrop) {
  plant_everything();
  ExamineOptions o = cleaning();
  o.keep = {Fault::duplicate, Fault::mojibake};
  o.drop = {Fault::same_source};
  const Examination e = examine(o);
  EXPECT_EQ(e.clean->kept, 2000 - 8);
  EXPECT_EQ(e.clean->dropped[static_cast<size_t>(Fault::duplicate)], 0);
  EXPECT_EQ(e.clean->dropped[static_cast<size_t>(Fault::same_source)], 1);
}

TEST_F(WriteClean, TestSentencesAreDropped) {
  ExamineOptions o = cleaning();
  o.tests = data::ParallelSource{.tsv = write("test", x(5) + "\tneu\n")};
  EXPECT_EQ(examine(o).clean->dropped[static_cast<size_t>(Fault::in_test)], 1);
}

TEST_F(WriteClean, OneNameIsTsvWithoutFurtherTabs) {
  x(3) += "\tz";
  ExamineOptions o = cleaning();
  o.clean = {folder() + "/clean.tsv"};
  examine(o);
  const auto lines = data::read_lines(o.clean[0]);
  ASSERT_EQ(lines.size(), 2000u);
  EXPECT_EQ(lines[0], x(1) + "\t" + y(1));
  EXPECT_EQ(lines[2], x(3).substr(0, x(3).size() - 2) + " z\t" + y(3));
}

TEST_F(WriteClean, NotOutOfStep) {
  text.target.erase(text.target.begin() + 1000);
  const Examination e = examine(cleaning());
  EXPECT_FALSE(e.clean->written);
  EXPECT_FALSE(std::filesystem::exists(folder() + "/clean.x"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/clean.y"));
}

// Limits the size of written files while it exists.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit lower = before_;
    lower.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &lower);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int);
};

TEST_F(WriteClean, BothFilesAreThereOrNone) {
  for (size_t i = 0; i < text.source.size(); ++i) text.source[i] = std::to_string(i);
  ExamineOptions o = cleaning();
  o.max_ratio = 1e6;
  ASSERT_LT(joined(text.source).size(), 20'000u);
  ASSERT_GT(joined(text.target).size(), 20'000u);
  {
    const FileLimit limit(20'000);
    EXPECT_THROW(examine(o), RunError);
  }
  EXPECT_FALSE(std::filesystem::exists(o.clean[0]));
  EXPECT_FALSE(std::filesystem::exists(o.clean[1]));
}

TEST_F(WriteClean, NothingThatIsReadIsOverwritten) {
  ExamineOptions o = cleaning();
  o.tests = data::ParallelSource{.source = write("tx", "a\n"), .target = write("ty", "b\n")};
  o.vocabularies = {write("v.spm", "no model")};
  std::filesystem::create_symlink(folder(), folder() + "/link");
  const auto refused = [&](const std::string& first, const std::string& second) {
    ExamineOptions to = o;
    to.clean = {first, second};
    return data::message_of<UsageError>([&] { examine(to); });
  };
  const std::string there = folder() + "/c", elsewhere = folder() + "/link/./";
  EXPECT_THAT(refused(there, elsewhere + "y"), HasSubstr("would overwrite the input text"));
  EXPECT_THAT(refused(elsewhere + "tx", there), HasSubstr("would overwrite the test set"));
  EXPECT_THAT(refused(there, folder() + "/ty"), HasSubstr("would overwrite the test set"));
  EXPECT_THAT(refused(elsewhere + "v.spm", there), HasSubstr("would overwrite the vocabulary"));
  EXPECT_THAT(refused(there, elsewhere + "c"), HasSubstr("names one file twice"));
  EXPECT_FALSE(std::filesystem::exists(there));
}

TEST_F(WriteClean, NothingIsLeftWhenInterrupted) {
  text = made_text(12000, 4);
  EXPECT_THROW(examine(cleaning(), [](int64_t, double) { throw RunError("stop"); }), RunError);
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("clean")));
}

TEST_F(Examine, WatchIsToldHowFarItIs) {
  text = made_text(13000, 4);
  int64_t last = 0;
  double share = 0;
  examine(options(), [&](int64_t lines, double read) { last = lines, share = read; });
  EXPECT_EQ(last, 13000);
  EXPECT_GT(share, 0.9);
}

TEST_F(Examine, BadInput) {
  auto usage = [&](auto change) {
    ExamineOptions o = options();
    o.clean = {folder() + "/cx", folder() + "/cy"};
    change(o);
    return data::message_of<UsageError>([&] { examine(o); });
  };
  EXPECT_THAT(usage([](auto& o) { o.max_ratio = 1; }), HasSubstr("`max-ratio` is 1, but must be a number above 1"));
  EXPECT_THAT(usage([](auto& o) { o.max_length = 0; }),
              HasSubstr("`max-length` is 0, but must be a whole number from 1"));
  EXPECT_THAT(usage([](auto& o) { o.keep = {Fault::fields}; }), HasSubstr("`keep` fields"));
  EXPECT_THAT(usage([](auto& o) { o.text = {}; }), HasSubstr("needs a source and a target file"));
  EXPECT_THAT(usage([](auto& o) { o.clean[1] = o.text.target; }),
              AllOf(HasSubstr("/y would overwrite"), HasSubstr("another name")));
  EXPECT_THAT(usage([](auto& o) { o.clean[1] = o.clean[0]; }), HasSubstr("names one file twice"));
  ExamineOptions o;
  o.text = {.source = write("x", ""), .target = write("y", "")};
  EXPECT_THAT(data::message_of<DataError>([&] { examine(o); }),
              AllOf(HasSubstr("/x is empty"), HasSubstr("one sentence per line")));
  o.vocabularies = {write("v", "no model")};
  EXPECT_THAT(data::message_of<DataError>([&] { examine(o); }), HasSubstr("/v"));
}

}  // namespace
}  // namespace hexapla::data
