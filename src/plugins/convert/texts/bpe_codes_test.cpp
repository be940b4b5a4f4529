#include "convert/texts/bpe_codes.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "convert/texts/token_list.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class BpeCodes : public TestFolder {
 protected:
  std::string write(const std::string& text) const {
    std::ofstream(at("codes")) << text;
    return at("codes");
  }
  text::Vocabulary vocabulary(const std::string& codes, const std::vector<std::string>& tokens) const {
    return text::Vocabulary::parse(
        vocabulary_of_tokens(tokens, {"<s>", "</s>", "<unk>", "<pad>"}, write(codes), "tokens"), "tokens");
  }
};

const std::vector<std::string> kTokens{"<pad>", "<s>", "</s>", "<unk>", "th@@", "e", "the", "t@@", "h@@", "t", "h"};

TEST_F(BpeCodes, CutWordsAndJoinThemAgain) {
  for (const char* codes : {"#version: 0.2\nt h\nth e</w>\n", "t h 10\nth e</w> 7\n"}) {
    const text::Vocabulary v = vocabulary(codes, kTokens);
    EXPECT_EQ(v.encode("the tht  th h"), (text::Ids{6, 4, 9, 7, 10, 10}));
    EXPECT_EQ(v.decode(text::Ids{6, 4, 9, 7, 10, 10}), "the tht th h");
  }
}

// Words that no merge produces and characters that are not tokens are unknown.
TEST_F(BpeCodes, WhatIsNoTokenIsUnknown) {
  const text::Vocabulary v = vocabulary("#version: 0.2\nt h\nth e</w>\nh e</w>\n", kTokens);
  EXPECT_EQ(v.encode("he the x"), (text::Ids{3, 6, 3}));
  EXPECT_EQ(v.encode("éxthe the"), (text::Ids{3, 3, 6, 6}));  // as many unknown tokens as characters
  EXPECT_EQ(v.encode("xé é the"), (text::Ids{3, 3, 3, 6}));
}

TEST_F(BpeCodes, AreToldFromOtherFiles) {
  EXPECT_TRUE(is_bpe_codes(write("#version: 0.2\n")));
  EXPECT_TRUE(is_bpe_codes(write("t h 10\n")));
  EXPECT_TRUE(is_bpe_codes(write("t h\nth e</w>\n")));
  EXPECT_FALSE(is_bpe_codes(write("t h\n")));
  EXPECT_FALSE(is_bpe_codes(write("t h\nth e</w> x\n")));
  EXPECT_FALSE(is_bpe_codes(write("the 12\nof 10\n")));
  EXPECT_FALSE(is_bpe_codes(write("")));
  EXPECT_FALSE(is_bpe_codes(write("\x0A\x03 abc 5\n")));
}

TEST_F(BpeCodes, DamagedOnesAreRefusedByLine) {
  const auto refusal = [&](const std::string& codes) {
    return what_of<DataError>([&] { read_bpe_codes(write(codes), kTokens); });
  };
  EXPECT_THAT(refusal("#version: 0.2\nt h\nth\n"), AllOf(HasSubstr("codes:3: "), HasSubstr("no pair")));
  EXPECT_THAT(refusal("#version: 0.1\nt h\ne </w>\n"), AllOf(HasSubstr("codes:3: "), HasSubstr("version 0.1")));
  EXPECT_THAT(refusal("#version: 0.2\nt \xFF\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(refusal("#version: 0.2\nt " + std::string(5000, 'h') + "\n"), HasSubstr("too long"));
}

}  // namespace
}  // namespace hexapla::convert
