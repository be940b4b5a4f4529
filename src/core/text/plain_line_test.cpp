#include "text/plain_line.h"

#include <gtest/gtest.h>

#include "text/utf8.h"

namespace hexapla::text {
namespace {

TEST(PlainLine, HasNoControlCharacters) {
  EXPECT_EQ(plain_line(""), "");
  EXPECT_EQ(plain_line("a b"), "a b");
  EXPECT_EQ(plain_line("a\tb\nc\vd\fe\rf\u0085g\u2028h\u2029i"), "a b c d e f g h i");
  EXPECT_EQ(plain_line(std::string("a\0\x01\x1B[31m\x7F\u0080\u009Fb", 14)), "a[31mb");
  EXPECT_EQ(plain_line("a\xFF\xC3"), "a\uFFFD\uFFFD");
}

TEST(PlainLine, LeavesEverythingElse) {
  for (const std::string text : {"\u00A0", "«\u202F!»", "，。！？：；（）「」…", "\u3000", "\u200B\u200C\u200D\uFEFF",
                                 "ﬁ½Ｈ", "e\u0301", "\uFFFD", "\U0001F600", "  a  "})
    EXPECT_EQ(plain_line(text), text);
}

TEST(PlainLine, PlacesGoWithTheirBytes) {
  std::string text = "ab\n\u0085字\x01\xFF";
  std::vector<TokenSpan> spans{{0, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 8}, {8, 9}, {9, 10}, {10, 10}};
  make_plain_line(text, spans);
  EXPECT_EQ(text, "ab  字\uFFFD");
  const std::vector<TokenSpan> now{{0, 2}, {2, 3}, {3, 3}, {3, 4}, {4, 5}, {5, 7}, {7, 7}, {7, 10}, {10, 10}};
  EXPECT_EQ(spans, now);
}

}  // namespace
}  // namespace hexapla::text
