#include "text/vocabulary/normalization.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "text/plain_line.h"
#include "text/utf8.h"
#include "text/vocabulary/sampling.h"
#include "text/vocabulary/test_languages.h"

namespace hexapla::text {
namespace {

using testing::HasSubstr;

std::string normalized(const Vocabulary& v, const std::string& text) {
  std::string all;
  for (const std::string& piece : v.pieces(text)) all += piece;
  return all;
}

std::string utf8(uint32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (c >> 18)), tail(12), tail(6), tail(0)};
}

class Joint : public testing::TestWithParam<MadeUpLanguage> {
 protected:
  MadeUpText text_ = made_up_text(GetParam(), 400);
  VocabularyPair trained(const VocabularyOptions& options, const std::string& target) const {
    return train_joint_vocabulary(text_.source, text_.target, options, target);
  }
};

TEST_P(Joint, NothingOfATargetIsLost) {
  for (const bool bytes : {false, true}) {
    for (const char* type : {"unigram", "bpe"}) {
      const VocabularyPair v = trained({.type = type, .size = bytes ? 480 : 200, .byte_fallback = bytes}, "keep");
      const SubwordSampler sampler(v.target, 0.3);
      Random random(3);
      std::string all;
      for (const std::string& line : text_.target) {
        EXPECT_EQ(v.target.decode(v.target.encode(line)), line);
        EXPECT_EQ(v.target.decode(sampler.sample(line, random)), line);
        all += line;
      }
      for (const std::string& mark : text_.marks) EXPECT_THAT(all, HasSubstr(mark));
    }
  }
  const VocabularyPair lossy = trained({.size = 200}, "nmt_nfkc");
  int same = 0;
  for (const std::string& line : text_.target) same += lossy.target.decode(lossy.target.encode(line)) == line;
  EXPECT_LT(same, 300) << "the text would not have shown it";
}

TEST_P(Joint, PiecesAreThoseOfBothSides) {
  const VocabularyPair v = trained({.size = 200}, "keep");
  EXPECT_EQ(v.source.normalization(), "nmt_nfkc");
  EXPECT_EQ(v.target.normalization(), "keep");
  EXPECT_NE(v.source.bytes(), v.target.bytes());
  EXPECT_TRUE(same_pieces(v.source, v.target));
  for (int32_t id = 0; id < v.source.size(); ++id) EXPECT_EQ(v.source.piece(id), v.target.piece(id));
  EXPECT_EQ(v.source.encode("Ｔｏｍ\u00A0ｓｅｅｓ ａ ｃａｔ！"), v.source.encode("Tom sees a cat!"));
  for (const std::string& line : text_.source) EXPECT_EQ(v.source.encode(line), v.target.encode(line));
  const VocabularyPair again = trained({.size = 200}, "keep");
  EXPECT_EQ(again.source.bytes(), v.source.bytes());
  EXPECT_EQ(again.target.bytes(), v.target.bytes());
  EXPECT_EQ(Vocabulary::parse(v.target.bytes(), "again").encode(text_.target[0]), v.target.encode(text_.target[0]));
}

TEST_P(Joint, OneRuleGivesOneVocabulary) {
  std::vector<std::string> all = text_.source;
  all.insert(all.end(), text_.target.begin(), text_.target.end());
  const VocabularyPair v = trained({.size = 200}, "nmt_nfkc");
  EXPECT_EQ(v.source.bytes(), v.target.bytes());
  EXPECT_EQ(v.source.bytes(), Vocabulary::train(all, {.size = 200}).bytes());
  EXPECT_EQ(trained({.size = 200, .normalization = "keep"}, "keep").target.bytes(),
            Vocabulary::train(all, {.size = 200, .normalization = "keep"}).bytes());
}

INSTANTIATE_TEST_SUITE_P(Languages, Joint, testing::ValuesIn(made_up_languages()),
                         [](const auto& language) { return language.param.name; });

// Rules that change nothing make no difference.
TEST(Normalization, PlainTextGivesTheSamePiecesUnderAnyRule) {
  const MadeUpText text = made_up_text(made_up_languages()[0], 300);
  const VocabularyPair one = train_joint_vocabulary(text.source, text.source, {.size = 60}, "nmt_nfkc"),
                       two = train_joint_vocabulary(text.source, text.source, {.size = 60}, "keep");
  EXPECT_TRUE(same_pieces(one.source, two.target));
}

TEST(Normalization, KeepChangesControlCharactersAndRunsOfBlanksAlone) {
  const Vocabulary v = Vocabulary::train({"a"}, {.size = 8, .normalization = "keep"});
  EXPECT_EQ(v.normalization(), "keep");
  EXPECT_EQ(normalized(v, " \t a \n\v b\u2028\x01 c\x7F\u0085 "), "▁a▁b▁c");
  EXPECT_EQ(normalized(v, "\x01\t\u0085"), "");
  EXPECT_EQ(normalized(v, "a \u00A0 b"), "▁a▁\u00A0▁b");
  std::string text, expected = "▁";
  for (uint32_t c = 1; c <= 0x10FFFF; ++c) {
    if ((c >= 0xD800 && c < 0xE000) || c == 0x2581) continue;  // SentencePiece's blank
    text += "x" + utf8(c);
    const std::string plain = plain_line(utf8(c));
    expected += "x" + (plain == " " ? "▁" : plain);
    if (c % 256 != 255) continue;
    EXPECT_EQ(normalized(v, text + "x"), expected + "x") << "before U+" << std::hex << c;
    text.clear();
    expected = "▁";
  }
}

TEST(Normalization, PlacesAreThoseInTheTextAsItCame) {
  const Vocabulary v = Vocabulary::train({"ab ab cd"}, {.size = 12, .normalization = "keep"});
  const std::string text = "a\x01\x02字\t\tb\u00A0";
  const EncodedText encoded = v.encode_with_spans(text);
  size_t at = 0;
  for (const TokenSpan& span : encoded.spans) {
    EXPECT_EQ(span.from, at);
    at = span.to;
  }
  EXPECT_EQ(at, text.size());
}

TEST(Normalization, RulesAreNamed) {
  EXPECT_EQ(normalization_names(), "keep, nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf or identity");
  for (const char* name : kNormalizations)
    EXPECT_EQ(Vocabulary::train({"a b c"}, {.size = 12, .normalization = name}).normalization(), name);
  EXPECT_THAT(what_of<UsageError>([] { train_joint_vocabulary({"a"}, {"b"}, {.size = 12}, "nfd"); }),
              HasSubstr("unknown normalization \"nfd\": use keep, nmt_nfkc"));
  EXPECT_THAT(what_of<DataError>([] { train_joint_vocabulary({"\u3000"}, {""}, {.size = 12}, "keep"); }),
              HasSubstr("none of the 2 lines"));
}

}  // namespace
}  // namespace hexapla::text
