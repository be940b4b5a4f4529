#include "decode/augment/augment.h"

#include <gmock/gmock.h>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/test_toy_corpus.h"
#include "data/files/lines.h"
#include "decode/opened/open_model.h"
#include "train/test_runs.h"

namespace hexapla::decode {
namespace {

using data::read_lines;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Augment : public TestFolder {
 protected:
  Augment() { write_toy_corpus(at("a"), at("b"), 1200); }
  std::vector<data::ParallelSource> sets() const { return {{.source = at("a"), .target = at("b")}}; }
  AugmentFiles to() const { return {at("source.gz"), at("target")}; }
  void write(const std::string& name, const std::string& text) const { write_file_atomically(at(name), text); }

  // A model briefly trained to translate the toy language.
  decode::OpenModel model() const {
    train::TrainOptions o;
    o.train_sets = {at("a"), at("b")};
    o.model = at("run");
    o.vocab_size = 60;
    o.batch_tokens = 256;
    o.max_updates = 30;
    o.warmup = 10;
    o.lr = 3e-3;
    o.precision = "f32";
    o.architecture.enc_layers = o.architecture.dec_layers = 1;
    o.architecture.d_model = 32;
    o.architecture.d_ff = 64;
    o.architecture.heads = 2;
    train::TrainWatcher nobody;
    const auto backend = make_cpu_backend();
    train::train(o, train::prepare_data(o), *backend, nobody, false);
    return decode::open_model(o.model);
  }
  static decode::TranslateOptions greedy() {
    decode::TranslateOptions how;
    how.search.beam_size = 1;
    how.search.min_length = 4;  // otherwise this barely trained model writes nothing
    return how;
  }
};

TEST_F(Augment, BothDirectionsHaveEachPairFromBothSides) {
  write("x", "eins\nzwei\n\n");
  write("y", "one\ntwo\nthree\n");
  const AugmentCounts c = both_directions({{.source = at("x"), .target = at("y")}}, to(), {});
  EXPECT_THAT(read_lines(at("source.gz")), ElementsAre("eins", "one", "zwei", "two"));
  EXPECT_THAT(read_lines(at("target")), ElementsAre("one", "eins", "two", "zwei"));
  EXPECT_EQ(c.pairs, 4);
  EXPECT_EQ(c.made, 2);
  EXPECT_THAT(c.notes, ElementsAre(HasSubstr("1 pair dropped")));
}

TEST_F(Augment, DistilledTargetsAreTheModelsOwn) {
  const decode::OpenModel m = model();
  const decode::TextTranslator translator = m.translator();
  int64_t seen = 0;
  AugmentWork work;
  work.progress = [&](int64_t lines, double) { seen = lines; };
  const AugmentCounts c = distill(sets(), {translator, greedy()}, to(), work);
  const std::vector<std::string> sources = read_lines(at("source.gz")), targets = read_lines(at("target"));
  ASSERT_EQ(sources, read_lines(at("a"))) << "more than one portion, in order";
  ASSERT_EQ(targets.size(), sources.size());
  for (const size_t i : {0u, 999u, 1000u, 1199u})
    EXPECT_EQ(targets[i], translator.translate(std::vector{sources[i]}, greedy()).front().front().text) << i;
  EXPECT_EQ(c.made, 1200);
  EXPECT_EQ(seen, 1200);
}

TEST_F(Augment, BackTranslationsStandAfterTheTruePairsWithTheirTag) {
  const decode::OpenModel m = model();
  const decode::TextTranslator translator = m.translator();
  write("mono", "red dog\n \ncat house\n");
  const AugmentCounts c = back_translate(sets(), at("mono"), {translator, greedy()}, "<BT>", to(), {});
  const std::vector<std::string> sources = read_lines(at("source.gz")), targets = read_lines(at("target"));
  ASSERT_EQ(sources.size(), 1202u);
  EXPECT_EQ(sources[1199], read_lines(at("a")).back());
  EXPECT_EQ(targets[1200], "red dog");
  EXPECT_EQ(targets[1201], "cat house");
  const auto made = translator.translate(std::vector<std::string>{"red dog"}, greedy());
  EXPECT_EQ(sources[1200], "<BT> " + made.front().front().text);
  EXPECT_EQ(c.pairs, 1202);
  EXPECT_EQ(c.made, 2);
  back_translate({}, at("mono"), {translator, greedy()}, "", to(), {});
  EXPECT_EQ(read_lines(at("source.gz")).front(), made.front().front().text) << "no sets, no tag";
}

// The purpose of `user-symbols`: the tag is one piece in any context.
TEST_F(Augment, TheTagIsAPieceOfItsOwn) {
  std::vector<std::string> lines = read_lines(at("a"));
  for (std::string& line : lines) line = "<BT> " + line;
  const text::Vocabulary with = text::Vocabulary::train(lines, {.size = 60, .user_symbols = {"<BT>"}});
  EXPECT_THAT(with.pieces("<BT> red dog"), testing::Contains("<BT>"));
  EXPECT_EQ(with.decode(with.encode("<BT> red dog")), "<BT> red dog");
}

TEST_F(Augment, StoppedOrFailedNothingIsLeft) {
  const decode::OpenModel m = model();
  const decode::TextTranslator translator = m.translator();
  std::atomic<bool> stop = false;
  AugmentWork work;
  work.progress = [&](int64_t, double) { stop = true; };
  work.stop = &stop;
  decode::TranslateOptions how = greedy();
  how.stop = &stop;
  const size_t before = entries();
  EXPECT_THROW(distill(sets(), {translator, how}, to(), work), Canceled);
  write("mono", "red\n\xff\n");
  EXPECT_THAT(what_of<DataError>([&] {
                back_translate(sets(), at("mono"), {translator, greedy()}, "", to(), {});
              }),
              HasSubstr("mono"));
  {
    const FileSizeLimit full(5000);
    EXPECT_THROW(both_directions(sets(), {at("x"), at("y")}, {}), RunError);
  }
  EXPECT_EQ(entries(), before + 1) << "only mono";
  EXPECT_THAT(what_of<UsageError>([] { check_tag("<B T>"); }), HasSubstr("white space"));
}

}  // namespace
}  // namespace hexapla::decode
