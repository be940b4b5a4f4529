// User interface strings: gettext messages and JSON values.
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/json.h"
#include "documents/strings/json_strings.h"
#include "documents/strings/po_strings.h"
#include "documents/test_translations.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;

PiecesDocument po(const std::string& content) { return PiecesDocument({po_strings(content)}); }
PiecesDocument json(const std::string& content) { return PiecesDocument({json_strings(content)}); }
std::vector<std::string> as_they_are(std::vector<std::string> words) { return words; }

TEST(PoStrings, FillWhatIsEmpty) {
  EXPECT_EQ(translated(po("#: a.c:1\n#, c-format\nmsgid \"A \\\"dog\\\"\"\nmsgstr \"\"\n"), in_capitals),
            "#: a.c:1\n#, c-format\nmsgid \"A \\\"dog\\\"\"\nmsgstr \"A \\\"DOG\\\"\"\n");
  EXPECT_EQ(translated(po("msgctxt \"menu\"\r\nmsgid \"\"\r\n\"one \"\r\n\"two\"\r\nmsgstr \"\"\r\n"), in_capitals),
            "msgctxt \"menu\"\r\nmsgid \"\"\r\n\"one \"\r\n\"two\"\r\nmsgstr \"ONE TWO\"\r\n");
  EXPECT_EQ(translated(po("msgid \"สุนัข <b>كلب</b>\"\nmsgstr \"\""), as_they_are),
            "msgid \"สุนัข <b>كلب</b>\"\nmsgstr \"สุนัข <b>كلب</b>\"");
}

TEST(PoStrings, HaveALineForEachLine) {
  EXPECT_EQ(translated(po("msgid \"one\\n\\n\\ttwo <x>\\n\"\nmsgstr \"\"\n"), in_capitals),
            "msgid \"one\\n\\n\\ttwo <x>\\n\"\nmsgstr \"\"\n\"ONE\\n\"\n\"\\n\"\n\"\\tTWO <x>\\n\"\n");
}

TEST(PoStrings, PluralsAreOfThePlural) {
  const std::string id = "msgid \"a dog\"\nmsgid_plural \"some dogs\"\n";
  EXPECT_EQ(translated(po(id + "msgstr[0] \"\"\nmsgstr[1] \"\"\nmsgstr[2] \"\"\n"), in_capitals),
            id + "msgstr[0] \"A DOG\"\nmsgstr[1] \"SOME DOGS\"\nmsgstr[2] \"SOME DOGS\"\n");
  EXPECT_EQ(translated(po(id + "msgstr[0] \"\"\n"), in_capitals), id + "msgstr[0] \"SOME DOGS\"\n")
      << "Chinese has one form";
}

TEST(PoStrings, KeepEverythingElse) {
  for (const char* content :
       {"", "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n", "msgid \"\"\nmsgstr \"\"\n",
        "msgid \"a\"\nmsgstr \"b\"\n", "#, fuzzy\nmsgid \"a\"\nmsgstr \"b\"\n", "#~ msgid \"a\"\n#~ msgstr \"\"\n",
        "msgid \"a\"\nmsgstr \"\"\n\"b\"\n", "msgstr \"\"\n", "\"\"\n\"\n",
        "msgid \"{n, plural, one {a} other {b}}\"\nmsgstr \"\"\n", "msgid \"12\"\n", "msgid"})
    EXPECT_EQ(translated(po(content), in_capitals), content);
}

TEST(JsonStrings, AreValuesNotKeys) {
  const std::string text =
      "\xEF\xBB\xBF{ \"a key\" : \"a dog\\nruns \\\"home\\\"\",\r\n\"b\":[ \"one\",{\"c\":\"two\"}, 3, "
      "null,\"x\"],\"d\":\"\"}";
  EXPECT_THAT(json(text).lines(), ElementsAre("a dog", "runs \"home\"", "one", "two", "x"));
  EXPECT_EQ(translated(json(text), in_capitals),
            "\xEF\xBB\xBF{ \"a key\" : \"A DOG\\nRUNS \\\"HOME\\\"\",\r\n\"b\":[ \"ONE\",{\"c\":\"TWO\"}, 3, "
            "null,\"X\"],\"d\":\"\"}");
  EXPECT_EQ(translated(json("\"a dog\""), in_capitals), "\"A DOG\"");
}

