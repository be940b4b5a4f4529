#include "lib/jobs/lines/portions.h"

#include <gmock/gmock.h>

#include <vector>

namespace hexapla::api {
namespace {

using testing::ElementsAre;

// Reads lines of given lengths in bytes; records the number of lines in each answer.
struct Reading {
  std::vector<size_t> answers;
  size_t read = 0, answered = 0;
  Portions portions{[this] {
    answers.push_back(read - answered);
    answered = read;
  }};

  void read_all(size_t lines, size_t bytes) {
    portions.read_all([&]() -> std::optional<size_t> {
      if (read == lines) return {};
      ++read;
      return bytes;
    });
  }
};

TEST(Portions, HoldSoManyLinesOrBytes) {
  Reading short_lines, long_lines, none;
  short_lines.read_all(2 * Portions::kLines + 3, 10);
  EXPECT_THAT(short_lines.answers, ElementsAre(Portions::kLines, Portions::kLines, 3));
  long_lines.read_all(5, Portions::kBytes / 2);
  EXPECT_THAT(long_lines.answers, ElementsAre(2, 2, 1));
  none.read_all(0, 0);
  EXPECT_THAT(none.answers, ElementsAre());
}

TEST(Portions, AreAnsweredBeforeTheReaderWaits) {
  Reading r;
  r.portions.read_all([&]() -> std::optional<size_t> {
    if (r.read == 1 || r.read == 4) r.portions.answer(), r.portions.answer();  // without lines, no answer
    if (r.read == 6) return {};
    ++r.read;
    return 1;
  });
  EXPECT_THAT(r.answers, ElementsAre(1, 3, 2));
}

TEST(Portions, WhatCameBeforeAWrongLineIsAnsweredFirst) {
  Reading r;
  EXPECT_THROW(r.portions.read_all([&]() -> std::optional<size_t> {
    if (r.read == 2) throw DataError("line 3 is wrong");
    ++r.read;
    return 1;
  }),
               DataError);
  EXPECT_THAT(r.answers, ElementsAre(2));
}

TEST(Portions, WhatCannotBeAnsweredIsNotTriedAgain) {
  int tries = 0;
  Portions portions([&] {
    ++tries;
    throw DataError("no answer");
  });
  bool read = false;
  EXPECT_THROW(portions.read_all([&]() -> std::optional<size_t> {
    if (std::exchange(read, true)) return {};
    return Portions::kBytes;
  }),
               DataError);
  EXPECT_EQ(tries, 1);
}

}  // namespace
}  // namespace hexapla::api
