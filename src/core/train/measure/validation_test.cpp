// Validation of a run: BLEU tokenizer, several sets, the user's scoring program.
#include "train/measure/validation.h"
#include "base/json.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "model/weights/model_file.h"
#include "train/measure/valid_tokenizer.h"
#include "train/record/checkpoint.h"
#include "train/record/run_state.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

struct Notes : TrainWatcher {
  void note(const std::string& n) override { text += n + "\n"; }
  void validated(const Validation& v) override { seen.push_back(v); }
  void started(const TrainStart& s) override { start = s; }
  std::string text;
  std::vector<Validation> seen;
  TrainStart start;
};

class ValidationOf : public Training {
 protected:
  // English to Chinese, with full-width punctuation and no blanks.
  TrainOptions chinese(const std::string& name) const {
    const std::vector<std::string> from{"red", "green", "small", "dog", "cat"},
        to{"红色的", "绿色的", "小", "狗", "猫"};
    std::ofstream a(folder_ + "/en"), b(folder_ + "/zh");
    Random random(3);
    for (int i = 0; i < 60; ++i) {
      for (uint32_t n = 1 + random.below(5); n > 0; --n) {
        const uint32_t w = random.below(5);
        a << from[w] << (n > 1 ? " " : ".\n");
        b << to[w] << (n > 1 ? "，" : "。\n");
      }
    }
    TrainOptions o = options(name);
    o.train_sets = o.valid_sets = {folder_ + "/en", folder_ + "/zh"};
    o.vocab_size = 40;
    return o;
  }
  std::string script(const std::string& text) const {
    std::ofstream(folder_ + "/measure it") << "#!/bin/sh\n" << text << "\n";
    fs::permissions(folder_ + "/measure it", fs::perms::owner_all);
    return folder_ + "/measure it";
  }
  Notes watched(const TrainOptions& o) const {
    Notes notes;
    run(o, notes, false);
    return notes;
  }
  static std::vector<json> lines_of(const TrainOptions& o) {
    std::vector<json> all;
    std::ifstream in(o.model + "/valid.jsonl");
    for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
    return all;
  }
};

// ---- the tokenizer ----

TEST_F(ValidationOf, ChineseGoesByCharacters) {
  const TrainOptions o = chinese("run");
  const Notes notes = watched(o);
  EXPECT_THAT(notes.text, HasSubstr("the references are Chinese, so BLEU uses the tokenizer zh"));
  ASSERT_THAT(notes.seen, SizeIs(3));
  EXPECT_THAT(notes.seen[0].signature, HasSubstr("|tok:zh|"));
  const model::LoadedModel m = model::load_model(o.model + "/model.safetensors");
  EXPECT_THAT(m.history.at("metric"), HasSubstr("|tok:zh|"));
  EXPECT_EQ(json::parse(m.history.at("options")).at("valid-tokenize"), "zh");
  for (const json& line : lines_of(o)) EXPECT_THAT(line.at("signature").get<std::string>(), HasSubstr("|tok:zh|"));
}

TEST_F(ValidationOf, EuropeanTextGoesBy13aWithoutAWord) {
  const TrainOptions o = options("de");
  const Notes notes = watched(o);
  EXPECT_THAT(notes.text, IsEmpty());
  EXPECT_THAT(notes.seen.at(0).signature, HasSubstr("|tok:13a|"));
}

TEST_F(ValidationOf, ARunKeepsItsTokenizer) {
  TrainOptions o = chinese("kept");
  o.valid_tokenize = "char";
  watched(o);
  o.max_updates = 40;
  o.valid_tokenize = "zh";
  EXPECT_THAT(what_of<UsageError>([&] { watched(o); }),
              AllOf(HasSubstr("`valid-tokenize` is zh"), HasSubstr("was validated with char")));
  o.valid_tokenize = "auto";
  EXPECT_THAT(watched(o).seen.back().signature, HasSubstr("|tok:char|"));
}

TEST_F(ValidationOf, WhereBleuDoesNotChooseTheTokenizerMayChange) {
  TrainOptions o = chinese("changed");
  o.best_by = "chrf";
  o.average_last = 1;
  o.valid_tokenize = "char";
  watched(o);
  o.max_updates = 40;
  o.valid_tokenize = "zh";
  EXPECT_THAT(watched(o).text, HasSubstr("valid-tokenize char -> zh"));
  EXPECT_THAT(model::load_model(o.model + "/model.safetensors").history.at("changed"),
              HasSubstr("valid-tokenize char -> zh"));
}

