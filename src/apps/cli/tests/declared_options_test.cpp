// Tests every declared option of every command: numbers out of range are refused, and the docs
// describe all options.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/files/file.h"
#include "base/test_paths.h"
#include "cli/command/command.h"
#include "cli/command/parser.h"
#include "cli/options/train_options.h"
#include "cli/terminal/help_format.h"
#include "cli/terminal/terminal.h"
#include "cli/test_command.h"
#include "text/utf8.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class DeclaredOptions : public CommandFolder {
 protected:
  DeclaredOptions() { add_commands(app_, chosen_); }

  using Visit = std::function<void(const std::vector<std::string>& words, const Command& command)>;
  static void for_commands(const Command& command, const std::vector<std::string>& words, const Visit& visit) {
    visit(words, command);
    for (const Command& sub : command.commands())
      for_commands(sub, words + std::vector<std::string>{sub.parser().get_name()}, visit);
  }

  Command app_;
  Action chosen_;
};

std::string flag_of(const Command::NumberOption& number) { return "--" + number.option->parsed().get_lnames().front(); }

std::vector<std::string> bad_words(const Command::NumberOption& number) {
  std::vector<std::string> words{
      "", " ", "x", "1x", "nan", "-nan", "inf", "-inf", "1e999", "-1e999", "1,5x", "0x", std::string(45, '9')};
  words.insert(words.end(), number.outside.begin(), number.outside.end());
  return words;
}

TEST_F(DeclaredOptions, NumbersOutOfRangeAreRefusedWithOneMessage) {
  int numbers = 0;
  for_commands(app_, {}, [&](const std::vector<std::string>& words, const Command& command) {
    for (const auto& number : command.numbers()) {
      ++numbers;
      const std::string flag = flag_of(number);
      for (const std::string& word : bad_words(number)) {
        if (word.find(',') != std::string::npos && number.option->parsed().get_delimiter() == ',') continue;
        const Result r = run_command(words + std::vector<std::string>{flag, word});
        EXPECT_EQ(r.code, 2) << flag << " '" << word << "'\n" << r.err;
        EXPECT_THAT(r.err, AllOf(StartsWith("hexapla: error: " + flag + " is "), HasSubstr(word),
                                 HasSubstr(", but must be " + number.requirement)))
            << testing::PrintToString(words);
        EXPECT_EQ(r.out, "");
      }
    }
  });
  EXPECT_GT(numbers, 120);
}

TEST_F(DeclaredOptions, SoAreThoseOfConfigFiles) {
  for_commands(app_, {}, [&](const std::vector<std::string>& words, const Command& command) {
    if (words != std::vector<std::string>{"train"}) return;
    for (const auto& number : command.numbers())
      for (const std::string& word : bad_words(number)) {
        const std::string name = number.option->parsed().get_lnames().front();
        const std::string file = write("c.yml", "# numbers\n" + name + ": '" + word + "'\n");
        const Result r = run_command({"train", "-c", file});
        EXPECT_EQ(r.code, 2) << r.err;
        EXPECT_THAT(r.err, AllOf(HasSubstr(file + ":2: "), HasSubstr("--" + name + " is "), HasSubstr(word),
                                 HasSubstr(number.requirement)));
      }
  });
}

TEST_F(DeclaredOptions, WordsThatHoldNumbersAreCheckedToo) {
  const std::vector<std::string> train{"train",   "--train-sets",    "a", "b", "--valid-sets", "a", "b",
                                       "--model", "/nonexistent/run"};
  for (const char* option : {"--valid-every", "--save-every", "--report-every"})
    for (const char* word : {"", "0", "-1", "e", "0e", "1.5", "nan", "99999999999999999999", "9999999999999999e"}) {
      const Result r = run_command(train + std::vector<std::string>{option, word});
      EXPECT_EQ(r.code, 2) << option << " '" << word << "'";
      EXPECT_THAT(r.err, AllOf(HasSubstr(std::string(option) + " is '" + word + "'"), HasSubstr("from 1 to ")));
    }
  const text::Vocabulary v = text::Vocabulary::train({"a b c d e f g", "g f e d c b a"}, {.size = 14});
  save_untrained_model(at("m"), v);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& option, const std::string& word) {
    const Result r = run_command(words + std::vector<std::string>{option, word}, "a b\n");
    EXPECT_EQ(r.code, 2) << option << " '" << word << "'" << r.err;
    EXPECT_THAT(r.err, AllOf(HasSubstr(option), HasSubstr(word)));
  };
  for (const char* word : {"-1", "2", "1.5", "x", "nan", "99999999999999999999"}) {
    refused({"translate", "-q", "-m", at("m"), "--alignment", "hard"}, "--alignment-layer", word);
    refused({"inspect", "-m", at("m"), "--src", "a"}, "--layer", word);
    refused({"inspect", "-m", at("m"), "--src", "a"}, "--head", word == std::string("2") ? "3" : word);
    refused({"translate", "-q", "-m", at("m"), "--alignment", "hard"}, "--alignment-head",
            word == std::string("2") ? "3" : word);
  }
  for (const char* word : {"0", "-1", "1.1", "nan", "inf", "x"})
    refused({"translate", "-q", "-m", at("m")}, "--alignment", word);
  for (const char* word : {"-1", "99999999999999999999", "1.5", "x"})
    refused({"inspect", "-m", at("m")}, "--src-ids", word);
}

