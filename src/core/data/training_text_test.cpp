#include "data/training_text.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "base/files/test_folder.h"

namespace hexapla::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

void silent(const char*, int64_t) {}

class TrainingTexts : public TestFolder {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(at(name), std::ios::binary) << bytes;
    return at(name);
  }
  TrainingText open(const std::vector<std::string>& files, size_t memory = 1 << 20) const {
    return TrainingText(parse_sets("train-sets", files, false), {memory, folder()});
  }
  static std::vector<std::string> read(TrainingText& text) {
    std::vector<std::string> all;
    for (TextPair p; text.next(p);) all.push_back(cat(p.corpus, ":", p.line, " ", p.source, "=", p.target));
    return all;
  }
};

std::string sets_of(const std::vector<std::string>& files, bool tsv = false) {
  std::string all;
  for (const ParallelSource& s : parse_sets("train-sets", files, tsv))
    all += cat("(", s.source, " ", s.target, s.tsv, ")");
  return all;
}

TEST(ParseSets, FilesInTurnAndTsv) {
  EXPECT_EQ(sets_of({"a.en", "a.de"}), "(a.en a.de)");
  EXPECT_EQ(sets_of({"a.en", "a.de", "b.en.gz", "b.de.gz"}), "(a.en a.de)(b.en.gz b.de.gz)");
  EXPECT_EQ(sets_of({"x.tsv", "a.en", "a.de", "y.tsv.zst", "z.tsv.xz", "z.tsv.gz"}),
            "( x.tsv)(a.en a.de)( y.tsv.zst)( z.tsv.xz)( z.tsv.gz)");
  EXPECT_EQ(sets_of({"-", "b"}, true), "( -)( b)");
  EXPECT_EQ(sets_of({"-", "b"}), "(- b)");
}

TEST(ParseSets, SaysWhatIsWrong) {
  auto message = [](const std::vector<std::string>& files) {
    return what_of<UsageError>([&] { parse_sets("train-sets", files, false); });
  };
  EXPECT_THAT(message({}), HasSubstr("`train-sets` is missing"));
  EXPECT_THAT(message({"a", "b", "c"}), HasSubstr("c has no file of translations"));
  EXPECT_THAT(message({"a", "b.tsv"}), HasSubstr("a has no file of translations"));
  EXPECT_THAT(message({"-", "-"}), HasSubstr("stdin (\"-\") twice"));
}

TEST_F(TrainingTexts, OneSetAfterTheOtherAndAgain) {
  const auto a = write("a", "one\n\ntwo\n"), b = write("b", "eins\nleer\nzwei\n"), c = write("c.tsv", "three\tdrei\n");
  TrainingText text = open({a, b, c});
  EXPECT_THAT(text.names(), ElementsAre(a + " + " + b, c));
  const std::vector<std::string> pairs{"0:1 one=eins", "0:3 two=zwei", "1:1 three=drei"};
  EXPECT_EQ(read(text), pairs);
  EXPECT_THAT(text.notes(), ElementsAre(HasSubstr("1 pair dropped, a line is blank (line 2)")));
  text.rewind();
  EXPECT_EQ(read(text), pairs);
  EXPECT_EQ(text.notes().size(), 1u) << "a note twice";
}

TEST_F(TrainingTexts, APipeIsReadOnceAndKept) {
  const std::string fifo = at("pipe"), b = write("b", "eins\nzwei\n");
  for (const size_t memory : {size_t{1} << 20, size_t{0}}) {
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    std::jthread writer([&] { std::ofstream(fifo) << "one\ntwo\n"; });
    TrainingText text = open({fifo, b}, memory);
    const std::vector<std::string> pairs{"0:1 one=eins", "0:2 two=zwei"};
    EXPECT_EQ(read(text), pairs);
    text.rewind();
    EXPECT_EQ(read(text), pairs);
    std::filesystem::remove(fifo);
  }
}