// Checkpoints from before this option name no tokenizer.
TEST_F(ValidationOf, AnOldRunGoesOnWith13a) {
  TrainOptions o = chinese("old");
  o.valid_tokenize = "13a";
  watched(o);
  const std::string folder = o.model + "/checkpoints";
  const LoadedCheckpoint was = load_checkpoint(folder, 30);
  CheckpointContent old{{}, was.state};
  std::vector<std::vector<float>> numbers;
  for (const TensorEntry& t : was.tensors.tensors()) {
    numbers.emplace_back(static_cast<size_t>(t.shape.size()));
    old.tensors.push_back({t.name, Tensor::of(numbers.back().data(), t.shape)});
    was.read(t.name, old.tensors.back().tensor);
  }
  json changeable = json::parse(old.state.at("changeable"));
  ASSERT_EQ(changeable.erase("valid-tokenize"), 1u);
  old.state["changeable"] = changeable.dump();
  save_checkpoint(folder, 30, old);
  o.valid_tokenize = "auto";
  o.max_updates = 40;
  const Notes notes = watched(o);
  EXPECT_THAT(notes.text,
              HasSubstr("keeps the tokenizer 13a, with which this run started, although the references are Chinese"));
  EXPECT_THAT(notes.seen.back().signature, HasSubstr("|tok:13a|"));
}

TEST_F(ValidationOf, UnknownTokenizersAreRefused) {
  TrainOptions o = options("none");
  o.valid_tokenize = "14a";
  EXPECT_THAT(what_of<UsageError>([&] { o.check(); }), HasSubstr("unknown tokenizer '14a'; allowed are 13a"));
}

TEST(SilentBleuTest, IsToldOnceWhereChrfClimbs) {
  SilentBleu silent;
  EXPECT_EQ(silent.seen(0, 10, 14, "13a"), "");
  EXPECT_EQ(silent.seen(0.01, 20, 14, "13a"), "");
  EXPECT_THAT(silent.seen(0, 30, 14, "13a"), AllOf(HasSubstr("3 validations, while chrF rose from 10.0 to 30.0"),
                                                   HasSubstr("tokenizer 13a"), HasSubstr("`best-by` chrf")));
  EXPECT_EQ(silent.seen(0, 40, 14, "13a"), "") << "once";
}

TEST(SilentBleuTest, IsSilentWhereAllIsWell) {
  SilentBleu starting, standing, small;
  for (const double chrf : {5., 9., 13., 18., 22.}) EXPECT_EQ(starting.seen(chrf < 10 ? 0 : 0.7, chrf, 14, "13a"), "");
  for (int i = 0; i < 9; ++i) EXPECT_EQ(standing.seen(0, 12 + 0.1 * i, 14, "13a"), "") << "nothing is learned at all";
  for (int i = 0; i < 9; ++i) EXPECT_EQ(small.seen(0, 2. * i, 5, "13a"), "") << "words are words";
}

// ---- several sets ----

TEST_F(ValidationOf, SetsAreToldByNameAndTogether) {
  write_toy_corpus(folder_ + "/c", folder_ + "/d", 25, 11, 3);
  TrainOptions both = options("both"), one = options("one"), two = options("two");
  one.valid_sets = {folder_ + "/a", folder_ + "/b"};
  two.valid_sets = {folder_ + "/c", folder_ + "/d"};
  both.valid_sets = {folder_ + "/a", folder_ + "/b", folder_ + "/c", folder_ + "/d"};
  for (TrainOptions* o : {&both, &one, &two}) o->best_by = "loss";
  const Notes together = watched(both), first = watched(one), second = watched(two);
  ASSERT_THAT(together.seen, SizeIs(3));
  const auto lines = lines_of(both);
  for (size_t i = 0; i < 3; ++i) {
    const Validation& v = together.seen[i];
    ASSERT_THAT(v.sets, SizeIs(2));
    EXPECT_THAT(first.seen[i].sets, IsEmpty()) << "one set is told as before";
    EXPECT_EQ(v.sets[0].first, "b");
    EXPECT_EQ(v.sets[1].first, "d");
    for (const auto& [own, alone] : {std::pair{v.sets[0].second, first.seen[i]}, {v.sets[1].second, second.seen[i]}}) {
      EXPECT_EQ(own.loss, alone.loss);
      EXPECT_EQ(own.perplexity, alone.perplexity);
      EXPECT_EQ(own.bleu, alone.bleu);
      EXPECT_EQ(own.chrf, alone.chrf);
    }
    EXPECT_GT(v.loss, std::min(v.sets[0].second.loss, v.sets[1].second.loss));
    EXPECT_LT(v.loss, std::max(v.sets[0].second.loss, v.sets[1].second.loss));
    EXPECT_EQ(lines[i].at("sets").at("d").at("bleu").get<double>(), *v.sets[1].second.bleu);
    EXPECT_EQ(lines[i].at("bleu").get<double>(), *v.bleu);
  }
  for (const json& line : lines_of(one)) EXPECT_FALSE(line.contains("sets"));
}

