// The command line: messages and exit codes for wrong input.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <set>

#include "base/files/file.h"
#include "base/json.h"
#include "cli/command/command.h"
#include "cli/command/parser.h"
#include "cli/options/train_options.h"
#include "cli/terminal/terminal.h"
#include "cli/test_command.h"
#include "model/weights/model_file.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

void expect_error(const std::vector<std::string>& arguments, int code, const testing::Matcher<std::string>& message) {
  const Result r = run_command(arguments);
  EXPECT_EQ(r.code, code) << r.err;
  EXPECT_THAT(r.err, message);
  EXPECT_THAT(r.err, HasSubstr("hexapla: error: "));
  EXPECT_EQ(r.out, "");
}

std::vector<std::string> train_with(const std::vector<std::string>& more) {
  std::vector<std::string> all{"train", "--train-sets", "a", "b", "--model", "/nonexistent/run"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(CommandLine, HelpGoesToStdout) {
  const Result r = run_command({"--help"});
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.out, AllOf(HasSubstr("train"), HasSubstr("translate"), HasSubstr("inspect"), HasSubstr("demo")));
  for (const char* command : {"train", "translate", "score", "evaluate", "data", "inspect", "average", "quantize",
                              "info", "doctor", "bench", "demo"}) {
    const Result help = run_command({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("Example")) << command;
  }
}

TEST(CommandLine, HelpIsACommandToo) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{}, {"train"}, {"bench", "train"}}) {
    std::vector<std::string> before = command, after = command;
    before.insert(before.begin(), "help"), after.push_back("--help");
    const Result r = run_command(before);
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.out, run_command(after).out);
  }
  expect_error({"help", "trian"}, 2, HasSubstr("unknown command 'trian'; did you mean train?"));
}

TEST(CommandLine, UsageNamesArgumentsByWhatTheyAre) {
  for (const auto& [command, usage] : {std::pair{"data", "[OPTIONS] [FILE FILE]\n"},
                                       {"evaluate", "[OPTIONS] FILE FILE...\n"},
                                       {"average", "[OPTIONS] MODEL...\n"},
                                       {"replay", "[OPTIONS] DIR\n"},
                                       {"compare", "[OPTIONS] MODEL MODEL\n"},
                                       {"bench", "[OPTIONS] COMMAND\n"}})
    EXPECT_THAT(run_command({command, "--help"}).out, HasSubstr(usage));
  expect_error({"import"}, 2, HasSubstr("PATH is missing: the model: its folder"));
  expect_error({"serve"}, 2, HasSubstr("--model is missing: "));
  expect_error({"info", "my run"}, 2, HasSubstr("; did you mean --model 'my run'?"));
  expect_error({"quantize", "-m", "a", "-o", "b", "--valid-sets", "c"}, 2,
               HasSubstr("give --valid-sets SOURCE TARGET: "));
  expect_error({"compare", "a"}, 2, HasSubstr("give MODEL MODEL: "));
  expect_error({"bench"}, 2, HasSubstr("no command given; choose one of ops, train"));
}

