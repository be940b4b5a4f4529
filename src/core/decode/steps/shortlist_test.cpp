// Shortlists: Marian's files, and a search restricted to a shortlist.
#include "decode/steps/shortlist.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include "backend/reference/reference.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "decode/search/search.h"
#include "decode/test_text.h"

namespace hexapla::decode {
namespace {
using namespace test;

using testing::ElementsAre;
using testing::HasSubstr;

class ShortlistFile : public TestFolder {
 protected:
  const ShortlistTable table_{2, 3, {0, 2, 2, 5}, {4, 7, 5, 6, 9}};
  std::string refusal(const std::string& bytes) const {
    std::ofstream(at("bad")) << bytes;
    return what_of<DataError>([&] { ShortlistTable::read(at("bad")); });
  }
};

TEST_F(ShortlistFile, IsReadAsItWasWritten) {
  table_.write(at("lex"));
  EXPECT_EQ(ShortlistTable::read(at("lex")), table_);
}

TEST_F(ShortlistFile, IsRefusedWhereItIsDamaged) {
  table_.write(at("lex"));
  const std::string good = read_file(at("lex"));
  EXPECT_THAT(refusal("x" + good), HasSubstr("no binary shortlist"));
  EXPECT_THAT(refusal(good.substr(0, 20)), HasSubstr("48 bytes at least"));
  EXPECT_THAT(refusal(good.substr(0, good.size() - 4)), HasSubstr("cut short or damaged"));
  std::string other = good;
  other[17] ^= 1;
  EXPECT_THAT(refusal(other), HasSubstr("checksum is wrong"));
  ShortlistTable wild = table_;
  wild.starts[2] = 9;
  wild.write(at("wild"));
  EXPECT_THAT(refusal(read_file(at("wild"))), HasSubstr("the shortlist is damaged"));
}

TEST(MakeShortlist, TakesTheBestOfEachPiece) {
  const LexicalCounts counts{{0, {{5, 1.}, {6, 3.}, {7, 3.}}}, {2, {{8, 1.}}}};
  const ShortlistTable t = make_shortlist(counts, 4, 3, 2);
  EXPECT_THAT(t.starts, ElementsAre(0, 2, 2, 3, 3));
  EXPECT_THAT(t.ids, ElementsAre(6, 7, 8));
}

TEST_F(ShortlistFile, MayComeFromATableOfProbabilities) {
  const text::Vocabulary& v = vocabulary();
  const std::string a = v.piece(10), b = v.piece(11);
  std::ofstream(at("t")) << a << " " << b << " 0.25\nNULL " << b << " 0.5\n" << b << " " << b << " 1e-3\n";
  const LexicalCounts counts = read_lexical_table(at("t"), v, v);
  EXPECT_EQ(counts, (LexicalCounts{{11, {{10, 0.25}, {11, 1e-3}}}}));
  std::ofstream(at("bad")) << a << " " << b << " 0.25\n" << a << " " << b << "\n";
  EXPECT_THAT(what_of<DataError>([&] { read_lexical_table(at("bad"), v, v); }), HasSubstr("bad:2"));
  std::ofstream(at("none")) << "x! y! 0.5\n";
  EXPECT_THAT(what_of<DataError>([&] { read_lexical_table(at("none"), v, v); }), HasSubstr("no line is of pieces"));
}

ShortlistTable some_table() {
  const auto pieces = static_cast<size_t>(vocabulary().size());
  ShortlistTable t{6, 2, {0}, {}};
  for (size_t s = 0; s < pieces; ++s) {
    for (const size_t id : {(7 * s + 3) % pieces, (11 * s + 8) % pieces}) t.ids.push_back(static_cast<uint32_t>(id));
    t.starts.push_back(t.ids.size());
  }
  return t;
}

TEST(ShortlistOfASource, HasItsPiecesAndTheEnd) {
  const text::Vocabulary& v = vocabulary();
  const Shortlist list({2, 2, {0, 0, 0, 2}, {20, 9}}, v, v, "lex");
  EXPECT_THAT(list.allowed({2, 40}),
              testing::UnorderedElementsAreArray(std::set<int32_t>{0, 1, 2, 9, 20, 40, v.eos()}));
  EXPECT_THAT(what_of<DataError>([&] {
                Shortlist({0, 1, {0, 1}, {4000}}, v, v, "lex");
              }),
              HasSubstr("belongs to another model"));
}

// Every allowed logit equals that of the whole output layer; there are no others.
TEST(ShortlistOfASource, RestrictsTheOutputLayer) {
  const text::Vocabulary& v = vocabulary();
  const Shortlist list(some_table(), v, v, "lex");
  for (const char* tied : {"all", "decoder", "none"}) {
    model::Config c = config();
    c.tied = c.tied.parse("tied", tied), c.generator_bias = true;
    const TestModel m(c);
    const auto backend = make_reference_backend();
    Arena arena(16 << 20);
    Context cx{*backend, arena};
    const std::vector<text::Ids> sources{v.encode("ein Hund"), v.encode("zwei Katzen und die Straße")};
    const std::vector<int32_t> hypotheses{0, 2, 3};
    std::vector<std::vector<float>> found;
    for (const Shortlist* of : {static_cast<const Shortlist*>(nullptr), &list}) {
      std::vector<Prefix> prefixes(3, Prefix{{v.bos()}, {}});
      std::vector<Prefix*> all{&prefixes[0], &prefixes[1], &prefixes[2]};
      const auto tokens = static_cast<int64_t>(sources[0].size() + sources[1].size());
      DecoderSteps steps(cx, m.model, tokens, 8, of);
      const auto second = static_cast<int32_t>(sources[0].size());
      steps.encode(sources, std::vector<int64_t>{0, second});
      const std::vector<int32_t> memory{0, second, static_cast<int32_t>(tokens)};
      const Tensor z = steps.step(all, hypotheses, memory).whole(cx);
      found.emplace_back(z.values<float>().begin(), z.values<float>().end());
    }
    const auto width = static_cast<size_t>(v.size());
    for (size_t row = 0; row < 3; ++row) {
      const text::Ids allowed = list.allowed(sources[row == 2 ? 1 : 0]);
      ASSERT_LT(allowed.size(), width);
      for (size_t id = 0; id < width; ++id) {
        const bool in = std::binary_search(allowed.begin(), allowed.end(), static_cast<int32_t>(id));
        const float whole = found[0][row * width + id], own = found[1][row * width + id];
        if (in)
          EXPECT_NEAR(own, whole, 1e-4) << tied;
        else
          EXPECT_EQ(own, -std::numeric_limits<float>::infinity());
      }
    }
  }
}

TEST(ShortlistOfASource, NothingElseIsWritten) {
  const text::Vocabulary& v = vocabulary();
  const Shortlist list(some_table(), v, v, "lex");
  const TestModel m(config());
  const auto backend = make_reference_backend();
  std::vector<text::Ids> sources;
  for (const std::string& line : made_up_lines(12, 5)) {
    sources.push_back(v.encode(line));
    sources.back().push_back(v.eos());
  }
  SearchOptions options;
  options.n_best = 3;
  options.shortlist = &list;
  Arena arena(search_memory(m.model, sources, options, DType::f32));
  Context cx{*backend, arena};
  const auto found = search(cx, m.model, sources, options, special_ids(v));
  size_t written = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    const text::Ids allowed = list.allowed(sources[i]);
    for (const Hypothesis& h : found[i])
      for (const int32_t id : h.ids) {
        EXPECT_TRUE(std::binary_search(allowed.begin(), allowed.end(), id)) << id;
        ++written;
      }
  }
  EXPECT_GT(written, 20u);
}

}  // namespace
}  // namespace hexapla::decode
