#include "data/files/links.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "data/batches/batch.h"
#include "data/files/test_files.h"

namespace hexapla::data {
namespace {
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Pharaoh, ThereAndBack) {
  const std::vector<Link> links{{0, 0}, {12, 3}, {1, 2}};
  EXPECT_EQ(pharaoh(links), "0-0 12-3 1-2");
  EXPECT_EQ(parse_pharaoh(" 0-0\t12-3  1-2 ", "x"), links);
  EXPECT_THAT(parse_pharaoh("", "x"), IsEmpty());
}

TEST(Pharaoh, WhatIsNoLink) {
  for (const char* wrong : {"0", "0-", "-0", "0--1", "-1-0", "0-1-2", "a-b", "0-1,", "0:1", "99999999999-0", "0-1x"}) {
    const std::string message = message_of<DataError>([&] { parse_pharaoh(std::string("0-0 ") + wrong, "f line 7"); });
    EXPECT_THAT(message, AllOf(HasSubstr("f line 7: '"), HasSubstr(wrong), HasSubstr("is not a link; give links as")));
  }
}

// A corpus of three lines, the second of which is dropped because one side is blank.
class Gold : public TestFiles {
 protected:
  Gold() {
    write("a", "ein Hund läuft\nzwei\nKatzen und Hunde\n");
    write("b", "a dog runs\n\ncats and dogs\n");
    corpus_ = read_parallel(path("a"), path("b"));
    std::vector<std::string> text = corpus_.source;
    text.insert(text.end(), corpus_.target.begin(), corpus_.target.end());
    v_.emplace(text::Vocabulary::train(text, {.size = 34}));
  }
  std::string path(const std::string& name) const { return folder() + "/" + name; }
  std::string error(const std::string& links, LinkUnit unit = LinkUnit::words) const {
    write("links", links);
    return message_of<DataError>([&] {
      const GoldLinks gold(path("links"), unit, corpus_);
      for (int64_t i = 0; i < corpus_.size(); ++i) gold.of_pair(i, *v_, *v_);
    });
  }
  Corpus corpus_;
  std::optional<text::Vocabulary> v_;
};

TEST_F(Gold, WordsBecomeAllOfTheirTokens) {
  write("links", "1-1 0-0 1-1\n\n2-0 2-2\n");
  const GoldLinks gold(path("links"), LinkUnit::words, corpus_);
  for (int64_t i : {0, 1}) {
    const auto from = v_->encode_with_spans(corpus_.source[i]), to = v_->encode_with_spans(corpus_.target[i]);
    const auto source = text::words_of_tokens(corpus_.source[i], from.spans),
               target = text::words_of_tokens(corpus_.target[i], to.spans);
    const std::vector<Link> of_words = i == 0 ? std::vector<Link>{{0, 0}, {1, 1}} : std::vector<Link>{{2, 0}, {2, 2}};
    std::vector<Link> expected;
    for (int32_t t = 0; t < int32_t(target.size()); ++t)
      for (int32_t s = 0; s < int32_t(source.size()); ++s)
        if (std::count(of_words.begin(), of_words.end(), Link{source[s].first, target[t].first}))
          expected.push_back({s, t});
    EXPECT_GT(expected.size(), of_words.size()) << "the words are single pieces: the test shows little";
    EXPECT_EQ(gold.of_pair(i, *v_, *v_), expected);
  }
}

TEST_F(Gold, TokenLinksAreTakenAsTheyAre) {
  write("links", "2-1 0-0 1-0 2-1\n\n\n");
  const GoldLinks gold(path("links"), LinkUnit::pieces, corpus_);
  EXPECT_THAT(gold.of_pair(0, *v_, *v_), ElementsAre(Link{0, 0}, Link{1, 0}, Link{2, 1}));
  EXPECT_THAT(gold.of_pair(1, *v_, *v_), IsEmpty());
}

TEST_F(Gold, CharactersOrTextThatIsCutIntoWords) {
  write("a", "we go to Beijing\n");
  write("b", "我们 去 北京\n");
  const Corpus corpus = read_parallel(path("a"), path("b"));
  const text::Vocabulary v = text::Vocabulary::train({"we go to Beijing", "我们 去 北京"}, {.size = 30});
  const auto doubt = [&](const std::string& links, LinkUnit unit) {
    write("links", links);
    return GoldLinks(path("links"), unit, corpus).doubt();
  };
  EXPECT_THAT(doubt("0-0 3-2\n", LinkUnit::words), HasSubstr("give `guided-alignment-units` blanks"));
  EXPECT_EQ(doubt("0-0 3-2\n", LinkUnit::blanks), "");
  EXPECT_EQ(doubt("0-0 0-1 3-3 3-4\n", LinkUnit::words), "") << "they count characters";
  write("links", "0-0 3-2\n");
  std::vector<int32_t> linked;
  for (const Link& link : GoldLinks(path("links"), LinkUnit::blanks, corpus).of_pair(0, v, v))
    linked.push_back(link.target);
  std::vector<int32_t> expected;
  const auto of =
      text::words_of_tokens(corpus.target[0], v.encode_with_spans(corpus.target[0]).spans, text::WordEnds::at_blanks);
  for (size_t t = 0; t < of.size(); ++t)
    if (of[t] == text::WordSpan(0) || of[t] == text::WordSpan(2)) expected.push_back(static_cast<int32_t>(t));
  linked.erase(std::unique(linked.begin(), linked.end()), linked.end());
  EXPECT_EQ(linked, expected);
  EXPECT_EQ(GoldLinks(path("links"), LinkUnit::words, read_parallel(path("a"), path("a"))).doubt(), "");
}

TEST_F(Gold, WrongFiles) {
  EXPECT_THAT(error("0-0\n\n"), AllOf(HasSubstr("links has 2 lines of links, but"), HasSubstr("a has 3 lines")));
  EXPECT_THAT(error("0-0\n\n\n\n"), HasSubstr("links has 4 lines of links"));
  EXPECT_THAT(error("0-0\n0-x\n\n"), HasSubstr("links line 2: '0-x' is not a link"));
  EXPECT_THAT(error("0-0\n\n3-0\n"), AllOf(HasSubstr("links line 3: the link 3-0 leads out of the pair"),
                                           HasSubstr("which has 3 and 3 words")));
  EXPECT_THAT(error("0-3\n\n\n"), HasSubstr("links line 1: the link 0-3 leads out"));
  EXPECT_THAT(error("0-0\n\n40-0\n", LinkUnit::pieces), HasSubstr("pieces"));
  EXPECT_EQ(error("0-0\n9-9\n2-2\n"), "(no such error was thrown)");  // line 2 is not used for training
  EXPECT_THAT(message_of<DataError>([&] { GoldLinks(path("none"), LinkUnit::words, corpus_); }), HasSubstr("none"));
}

TEST_F(Gold, TravelWithTheBatch) {
  write("links", "0-0\n\n\n");
  Encoded encoded = encode_corpus(corpus_, *v_, *v_, 100);
  ASSERT_EQ(encoded.examples.size(), 2u);
  const std::vector<int32_t> both{1, 0}, second{1};
  EXPECT_THAT(make_batch(*v_, encoded.examples, both).link_offsets, IsEmpty());
  add_links(encoded.examples, corpus_, GoldLinks(path("links"), LinkUnit::pieces, corpus_), *v_, *v_);
  encoded.examples[0].links = {{2, 0}, {1, 2}, {3, 2}};
  const Batch batch = make_batch(*v_, encoded.examples, both);
  ASSERT_EQ(int64_t(batch.link_offsets.size()), batch.target_tokens() + 1);
  const auto first = static_cast<size_t>(batch.target_offsets[1]);  // of the example with links
  EXPECT_EQ(batch.link_offsets[first], 0);
  EXPECT_EQ(batch.link_offsets[first + 1], 1);
  EXPECT_EQ(batch.link_offsets[first + 2], 1);
  EXPECT_EQ(batch.link_offsets[first + 3], 3);
  EXPECT_EQ(batch.link_offsets.back(), 3);
  EXPECT_THAT(batch.linked, ElementsAre(2, 1, 3));
  EXPECT_THAT(make_batch(*v_, encoded.examples, second).link_offsets, IsEmpty());
}

}  // namespace
}  // namespace hexapla::data
