// YAML strings: a parser can read any translation, and everything else keeps its bytes.
#include "documents/strings/yaml_strings.h"

#include <gmock/gmock.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "base/error.h"
#include "documents/strings/yaml_scalars.h"
#include "documents/test_translations.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PiecesDocument yaml(const std::string& content) { return PiecesDocument({yaml_strings(content)}); }
std::vector<std::string> unchanged(std::vector<std::string> words) { return words; }
std::vector<std::string> yaml_values(const std::string& content) { return yaml(content).lines(); }

// The file with this text as the translation of every line.
std::string with(const std::string& content, const std::string& text) {
  const PiecesDocument document = yaml(content);
  Translation t;
  t.text = text;
  return document.joined(0, Document::Lines(document.lines().size(), {t}), 0);
}

// Parses a file: its scalars in order, with those that are not strings marked.
class Scalars final : public YAML::EventHandler {
 public:
  explicit Scalars(const std::string& yaml) {
    std::istringstream stream(yaml);
    YAML::Parser events(stream);
    while (documents_ < 20 && events.HandleNextDocument(*this)) {
    }
  }
  std::vector<std::string> all;

 private:
  void OnDocumentStart(const YAML::Mark&) override { ++documents_; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override { all.push_back("null"); }
  void OnAlias(const YAML::Mark&, YAML::anchor_t anchor) override { all.push_back("*" + std::to_string(anchor)); }
  void OnScalar(const YAML::Mark&, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    all.push_back((tag == "?" && is_other_than_string(value) ? "other " : "") + value);
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    all.push_back("[");
  }
  void OnSequenceEnd() override { all.push_back("]"); }
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    all.push_back("{");
  }
  void OnMapEnd() override { all.push_back("}"); }

  int documents_ = 0;  // the parser may never finish at a comma
};

TEST(YamlStrings, AreValuesNotKeys) {
  const std::string rails =
      "\xEF\xBB\xBF# Texts: of the app\n"
      "en:\n"
      "  hello: &hi Hello  # to all\n"
      "  again: *hi\n"
      "\n"
      "  \"quoted key\":   'It''s a dog'\n"
      "  tagged: !!str runs\n"
      "  own: !file a dog\n"
      "  list: [one dog, \"two\", {key: three}]\n"
      "  days:\n"
      "  - ~\n"
      "  - Monday\n"
      "  order: [ :year, :month ]\n"
      "  ? a key\n"
      "  : a value\n"
      "  ? [a, key]\n"
      "  : {b: c d}\n";
  EXPECT_THAT(yaml_values(rails),
              ElementsAre("Hello", "It's a dog", "runs", "one dog", "two", "three", "Monday", "a value", "c d"));
  std::string expected = rails;
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"Hello", "HELLO"},
                                                                                 {"It''s a dog", "IT''S A DOG"},
                                                                                 {"runs", "RUNS"},
                                                                                 {"one dog", "ONE DOG"},
                                                                                 {"\"two\"", "\"TWO\""},
                                                                                 {"three", "THREE"},
                                                                                 {"Monday", "MONDAY"},
                                                                                 {"a value", "A VALUE"},
                                                                                 {"c d", "C D"}})
    expected.replace(expected.find(from), from.size(), to);
  EXPECT_EQ(translated(yaml(rails), in_capitals), expected);
}

TEST(YamlStrings, KeepWhatIsNoText) {
  for (const std::string text :
       {"", "# a comment\n", "a: 12\n", "a: yes\nb: Off\nc: null\nd: ~\ne:\n", "a: 0xFF\nb: 1e3\nc: .inf\nd: 1_000\n",
        "a: 2001-12-14T21:59:43.10-05:00\n", "a: https://a.org/b\n", "a: :symbol\n", "a: !!binary aGVsbG8=\n",
        "a: !ruby/object:Gem::Version\n", "a: '12:30'\n", "a: \"{n, plural, one {# dog} other {# dogs}}\"\n",
        "a: &x\n  b: 1\nc: *x\nd:\n  <<: *x\n", "%YAML 1.1\n---\na: 1\n...\n---\nb: 2\n"})
    EXPECT_TRUE(yaml_values(text).empty()) << text;
  EXPECT_THAT(yaml_values("a: 'yes'\nb: 5 dogs\nc: Hello %{name}, hi\n"),
              ElementsAre("yes", "5 dogs", "Hello %{name}, hi"));
}

