// Tests every option of every command with others that make it effective or idle. The options of
// train depends on presets: train/plan/resolve/idle_options_test.cpp tests them.
#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <set>

#include "base/options/option_names.h"
#include "cli/command/command.h"
#include "cli/command/parser.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

// Arguments of a command: those always needed, and others that make options effective or idle.
struct Contexts {
  Words command, always;
  std::vector<Words> more;
};

const std::vector<Contexts>& all_contexts() {
  static const std::vector<Contexts> all{
      {{"translate"},
       {"-m", "x"},
       {{"-m", "y"},
        {"--sample"},
        {"--sample", "--mbr", "chrf"},
        {"--beam-size", "1"},
        {"--n-best", "2"},
        {"--alignment", "hard"}}},
      {{"score"}, {"-m", "x", "a", "b"}, {{"-m", "y"}, {"--length-penalty", "0"}, {"--alignment", "hard"}}},
      {{"document"}, {"-m", "x", "-i", "a.html", "-o", "b.html"}, {{"-m", "y"}, {"--beam-size", "1"}}},
      {{"evaluate"},
       {"a", "b"},
       {{"-m", "x"},
        {"-m", "x", "-m", "y"},
        {"-m", "x", "--length-penalty", "0"},
        {"-m", "x", "--beam-size", "1"},
        {"--metrics", "chrf"},
        {"--metrics", "ter"},
        {"--confidence"},
        {"--compare", "c"},
        {"--worst", "3"}}},
      {{"augment"},
       {"-o", "s", "t"},
       {{"--distill", "-m", "x", "--train-sets", "a", "b"},
        {"--distill", "-m", "x", "-m", "y"},
        {"--distill", "-m", "x", "--sample"},
        {"--distill", "-m", "x", "--sample", "--mbr", "bleu"},
        {"--distill", "-m", "x", "--beam-size", "1"},
        {"--distill", "-m", "x", "--length-penalty", "0"},
        {"--back-translate", "c", "-m", "x"},
        {"--both-directions", "--train-sets", "a", "b"}}},
      {{"serve"},
       {"-m", "x"},
       {{"--socket", "s"},
        {"--certificate", "c"},
        {"--api-keys", "k"},
        {"--quiet"},
        {"--beam-size", "1"},
        {"--length-penalty", "0"}}},
      {{"quantize"}, {"-m", "x", "-o", "y"}, {{"--valid-sets", "a", "b"}}},
      {{"compare"}, {"a", "b"}, {{"--text", "c"}, {"--beam-size", "1"}, {"--length-penalty", "0"}}},
      {{"export"},
       {"x", "-o", "y"},
       {{"--to", "marian"},
        {"--to", "hf-marian", "--length-penalty", "0"},
        {"--to", "hf-multilingual"},
        {"--to", "argos"},
        {"--to", "ctranslate2"},
        {"--to", "safetensors"}}},
      {{"inspect"}, {"-m", "x"}, {{"--src", "a"}, {"--src-ids", "1"}, {"--tgt-ids", "1"}, {"--vocabulary", "source"}}},
      {{"data"}, {"a", "b"}, {{"--write-clean", "c", "d"}}},
      {{"lab"}, {"table3"}, {{"--train-sets", "a", "b", "--valid-sets", "c", "d"}}},
      {{"bench", "translate"}, {}, {{"--text", "a"}, {"-m", "x"}, {"-m", "x", "--text", "a"}, {"--write-model", "x"}}},
  };
  return all;
}

// A value that the option accepts.
Words value_of(const Option& option) {
  const CLI::Option& parsed = option.parsed();
  if (parsed.get_items_expected_max() == 0) return {};
  if (!option.choices().empty()) return {option.choices().front()};
  const std::string type = parsed.get_type_name(), usual = parsed.get_default_str();
  Words words(static_cast<size_t>(std::max(parsed.get_items_expected_min(), 1)), usual);
  for (std::string& word : words)
    if (word.empty() || word == "own") word = type == "INT" || type == "FLOAT" || type == "UINT" ? "1" : "x";
  return words;
}

std::vector<Words> with_none(std::vector<Words> contexts) {
  contexts.insert(contexts.begin(), Words());
  return contexts;
}

