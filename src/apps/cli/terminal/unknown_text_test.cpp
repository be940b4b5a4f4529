// Every command that reads text for a model warns if the model's vocabulary lacks its letters.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/files/file.h"
#include "base/files/test_toy_corpus.h"
#include "cli/command/command.h"
#include "cli/command/parser.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

class UnknownText : public CommandFolder {
 protected:
  UnknownText() {
    const text::Vocabulary v =
        text::Vocabulary::train({"a dog runs .", "two cats sleep", "ein hund rennt"}, {.size = 30});
    save_untrained_model(at("m"), v);
    write("v.model", v.bytes());
    std::string chinese, known;
    for (int i = 0; i < 30; ++i) chinese += "一个男人在跑步。\n", known += "a dog runs .\n";
    write("zh", chinese);
    write("en", known);
  }

  Words training(const Words& more) const {
    return Words{"--model",     at("run"), "--enc-layers",  "1", "--dec-layers", "2", "--dim-model", "12",
                 "--dim-ff",    "16",      "--heads",       "3", "--warmup",     "2", "--threads",   "1",
                 "--precision", "f32",     "--max-updates", "1"} +
           more;
  }
  // The calls of each command that reads text for a model, with Chinese text or text that the model
  // knows.
  std::map<std::string, std::vector<std::function<Words(const std::string& source, const std::string& target)>>> calls()
      const {
    const std::string zh = at("zh"), en = at("en"), m = at("m");
    const auto text_of = [zh](const std::string& file) { return file == zh ? "一个男人在跑步。" : "a dog runs ."; };
    return {
        {"translate", {[=](auto& s, auto&) { return Words{"translate", "-m", m, "--input", s, "--beam-size", "1"}; }}},
        {"document", {[=, this](auto& s, auto&) {
           write("lines.txt", read_file(s));
           return Words{"document", "-m", m, "-i", at("lines.txt"), "-o", at("x"), "--beam-size", "1"};
         }}},
        {"score", {[=](auto& s, auto& t) {
           return Words{"score", "-m", m, s, t};
         }}},
        {"evaluate", {[=](auto& s, auto&) { return Words{"evaluate", "-m", m, s, en, "--beam-size", "1"}; }}},
        {"inspect",
         {[=](auto& s, auto& t) { return Words{"inspect", "-m", m, "--src", text_of(s), "--tgt", text_of(t)}; }}},
        {"explain",
         {[=, this](auto& s, auto&) { return Words{"explain", "-m", m, "--src", text_of(s), "--out", at("x")}; }}},
        {"augment",
         {[=, this](auto& s, auto&) {
            return Words{"augment", "--distill", "-m",          m,   "--train-sets", s,  en, "-o",
                         at("x"),   at("y"),     "--beam-size", "1", "--min-length", "1"};
          },
          [=, this](auto& s, auto&) {
            return Words{"augment", "--back-translate", s,   "-m",           m,  "-o", at("x"),
                         at("y"),   "--beam-size",      "1", "--min-length", "1"};
          }}},
        {"shortlist", {[=, this](auto& s, auto& t) { return Words{"shortlist", "-m", m, s, t, "-o", at("list")}; }}},
        {"compare", {[=](auto& s, auto&) { return Words{"compare", m, m, "--text", s, "--beam-size", "1"}; }}},
        {"quantize", {[=, this](auto& s, auto&) {
           return Words{"quantize", "-m", m, "-o", at("q"), "--valid-sets", s, en, "--max-bleu-drop", "100"};
         }}},
        {"bench", {[=](auto& s, auto&) {
           return Words{"bench", "translate", "-m", m, "--text", s, "--rounds", "1", "-b", "1"};
         }}},
        {"train",
         {[=, this](auto& s, auto& t) { return Words{"train", "--train-sets", s, t, "--init-from", m} + training({}); },
          [=, this](auto& s, auto& t) {
            return Words{"train", "--train-sets", s, t, "--vocab", at("v.model")} + training({});
          },
          [=, this](auto& s, auto& t) {
            return Words{"train", "--train-sets", en, en, "--valid-sets", s, t, "--vocab", at("v.model")} +
                   training({});
          }}},
    };
  }
  void forget() const {
    for (const char* made : {"run", "q", "list", "x", "y"}) std::filesystem::remove_all(at(made));
  }
};