TEST(JsonStrings, AreWrittenAsJson) {
  EXPECT_THAT(json("[\"\\u72d7 \\ud83d\\udc15 C:\\\\new \\u00e9\"]").lines(), ElementsAre("狗 🐕 C:\\new é"));
  EXPECT_EQ(translated(json("[\"\\u00e9 dog C:\\\\new\\/\"]"), in_capitals), "[\"é DOG C:\\\\NEW/\"]");
  EXPECT_EQ(translated(json("[\"a <a href=\\\"x\\\">big</a> <0>red</0> dog\"]"), reversed),
            "[\"dog <0>red</0> <a href=\\\"x\\\">big</a> a\"]");
}

TEST(JsonStrings, KeepWhatIsNoText) {
  for (const char* text :
       {"{}", "[]", "1", "[\"https://a.org/b\", \"12:30\", \"\"]", "[\"{n, plural, one {# dog} other {# dogs}}\"]",
        "{\"a\":{\"b\":\"{g, select, x{he} other{they}} ran\"}}"})
    EXPECT_TRUE(json(text).lines().empty()) << text;
  EXPECT_THAT(json("[\"Hello {name}, hi\"]").lines(), ElementsAre("Hello {name}, hi"));
}

TEST(JsonStrings, RefuseWhatIsNoJson) {
  for (const std::string& text : {std::string("{"), std::string("[\"a]"), std::string("[\"\\x\"]"), std::string(),
                                  std::string(100'000, '['), std::string("{'a':'b'}")})
    EXPECT_THROW(json(text), DataError) << text.substr(0, 20);
}

// Unchanged strings keep the bytes of the file; changed ones give valid JSON with the same keys,
// numbers and tags.
TEST(JsonStrings, LoseNothing) {
  const std::vector<std::string> parts{"a dog", "\\n", "\\\"", "\\\\", "\\u72d7", "<b>", "</b>", "<br/>",
                                       "{x}",   "狗",  "  ",   "\\t",  "\\/",     "สุนัข", "<0>",  "كلب"};
  std::uint32_t state = 1;
  const auto random = [&](std::size_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
  for (int round = 0; round < 1000; ++round) {
    std::string text = "{";
    for (std::size_t i = 0, n = 1 + random(4); i < n; ++i) {
      text += (i > 0 ? ",\n\"k" : "\"k") + std::to_string(i) + "\": \"";
      for (std::size_t k = random(8); k > 0; --k) text += parts[random(parts.size())];
      text += "\"";
    }
    text += "}";
    ASSERT_EQ(translated(json(text), as_they_are), text);
    const std::string back = translated(json(text), reversed);
    const auto was = parse_json(text, "text"), is = parse_json(back, "back");
    for (const auto& item : was.items()) {
      const auto count = [](const std::string& all, const char* part) {
        std::size_t n = 0;
        for (std::size_t at = 0; (at = all.find(part, at)) != all.npos; ++at) ++n;
        return n;
      };
      for (const char* part : {"<b>", "</b>", "<br/>", "<0>", "\n", "狗", "\\"})
        ASSERT_EQ(count(is[item.key()].get<std::string>(), part), count(item.value().get<std::string>(), part))
            << text << "\n"
            << back;
    }
  }
}

TEST(Strings, TakeWhatNobodyWouldWrite) {
  for (const std::string part : {"<b>", "</b>", "<", "{a,", "\\n", "{", "a <x> ", "\\\\"}) {
    std::string all;
    while (all.size() < 200'000) all += part;
    EXPECT_EQ(translated(json("[\"" + all + "\"]"), as_they_are), "[\"" + all + "\"]") << part;
    EXPECT_EQ(translated(po("msgid \"" + all + "\"\nmsgstr \"x\"\n" + all), as_they_are).size(), 2 * all.size() + 20)
        << part;
    EXPECT_GE(translated(po("msgid \"" + all + "\"\nmsgstr \"\"\n"), as_they_are).size(), all.size()) << part;
  }
}

}  // namespace
}  // namespace hexapla::text::document
