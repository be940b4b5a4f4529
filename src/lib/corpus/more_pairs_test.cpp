// Tests of shortlists and of more training pairs, which the library makes from files.
#include <gmock/gmock.h>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"

namespace hexapla::api {
namespace {

using test::made_up_lines;
using test::model_file;
using testing::ElementsAre;
using Lines = std::vector<std::string>;

class MadeFromFiles : public TestFolder {
 protected:
  std::string write(const std::string& name, const Lines& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write_file_atomically(at(name), text);
    return at(name);
  }
};

TEST_F(MadeFromFiles, AShortlistIsUsedByATranslator) {
  const Lines lines = made_up_lines(50, 3);
  std::vector<size_t> progress, warned;
  ShortlistOptions options;
  options.first = 20, options.best = 5;
  options.on_progress = [&](size_t pairs) { progress.push_back(pairs); };
  options.warn = [&](size_t line, const std::string&) { warned.push_back(line); };
  const Lines files{write("x", lines), write("y", lines)};
  const ShortlistSize size = make_shortlist(model_file(), files, at("lex.bin"), options);
  EXPECT_EQ(size.vocabulary, api::test::small_vocabulary().size());
  EXPECT_GT(size.source_pieces, 5);
  EXPECT_GE(size.average, 1);
  EXPECT_LE(size.average, 5);
  EXPECT_THAT(progress, ElementsAre(50));
  EXPECT_THAT(warned, ElementsAre());
  ModelOptions how;
  how.shortlist = at("lex.bin");
  EXPECT_EQ(Translator(model_file(), how).translate(lines).size(), 50u);
}

TEST_F(MadeFromFiles, AShortlistWarnsOfLinesAndRefusesOthers) {
  std::vector<size_t> warned;
  ShortlistOptions options;
  options.warn = [&](size_t line, const std::string&) { warned.push_back(line); };
  const std::string x = write("x", {"a dog", "a \xff dog"}), y = write("y", {"a dog", "a dog"});
  make_shortlist(model_file(), {x, y}, at("lex.bin"), options);
  EXPECT_THAT(warned, ElementsAre(2));
  EXPECT_THROW(make_shortlist(model_file(), {}, at("lex.bin")), UsageError);
  EXPECT_THROW(make_shortlist(model_file(), {write("b", {"", ""}), y}, at("lex.bin")), DataError);
  EXPECT_THROW(make_shortlist(model_file(), {x}, at("lex.bin")), DataError) << "no table";
  options.best = -1;
  EXPECT_THROW(make_shortlist(model_file(), {x, y}, at("lex.bin"), options), UsageError);
  struct Own {};
  options.best = 1, options.on_progress = [](size_t) { throw Own(); };
  EXPECT_THROW(make_shortlist(model_file(), {x, y}, at("lex.bin"), options), Own);
}

TEST_F(MadeFromFiles, PairsOfEveryKind) {
  AugmentOptions o;
  o.train_sets = {write("x", {"a dog", "two cats"}), write("y", {"two", "red"})};
  o.models = {model_file()};
  o.search.extra_length = 3;
  const AugmentCounts distilled = augment(o, at("a"), at("b"));
  EXPECT_EQ(distilled.made + distilled.without, 2);
  EXPECT_EQ(distilled.pairs, distilled.made);
  o.kind = "back-translate", o.text = write("text", {"a bird", "", "red"});
  const AugmentCounts back = augment(o, at("a"), at("b"));
  EXPECT_EQ(back.pairs, 2 + back.made);
  EXPECT_EQ(back.made + back.without, 2);
  EXPECT_THAT(read_lines(at("b"))[0], "two");
  for (int64_t i = 2; i < back.pairs; ++i)
    EXPECT_THAT(read_lines(at("a"))[static_cast<size_t>(i)], testing::StartsWith("<BT> "));
  o.kind = "both-directions", o.text = "", o.models = {};
  EXPECT_EQ(augment(o, at("a"), at("b")).pairs, 4);
  EXPECT_THAT(read_lines(at("a")), ElementsAre("a dog", "two", "two cats", "red"));
}

TEST_F(MadeFromFiles, PairsAreRefusedWhereOptionsContradict) {
  AugmentOptions o;
  const auto refused = [&] {
    try {
      augment(o, at("a"), at("b"));
    } catch (const UsageError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused(), testing::HasSubstr("train_sets is missing"));
  o.train_sets = {write("x", {"a dog"}), write("y", {"two"})};
  EXPECT_THAT(refused(), testing::HasSubstr("model is missing"));
  o.models = {model_file()};
  o.text = at("x");
  EXPECT_THAT(refused(), testing::HasSubstr("text is for back-translate"));
  o.text = "", o.kind = "back-translate";
  EXPECT_THAT(refused(), testing::HasSubstr("text is missing"));
  o.kind = "both-directions";
  EXPECT_THAT(refused(), testing::HasSubstr("needs no model"));
  o.kind = "half";
  EXPECT_THAT(refused(), testing::HasSubstr("kind"));
  o.kind = "distill", o.search.n_best = 2;
  EXPECT_THAT(refused(), testing::HasSubstr("n_best"));
  o.search.n_best.reset(), o.tag = "a b";
  EXPECT_THAT(refused(), testing::HasSubstr("white space"));
  o.tag = "<BT>";
  EXPECT_THROW(augment(o, at("a"), at("a")), UsageError);
  std::atomic<bool> stop = true;
  o.search.stop = &stop;
  EXPECT_THROW(augment(o, at("a"), at("b")), Canceled);
}

}  // namespace
}  // namespace hexapla::api