TEST(CommandLine, UnknownOptionNamesTheNearest) {
  expect_error(train_with({"--batch-token", "64"}), 2, HasSubstr("did you mean --batch-tokens?"));
  expect_error(train_with({"--batch-token=64", "x"}), 2, HasSubstr("unknown option --batch-token; did you mean"));
  expect_error({"translat"}, 2, HasSubstr("unknown command 'translat'; did you mean translate?"));
  expect_error({"info", "-m", "x", "y"}, 2, HasSubstr("'y' is one argument too many"));
  expect_error({"help", "bench", "trian"}, 2, HasSubstr("unknown bench command 'trian'"));
  expect_error({"bench", "train", "--bogus"}, 2, HasSubstr("See 'hexapla bench train --help'."));
  expect_error({"-m", "a", "translate"}, 2,
               HasSubstr("-m is before the command; give options after it: hexapla translate -m"));
  expect_error({"lab", "--color", "pink"}, 2, HasSubstr("--color is 'pink', but must be one of: auto, always, never"));
  expect_error({"bench", "trian"}, 2, HasSubstr("unknown bench command 'trian'; did you mean train?"));
  expect_error({"train", "my run.yml"}, 2, HasSubstr("give a file of settings as -c 'my run.yml'"));
  expect_error({"translate", "--modle", "run"}, 2, HasSubstr("unknown option --modle; did you mean --model?"));
  expect_error({"translate", "--beam", "3"}, 2, HasSubstr("unknown option --beam; did you mean --beam-size?"));
  expect_error({"translate", "-beam-size", "3"}, 2, HasSubstr("option -beam-size; did you mean --beam-size?"));
  expect_error({"evaluate", "a", "b", "-lc"}, 2, HasSubstr("unknown option -lc; did you mean --lc?"));
  expect_error({"translate", "\u2014model=m"}, 2, HasSubstr("unknown option \u2014model=m; did you mean --model?"));
  expect_error({"translate", "\u2013m", "m"}, 2, HasSubstr("unknown option \u2013m; did you mean -m?"));
  expect_error({"info", "-m", "x", "-z"}, 2, HasSubstr("unknown option -z\n"));
}

TEST(CommandLine, WrongType) {
  expect_error(train_with({"--seed", "abc"}), 2, AllOf(HasSubstr("--seed"), HasSubstr("abc")));
  expect_error(train_with({"--seed", "-1"}), 2, AllOf(HasSubstr("--seed"), HasSubstr("-1")));
  expect_error(train_with({"--lr", "fast"}), 2, AllOf(HasSubstr("--lr"), HasSubstr("fast")));
}

TEST(CommandLine, ValuesOutOfRange) {
  expect_error(train_with({"--seed", "-1"}), 2, HasSubstr("--seed is '-1', but must be a whole number at least 0"));
  expect_error(train_with({"--dropout", "1.5"}), 2,
               HasSubstr("--dropout is 1.5, but must be a number at least 0 and below 1"));
  expect_error(train_with({"--preset", "huge"}), 2, HasSubstr("--preset is 'huge', but must be one of: auto, tiny"));
  expect_error(train_with({"--score", "cosine"}), 2, HasSubstr("scaled-dot, dot, additive"));
  expect_error({"translate", "-m", "x", "--threads", "-1"}, 2, HasSubstr("--threads is -1"));
  expect_error(train_with({"--precision", "fp8"}), 2, HasSubstr("--precision is 'fp8', but must be auto, f32 or bf16"));
  expect_error(train_with({"--device", "gpu"}), 2, HasSubstr("--device is 'gpu', but must be cpu, opencl or opencl:N"));
  expect_error(train_with({"--color", "pink"}), 2, HasSubstr("--color is 'pink'"));
}

TEST(CommandLine, AnOptionWithOneValueIsGivenOnce) {
  expect_error(train_with({"--lr", "1", "--seed=3", "--lr", "2"}), 2, HasSubstr("--lr is given twice, as 1 and as 2"));
  for (const char* const command : {"info", "inspect"})
    expect_error({command, "-m", "a", "-m", "b"}, 2, HasSubstr("--model is given twice, as a and as b"));
  Command app;
  Action chosen;
  add_commands(app, chosen);
  int options = 0;
  const std::function<void(const Command&)> check = [&](const Command& command) {
    for (const Option& option : command.options()) {
      CLI::Option& parsed = option.parsed();
      if (parsed.get_positional() || parsed.get_items_expected_max() != 1) continue;  // lists, flags
      parsed.add_result("a");
      EXPECT_NO_THROW(command.refuse_repeated()) << option.name();
      parsed.add_result("b");
      if (option.takes_one_word())
        EXPECT_THROW(command.refuse_repeated(), UsageError) << option.name();
      else
        EXPECT_NO_THROW(command.refuse_repeated()) << option.name();
      parsed.clear();
      ++options;
    }
    for (const Command& sub : command.commands()) check(sub);
  };
  check(app);
  EXPECT_GT(options, 150);
}

