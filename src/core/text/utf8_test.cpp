#include "text/utf8.h"

#include <gtest/gtest.h>

namespace hexapla::text {
namespace {

TEST(Utf8, ValidTextIsValid) {
  for (const char* text : {"", "plain", "Grüße", "漢字", "👩‍👩‍👧", "\xF4\x8F\xBF\xBF" /* U+10FFFF */}) {
    EXPECT_FALSE(invalid_utf8(text).has_value()) << text;
    EXPECT_EQ(clean_utf8(text), text);
  }
}

TEST(Utf8, FirstInvalidByteIsFound) {
  EXPECT_EQ(invalid_utf8("caf\xE9"), 3u);               // Latin-1
  EXPECT_EQ(invalid_utf8("ab\xC3"), 2u);                // cut short
  EXPECT_EQ(invalid_utf8("\x80"), 0u);                  // a continuation alone
  EXPECT_EQ(invalid_utf8("a\xC0\xAF"), 1u);             // overlong
  EXPECT_EQ(invalid_utf8("a\xE0\x80\xAF"), 1u);         // overlong
  EXPECT_EQ(invalid_utf8("\xC3\xA9\xED\xA0\x80"), 2u);  // a surrogate
  EXPECT_EQ(invalid_utf8("\xF4\x90\x80\x80"), 0u);      // above U+10FFFF
  EXPECT_EQ(invalid_utf8("\xFF\xFEh"), 0u);             // a UTF-16 mark
}

TEST(Utf8, CleaningReplacesInvalidBytesOnly) {
  EXPECT_EQ(clean_utf8("caf\xE9 ol\xC3\xA9"), "caf\uFFFD olé");
  EXPECT_EQ(clean_utf8("\xC3"), "\uFFFD");
  EXPECT_EQ(clean_utf8("\xED\xA0\x80x"), "\uFFFD\uFFFD\uFFFDx");
}

TEST(Utf8, NothingPrintableCommandsATerminal) {
  EXPECT_EQ(printable("a\tb\nGrüße 漢字 \u200Fשלום"), "a\tb\nGrüße 漢字 \u200Fשלום");
  EXPECT_EQ(printable("\x1b[31m\r\x7f"), "\\u001b[31m\\u000d\\u007f");
  EXPECT_EQ(printable("\u0080\u009b1m\u00a0"), "\\u0080\\u009b1m\u00a0");
  EXPECT_EQ(printable("\u202e\u2066x\u2069"), "\\u202e\\u2066x\\u2069");
  EXPECT_EQ(printable("caf\xE9 \x9b"), "caf\uFFFD \uFFFD");
  EXPECT_EQ(printable("a\nb", ""), "a\\u000ab");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
}

TEST(Utf8, HasText) {
  for (const char* text : {"a", " é ", "漢", "-", "٣", "\xE9 a"}) EXPECT_TRUE(has_text(text)) << text;
  for (const char* text : {"", " \t", "\u3000\u200B", "▁", "\uFFFD", "\x01\x7F", "\xE9"})
    EXPECT_FALSE(has_text(text)) << text;
}

TEST(Utf8, WidthInColumns) {
  EXPECT_EQ(width("abc"), 3);
  EXPECT_EQ(width("é"), 1);
  EXPECT_EQ(width("e\u0301"), 1);  // a combining accent
  EXPECT_EQ(width("漢字"), 4);
  EXPECT_EQ(width("▁the"), 4);
  EXPECT_EQ(width("a\xE9"), 2);  // invalid bytes are shown as U+FFFD
}

TEST(Utf8, Padding) {
  EXPECT_EQ(padded("漢", 4), "漢  ");
  EXPECT_EQ(padded("abc", 2), "abc");
}

TEST(Utf8, WordsEndWhereLettersAndDigitsDo) {
  const std::string text = "ein Hündchen, 3x";
  const auto at = [&](const char* part) { return text.find(part); };
  EXPECT_TRUE(word_boundary(text, 0));
  EXPECT_TRUE(word_boundary(text, at("Hünd")));
  EXPECT_FALSE(word_boundary(text, at("ünd")));
  EXPECT_FALSE(word_boundary(text, at("ndchen")));  // after a letter of two bytes
  EXPECT_TRUE(word_boundary(text, at(", ")));
  EXPECT_FALSE(word_boundary(text, at("x")));
  EXPECT_TRUE(word_boundary(text, text.size()));
  EXPECT_FALSE(word_boundary("e\u0301a", 3));  // a mark belongs to its letter
  EXPECT_TRUE(word_boundary("在北京的", 3));   // script without blanks
  EXPECT_TRUE(begins_without_blank("北京"));
  EXPECT_TRUE(begins_without_blank("《红楼梦》"));
  EXPECT_TRUE(begins_without_blank("，北京"));
  EXPECT_FALSE(begins_without_blank("한국"));  // Korean has blanks
  EXPECT_FALSE(begins_without_blank(""));
}

TEST(Utf8, NoWordEndsInsideOfACharacterAndItsMarks) {
  EXPECT_TRUE(word_boundary("กา", 3));
  EXPECT_FALSE(word_boundary("กิ", 3));         // a vowel above
  EXPECT_FALSE(word_boundary("กำ", 3));        // a vowel categorized as a letter
  EXPECT_FALSE(word_boundary("か\u3099", 3));  // が, in two characters
}

TEST(Utf8, WordsThatHaveEnded) {
  for (const char* ended : {"", "ein ", "Hund.", "北京", "มาก", "よ！"}) EXPECT_TRUE(word_ends(ended)) << ended;
  for (const char* open : {"ein", "7", "é", "한국"}) EXPECT_FALSE(word_ends(open)) << open;
}

TEST(Utf8, CharacterBytes) {
  EXPECT_EQ(character_bytes(""), 0u);
  EXPECT_EQ(character_bytes("ab"), 1u);
  EXPECT_EQ(character_bytes("üb"), 2u);
  EXPECT_EQ(character_bytes("\xff\xfe"), 1u);
}

}  // namespace
}  // namespace hexapla::text