TEST_F(TrainingTexts, ErrorsNameTheLineOfTheFile) {
  const auto a = write("a", "one\ntwo\n"), b = write("b", "eins\nzwei\n"), bad = write("bad", "x\n\xFF\n"),
             short_one = write("short", "x\n"), blank = write("blank", "\n\n");
  auto message = [&](const std::vector<std::string>& files) {
    return what_of<DataError>([&] {
      TrainingText text = open(files);
      read(text);
    });
  };
  EXPECT_THAT(message({a, b, a, bad}), HasSubstr(bad + " line 2 is not valid UTF-8"));
  EXPECT_THAT(message({a, short_one}), AllOf(HasSubstr("has 2 lines"), HasSubstr("has 1")));
  EXPECT_THAT(message({a, b, a, blank}), AllOf(HasSubstr("no usable pair in"), HasSubstr("a line is blank")));
}

TEST_F(TrainingTexts, SampleHasAllOrAnEvenShareInOrder) {
  std::string a, b;
  for (int i = 0; i < 5000; ++i) a += cat(10000 + i, "\n"), b += cat("t", 10000 + i, "\n");
  const auto x = write("a", a), y = write("b", b);
  TrainingText whole = open({x, y});
  EXPECT_EQ(sample_lines(whole, 5000, silent).source.size(), 5000u);
  TrainingText text = open({x, y}), again = open({x, y});
  const LineSample some = sample_lines(text, 1000, silent), same = sample_lines(again, 1000, silent);
  EXPECT_EQ(some.source, same.source);
  EXPECT_EQ(some.target, same.target);
  ASSERT_EQ(some.source.size(), 1000u);
  ASSERT_EQ(some.target.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(some.source.begin(), some.source.end()));
  EXPECT_EQ(std::adjacent_find(some.source.begin(), some.source.end()), some.source.end());
  double mean = 0;
  for (const std::string& line : some.source) mean += (std::stod(line) - 10000) / 1000;
  EXPECT_NEAR(mean, 2500, 4.5 * 5000 / std::sqrt(12.0 * 1000));
}

TEST_F(TrainingTexts, PairsAreThoseOfEncodeCorpus) {
  std::string a, b;
  for (int i = 0; i < 3000; ++i) {
    std::string line = "the";
    for (int k = 0; k < i % 30; ++k) line += cat(" w", (i * 7 + k) % 13);
    a += line + "\n";
    b += "z " + line + "\n";
  }
  const auto x = write("a", a), y = write("b", b);
  const Corpus corpus = read_parallel(x, y);
  const text::Vocabulary v = text::Vocabulary::train(corpus.source, {.size = 60});
  const Encoded wanted = encode_corpus(corpus, v, v, 40);
  for (const size_t memory : {size_t{1} << 30, size_t{0}}) {
    TrainingText text = open({x, y});
    const PreparedPairs got = prepare_pairs(text, v, v, {40, false, {memory, folder()}}, silent);
    EXPECT_EQ(got.notes, wanted.notes);
    size_t i = 0;
    got.store->for_each([&](const PackedPair& pair) {
      const Example e = unpack_example(pair);
      ASSERT_LT(i, wanted.examples.size());
      EXPECT_EQ(e.source, wanted.examples[i].source);
      EXPECT_EQ(e.target, wanted.examples[i].target);
      EXPECT_EQ(e.line, wanted.examples[i++].line);
    });
    EXPECT_EQ(i, wanted.examples.size());
    TrainingText again = open({x, y});
    const PreparedPairs kept = prepare_pairs(again, v, v, {40, true, {memory, folder()}}, silent);
    EXPECT_EQ(kept.fingerprint, got.fingerprint);
    EXPECT_EQ(kept.store->pairs(), got.store->pairs());
  }
  TrainingText text = open({x, y});
  EXPECT_THAT(what_of<DataError>([&] {
                prepare_pairs(text, v, v, {2, false, {}}, silent);
              }),
              AllOf(HasSubstr("no usable pair in"), HasSubstr("raise `max-length`")));
}

}  // namespace
}  // namespace hexapla::data