TEST(CommandLine, PresetAndOptionsInConflict) {
  expect_error(train_with({"--preset", "tiny", "--heads", "3"}), 2,
               AllOf(HasSubstr("--dim-model 128 is not a multiple of --heads 3"),
                     HasSubstr("have the values of --preset tiny")));
  expect_error(train_with({"--layers", "2", "--enc-layers", "3"}), 2, HasSubstr("--layers sets both stacks"));
}

TEST(CommandLine, WidthNotAMultipleOfHeadsUnlessKeyWidthIsGiven) {
  expect_error(train_with({"--dim-model", "100", "--heads", "3"}), 2, HasSubstr("give --dim-key and --dim-value"));
  const Result r = run_command(train_with({"--preset", "base", "--dim-model", "100", "--heads", "3", "--dim-key", "7",
                                           "--dim-value", "9", "--dump-config"}));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("dim-key: 7"), HasSubstr("dim-value: 9")));
}

TEST(CommandLine, MissingFiles) {
  expect_error(train_with({}), 3, AllOf(HasSubstr("a"), HasSubstr("No such file")));
  expect_error({"translate", "-m", "/nonexistent/model.safetensors"}, 3, HasSubstr("/nonexistent/model.safetensors"));
  expect_error(train_with({"-c", "/nonexistent/c.yml"}), 2, HasSubstr("/nonexistent/c.yml"));
  expect_error({"translate"}, 2, HasSubstr("--model is missing"));
  expect_error({"train"}, 2, HasSubstr("--train-sets is missing"));
  expect_error({"average", "/nonexistent/m", "-o", "/nonexistent/o"}, 3, HasSubstr("/nonexistent/m"));
  expect_error({"evaluate", "/nonexistent/h", "/nonexistent/r"}, 3, HasSubstr("/nonexistent/h"));
}

class Files : public TestFolder {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
    return at(name);
  }
};

TEST_F(Files, MissingAndReadOnlyFolders) {
  const std::string a = write("a", "a b c\n"), file = write("file", "");
  expect_error({"train", "--train-sets", a, a, "--model", file + "/run"}, 1,
               AllOf(HasSubstr("(--model)"), HasSubstr("choose another name")));
  expect_error({"train", "--train-sets", a, a, "--model", "/proc/run"}, 1, HasSubstr("cannot create the folder"));
  expect_error({"translate", "-m", folder()}, 3, HasSubstr("is a folder without a model.safetensors"));
}

// Every command and option reports the name, not a bug.
TEST_F(Files, NamesThatAreTooLong) {
  const std::string name(300, 'n'), x = write("x", "a\n"), y = write("y", "b\n");
  for (const auto& [command, code] : std::vector<std::pair<std::vector<std::string>, int>>{
           {{"train", "--train-sets", name, y, "--model", folder() + "/r"}, 3},
           {{"train", "--train-sets", x, y, "--model", folder() + "/" + name}, 3},
           {{"train", "--train-sets", x, y, "--model", folder() + "/r", "--vocab", name}, 3},
           {{"data", name, y}, 3},
           {{"data", "--tsv", name}, 3},
           {{"data", x, y, "--write-clean", folder() + "/" + name, folder() + "/c"}, 1},
           {{"evaluate", name, y}, 3},
           {{"average", name, name, "-o", folder() + "/o"}, 3},
           {{"join", name, "-o", folder() + "/o"}, 3},
           {{"import", name, "-o", folder() + "/o"}, 3},
           {{"replay", name}, 3},
           {{"translate", "-m", name}, 3},
           {{"compare", name, name}, 3}}) {
    const Result r = run_command(command);
    EXPECT_THAT(r.err, AllOf(HasSubstr(name), HasSubstr("File name too long"), Not(HasSubstr("bug"))));
    EXPECT_EQ(r.code, code) << r.err;
  }
}

TEST_F(Files, CorporaThatDoNotMatch) {
  const std::string two = write("two", "a\nb\n"), three = write("three", "a\nb\nc\n"), empty = write("empty", "");
  const std::string run = folder() + "/run";
  expect_error({"train", "--train-sets", two, three, "--model", run}, 3,
               AllOf(HasSubstr(two), HasSubstr(three), HasSubstr("2"), HasSubstr("3")));
  expect_error({"train", "--train-sets", empty, empty, "--model", run}, 3, HasSubstr(empty));
  expect_error({"evaluate", two, three}, 3, AllOf(HasSubstr("has 2 lines"), HasSubstr("has 3")));
}