TEST_F(DeclaredOptions, TheHelpShowsRangesAndDefaults) {
  const std::string help = std::regex_replace(run_command({"train", "--help"}).out, std::regex("\\s+"), " ");
  EXPECT_THAT(help, AllOf(HasSubstr("--vocab-size INT=(preset) size of the vocabulary"),
                          HasSubstr("(from 8 to 4194304)"), HasSubstr("--norm TEXT=layer kind of norm: layer, batch"),
                          HasSubstr("--max-positions INT=1024"), HasSubstr("--dim-model INT=(preset) width")));
  for (const char* preset : {"tiny", "small", "base", "big"})
    EXPECT_THAT(help,
                testing::ContainsRegex(std::string(preset) + ": enc-layers [0-9]+, dec-layers [0-9]+, dim-model"));
  EXPECT_THAT(help, HasSubstr("base: enc-layers 6, dec-layers 6, dim-model 512, dim-ff 2048, heads 8, dropout 0.1, "
                              "attention-dropout 0, activation-dropout 0, batch-tokens 4096, accumulate 6, "));
}

// Whether the text mentions this option, not only a longer one that begins like it.
bool knows(const std::string& text, const std::string& flag) {
  for (size_t at = text.find(flag); at != std::string::npos; at = text.find(flag, at + 1)) {
    const char next = at + flag.size() < text.size() ? text[at + flag.size()] : ' ';
    const char before = at > 0 ? text[at - 1] : ' ';
    if (!std::isalnum(static_cast<unsigned char>(next)) && next != '-' && before != '-') return true;
  }
  return false;
}

TEST_F(DeclaredOptions, NoLineOfHelpIsTooLongAndOptionsAreNamedAsUsersWriteThem) {
  std::set<std::string> names;
  for_commands(app_, {}, [&](const std::vector<std::string>&, const Command& command) {
    for (const Option& option : command.options()) {
      const std::vector<std::string> all = option.parsed().get_lnames();
      for (const std::string& name : all)
        if (name.find('-') != std::string::npos) names.insert(name);
    }
  });
  ASSERT_GT(names.size(), 100u);
  for_commands(app_, {}, [&](const std::vector<std::string>& words, const Command& command) {
    const std::string help = run_command(words + std::vector<std::string>{"--help"}).out;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text::width(line), 100) << line;
    EXPECT_EQ(help.find('`'), std::string::npos) << help;
    for (const Option& option : command.options())
      for (const std::string& name : names)
        EXPECT_FALSE(knows(option.parsed().get_description(), name))
            << testing::PrintToString(words) << ": " << option.parsed().get_description();
  });
}

TEST_F(DeclaredOptions, HelpIsWrappedWhereItsColumnsAre) {
  const std::string help =
      "Options:\n  --lr FLOAT=0                peak learning rate of a long explanation\n"
      "Prose that goes\non here and there.\nExamples:\n  hexapla train --lr 1 --seed 2 --model run --threads 3\n";
  EXPECT_EQ(wrapped(help, 50),
            "Options:\n  --lr FLOAT=0                peak learning rate\n"
            "                              of a long\n                              explanation\n"
            "Prose that goes on here and there.\nExamples:\n"
            "  hexapla train --lr 1 --seed 2 --model run \\\n      --threads 3\n");
}

// The reference has them all (Docs.ReferenceIsWhatTheHelpSays); the guide names no other.
TEST_F(DeclaredOptions, NoOtherIsInTheGuide) {
  std::set<std::string> known{"--logdir", "--block-size", "--mpi"};  // of TensorBoard, xz, the installing script
  for_commands(app_, {}, [&](const std::vector<std::string>&, const Command& command) {
    for (const CLI::Option* option : command.parser().get_options())
      for (const std::string& name : option->get_lnames()) known.insert("--" + name);
  });
  const std::regex option("[^-\\w](--[a-z][a-z0-9-]*[a-z0-9])");
  int found = 0;
  for (const auto& page : std::filesystem::directory_iterator(source_path("docs/guide"))) {
    const std::string text = read_file(page.path().string());
    for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at, ++found)
      EXPECT_TRUE(known.contains((*at)[1])) << page.path() << ": " << (*at)[1];
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace hexapla::cli
