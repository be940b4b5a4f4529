#include "data/curate/shifts/realign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "data/curate/examination.h"
#include "data/curate/test_text.h"
#include "data/files/lines.h"

namespace hexapla::data {
namespace {

class Realign : public TestFolder {
 protected:
  std::string written(const std::string& name, const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write_file_atomically(at(name), text);
    return at(name);
  }
  Examination realigned(const MadeText& text) const {
    ExamineOptions how;
    how.text.source = written("x", text.source);
    how.text.target = written("y", text.target);
    how.realigned = {at("x2"), at("y2")};
    return examine(how);
  }
  // How many of the written pairs are pairs of this text.
  int64_t right(const MadeText& sound) const {
    std::map<std::string, std::string> partner;
    for (size_t i = 0; i < sound.source.size(); ++i) partner[sound.source[i]] = sound.target[i];
    const auto x = read_lines(at("x2")), y = read_lines(at("y2"));
    EXPECT_EQ(x.size(), y.size());
    int64_t n = 0;
    for (size_t i = 0; i < x.size(); ++i) n += partner[x[i]] == y[i];
    return n;
  }
};

void erase(std::vector<std::string>& lines, size_t from, size_t count) {
  const auto first = lines.begin() + static_cast<std::ptrdiff_t>(from);
  lines.erase(first, first + static_cast<std::ptrdiff_t>(count));
}

TEST_F(Realign, LinesThatAreMissingOnEitherSideShiftNothingAnyMore) {
  const MadeText sound = made_text(4000, 1);
  MadeText text = sound;
  erase(text.target, 3000, 2);
  erase(text.source, 2000, 1);
  erase(text.target, 1000, 1);
  const Examination found = realigned(text);
  ASSERT_TRUE(found.realigned);
  EXPECT_EQ(found.shifts.size(), 3u);
  EXPECT_EQ(found.realigned->kept + found.realigned->source_left_out, std::ssize(text.source));
  EXPECT_EQ(found.realigned->kept + found.realigned->target_left_out, std::ssize(text.target));
  EXPECT_EQ(found.realigned->source_left_out, 3);
  EXPECT_EQ(found.realigned->target_left_out, 1);
  EXPECT_EQ(right(sound), found.realigned->kept);
  EXPECT_EQ(found.realigned->look.size(), 18u) << "six at each place";
}

TEST_F(Realign, AShiftFromTheFirstLineOn) {
  for (const bool source : {true, false}) {
    const MadeText sound = made_text(2000, 2);
    MadeText text = sound;
    erase(source ? text.source : text.target, 0, 3);
    const Examination found = realigned(text);
    ASSERT_TRUE(found.realigned);
    EXPECT_EQ(found.realigned->kept, 1997);
    EXPECT_EQ(right(sound), 1997);
    EXPECT_EQ(found.realigned->look.size(), Realigned::kLook);
  }
}

// Numbers and their names, of which each is there once: no word tells where a line is missing, but the lengths do.
TEST_F(Realign, LengthsAreEnoughForAboutTheRightPlace) {
  for (const std::string unit : {"三", "ศูนย์", "واحد ", "seven "}) {
    MadeText sound, text;
    Random random(7);
    for (int i = 0; i < 2000; ++i) {
      const uint32_t words = 1 + random.below(12);
      std::string digits = std::to_string(1 + random.below(9)), name = unit;
      for (uint32_t k = 1; k < words; ++k) digits += std::to_string(random.below(10)), name += unit;
      sound.source.push_back(digits), sound.target.push_back(name + "(" + std::to_string(i) + ")");
    }
    text = sound;
    erase(text.target, 1000, 1);
    const Examination found = realigned(text);
    ASSERT_TRUE(found.realigned) << unit;
    EXPECT_NEAR(double(found.shifts.at(0).line), 1001, 5) << unit;
    EXPECT_GE(found.realigned->kept, 1995) << unit;
  }
}

TEST_F(Realign, TextInStepStaysAsItIs) {
  const MadeText sound = made_text(1000, 3);
  const Examination found = realigned(sound);
  ASSERT_TRUE(found.realigned);
  EXPECT_EQ(read_lines(at("x2")), sound.source);
  EXPECT_EQ(read_lines(at("y2")), sound.target);
}

TEST_F(Realign, WhatHasNothingInCommonIsNotWritten) {
  MadeText text = made_text(1000, 4);
  text.target = made_text(1000, 5).target;
  EXPECT_FALSE(realigned(text).realigned);
  EXPECT_FALSE(std::filesystem::exists(at("x2")));
}

// A line without two fields is on both sides.
TEST_F(Realign, LinesOfATsvThatAreNoPairsAreLeftOut) {
  const MadeText sound = made_text(1500, 6);
  std::vector<std::string> lines;
  for (size_t i = 0; i + 1 < sound.source.size(); ++i)
    lines.push_back(i == 700 ? "no pair" : sound.source[i] + "\t" + sound.target[i + 1]);
  ExamineOptions how;
  how.text.tsv = written("t.tsv", lines);
  how.realigned = {at("t2.tsv")};
  const Examination found = examine(how);
  ASSERT_TRUE(found.realigned);
  const std::vector<std::string> all = read_lines(at("t2.tsv"));
  EXPECT_EQ(std::ssize(all), found.realigned->kept);
  int64_t right = 0;
  for (size_t i = 0; i < sound.source.size(); ++i)
    right += std::count(all.begin(), all.end(), sound.source[i] + "\t" + sound.target[i]);
  EXPECT_EQ(right, std::ssize(all));
  EXPECT_GE(right, 1490);
}

TEST_F(Realign, FilesThatAreReadAreNotWritten) {
  ExamineOptions how;
  how.text.source = written("x", {"a"});
  how.text.target = written("y", {"b"});
  how.realigned = {at("x2"), at("y")};
  EXPECT_THROW(examine(how), UsageError);
  how.realigned = how.clean = {at("x2"), at("y2")};
  EXPECT_THROW(examine(how), UsageError);
}

}  // namespace
}  // namespace hexapla::data
