#include "data/curate/line_faults.h"

#include <gtest/gtest.h>

#include "base/compute/random.h"
#include "base/error.h"
#include "base/options/environment.h"
#include "data/curate/hash_set.h"
#include "data/curate/mojibake.h"
#include "data/files/lines.h"

namespace hexapla::data {
namespace {

using namespace std::string_literals;

std::string faults(const std::string& line) {
  std::string out;
  for (size_t i = 0; i < kFaults; ++i) {
    if (faults_of(line).has(static_cast<Fault>(i)))
      out += (out.empty() ? "" : " ") + std::string(fault_info(static_cast<Fault>(i)).id);
  }
  return out;
}

TEST(LineFaults, None) {
  for (const char* line : {"A man.", "Ein Mädchen läuft über die Straße.", "一个男人", "tab\tinside", "é", "😀",
                           "“Ça va ?” « Âne » — à 20 °C", "SÃO PAULO", "Â", "L’ÂGE", "IRMÃ”", "AMANHÃ…", "SEÑORA",
                           "Ðað er", "Åland – Ångström", "naïve façade"}) {
    EXPECT_EQ(faults(line), "") << line;
  }
}
TEST(LineFaults, Blank) {
  for (const char* line : {"", " ", "\t ", "\u00A0", "\u3000\u200B", "\u00AD", "\u202F\u2060"})
    EXPECT_EQ(faults(line), "blank") << line;
  EXPECT_EQ(faults("."), "");
}
TEST(LineFaults, InvalidUtf8) {
  EXPECT_EQ(faults("caf\xE9"), "encoding");
  EXPECT_EQ(faults("cut \xC3"), "encoding");
  EXPECT_EQ(faults("surrogate \xED\xA0\x80"), "encoding");
}
TEST(LineFaults, Control) {
  for (const std::string& line :
       {"a\0b"s, "a\x07"s, "a\x1B[0m"s, "a\x7F"s, "a\u0085z"s, "a\u2028z"s, "a\u2029z"s, "a\rz"s, "a\uFEFFz"s})
    EXPECT_EQ(faults(line), "control") << line;
}
TEST(LineFaults, LostCharacters) { EXPECT_EQ(faults("M\uFFFDdchen"), "replacement"); }
TEST(LineFaults, Mojibake) {
  for (const char* line :
       {"MÃ¤dchen", "StraÃŸe", "cafÃ©", "20 Â°C", "itâ€™s", "â€œhelloâ€\u009D", "ðŸ˜€", "Ð¿Ñ€Ð¸Ð²ÐµÑ‚", "Ãœber"})
    EXPECT_NE(faults(line).find("mojibake"), std::string::npos) << line;
}

// Natural sentences in many scripts.
const char* const kSentences[] = {"今天的天气很好，我们去公园散步吧。",
                                  "你好",
                                  "人工智能正在改变世界。",
                                  "これは日本語の文章です。",
                                  "東京へ行きました。",
                                  "カタカナ",
                                  "هذا كتاب جديد.",
                                  "السلام عليكم",
                                  "Η γλώσσα είναι όμορφη.",
                                  "Καλημέρα κόσμε",
                                  "ภาษาไทยสวยงามมาก",
                                  "สวัสดีครับ",
                                  "שלום עולם",
                                  "זה משפט בעברית.",
                                  "यह एक हिन्दी वाक्य है।",
                                  "नमस्ते",
                                  "Привет, мир!",
                                  "Це українське речення.",
                                  "안녕하세요 세계",
                                  "Tôi học tiếng Việt.",
                                  "გამარჯობა",
                                  "Բարեւ ձեզ",
                                  "Zażółć gęślą jaźń",
                                  "Příliš žluťoučký kůň",
                                  "Türkçe öğreniyorum, çok güzel şey",
                                  "Les élèves étudient à l'école.",
                                  "Größe, Maße und Öl"};

// `text` with each byte decoded as Latin-1, or as Windows-1252 where that has a character.
std::string misread(const std::string& text, bool windows) {
  constexpr std::u32string_view high =
      U"\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F"
      U"\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178";
  std::string out;
  for (const char c : text) {
    char32_t code = static_cast<unsigned char>(c);
    if (windows && code >= 0x80 && code < 0xA0) code = high[code - 0x80];
    if (code < 0x80)
      out += c;
    else if (code < 0x800)
      out += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
    else
      out += {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
              static_cast<char>(0x80 | (code & 63))};
  }
  return out;
}

TEST(Mojibake, IsFoundInEveryScript) {
  for (const std::string sentence : kSentences)
    for (const bool windows : {false, true})
      EXPECT_NE(mojibake_in(misread(sentence, windows)), std::string::npos) << sentence << windows;
}
// Some programs drop the five bytes without a Windows-1252 character.
TEST(Mojibake, IsFoundWhereBytesAreLost) {
  std::string lost;
  for (const char c : std::string("こんにちは世界"))
    if (std::string_view("\x81\x8D\x8F\x90\x9D").find(c) == std::string_view::npos) lost += c;
  EXPECT_NE(mojibake_in(misread(lost, true)), std::string::npos);
}
TEST(Mojibake, IsNotSeenInGoodText) {
  for (const std::string sentence : kSentences) EXPECT_EQ(mojibake_in(sentence), std::string::npos) << sentence;
  for (const std::string line :
       {"« Voilà\u00A0», dit-il ; « un café\u00A0» et un « thé\u00A0»", "„Spaß“ – „Fuß“ – „Gruß“", "Spaß… und Fuß…",
        "UN CAFÉ… OU DEUX CAFÉS™", "PERÙ…", "5 Å³ und 7 Å²", "3×½ und 2×¼", "Ø² · Ø³", "DÉJÀ VU®, CAFÉ™, «RÉGIMÉ»",
        "À LA CARTE »", "HÅ§", "MENÜ–MENÜ", "SÃO JOÃO”", "AÇÃO»", "Ý–Ý", "Î»"})
    EXPECT_EQ(mojibake_in(line), std::string::npos) << line;
}
TEST(Mojibake, IsNotSeenInACorpus) {
  const char* folder = environment("HEXAPLA_MULTI30K");
  if (!folder) GTEST_SKIP() << "HEXAPLA_MULTI30K is not set";
  int64_t lines = 0;
  for (const char* name : {"train.en.gz", "train.de.gz"})
    for (const std::string& line : data::read_lines(folder + std::string("/") + name)) {
      EXPECT_EQ(mojibake_in(line), std::string::npos) << line;
      ++lines;
    }
  EXPECT_GT(lines, 50'000);
}

TEST(LineFaults, AnExcerptShowsTheFault) {
  const std::string before(60, 'a');
  EXPECT_EQ(offset_of(Fault::control, before + "\x07"), 60u);
  EXPECT_EQ(offset_of(Fault::encoding, before + "\xFF"), 60u);
  EXPECT_EQ(offset_of(Fault::replacement, before + "\uFFFD"), 60u);
  EXPECT_EQ(offset_of(Fault::mojibake, before + "Ã¤"), 60u);
  EXPECT_EQ(offset_of(Fault::ratio, before), 0u);
  EXPECT_EQ(excerpt(Fault::control, before + "\x07z"), "…" + std::string(25, 'a') + "\x07z");
  EXPECT_EQ(excerpt(Fault::control, before + "äääääääääääää\x07"), "…äääääääääääää\x07");
  EXPECT_EQ(excerpt(Fault::control, "near\x07"), "near\x07");
}

TEST(LineFaults, Lengths) {
  EXPECT_EQ(characters("äöü"), 3);
  EXPECT_EQ(characters(""), 0);
}

TEST(LineFaults, Entities) {
  for (const char* line :
       {"Tom &amp; Jerry", "it&#39;s", "it&#x2019;s", "&lt;b&gt;", "caf&eacute;", "&Ouml;l", "a&nbsp;b", "R&D &quot;"})
    EXPECT_EQ(faults(line), "entities") << line;
  for (const char* line :
       {"AT&T; R&D;", "a & b; c", "Marks&Spencer;", "&#;", "&#x;", "&;", "x &= y;", "&amp", "?a=1&b=2;"})
    EXPECT_EQ(faults(line), "") << line;
}

TEST(Faults, EveryIdIsFound) {
  for (size_t i = 0; i < kFaults; ++i)
    EXPECT_EQ(fault_named(fault_info(static_cast<Fault>(i)).id, "`keep`"), static_cast<Fault>(i));
  try {
    fault_named("dupes", "`keep`");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("`keep` 'dupes' is unknown; allowed are fields, blank"), std::string::npos)
        << e.what();
  }
}

TEST(Faults, FirstExamplesAreKeptShort) {
  Findings findings;
  const std::string line = std::string(399, 'a') + "äöü" + std::string(9999, 'b');
  for (int i = 1; i <= 5; ++i) findings.add(Fault::ratio, Where::pair, i, line, "x");
  const auto& found = findings.of(Fault::ratio, Where::pair);
  EXPECT_EQ(found.count, 5);
  ASSERT_EQ(found.examples.size(), Findings::kExamples);
  EXPECT_EQ(found.examples[2].line, 3);
  EXPECT_EQ(found.examples[0].source, std::string(399, 'a'));  // does not split a character
  EXPECT_EQ(findings.of(Fault::ratio, Where::source).count, 0);
}

TEST(HashSet, InsertsOnce) {
  HashSet set;
  Random random(1);
  std::vector<uint64_t> hashes{0, 1, ~uint64_t{0}};
  for (int i = 0; i < 100'000; ++i) hashes.push_back(uint64_t{random.next()} << 32 | random.next());
  hashes.erase(hashes.begin() + 1);  // 0 and 1 are stored as one value
  for (const uint64_t h : hashes) EXPECT_TRUE(set.insert(h));
  for (const uint64_t h : hashes) EXPECT_FALSE(set.insert(h));
  EXPECT_EQ(set.size(), hashes.size());
  EXPECT_TRUE(set.has(0));
  EXPECT_FALSE(set.has(12345));
}

}  // namespace
}  // namespace hexapla::data
