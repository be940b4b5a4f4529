#include "text/lines/letter_case.h"

#include <gtest/gtest.h>

namespace hexapla::text {
namespace {

TEST(InCapitals, NeedsTwoWordsAndNoSmallLetter) {
  for (const char* line : {"A DOG RUNS.", "DIE STRAßE IST LANG!", "ДВЕ СОБАКИ", "ΔΥΟ ΣΚΥΛΟΙ", "İKİ KÖPEK",
                           "10 GRÜNE\u00A0 ÄPFEL - {0}", "ANDAR\t3º DA CASA"})
    EXPECT_TRUE(in_capitals(line)) << line;
  for (const char* line : {"", "NASA", "I AM", "A B C D", "A DOG runs.", "NASA und ESA", "我在 NASA 和 ESA 工作",
                           "สุนัข OK OK", "كلب NASA ESA", "12 34", "IBM-PC", "\xFF\xFE NASA"})
    EXPECT_FALSE(in_capitals(line)) << line;
  EXPECT_TRUE(has_capitals("A dog. A DOG RUNS."));
  EXPECT_FALSE(has_capitals("A dog of NASA."));
}

TEST(Lowered, KnowsTheCaseOfAllScripts) {
  EXPECT_EQ(lowered("ÄPFEL UND ΟΔΟΣ, ΣΑΣ"), "äpfel und οδος, σας");
  EXPECT_EQ(lowered("ДВЕ 我 كلب สุนัข"), "две 我 كلب สุนัข");
  EXPECT_EQ(as_sentence("\"ÄPFEL SIND ROT.\""), "\"Äpfel sind rot.\"");
  EXPECT_EQ(as_sentence("1ST PLACE"), "1st place") << "its first letter begins no word";
  EXPECT_EQ(as_sentence("123 ..."), "123 ...");
  EXPECT_EQ(capitalized("ähre"), "Ähre");
  EXPECT_EQ(capitalized("我"), "我");
  EXPECT_EQ(capitalized("\xFF"
                        "a"),
            "\xFF"
            "a");
  EXPECT_EQ(capitalized(""), "");
}

// Their capitals may differ from those of the text's language.
TEST(Lowered, KnowsNoLanguage) {
  EXPECT_EQ(as_sentence("İKİ KAPI IŞIK"), "Iki kapi işik") << "Turkish would be: İki kapı ışık";
  EXPECT_EQ(as_sentence("STRASSE, STRAẞE"), "Strasse, straße");
  std::string turkish = "iki ışık", greek = "δύο";
  make_capitals(turkish, {});
  make_capitals(greek, {});
  EXPECT_EQ(turkish, "IKI IŞIK");
  EXPECT_EQ(greek, "ΔΎΟ") << "Greek would leave the accent out";
}

TEST(MakeCapitals, SpansGoWhereTheirBytesGo) {
  std::string text = "eine Straße ſo";
  std::vector<TokenSpan> spans{{0, 4}, {4, 12}, {12, 15}};
  make_capitals(text, spans);
  EXPECT_EQ(text, "EINE STRASSE SO");
  EXPECT_EQ(spans, (std::vector<TokenSpan>{{0, 4}, {4, 12}, {12, 14}})) << "SS has the two bytes of ß, S one of two";
}

TEST(MakeCapitals, WhatIsKeptStays) {
  std::string text = "ſo ein Maß und Maß ſo";
  std::vector<TokenSpan> spans{{4, 7}, {8, 12}, {17, 21}};
  const std::vector<TokenSpan> kept{{8, 12}, {9, 11}};
  make_capitals(text, spans, kept);
  EXPECT_EQ(text, "SO EIN Maß UND MASS SO");
  EXPECT_EQ(spans, (std::vector<TokenSpan>{{3, 6}, {7, 11}, {16, 20}}));
  std::string broken = "a\xFF\xC3";
  make_capitals(broken, {});
  EXPECT_EQ(broken, "A\xFF\xC3");
}

TEST(MovedTo, CharactersOfTheSameNumber) {
  const std::string text = "i k \u00E5", other = "\u0130 \u212A \u212B";  // Kelvin and Ångström signs have three bytes
  EXPECT_EQ(moved_to(other, text, {{0, 1}, {1, 3}, {4, 6}, {6, 6}}),
            (std::vector<TokenSpan>{{0, 2}, {2, 6}, {7, 10}, {10, 10}}));
  EXPECT_EQ(moved_to("", "", {{0, 0}}), (std::vector<TokenSpan>{{0, 0}}));
}

}  // namespace
}  // namespace hexapla::text