// Commands that do not give a model text from outside, and why.
const std::map<std::string, std::string> kWithout{
    {"data", "looks at text without a model"},
    {"distill", "runs augment and train"},
    {"demo", "makes its text; --text reads a date, of characters that any date may have"},
    {"lab", "trains vocabularies of the text that it is given"},
    {"replay", "a step of a run, whose text train has looked at"},
    {"reproduce", "runs train"},
    {"serve", "answers requests: see UnknownText of the server's tests"},
    {"join", "of answers, not of lines"}};
const std::set<std::string> kWithoutText{"average", "completion", "doctor", "export", "import", "info", "man", "set"};

TEST_F(UnknownText, IsSaidByEveryCommandThatReadsTextForAModel) {
  Command app;
  Action chosen;
  add_commands(app, chosen);
  const auto all = calls();
  for (const Command& command : app.commands()) {
    const std::string name = command.parser().get_name();
    const auto of_command = all.find(name);
    EXPECT_EQ((of_command != all.end()) + kWithout.count(name) + kWithoutText.count(name), 1u)
        << name << ": does it read text for a model? Then it is tried here; or say why not";
    if (of_command == all.end()) continue;
    for (const auto& call : of_command->second) {
      forget();
      const Result unknown = run_command(call(at("zh"), at("zh")));
      EXPECT_THAT(unknown.err, AnyOf(HasSubstr("the vocabulary lacks 7 of 7 letters"),
                                     HasSubstr("% of the source, 100"), HasSubstr("unknown tokens: 100")))
          << name;
      forget();
      const Result known = run_command(call(at("en"), at("en")));
      EXPECT_EQ(known.code, 0) << name << ": " << known.err;
      EXPECT_THAT(known.err, testing::AllOf(Not(HasSubstr("lacks")), Not(HasSubstr("character-coverage")))) << name;
    }
  }
}

TEST_F(UnknownText, IsSaidOfATranslationToo) {
  const Result r = run_command({"score", "-m", at("m"), at("en"), at("zh")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("line 1: its translation: the vocabulary lacks 7 of 7 letters; is the line in the "
                               "language that the model translates to?"));
}

TEST_F(UnknownText, DistilledIsCountedWithARemedy) {
  const Result r = run_command({"augment", "--distill", "-m", at("m"), "--train-sets", at("zh"), at("en"), "-o",
                                at("x"), at("y"), "--beam-size", "1", "--min-length", "1"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.err, testing::AllOf(HasSubstr(at("zh") + " + " + at("en") + ", line 1: the vocabulary lacks"),
                                    HasSubstr("30 lines most of whose letters the model does not know were written"),
                                    HasSubstr("give --model one that translates from this language")));
}

TEST_F(UnknownText, OfATrainingIsAShareOfEachSetAndSide) {
  const Result known = run_command(
      Words{"train", "--train-sets", at("en"), at("en"), "--valid-sets", at("en"), at("zh"), "--vocab", at("v.model")} +
      training({}));
  EXPECT_EQ(known.code, 0) << known.err;
  EXPECT_THAT(known.err, HasSubstr(at("en") + " + " + at("en") +
                                   ": unknown tokens: 0.00 % of the source, 0.00 % of the target\n"));
  EXPECT_THAT(known.err,
              HasSubstr("zh: unknown tokens: 0.00 % of the source, 100.00 % of the target; is this the text of "
                        "this vocabulary (--vocab, --init-from)? If it is, train a vocabulary with more "
                        "--character-coverage, or with --byte-fallback"));
}

}  // namespace
}  // namespace hexapla::cli