TEST(YamlStrings, AnyTextComesBack) {
  for (const std::string text : {"a: b",
                                 "a #b",
                                 "- a",
                                 "yes",
                                 "No",
                                 "null",
                                 "~",
                                 "12",
                                 "1.5e3",
                                 "0x1F",
                                 "2001-12-14",
                                 "'a'",
                                 "it's",
                                 "\"a\"",
                                 "[a",
                                 "{a}",
                                 "*a",
                                 "&a",
                                 "!a",
                                 "%a",
                                 "@a",
                                 "`a",
                                 "a:",
                                 "#a",
                                 ", a",
                                 "a, b",
                                 "a]",
                                 "a }",
                                 "? a",
                                 "| a",
                                 "> a",
                                 "C:\\new",
                                 "...",
                                 "---",
                                 "a\u0085b",
                                 "a\u2028b",
                                 "a\tb",
                                 "\x01",
                                 "",
                                 ":a",
                                 "<<",
                                 "狗：跑",
                                 "สุนัข",
                                 "كلب: يجري",
                                 "a\uFEFF",
                                 "12:30:45",
                                 "a 'b' \"c\" \\d"})
    for (const std::string file :
         {"k: dog\n", "k: 'dog'\n", "k: \"dog\"\n", "- dog\n", "k: [dog, x: dog]\n", "- - dog\n", "k: dog # c\n",
          "k: !!str dog\n", "k: &a dog\nl: *a\n", "dog\n", "k:\n  dog\n"}) {
      const std::string back = with(file, text);
      std::vector<std::string> expected = Scalars(file).all;
      for (std::string& scalar : expected)
        if (scalar == "dog") scalar = text;
      EXPECT_EQ(Scalars(back).all, expected) << text << "\n" << back;
    }
}

TEST(YamlStrings, AreOneLineWhereTheyFold) {
  const std::string plain = "a: a dog\n   runs\n  \n  far\nb: c\n", quoted = "a: \"a\n  dog \\\n   runs\"\nb: c\n";
  EXPECT_THAT(yaml_values(plain), ElementsAre("a dog runs", "far", "c"));
  EXPECT_EQ(translated(yaml(plain), in_capitals), "a: \"A DOG RUNS\\nFAR\"\nb: C\n");
  EXPECT_THAT(yaml_values(quoted), ElementsAre("a dog runs", "c"));
  EXPECT_EQ(translated(yaml(quoted), in_capitals), "a: \"A DOG RUNS\"\nb: C\n");
  EXPECT_EQ(translated(yaml(quoted), unchanged), quoted);
  EXPECT_EQ(translated(yaml("a: \"a dog\\nruns \\u72d7\\t\\\"x\\\"\"\n"), in_capitals),
            "a: \"A DOG\\nRUNS 狗\\t\\\"X\\\"\"\n");
  EXPECT_EQ(Scalars(translated(yaml("a: \"a\\x41\\n\\Lb\\e\"\n"), in_capitals)).all[2], "AA\n\u2028B\x1B");
}

TEST(YamlStrings, BlocksKeepTheirLines) {
  const std::string literal = "a: |  # so\n\n  a dog\n    runs\n\n  far\n\nb: c\n";
  EXPECT_THAT(yaml_values(literal), ElementsAre("a dog", "runs", "far", "c"));
  EXPECT_EQ(translated(yaml(literal), in_capitals), "a: |  # so\n\n  A DOG\n    RUNS\n\n  FAR\n\nb: C\n");
  const std::string folded = "- >2-\n   a\n\n  b dog\n  runs\n\n  far\n   x y\n# c\n- z\n";
  EXPECT_THAT(yaml_values(folded), ElementsAre("a", "b dog runs", "far", "x y", "z"));
  EXPECT_EQ(translated(yaml(folded), in_capitals), "- >2-\n   A\n\n  B DOG RUNS\n\n  FAR\n   X Y\n# c\n- Z\n");
  EXPECT_EQ(translated(yaml(folded), unchanged), folded);
  for (const char* text : {"a: b", "# c", "  x", "- ", "", "a\nb", "狗"})
    EXPECT_EQ(Scalars(with("a: |\n  dog\n  dog\nb: 1\n", text)).all.size(), 6u) << text;
}

