#include "text/encoding.h"

#include <gtest/gtest.h>
#include <iconv.h>

#include <algorithm>
#include <stdexcept>

namespace hexapla::text {
namespace {

using namespace std::string_literals;
using Kind = Encoding::Kind;

// The text in another encoding.
std::string in(const char* encoding, const std::string& text) {
  const iconv_t converter = iconv_open(encoding, "UTF-8");
  if (converter == reinterpret_cast<iconv_t>(-1)) throw std::runtime_error(encoding);
  std::string from = text, to(8 * text.size() + 16, '\0');
  char *read = from.data(), *written = to.data();
  size_t left = from.size(), room = to.size();
  const bool good = iconv(converter, &read, &left, &written, &room) != static_cast<size_t>(-1);
  iconv_close(converter);
  if (!good) throw std::runtime_error(std::string(encoding) + ": " + text);
  to.resize(to.size() - room);
  return to;
}

const std::string kWestern =
    "Ein Mädchen läuft über die Straße.\nGrößer als je zuvor: die Maße\nC'est déjà l'été à Nîmes\nEl niño está aquí\n"
    "Não há ninguém\n";
const std::string kWindows = kWestern + "“It’s 5 €” – he said…\nun cœur\n";
const std::string kChinese = "今天的天气很好，我们去公园散步吧。\n一个男人在街上走。\n人工智能正在改变世界。\n";
const std::string kJapanese = "これは日本語の文章です。\n東京へ行きました。\nカタカナも使います。\n";
const std::string kRussian = "Привет, мир!\nМужчина идёт по улице.\n";

std::string name_of(const std::string& bytes) { return encoding_of(bytes).name; }
Kind kind_of(const std::string& bytes) { return encoding_of(bytes).kind; }

TEST(Encoding, OfWesternText) {
  EXPECT_EQ(kind_of(kWestern + kChinese), Kind::utf8);
  EXPECT_EQ(name_of(in("ISO-8859-1", kWestern)), "ISO-8859-1");
  EXPECT_EQ(name_of(in("WINDOWS-1252", kWindows)), "WINDOWS-1252");
  EXPECT_EQ(name_of("caf\xE9"), "ISO-8859-1");
  EXPECT_EQ(name_of("Gr\xF6\xDF"
                    "e"),
            "ISO-8859-1");
  EXPECT_EQ(name_of("it\x92s"), "WINDOWS-1252");
  EXPECT_EQ(name_of("100 \x80"), "WINDOWS-1252");
}

TEST(Encoding, OfUnitsOfTwoAndFourBytes) {
  for (const std::string& text : {"A man.\nTwo men.\n"s, kWindows, kChinese, kJapanese, kRussian,
                                  "यह एक हिन्दी वाक्य है।\n"s, "هذا كتاب جديد.\n"s}) {
    for (const char* name : {"UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"}) {
      EXPECT_EQ(name_of(in(name, text)), name) << text;
      EXPECT_EQ(name_of(in(name, "\uFEFF" + text)), std::string(name).substr(0, 6)) << text;
    }
  }
  EXPECT_EQ(kind_of("a man\0 and two\n"s), Kind::nul);
}

// Converting it would turn the rest into mojibake.
TEST(Encoding, DamagedUtf8IsNotToBeConverted) {
  for (const std::string& text : {kWestern, kChinese, kRussian})
    for (const char* bad : {"\xE9", "\x93", "\xFF", "\xED\xA0\x80", "\xC3"}) {
      const Encoding e = encoding_of(text + "one " + bad + " bad\n" + text);
      EXPECT_EQ(e.kind, Kind::damaged) << text << bad;
      EXPECT_EQ(e.bad_lines, 1);
      EXPECT_EQ(advice(e).find("iconv"), std::string::npos);
      EXPECT_NE(advice(e).find("(line " + std::to_string(1 + std::count(text.begin(), text.end(), '\n')) + ")"),
                std::string::npos);
    }
  EXPECT_EQ(kind_of("Größe \xE9 Maße"), Kind::damaged);  // in one line
}

// No name is better than a wrong one.
TEST(Encoding, OfOtherScriptsAndOtherLettersHasNoName) {
  for (const char* name : {"GB18030", "EUC-CN"}) EXPECT_EQ(kind_of(in(name, kChinese)), Kind::non_latin) << name;
  EXPECT_EQ(kind_of(in("BIG5", "今天的天氣很好，我們去公園散步吧。\n一個男人\n")), Kind::non_latin);
  for (const char* name : {"SHIFT_JIS", "EUC-JP"}) EXPECT_NE(kind_of(in(name, kJapanese)), Kind::known) << name;
  EXPECT_EQ(kind_of(in("EUC-KR", "안녕하세요 세계\n한국어 문장입니다.\n")), Kind::non_latin);
  for (const char* name : {"KOI8-R", "WINDOWS-1251", "ISO-8859-5"})
    EXPECT_EQ(kind_of(in(name, kRussian)), Kind::non_latin) << name;
  EXPECT_EQ(kind_of(in("TIS-620", "ภาษาไทยสวยงามมาก\nสวัสดีครับ\n")), Kind::non_latin);
  EXPECT_EQ(kind_of(in("WINDOWS-1256", "هذا كتاب جديد\nالسلام عليكم\n")), Kind::non_latin);
  EXPECT_EQ(kind_of(in("ISO-8859-7", "Καλημέρα κόσμε\n")), Kind::non_latin);
  for (const char* name : {"ISO-8859-2", "WINDOWS-1250"}) {
    EXPECT_EQ(kind_of(in(name, "Dziewczynka biegnie przez łąkę.\nChłopiec śpi, a pies się bawi.\n")), Kind::other);
  }
  EXPECT_EQ(kind_of(in("MACINTOSH", kWestern)), Kind::other);
  EXPECT_EQ(kind_of(in("CP850", kWestern)), Kind::other);
  EXPECT_NE(advice(encoding_of(in("GB18030", kChinese))).find("GB18030"), std::string::npos);
}

TEST(Encoding, TheAdviceIsACommand) {
  EXPECT_EQ(advice(encoding_of("caf\xE9"), "gzip -dc x.gz | ", " > x"),
            "it looks like ISO-8859-1: convert it with: gzip -dc x.gz | iconv -f ISO-8859-1 -t UTF-8 > x");
}

}  // namespace
}  // namespace hexapla::text
