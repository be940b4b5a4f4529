#include "train/automatic/check_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "data/curate/test_text.h"

namespace hexapla::train {
namespace {

using data::MadeText;

class CheckText : public TestFolder {
 protected:
  void write_lines(const std::string& name, const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write_file_atomically(at(name), text);
  }
  // Files named after the text, as values of an option.
  std::vector<std::string> write_text(const std::string& name, const MadeText& text) const {
    write_lines(name + ".x", text.source);
    write_lines(name + ".y", text.target);
    return {at(name + ".x"), at(name + ".y")};
  }
  static std::vector<std::string> check(const std::vector<std::string>& training,
                                        const std::vector<std::string>& validation = {}) {
    TrainOptions o;
    o.train_sets = training;
    o.valid_sets = validation;
    return check_text(o, [] {});
  }
};

TEST_F(CheckText, SoundTextHasNoNotes) {
  for (const int64_t lines : {1, 20, 300, 3000})
    EXPECT_THAT(check(write_text("t", data::made_text(lines, 1)), write_text("v", data::made_text(100, 2))),
                testing::IsEmpty())
        << lines;
}

// Targets of single characters, one of few words, or the sources themselves: a model may be made of them.
TEST_F(CheckText, UnusualTextIsNotRefused) {
  MadeText few, copied = data::made_text(500, 3), digits;
  for (int i = 0; i < 500; ++i) few.source.push_back(cat("line ", i)), few.target.push_back(i % 3 ? "yes" : "no");
  for (int i = 0; i < 500; ++i)
    digits.source.push_back(cat(i * 7919 % 100'003)), digits.target.push_back(cat("第", i, "个"));
  copied.target = copied.source;
  for (const MadeText& text : {few, copied, digits})
    EXPECT_NO_THROW(check(write_text("t", text), write_text("v", text)));
}

TEST_F(CheckText, ShiftedSidesAreRefusedWithThePlace) {
  for (const int64_t from : {0, 1000}) {
    MadeText text = data::made_text(3000, 4);
    text.target.erase(text.target.begin() + from);
    text.source.pop_back();
    const std::string what = what_of<DataError>([&] { check(write_text("t", text)); });
    EXPECT_THAT(what, testing::HasSubstr(cat("from line ", from + 1)));
    EXPECT_THAT(what, testing::HasSubstr("`realign`"));
  }
}

TEST_F(CheckText, ExchangedSidesAreRefused) {
  const std::vector<std::string> training = write_text("t", data::made_text(1000, 5));
  MadeText other = data::made_text(200, 6);
  std::swap(other.source, other.target);
  const std::vector<std::string> exchanged = write_text("v", other);
  EXPECT_THROW(check(training, exchanged), DataError);
  EXPECT_THROW(check({training[0], training[1], exchanged[0], exchanged[1]}), DataError);
}

TEST_F(CheckText, BothDirectionsInOneSetAreNoted) {
  for (const size_t every : {2, 5}) {
    MadeText text = data::made_text(1000, 8);
    for (size_t i = 0; i < text.source.size(); i += every) std::swap(text.source[i], text.target[i]);
    EXPECT_THAT(check(write_text("t", text)), testing::Contains(testing::HasSubstr("exchanged"))) << every;
    MadeText apart = data::made_text(1000, 8);
    for (size_t i = 0; i < apart.source.size() / every; ++i) std::swap(apart.source[i], apart.target[i]);
    EXPECT_THAT(check(write_text("t", apart)), testing::Contains(testing::HasSubstr("exchanged"))) << every;
  }
}

// Untranslated lines, other lines of the source's language, and another script.
TEST_F(CheckText, LinesInAWrongLanguageAreNotedWithTheFirst) {
  const MadeText sound = data::made_text(2000, 14), more = data::made_text(2000, 15);
  MadeText copied = sound, untranslated = sound, script = sound, source = sound;
  for (size_t i = 6; i < 2000; i += 10) {
    copied.target[i] = sound.source[i];
    untranslated.target[i] = more.source[i];
    source.source[i] = more.target[i];
    script.target[i] = "собака бежит через зелёный сад";
  }
  for (const auto& [text, what] : {std::pair{copied, "200 of 2,000 pairs: source and target identical"},
                                   {script, "200 of 2,000 pairs: in another script"},
                                   {untranslated, "10 % of the target"},
                                   {source, "10 % of the source"}})
    EXPECT_THAT(check(write_text("t", text)),
                testing::Contains(testing::AllOf(testing::HasSubstr(what), testing::HasSubstr(" 7, 17, 27"))));
  EXPECT_THAT(check(write_text("t", script)), testing::Contains(testing::HasSubstr("`drop` script `write-clean`")));
}

// A summary in words of its source, digits, and a target that leaves words out are not in the source's language.
TEST_F(CheckText, SidesThatShareWordsAreInNoWrongLanguage) {
  const MadeText sound = data::made_text(1500, 16);
  MadeText shorter = sound, names = sound;
  for (size_t i = 0; i < 1500; ++i) {
    shorter.target[i] = sound.source[i].substr(0, sound.source[i].size() / 2);
    names.source[i] += cat(" Smith & Sons ", i), names.target[i] += cat(" Smith & Sons ", i);
  }
  for (const MadeText& text : {shorter, names})
    for (const std::string& note : check(write_text("t", text))) {
      EXPECT_THAT(note, testing::Not(testing::HasSubstr("language")));
      EXPECT_THAT(note, testing::Not(testing::HasSubstr("script")));
    }
}

TEST_F(CheckText, LinesThatDoNotBelongTogetherAreNoted) {
  MadeText text = data::made_text(4000, 13);
  std::mt19937 random(1);
  std::shuffle(text.target.begin(), text.target.end(), random);
  EXPECT_THAT(check(write_text("t", text)), testing::Contains(testing::HasSubstr("do not belong together")));
}

TEST_F(CheckText, ASetThatIsGivenTwiceIsNoted) {
  const std::vector<std::string> one = write_text("t", data::made_text(500, 9)),
                                 other = write_text("u", data::made_text(500, 10));
  EXPECT_THAT(check({one[0], one[1], other[0], other[1]}), testing::IsEmpty());
  EXPECT_THAT(check({one[0], one[1], other[0], other[1], one[0], one[1]}), testing::SizeIs(1));
}

TEST_F(CheckText, ValidationTextOfAnotherLanguageIsNoted) {
  const std::vector<std::string> training = write_text("t", data::made_text(1000, 11));
  MadeText other = data::made_text(200, 12);
  for (std::string& line : other.target) line = "le chat et le chien sont dans la maison de la ville";
  EXPECT_THAT(check(training, write_text("v", other)), testing::Contains(testing::HasSubstr("its target")));
}

TEST_F(CheckText, ManyFaultsAreNoted) {
  const MadeText text = data::made_text(1000, 7);
  MadeText twice = text;
  twice.source.insert(twice.source.end(), text.source.begin(), text.source.end());
  twice.target.insert(twice.target.end(), text.target.begin(), text.target.end());
  EXPECT_THAT(check(write_text("t", twice)), testing::SizeIs(1)) << "pairs are repeated";
  MadeText part;
  part.source.assign(text.source.begin(), text.source.begin() + 50);
  part.target.assign(text.target.begin(), text.target.begin() + 50);
  EXPECT_THAT(check(write_text("t", text), write_text("v", part)), testing::SizeIs(1)) << "validates on training text";
}

}  // namespace
}  // namespace hexapla::train