TEST_F(ValidationOf, SetsOfOneNameAreToldByTheirPaths) {
  fs::create_directories(folder_ + "/x");
  write_toy_corpus(folder_ + "/x/a", folder_ + "/x/b", 10);
  TrainOptions o = options("paths");
  o.valid_sets = {folder_ + "/a", folder_ + "/b", folder_ + "/x/a", folder_ + "/x/b"};
  const TrainingData data = prepare_data(o);
  ASSERT_THAT(data.valid_sets, SizeIs(2));
  EXPECT_EQ(data.valid_sets[0].name, folder_ + "/b");
  EXPECT_EQ(data.valid_sets[1].name, folder_ + "/x/b");
  EXPECT_EQ(data.valid_sets[1].lines, 10u);
}

// ---- the user's scoring program ----

TEST_F(ValidationOf, AProgramMeasures) {
  TrainOptions o = options("script");
  o.best_by = "script";
  o.valid_script =
      script("test \"$(wc -l < \"$1\")\" = 12 && cmp -s \"$2\" '" + folder_ + "/few_b' && cmp -s \"$3\" '" + folder_ +
             "/few_a' || exit 9\necho measuring\necho \" -$(cat '" + folder_ +
             "/calls' 2> /dev/null | wc -l).5\"\necho >> '" + folder_ + "/calls'");
  const Notes notes = watched(o);
  EXPECT_THAT(notes.text, IsEmpty());
  ASSERT_THAT(notes.seen, SizeIs(3));
  EXPECT_EQ(notes.seen[0].script, -0.5);
  EXPECT_EQ(notes.seen[2].script, -2.5);
  EXPECT_TRUE(notes.seen[0].best) << "the first is the best, though it is below 0";
  EXPECT_FALSE(notes.seen[1].best);
  EXPECT_EQ(notes.seen[2].stalled, 2);
  EXPECT_EQ(lines_of(o)[1].at("script"), -1.5);
  const model::LoadedModel m = model::load_model(o.model + "/model.safetensors");
  EXPECT_EQ(m.history.at("best_valid_script"), "-0.5");
  EXPECT_EQ(m.history.at("updates"), "10") << "the best is handed over";
}

TEST_F(ValidationOf, ResumedEqualsUnbrokenWithAProgram) {
  TrainOptions o = options("whole");
  o.best_by = "script";
  o.valid_script = script("echo -$(sort -u \"$1\" | wc -c)");
  o.valid_every = "4";
  o.average_best = 2;
  expect_resumes_exactly(o);
}

TEST_F(ValidationOf, AllPairsThatAreTranslatedAreCounted) {
  TrainOptions o = options("counted");
  o.max_updates = 1;
  o.max_length = 8;
  write_file_atomically(folder_ + "/va", "a dog\na b c d e f g h i j k l\na cat\n");
  write_file_atomically(folder_ + "/vb", "a dog\na b c d e f g h i j k l\na cat\n");
  o.valid_sets = {folder_ + "/va", folder_ + "/vb"};
  const Notes notes = watched(o);
  EXPECT_EQ(notes.start.valid_examples, 3) << "the long one is translated, too";
}

TEST_F(ValidationOf, AProgramThatFailsCostsNoTraining) {
  for (const auto& [text, said] : {std::pair{"echo 5; echo oh no >&2; exit 3", "ended with exit code 3: oh no"},
                                   {"echo about 5", "printed 'about 5', but the last line"},
                                   {"echo nan", "printed 'nan'"},
                                   {"true", "printed nothing"},
                                   {"printf '\\033]0;x\\a'", "printed '?]0;x?'"},
                                   {"sleep 1000", "took more than"}}) {
    TrainOptions o = options(cat("fails ", text[0], std::string(text).size()));
    o.max_updates = 10;
    o.best_by = "script";
    o.patience = 1;
    o.valid_script = script(text);
    if (std::string(text).starts_with("sleep")) o.valid_script_minutes = 0.01;
    const Notes notes = watched(o);
    EXPECT_THAT(notes.text, AllOf(HasSubstr(said), HasSubstr("training goes on without its score"))) << text;
    EXPECT_TRUE(fs::exists(o.model + "/model.safetensors")) << text;
    EXPECT_EQ(notes.seen.at(0).script, std::nullopt);
    EXPECT_FALSE(notes.seen.at(0).best);
    EXPECT_EQ(notes.seen.at(0).stalled, 0) << "neither better nor worse";
    EXPECT_FALSE(lines_of(o).at(0).contains("script"));
  }
}

TEST_F(ValidationOf, AProgramThatIsNotThereIsToldBeforeTraining) {
  TrainOptions o = options("nobody");
  o.valid_script = folder_ + "/none";
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("`valid-script` " + folder_ + "/none does not exist"));
  EXPECT_FALSE(fs::exists(o.model + "/train.jsonl"));
  o.valid_script = "";
  o.best_by = "script";
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("give `valid-script` PROGRAM"));
  o.valid_script = script("echo 1");
  o.valid_sets.clear();
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("`valid-script` needs `valid-sets`"));
}

}  // namespace
}  // namespace hexapla::train
