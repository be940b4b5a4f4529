#include "curate/line_faults.h"

#include <gtest/gtest.h>

#include "base/compute/random.h"
#include "base/error.h"
#include "curate/hash_set.h"

namespace hexapla::curate {
namespace {

using namespace std::string_literals;

// The ids of all faults of a line.
std::string faults(const std::string& line) {
  std::string out;
  for (size_t i = 0; i < kFaults; ++i) {
    if (faults_of(line).has(static_cast<Fault>(i)))
      out += (out.empty() ? "" : " ") + std::string(info(static_cast<Fault>(i)).id);
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
  EXPECT_TRUE(has_letter("a"));
  EXPECT_TRUE(has_letter("ä"));
  EXPECT_FALSE(has_letter("12, 3!"));
}
TEST(LineFaults, EssenceForgetsCaseBlanksAndPunctuation) {
  EXPECT_EQ(essence("A man,  a Plan!"), essence("a man a plan"));
  EXPECT_NE(essence("a man"), essence("a men"));
  EXPECT_EQ(essence("Übung."), "Übung");
}

TEST(Faults, EveryIdIsFound) {
  for (size_t i = 0; i < kFaults; ++i)
    EXPECT_EQ(fault_named(info(static_cast<Fault>(i)).id, "`keep`"), static_cast<Fault>(i));
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
  EXPECT_EQ(found.examples[0].source, std::string(399, 'a'));  // no half character
  EXPECT_EQ(findings.of(Fault::ratio, Where::source).count, 0);
}

TEST(HashSet, InsertsOnce) {
  HashSet set;
  Random random(1);
  std::vector<uint64_t> hashes{0, 1, ~uint64_t{0}};
  for (int i = 0; i < 100'000; ++i) hashes.push_back(uint64_t{random.next()} << 32 | random.next());
  hashes.erase(hashes.begin() + 1);  // 0 and 1 are one
  for (const uint64_t h : hashes) EXPECT_TRUE(set.insert(h));
  for (const uint64_t h : hashes) EXPECT_FALSE(set.insert(h));
  EXPECT_EQ(set.size(), hashes.size());
  EXPECT_TRUE(set.has(0));
  EXPECT_FALSE(set.has(12345));
}

}  // namespace
}  // namespace hexapla::curate