TEST_F(Files, ConfigFileGivesWhatTheCommandLineDoesNot) {
  const std::string config = write("c.yml", "preset: tiny\nbatch-tokens: 512\ntrain-sets: [x, y]\ngated: true\n");
  const Result r = run_command({"train", "-c", config, "--batch-tokens", "64", "--dump-config"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("batch-tokens: 64"), HasSubstr("dim-model: 128"), HasSubstr("gated: true"),
                           HasSubstr("train-sets: [x, y]")));
  EXPECT_THAT(r.out, HasSubstr("adam-eps: 1e-09\n"));
  const std::string dumped = write("dumped.yml", r.out);
  EXPECT_EQ(run_command({"train", "-c", dumped, "--dump-config"}).out, r.out);
}

TEST(CommandLine, APresetBringsItsRecipe) {
  const Result tiny = run_command(train_with({"--preset", "tiny", "--dropout", "0.2", "--dump-config"}));
  EXPECT_EQ(tiny.code, 0) << tiny.err;
  EXPECT_THAT(tiny.out,
              AllOf(HasSubstr("batch-tokens: 8192\n"), HasSubstr("\nlr: 0.005\n"), HasSubstr("warmup: 2000\n"),
                    HasSubstr("average-last: 10\n"), HasSubstr("attention-dropout: 0.1\n")));
  EXPECT_THAT(tiny.out, AllOf(HasSubstr("\ndropout: 0.2\n"), HasSubstr("max-updates: 8000\n")));
  const Result lr = run_command(train_with({"--preset", "tiny", "--lr", "0", "--dump-config"}));
  EXPECT_THAT(lr.out, AllOf(HasSubstr("\nlr: 0\n"), HasSubstr("\ndropout: 0.3\n")));  // given, even if the default
  EXPECT_THAT(run_command(train_with({"--preset", "base", "--dump-config"})).out,
              AllOf(HasSubstr("preset: base\n"), HasSubstr("max-updates: 100000\n"), HasSubstr("patience: 0\n")));
  EXPECT_THAT(run_command({"train", "--help"}).out, AllOf(HasSubstr("  tiny: enc-layers 4,"), HasSubstr("=(preset)")));
}

TEST(CommandLine, TheRecipeEndsARunThatWasToldNoOtherEnd) {
  auto updates = [](const std::vector<std::string>& limit) {
    std::vector<std::string> arguments = train_with({"--preset", "tiny", "--dump-config"});
    arguments.insert(arguments.end(), limit.begin(), limit.end());
    const std::string out = run_command(arguments).out;
    return std::stoll(out.substr(out.find("max-updates: ") + 13));
  };
  EXPECT_EQ(updates({}), 8000);
  EXPECT_EQ(updates({"--max-updates", "5"}), 5);
  EXPECT_EQ(updates({"--max-updates", "0"}), 0);  // until stopped
  EXPECT_EQ(updates({"--max-epochs", "3"}), 0);
  EXPECT_EQ(updates({"--max-minutes", "0.5"}), 0);
  EXPECT_EQ(updates({"--patience", "4"}), 0);
  EXPECT_EQ(updates({"--max-epochs", "0"}), 8000);
  EXPECT_EQ(updates({"--patience", "4", "--max-updates", "7"}), 7);
}

