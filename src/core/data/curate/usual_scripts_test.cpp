#include "data/curate/usual_scripts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hexapla::data {
namespace {

struct Language {
  const char* name;
  std::string line;
};

std::vector<Language> languages() {
  return {{"English", "The dog runs through the green garden."},
          {"Vietnamese", "Con chó chạy qua khu vườn xanh."},
          {"Greek", "Ο σκύλος τρέχει μέσα στον πράσινο κήπο."},
          {"Russian", "Собака бежит через зелёный сад."},
          {"Arabic", "يركض الكلب عبر الحديقة الخضراء."},
          {"Hebrew", "הכלב רץ דרך הגן הירוק."},
          {"Hindi", "कुत्ता हरे बगीचे से होकर दौड़ता है।"},
          {"Thai", "สุนัขวิ่งผ่านสวนสีเขียว"},
          {"Khmer", "ឆ្កែរត់កាត់សួនច្បារពណ៌បៃតង"},
          {"Chinese", "狗跑过绿色的花园。"},
          {"Korean", "개가 푸른 정원을 가로질러 달린다."}};
}

TEST(UsualScripts, LinesOfAnotherScriptAreForeignAndOwnOnesAreNot) {
  for (const Language& own : languages()) {
    UsualScripts side;
    for (int i = 0; i < 9; ++i) side.add(own.line);
    EXPECT_FALSE(side.is_foreign(own.line)) << own.name;
    for (const Language& other : languages()) {
      UsualScripts mixed = side;
      mixed.add(other.line);  // a tenth of the lines
      const bool same = own.line == other.line ||
                        (std::string(own.name) == "English" && std::string(other.name) == "Vietnamese") ||
                        (std::string(own.name) == "Vietnamese" && std::string(other.name) == "English");
      EXPECT_EQ(mixed.is_foreign(other.line), !same) << other.name << " among " << own.name;
    }
  }
}

// Names, numbers, units and addresses are in Latin letters anywhere.
TEST(UsualScripts, WhatIsNaturalIsNotForeign) {
  for (const Language& own : languages()) {
    UsualScripts side;
    for (int i = 0; i < 9; ++i) side.add(own.line);
    for (const std::string line :
         {"", "12:30", "3.14 × 10⁵", "iPhone 12 Pro Max", "https://www.a.example/b/c?d=e", "A. B. Smith", "😀😀😀😀😀😀"})
      EXPECT_FALSE(side.is_foreign(line)) << own.name << ": " << line;
    EXPECT_FALSE(side.is_foreign("United Nations Educational Organization: " + own.line)) << own.name;
  }
  UsualScripts japanese;
  japanese.add("犬が緑の庭を走り抜ける。");
  for (const char* line : {"イヌガミドリノニワヲハシル", "日本国憲法前文全文", "いぬがはしる"})
    EXPECT_FALSE(japanese.is_foreign(line)) << line;
  EXPECT_TRUE(japanese.is_foreign("The dog runs through the garden."));
}

TEST(UsualScripts, ASideOfTwoScriptsHasBoth) {
  UsualScripts serbian;
  for (int i = 0; i < 6; ++i) serbian.add("Пас трчи кроз зелену башту.");
  for (int i = 0; i < 4; ++i) serbian.add("Pas trči kroz zelenu baštu.");
  EXPECT_FALSE(serbian.is_foreign("Pas trči kroz zelenu baštu."));
  EXPECT_FALSE(UsualScripts().is_foreign("The dog runs through the garden.")) << "nothing is known";
}

}  // namespace
}  // namespace hexapla::data