TEST(YamlStrings, TakeAnyLineEnd) {
  const std::string file = "a: สุนัข วิ่ง\nb: |\n  كلب\n  يجري\nc: >\n  狗\n  在\nd: \"x\n  y\"\n";
  for (const std::string end : {"\r\n", "\r"}) {
    std::string other;
    for (const char c : file) other += c == '\n' ? end : std::string(1, c);
    EXPECT_EQ(translated(yaml(other), unchanged), other);
    EXPECT_EQ(yaml_values(other), yaml_values(file));
    const std::string back = translated(yaml(other), in_capitals);
    EXPECT_THAT(back, HasSubstr("كلب" + end + "  يجري" + end));
    EXPECT_THAT(back, testing::EndsWith("d: \"X Y\"" + end));
  }
}

TEST(YamlStrings, RefuseWhatIsNoYaml) {
  for (const std::string& text :
       {std::string("a: [b"), std::string("a: 'b"), std::string("a: b: c"), std::string("a: *x\n"),
        std::string("\ta: b"), std::string("a: b\x04 c"), std::string("a: \0b", 5), std::string(100'000, '['),
        std::string("a: \"\\q\""), std::string("- a\n, b"), std::string(","), std::string("- x\nk"),
        std::string((std::size_t{4} << 20) + 1, ' ')})
    EXPECT_THROW(yaml(text), DataError) << text.substr(0, 20);
  try {
    yaml("a: b\nc: [d\n");
    ADD_FAILURE();
  } catch (const DataError& e) {
    EXPECT_THAT(e.what(), HasSubstr("line 3: not valid YAML"));
  }
}

TEST(YamlStrings, TakeWhatNobodyWouldWrite) {
  std::string bomb = "a0: &a0 [dog, dog]\n";
  for (int i = 1; i < 100; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + ", " + last + "]\n";
  }
  EXPECT_EQ(yaml_values(bomb).size(), 2u);
  EXPECT_EQ(translated(yaml(bomb), unchanged), bomb);
  for (const std::string part : {"- ", "a ", "a: b\n", "'a' ", "- |\n  a\n", "- [a, \"b\"]\n", "#\n", "\n", "--- a\n",
                                 "- a\n\n  b\n", "? ", "&a ", "!a ", "- \"\\n\"\n", "- a\n - b\n", "- |9\n", "\"\n"}) {
    std::string all;
    while (all.size() < 20'000) all += part;
    try {
      const std::string back = translated(yaml(all), unchanged);
      EXPECT_TRUE(Scalars(back).all == Scalars(all).all) << part;
    } catch (const DataError&) {
    }
  }
}

// Files of random parts: those that parse come back with the same bytes, or with everything they
// contained.
TEST(YamlStrings, LoseNothing) {
  const std::vector<std::string> parts{
      "a dog", "\n",  "\n  ", "\n- ", ": ",       "'",  "\"",  "|\n  ", ">\n  ", "k: ",    "\\n",  "#",    " # ",
      "[",     "]",   ", ",   "{",    "}",        "狗", "สุนัข", "&x ",   "*x",    "!!str ", "\t",   "\n\n", "-",
      "  ",    "كلب", "\r\n", "\\",   "<b>x</b>", "12", "yes", ">-\n",  "|+\n",  "? ",     "--- ", "\n   "};
  std::uint32_t state = 1;
  const auto random = [&](std::size_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
  int taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = random(2) == 0 ? "k: " : "- ";
    for (std::size_t k = 1 + random(10); k > 0; --k) text += parts[random(parts.size())];
    std::string back, same;
    try {
      same = translated(yaml(text), unchanged);
      back = translated(yaml(text), in_capitals);
    } catch (const DataError&) {
      continue;
    }
    ++taken;
    const std::vector<std::string> was = Scalars(text).all;
    ASSERT_EQ(Scalars(same).all, was) << text;
    try {
      ASSERT_EQ(Scalars(back).all.size(), was.size()) << text << "\n" << back;
    } catch (const YAML::Exception& e) {
      FAIL() << e.what() << "\n" << text << "\n" << back;
    }
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace hexapla::text::document