TEST(CommandLine, WhatIsGivenMakesRoomInTheRecipe) {
  auto dump = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = train_with({"--preset", "base", "--dump-config"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments).out;
  };
  EXPECT_THAT(dump({}), AllOf(HasSubstr("batch-tokens: 4096\n"), HasSubstr("accumulate: 6\n")));
  EXPECT_THAT(dump({"--batch-tokens", "2048"}), HasSubstr("accumulate: 1\n"));
  EXPECT_THAT(dump({"--batch-tokens", "2048", "--accumulate", "3"}), HasSubstr("accumulate: 3\n"));
  EXPECT_THAT(dump({"--average-best", "4"}), AllOf(HasSubstr("average-best: 4\n"), HasSubstr("average-last: 0\n")));
  expect_error(train_with({"--valid-sets", "a", "b", "--average-best", "4", "--average-last", "5"}), 2,
               HasSubstr("can be only one of these means"));
  expect_error(train_with({"--schedule", "stairs"}), 2,
               HasSubstr("--schedule is 'stairs', but must be one of: inverse"));
  expect_error(train_with({"--schedule", "linear", "--max-minutes", "1"}), 2, HasSubstr("give --decay-updates"));
  expect_error(train_with({"--preset", "base", "--patience", "3"}), 2, HasSubstr("--patience needs --valid-sets"));
}

TEST_F(Files, OptionsThatCouldDoNothingAreRefused) {
  const std::string of_vocab = "applies to a vocabulary that is trained, but this one comes from --vocab";
  expect_error(train_with({"--vocab", "v", "--vocab-type", "bpe"}), 2, HasSubstr("--vocab-type bpe " + of_vocab));
  expect_error(train_with({"--vocabs", "v", "w", "--user-symbols", "x", "y"}), 2,
               HasSubstr("--user-symbols x y " + of_vocab + "s: leave it out"));
  expect_error(train_with({"--vocab", "v", "--target-normalization", "keep"}), 2,
               HasSubstr("--target-normalization keep " + of_vocab));
  expect_error(train_with({"--vocab", "v", "--separate-vocabs"}), 2, HasSubstr("--vocab is one vocabulary for both"));
  expect_error(train_with({"--guided-alignment-weight", "5"}), 2,
               HasSubstr("--guided-alignment-weight 5 is for --guided-alignment: give a file of alignments"));
  for (const char* part : {"layer", "head"})
    expect_error(train_with({cat("--guided-alignment-", part), "0"}), 2,
                 HasSubstr(cat("alignment-", part, " 0 is for")));
  expect_error(train_with({"--guided-alignment-units", "pieces"}), 2, HasSubstr("units pieces is for"));
  expect_error(train_with({"--separate-vocabs", "--tied", "all"}), 2,
               HasSubstr("--tied all needs one vocabulary, but --separate-vocabs trains two: give --tied decoder"));
  // A configuration that was printed is accepted again.
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--vocab", "v"}, {"--separate-vocabs"}, {"--batch-tokens", "auto"}}) {
    const Result r = run_command(train_with({"--preset", "base", "--dump-config"}) + more);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(run_command({"train", "-c", write("c.yml", r.out), "--dump-config"}).out, r.out);
  }
  expect_error({"train", "-c", write("zero.yml", "batch-tokens: 0\n")}, 2,
               AllOf(HasSubstr("zero.yml:1"), HasSubstr("but must be auto, or a whole number from 1 to 16777216")));
}