class IdleCommandOptions : public CommandFolder {
 protected:
  // f(option, its name) for the options of a command after it parsed these words.
  template <class F>
  static void with_parsed(const Words& words, const Words& command, F&& f) {
    Command app;
    Action chosen;
    add_commands(app, chosen);
    std::vector<const char*> argv{"hexapla"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    app.parser().parse(static_cast<int>(argv.size()), argv.data());
    const Command* found = &app;
    for (const std::string& name : command)
      for (const Command& sub : found->commands())
        if (sub.parser().get_name() == name) {
          found = &sub;
          break;
        }
    for (const Option& option : found->options())
      if (!option.parsed().get_lnames().empty()) f(option, option.parsed().get_lnames().front());
  }
};

TEST_F(IdleCommandOptions, AreRefusedByNameWhereTheyDoNothing) {
  size_t conditional = 0;
  for (const Contexts& c : all_contexts()) {
    std::map<std::string, int> idle, active;
    const std::vector<Words> contexts = with_none(c.more);
    for (const Words& more : contexts) {
      const Words words = c.command + c.always + more;
      if (c.command == Words{"export"} && more.empty()) continue;  // it needs --to
      with_parsed(words, c.command, [&](const Option& option, const std::string& name) {
        if (option.count() > 0) return;
        const When when = option.when();
        ++(when.now ? active : idle)[name];
        if (when.now) return;
        const Result r = run_command(words + (Words{"--" + name} + value_of(option)));
        EXPECT_EQ(r.code, 2) << name << "\n" << r.err;
        EXPECT_THAT(r.err,
                    AllOf(HasSubstr("hexapla: error: --" + name), HasSubstr(spell_options(when.otherwise, as_flag))))
            << testing::PrintToString(words);
      });
    }
    for (const auto& [name, times] : idle) EXPECT_GT(active[name], 0) << c.command[0] << " --" << name;
    conditional += idle.size();
  }
  EXPECT_GT(conditional, 80u);
}

// Options that always have an effect in some command, or for which only the model decides. Add a
// new option here, or declare its condition.
const std::set<std::string> kUnconditional{"activation",
                                           "attributes",
                                           "norm-eps",
                                           "alignment-head",
                                           "alignment-layer",
                                           "trusted-proxies",
                                           "vocabs",
                                           "alignment",
                                           "all",
                                           "alternatives-limit",
                                           "api-keys",
                                           "back-translate",
                                           "batch-limit",
                                           "batch-sentences",
                                           "batch-size",
                                           "batch-tokens",
                                           "beam-size",
                                           "beside",
                                           "best",
                                           "body-limit",
                                           "both-directions",
                                           "bpe",
                                           "cache",
                                           "certificate",
                                           "char-limit",
                                           "color",
                                           "compare",
                                           "confidence",
                                           "connections",
                                           "connections-per-address",
                                           "coverage-penalty",
                                           "device",
                                           "distill",
                                           "dropout",
                                           "embedding-scale",
                                           "extra-length",
                                           "files",
                                           "first",
                                           "forbid",
                                           "from",
                                           "generator",
                                           "guided-alignment",
                                           "heads",
                                           "init-from",
                                           "input",
                                           "json",
                                           "jsonl",
                                           "keep",
                                           "last",
                                           "length-normalization",
                                           "length-penalty",
                                           "lang",
                                           "lengths",
                                           "lexicon",
                                           "lines",
                                           "long-input",
                                           "longest",
                                           "longest-ratio",
                                           "map",
                                           "max-length",
                                           "max-ratio",
                                           "max-repetition",
                                           "max-shift",
                                           "max-updates",
                                           "memory",
                                           "metrics",
                                           "min-length",
                                           "minutes",
                                           "model",
                                           "n-best",
                                           "no-repeat-ngram",
                                           "norm-position",
                                           "out",
                                           "output",
                                           "positions",
                                           "precision",
                                           "prefix",
                                           "preset",
                                           "protect",
                                           "protect-pattern",
                                           "quiet",
                                           "references",
                                           "repetition-penalty",
                                           "glossary",
                                           "letter-case",
                                           "require",
                                           "retrain",
                                           "rounds",
                                           "rows",
                                           "runs",
                                           "sample",
                                           "seconds",
                                           "seed",
                                           "sentences",
                                           "seeds",
                                           "sentence-level",
                                           "shard",
                                           "shortlist",
                                           "socket",
                                           "source-embedding",
                                           "source-language",
                                           "source-spm",
                                           "source-start",
                                           "source-vocab",
                                           "spec-title",
                                           "src",
                                           "stop-when",
                                           "strict",
                                           "target-embedding",
                                           "target-language",
                                           "target-spm",
                                           "target-vocab",
                                           "test-sets",
                                           "text",
                                           "tgt",
                                           "threads",
                                           "timeout",
                                           "to",
                                           "token-scores",
                                           "trace",
                                           "train-sets",
                                           "tsv",
                                           "unk",
                                           "updates",
                                           "valid-script",
                                           "valid-sets",
                                           "vocab",
                                           "vocab-size",
                                           "vocabulary",
                                           "waiting-lines",
                                           "word-penalty",
                                           "word-scores",
                                           "worst",
                                           "write-batches",
                                           "write-clean",
                                           "realign",
                                           "write-model"};

TEST_F(IdleCommandOptions, AreAllThatAreNotListedHere) {
  Command app;
  Action chosen;
  add_commands(app, chosen);
  const std::function<void(const Command&, const Words&)> visit = [&](const Command& command, const Words& words) {
    for (const Command& sub : command.commands()) visit(sub, words + Words{sub.parser().get_name()});
    if (words == Words{"train"} || words == Words{"distill"}) return;
    std::set<std::string> idle;
    for (const Contexts& c : all_contexts())
      if (c.command == words)
        for (const std::vector<Words> contexts = c.command == Words{"export"} ? c.more : with_none(c.more);
             const Words& more : contexts)
          with_parsed(c.command + c.always + more, c.command, [&](const Option& option, const std::string& name) {
            if (!option.when().now) idle.insert(name);
          });
    for (const Option& option : command.options())
      if (const std::vector<std::string> all = option.parsed().get_lnames(); !all.empty()) {
        for (const std::string& name : {all.front()})
          EXPECT_TRUE(idle.contains(name) || kUnconditional.contains(name))
              << testing::PrintToString(words) << " --" << name << ": say when it does something";
      }
  };
  visit(app, {});
}

}  // namespace
}  // namespace hexapla::cli
