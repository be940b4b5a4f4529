#include "text/characters.h"

#include <gtest/gtest.h>

namespace hexapla::text {
namespace {

TEST(HasLetter, GoesByTheCategoriesOfUnicode) {
  for (const char* line : {"a", "ä", "1 m", "中", "ก", "ا", "à la 100 €", "ª"}) EXPECT_TRUE(has_letter(line)) << line;
  for (const char* line :
       {"", "12, 3!", "100 €", "– 1984 –", "…", "50 °", "¿?", "😀", "\u00A0", "٣٤", "１２", "。", "\xE4"})
    EXPECT_FALSE(has_letter(line)) << line;
}

TEST(Essence, ForgetsCaseBlanksAndPunctuationOfEveryScript) {
  const char* const same[][2] = {{"A man,  a Plan!", "a man a plan"},    {"ÜBUNG", "übung"},
                                 {"Die Übung.", "die\u00A0U\u0308bung"}, {"ΟΔΟΣ", "οδος"},
                                 {"ПРИВЕТ, «мир»", "привет мир"},        {"MASSE", "Maße"},
                                 {"你好，世界。", "你好世界"},           {"ＡＢＣ\u3000１２", "abc 12"},
                                 {"co\u00ADop — x", "coop\u2009x"}};
  for (const auto& [a, b] : same) EXPECT_EQ(essence(a), essence(b)) << a;
  EXPECT_NE(essence("a man"), essence("a men"));
  EXPECT_NE(essence("100 €"), essence("100"));
  EXPECT_NE(essence("नमस्ते"), essence("नमसत"));
  EXPECT_EQ(essence(" …!"), "");
  EXPECT_NE(essence("caf\xE9"), "");
}

TEST(Folded, IsTheSameForAllWritingsOfATerm) {
  const char* const same[][2] = {
      {" Hot\t DOG ", "hot dog"},     {"STRASSE", "Straße"}, {"e\u0301t\u00AD\u0435", "\u00E9t\u0435"},
      {"ＡＢＣ\u3000１２", "abc 12"}, {"ΟΔΟΣ", "οδος"},      {"北\u00A0京", "北 京"}};
  for (const auto& [a, b] : same) EXPECT_EQ(folded(a), folded(b)) << a;
  EXPECT_EQ(folded("A man,  a Plan!"), "a man, a plan!");
  EXPECT_NE(folded("hot dog"), folded("hotdog"));
  EXPECT_EQ(folded(" \u00AD\n"), "");
  EXPECT_EQ(folded("caf\xE9"), "caf\uFFFD");
}

}  // namespace
}  // namespace hexapla::text