TEST_F(Files, AModelToStartFromBringsItsDimensions) {
  const text::Vocabulary v = text::Vocabulary::train({"a b c d e f g", "g f e d c b a"}, {.size = 14});
  model::Config c;
  c.source_vocab = c.target_vocab = v.size();
  c.enc_layers = c.dec_layers = 1;
  c.d_model = c.d_ff = 4;
  c.heads = 1;
  c.gated = true;
  c.resolve();
  model::Transformer net(c);
  model::Parameters memory(net, DType::f32, model::Parameters::Use::inference);
  model::initialize(net, 1);
  model::save_model(at("model.safetensors"), net, {v.bytes(), v.bytes()}, {});
  const Result r =
      run_command(train_with({"--init-from", folder(), "--preset", "base", "--dropout", "0.25", "--dump-config"}));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("dim-ff: 4\n"), HasSubstr("gated: true\n"), HasSubstr("\ndropout: 0.25\n"),
                           HasSubstr("init-from: " + at("model.safetensors"))));
  const Result tiny = run_command(train_with({"--init-from", folder(), "--preset", "tiny", "--dump-config"}));
  EXPECT_EQ(tiny.code, 0) << tiny.err;
  EXPECT_THAT(tiny.out, AllOf(HasSubstr("dim-ff: 4\n"), HasSubstr("gated: true\n"), HasSubstr("\ndropout: 0.3\n"),
                              HasSubstr("batch-tokens: 8192\n"), HasSubstr("\nlr: 0.005\n")));
  EXPECT_EQ(run_command({"train", "-c", write("tuned.yml", tiny.out), "--dump-config"}).out, tiny.out);
  const std::string its = "applies to a vocabulary that is trained, but this one comes from --init-from: leave it out";
  expect_error(train_with({"--init-from", folder(), "--vocab-size", "300"}), 2, HasSubstr("--vocab-size 300 " + its));
  expect_error(train_with({"--init-from", folder(), "-c", write("v.yml", "byte-fallback: true\n")}), 2,
               HasSubstr("--byte-fallback true " + its));
  EXPECT_EQ(run_command(train_with({"--init-from", folder(), "--separate-vocabs", "--vocab-size", "300", "--tied",
                                    "decoder", "--preset", "base", "--dump-config"}))
                .code,
            0);
  const std::string a = write("a", "a b c\n"), run = at("run");
  expect_error({"train", "--train-sets", a, a, "--model", run, "--init-from", folder(), "--dim-ff", "8"}, 2,
               HasSubstr("its dim-ff is 4, but this run's is 8; give --dim-ff 4"));
  expect_error({"train", "--train-sets", a, a, "--model", run, "--init-from", folder(), "--freeze", "attention"}, 2,
               HasSubstr("there are: decoder, embeddings, encoder"));
  expect_error(train_with({"--init-from", at("none")}), 3, HasSubstr(at("none")));
}

TEST_F(Files, ConfigFileErrorsNameFileLineAndRemedy) {
  expect_error({"train", "-c", write("k.yml", "seed: 1\nbatch-token: 5\n")}, 2,
               AllOf(HasSubstr("k.yml:2: unknown option 'batch-token'"), HasSubstr("did you mean 'batch-tokens'")));
  expect_error({"train", "-c", write("t.yml", "seed: many\n")}, 2, AllOf(HasSubstr("t.yml:1"), HasSubstr("many")));
  expect_error({"train", "-c", write("d.yml", "seed: 1\nwarmup: 9\nseed: 2\n")}, 2,
               HasSubstr("d.yml:3: 'seed' is given twice"));
  expect_error({"train", "-c", write("y.yml", "seed: [1\n")}, 2, HasSubstr("not valid YAML"));
}

// --dump-config of earlier versions wrote every option, also those that are gone.
TEST_F(Files, AConfigFileMayNameARemovedOptionThatIsOff) {
  const auto dumped = [&](const std::string& text) {
    const Result r = run_command({"train", "-c", write("old.yml", "seed: 7\n" + text), "--dump-config"});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  EXPECT_EQ(dumped("r-drop: 0\n"), dumped(""));
  expect_error({"train", "-c", write("five.yml", "seed: 7\nr-drop: 5\n"), "--dump-config"}, 2,
               AllOf(HasSubstr("five.yml:2: --r-drop is 5, but this option was removed"), HasSubstr("be5f735")));
  expect_error({"train", "--r-drop", "5"}, 2,
               HasSubstr("--r-drop was removed, because R-Drop made translations worse"));
}

TEST_F(Files, InfoShowsConfigurationParametersAndHistory) {
  const text::Vocabulary v = text::Vocabulary::train({"a b c d e f g", "g f e d c b a"}, {.size = 14});
  model::Config c;
  c.source_vocab = c.target_vocab = v.size();
  c.enc_layers = c.dec_layers = 1;
  c.d_model = c.d_ff = 4;
  c.heads = 1;
  c.resolve();
  model::Transformer net(c);
  model::Parameters memory(net, DType::f32, model::Parameters::Use::inference);
  model::initialize(net, 1);
  model::save_model(at("model.safetensors"), net, {v.bytes(), v.bytes()}, {{"updates", "12"}});
  const Result text = run_command({"info", "-m", folder()});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(testing::ContainsRegex("dim-model +4\n"), testing::ContainsRegex("updates +12\n"),
                              testing::ContainsRegex(cat("embeddings +", 4 * v.size(), "\n"))));
  const auto json = nlohmann::json::parse(run_command({"info", "-m", folder(), "--json"}).out);
  EXPECT_EQ(json["parameters"]["total"], memory.count());
  EXPECT_EQ(json["vocabulary"]["source"], v.size());
  EXPECT_EQ(json["vocabulary"]["joint"], true);
  EXPECT_EQ(json["vocabulary"]["normalization"]["target"], "nmt_nfkc");
  EXPECT_THAT(text.out, testing::ContainsRegex(cat("joint +", v.size(), " pieces\n +source normalization nmt_nfkc\n")));
  const text::VocabularyPair two =
      text::train_joint_vocabulary({"a b c d e f g"}, {"g f e d c b a"}, {.size = 14}, "keep");
  model::save_model(at("model.safetensors"), net, {two.source.bytes(), two.target.bytes()}, {});
  EXPECT_THAT(run_command({"info", "-m", folder()}).out,
              AllOf(testing::ContainsRegex(cat("joint +", v.size(), " pieces\n")),
                    testing::ContainsRegex("target normalization keep\n")));
  EXPECT_EQ(json["history"]["updates"], "12");
}

TEST_F(Files, DamagedModels) {
  expect_error({"info", "-m", write("short", "abc")}, 3, HasSubstr("short"));
  model::Config c;
  c.source_vocab = c.target_vocab = 9;
  c.enc_layers = c.dec_layers = 1;
  c.d_model = c.d_ff = 4;
  c.heads = 1;
  c.resolve();
  model::Transformer net(c);
  model::Parameters memory(net, DType::f32, model::Parameters::Use::inference);
  model::initialize(net, 1);
  const std::string path = folder() + "/m.safetensors";
  model::save_model(path, net, {"x", "x"}, {});
  const std::string whole = read_file(path);
  expect_error({"info", "-m", write("cut", whole.substr(0, whole.size() - 10))}, 3, HasSubstr("cut"));
  expect_error({"info", "-m", path}, 3, HasSubstr("m.safetensors"));  // "x" is no vocabulary
}

TEST_F(Files, EvaluateAgreesWithSacreBleusFormat) {
  const std::string h = write("h", "the cat sat on the mat .\n"), r = write("r", "The cat sat on the mat.\n");
  const Result lower = run_command({"evaluate", h, r, "--lowercase", "--metrics", "bleu"});
  EXPECT_EQ(lower.code, 0) << lower.err;
  EXPECT_THAT(lower.out, AllOf(HasSubstr("BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:"),
                               HasSubstr(" = 100.0 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 7")));
  const Result json = run_command({"evaluate", h, r, "--json"});
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"name\": \"BLEU\""), HasSubstr("\"tok\": \"13a\""),
                              HasSubstr("\"name\": \"chrF2\""), HasSubstr("\"space\": \"no\"")));
}

TEST(CommandLine, OutputThatIsLostIsAnError) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full here";
  std::ofstream full("/dev/full");
  std::streambuf* const before = std::cout.rdbuf(full.rdbuf());
  const Result r = run_command({"train", "--preset", "tiny", "--train-sets", "a", "b", "--dump-config"});
  std::cout.rdbuf(before);
  std::cout.clear();
  EXPECT_EQ(r.code, 1);
  EXPECT_THAT(r.err, HasSubstr("cannot write all of the output"));
}

TEST(Terminal, Words) {
  EXPECT_EQ(text::duration(42), "42 s");
  EXPECT_EQ(text::duration(18 * 60), "18 min");
  EXPECT_EQ(text::duration(3600 + 5 * 60), "1h 05m");
  EXPECT_EQ(text::grouped(8123456), "8,123,456");
  EXPECT_EQ(text::grouped(-999), "-999");
  EXPECT_EQ(text::counted(1, "pair"), "1 pair");
  EXPECT_EQ(text::counted(0, "pair"), "0 pairs");
  EXPECT_EQ(text::counted(1000, "batch", "batches"), "1,000 batches");
}

}  // namespace
}  // namespace hexapla::cli
