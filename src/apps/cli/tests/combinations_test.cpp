// Random combinations of the options of translate and score: every line is answered once, in order,
// with output that is byte-identical for any threads and neighbors, or the combination is refused
// with one message. HEXAPLA_LONG_TESTS tries 10,000.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "base/json.h"
#include "base/options/environment.h"
#include "cli/command/command.h"
#include "cli/command/parser.h"
#include "cli/test_command.h"
#include "decode/test_models.h"

namespace hexapla::cli {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

class Dice {
 public:
  explicit Dice(uint64_t number) : random_(14, number) {}
  uint32_t below(uint32_t n) { return random_.below(n); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  std::string of(const Words& words) { return words[below(static_cast<uint32_t>(words.size()))]; }
  // Sometimes an invalid number.
  std::string whole(uint32_t from, uint32_t to) {
    return one_in(80) ? odd() : std::to_string(from + below(to - from + 1));
  }
  std::string real(double from, double to) { return one_in(80) ? odd() : cat(from + (to - from) * random_.uniform()); }

 private:
  std::string odd() { return of({"-1", "0", "nan", "x", "1e400"}); }
  Random random_;
};

// Two models with the same vocabulary, and words of their language.
struct Language {
  std::string name;
  Words words;
  std::string model, second;
};

// Draws the value of an option; none for a flag.
using Give = std::function<Words(Dice&, const Language&)>;
using Gives = std::map<std::string, Give>;
// Options that are not combined, and why.
using Exceptions = std::map<std::string, std::string>;

Words flag(Dice&, const Language&) { return {}; }
// One of some words, sometimes one that is refused.
Give word(const Words& words, const Words& wrong = {}) {
  return [=](Dice& d, const Language&) { return Words{!wrong.empty() && d.one_in(40) ? d.of(wrong) : d.of(words)}; };
}
Give whole(uint32_t from, uint32_t to) {
  return [=](Dice& d, const Language&) { return Words{d.whole(from, to)}; };
}
Give real(double from, double to) {
  return [=](Dice& d, const Language&) { return Words{d.real(from, to)}; };
}
Words phrase(Dice& d, const Language& l) {
  if (d.one_in(40)) return {d.of({"", " ", "Ж"})};
  return {d.one_in(3) ? d.of(l.words) + " " + d.of(l.words) : d.of(l.words)};
}

Gives of_scores() {
  return {{"length-penalty", word({"0", "0.6", "1", "2", "-1"})},
          {"length-normalization", word({"paper", "power"}, {"mean"})},
          {"max-length", whole(2, 30)},
          {"precision", word({"f32", "f32", "bf16", "int8"})},
          {"protect", word({"auto", "none"}, {"all"})},
          {"protect-pattern", word({"o+", "\\bdog\\b", "\\{.*\\}"}, {"(", "a*"})},
          {"alignment", word({"hard", "soft", "0.2"}, {"none"})},
          {"alignment-layer", word({"0", "1"}, {"2", "-1"})},
          {"alignment-head", word({"0", "1", "mean"}, {"7"})},
          {"alignment-units", word({"words", "blanks", "pieces"})},
          {"ensemble", word({"linear", "log-linear"}, {"mean"})},
          {"weights", word({"2,1", "1,3"}, {"1"})},
          {"json", flag},
          {"quiet", flag},
          {"color", word({"auto", "always", "never"}, {"pink"})}};
}

Gives of_score() {
  Gives all = of_scores();
  all["word-scores"] = all["token-scores"] = flag;
  return all;
}

Gives of_translate() {
  Gives all = of_scores();
  const Gives more{{"beam-size", whole(3, 8)},
                   {"n-best", whole(1, 3)},
                   {"distinct", flag},
                   {"mbr", word({"off", "chrf", "bleu"})},
                   {"candidates", whole(1, 9)},
                   {"word-penalty", real(-1, 1)},
                   {"coverage-penalty", word({"0", "0.2", "1"})},
                   {"extra-length", whole(0, 12)},
                   {"longest", whole(0, 15)},
                   {"longest-ratio", real(0.2, 2)},
                   {"min-length", whole(0, 40)},
                   {"repetition-penalty", real(0.5, 2)},
                   {"no-repeat-ngram", whole(0, 3)},
                   {"max-repetition", whole(0, 3)},
                   {"unk", word({"keep", "forbid", "copy"})},
                   {"stop-when", word({"full", "outscored", "never", "shrinking"})},
                   {"long-input", word({"split", "refuse", "truncate"})},
                   {"sentences", word({"auto", "split", "keep"})},
                   {"letter-case", word({"auto", "keep"})},
                   {"sample", flag},
                   {"temperature", word({"0.01", "0.1", "0.7", "1", "5"}, {"0"})},
                   {"top-k", whole(0, 60)},
                   {"top-p", real(0.05, 1)},
                   {"seed", word({"1", "7", "18446744073709551615"}, {"-1"})},
                   {"prefix", word({"prefixes"}, {"-"})},
                   {"require", phrase},
                   {"forbid", phrase},
                   {"jsonl", flag},
                   {"strict", flag}};
  all.insert(more.begin(), more.end());
  return all;
}

Exceptions excepted() {
  return {{"help", "it answers with itself"},
          {"model", "it is always given: one model, or two"},
          {"device", "an OpenCL device rounds differently; OpenclProgram compares translations on one"},
          {"threads", "every combination is run with one and two"},
          {"batch-sentences", "every combination is run with 64 and with fewer"},
          {"batch-tokens", "every combination is run with many and with few"},
          {"files", "the pairs of score come from them, or from --tsv"},
          {"source-language", "the models here are told no languages; ImportCommand tests it"},
          {"target-language", "the models here are told no languages; ImportCommand tests it"},
          {"tsv", "the pairs of score come from it, or from files"},
          {"shard", "its own test compares what the parts of a file give"},
          {"input", "it is stdin, and ShardsTest has files"},
          {"output", "its own test compares it with stdout"},
          {"shortlist", "it refuses prefixes and requirements, and its own test compares translations"},
          {"glossary", "it takes a file, and its own tests in decode/constraints try it with other constraints"},
          {"trace", "it takes a single line, whose translation its own test compares"}};
}

// The declared options of a command.
class Declared {
 public:
  explicit Declared(const std::string& command) {
    add_commands(app_, chosen_);
    command_ = app_.parser().get_subcommand(command);
  }
  std::vector<const CLI::Option*> options() const { return std::as_const(*command_).get_options(); }
  static std::string name(const CLI::Option& o) {
    return o.get_lnames().empty() ? o.get_name() : o.get_lnames().front();
  }

  // Draws some of the options in `gives`. An option without effect usually gets the option that it
  // needs, or is removed.
  Words some(const Gives& gives, Dice& dice, const Language& language) const {
    std::map<std::string, Words> on;
    const auto add = [&](const std::string& name) { on[name] = gives.at(name)(dice, language); };
    for (const CLI::Option* o : options())
      if (gives.count(name(*o)) && dice.one_in(5)) add(name(*o));
    for (const auto& [idle, why] : idle_among(words_of(on))) {
      const size_t from = why.find('`') + 1;
      const std::string needed = why.substr(from, why.find('`', from) - from);
      if (gives.count(needed) && !on.count(needed))
        add(needed);
      else if (!dice.one_in(10))
        on.erase(idle);
    }
    for (const auto& [idle, why] : idle_among(words_of(on)))
      if (!dice.one_in(10)) on.erase(idle);
    return words_of(on);
  }

 private:
  static Words words_of(const std::map<std::string, Words>& on) {
    Words words;
    for (const auto& [name, given] : on) {
      words.push_back("--" + name);
      words.insert(words.end(), given.begin(), given.end());
    }
    return words;
  }

  // The options among these words that have no effect, and why.
  std::map<std::string, std::string> idle_among(const Words& words) const {
    Command app;
    Action chosen;
    add_commands(app, chosen);
    const std::string command = command_->get_name();
    std::vector<const char*> argv{"hexapla", command.c_str(), "-m", "model"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    std::map<std::string, std::string> idle;
    try {
      app.parser().parse(static_cast<int>(argv.size()), argv.data());
    } catch (const std::exception&) {
      return idle;  // a value that is refused
    }
    for (const Command& sub : app.commands())
      if (sub.parser().get_name() == command)
        for (const Option& option : sub.options())
          if (const When when = option.when(); !when.now && option.count() > 0)
            idle[name(option.parsed())] = when.otherwise;
    return idle;
  }

  Command app_;
  Action chosen_;
  CLI::App* command_;
};

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// One combination; run() blanks the lines that are not kept.
struct Trial {
  Words arguments;
  size_t lines;
  bool numbered;  // an answer may have several lines, which begin with the input line's number
  std::function<Result(const Words& arguments, const std::vector<bool>& kept)> run;
};

// The answer to each line.
Words answers(const Trial& trial, const std::string& out) {
  Words all;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) {
    if (!trial.numbered || !line.starts_with(cat(std::ssize(all) - 1, " ||| "))) all.emplace_back();
    all.back() += line + "\n";
    EXPECT_TRUE(!trial.numbered || line.starts_with(cat(all.size() - 1, " ||| "))) << line;
  }
  return all;
}

// The notes on lines.
Words notes(const std::string& err) {
  Words all;
  std::istringstream in(err);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("line ")) all.push_back(line);
  return all;
}

class Combinations : public CommandFolder {
 protected:
  Combinations() {
    const Words german{"ein", "Hund", "läuft", "schnell", "über", "die", "Straße", "und", "zwei", "Katzen."};
    const Words chinese{"我", "在", "北京", "谢谢", "的家", "hexapla", "里。", "一一", "円", "充"};
    model::Config c = decode::test::small_config();
    c.enc_layers = 4, c.d_model = 12, c.tied = "none";
    add({"latin", german, "", ""}, c, {.size = 44});
    add({"no blanks", chinese, "", ""}, c, {.size = 40});
    add({"bytes", german, "", ""}, c, {.size = 300, .byte_fallback = true});
    c.positions = "learned", c.max_positions = 20, c.norm_position = "pre", c.gated = true;
    add({"learned positions", german, "", ""}, c, {.size = 40});
  }

  void add(Language language, model::Config config, const text::VocabularyOptions& options) {
    Dice dice(languages_.size());
    Words lines(200);
    for (std::string& line : lines) line = text(dice, language, 1 + dice.below(6));
    const text::Vocabulary v = text::Vocabulary::train(lines, options);
    config.source_vocab = config.target_vocab = v.size();
    for (std::string* path : {&language.model, &language.second}) {
      decode::test::TestModel m(config, DType::f32, path == &language.model ? 5 : 6);
      m.model.generator.bias->value.data<float>()[v.eos()] = -1;
      *path = at(cat(language.name, path == &language.model ? 1 : 2, ".safetensors"));
      model::save_model(*path, m.model, {v.bytes(), v.bytes()}, {});
    }
    languages_.push_back(language);
  }

  static Words command_with_models(const char* command, const Words& arguments, Dice& dice, const Language& language) {
    const Words one{command, "-m", language.model};
    return has(arguments, "--weights") || dice.one_in(6) ? one + Words{"-m", language.second} : one;
  }
  static std::string text(Dice& dice, const Language& language, uint32_t words) {
    std::string line;
    for (uint32_t i = 0; i < words; ++i) line += (i > 0 ? " " : "") + dice.of(language.words);
    return line;
  }
  static std::string line(Dice& dice, const Language& language) {
    const uint32_t kind = dice.below(14);
    if (kind == 0) return dice.of({"", "", "  ", "\t", "\u3000"});
    if (kind == 1) return text(dice, language, 10 + dice.below(30));
    if (kind == 2) return text(dice, language, 2) + dice.of({" \xFF\xFE ", " Ж ", " ||| ", "\u0001", " \u00AD", "\r"});
    return text(dice, language, 1 + dice.below(5));
  }

  // A line of --jsonl.
  static std::string request(Dice& dice, const Language& language, const std::string& text) {
    nlohmann::json j{{"text", text}};
    if (dice.one_in(4)) j["prefix"] = dice.of(language.words) + dice.of({"", " "});
    if (dice.one_in(8)) j["require"] = phrase(dice, language);
    if (dice.one_in(4)) j["forbid"] = phrase(dice, language);
    return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  // -> whether the combination is answered.
  bool check(const Trial& trial, Dice& dice) {
    std::string shown;
    for (const std::string& word : trial.arguments) shown += " '" + word + "'";
    SCOPED_TRACE(shown);
    const auto batches = [&](const char* threads) {
      return Words{"--threads",         threads,
                   "--batch-sentences", std::to_string(1 + dice.below(64)),
                   "--batch-tokens",    std::to_string(1 + dice.below(200))};
    };
    const Result one = trial.run({"--threads", "1"}, std::vector<bool>(trial.lines, true));
    const Result two = trial.run(batches("2"), std::vector<bool>(trial.lines, true));
    EXPECT_EQ(two.out, one.out) << "threads and batches";
    EXPECT_EQ(two.code, one.code) << two.err;
    EXPECT_EQ(notes(two.err), notes(one.err));
    const Words of_all = answers(trial, one.out);
    check_end(trial, one, of_all.size());
    if (one.code == 2) return false;

    std::vector<bool> kept(trial.lines);
    for (size_t i = 0; i < kept.size(); ++i) kept[i] = dice.one_in(4);
    const Result some = trial.run(batches(dice.one_in(2) ? "1" : "2"), kept);
    const Words of_some = answers(trial, some.out);
    check_end(trial, some, of_some.size());
    for (size_t i = 0; i < std::min(of_all.size(), of_some.size()); ++i)
      EXPECT_TRUE(!kept[i] || of_some[i] == of_all[i])
          << "line " << i + 1 << " with other neighbors: " << of_some[i] << of_all[i];
    return true;
  }

  static void check_end(const Trial& trial, const Result& r, size_t answered) {
    const std::string error = "hexapla: error: ";
    const size_t at = r.err.find(error);
    EXPECT_EQ(at != std::string::npos, r.code != 0) << r.err;
    EXPECT_TRUE(r.code == 0 || r.err.find(error, at + 1) == std::string::npos) << "one message: " << r.err;
    EXPECT_THAT(r.err, Not(HasSubstr("bug in hexapla")));
    const bool strict = has(trial.arguments, "--strict") && r.err.find("--strict: ") != std::string::npos;
    if (r.code == 0 || strict) {
      EXPECT_EQ(answered, trial.lines);
    } else if (r.code == 2) {
      EXPECT_EQ(r.out, "");
    } else {  // an invalid line: those before it are answered
      EXPECT_EQ(r.code, 3);
      const std::string line = cat(error, "line ", answered + 1);
      EXPECT_THAT(r.err, AnyOf(HasSubstr(line + " "), HasSubstr(line + ":")));
    }
  }

  std::vector<Language> languages_;
};

// Every declared option is combined with the others, or excepted with a reason.
TEST(CombinationsTest, HaveEveryOption) {
  for (const auto& [command, gives] : {std::pair{"translate", of_translate()}, {"score", of_score()}}) {
    std::set<std::string> declared;
    const Declared d(command);
    for (const CLI::Option* o : d.options()) declared.insert(Declared::name(*o));
    const Exceptions reasons = excepted();
    for (const std::string& name : declared)
      EXPECT_NE(gives.count(name), reasons.count(name)) << command << " --" << name << ": combine it, or say why not";
    for (const auto& [name, give] : gives) EXPECT_TRUE(declared.count(name)) << command << " has no --" << name;
  }
}

TEST_F(Combinations, OfTranslateAnswerEveryLineOnce) {
  const Declared declared("translate");
  const Gives gives = of_translate();
  const uint64_t count = environment("HEXAPLA_LONG_TESTS") ? 7'500 : 60;
  uint64_t answered = 0;
  for (uint64_t i = 0; i < count && !HasFailure(); ++i) {
    SCOPED_TRACE(cat("combination ", i));
    Dice dice(i);
    const Language& language = languages_[dice.below(static_cast<uint32_t>(languages_.size()))];
    Words arguments = declared.some(gives, dice, language);
    for (size_t w = 1; w < arguments.size(); ++w)
      if (arguments[w - 1] == "--prefix" && arguments[w] != "-") arguments[w] = at("prefixes");
    const bool jsonl = has(arguments, "--jsonl");
    Words input(dice.one_in(3) ? 64 - dice.below(30) : 1 + dice.below(16)), prefixes;
    for (std::string& line : input) {
      line = this->line(dice, language);
      prefixes.push_back(dice.one_in(2) ? "" : text(dice, language, 1) + (dice.one_in(2) ? " " : ""));
      if (jsonl) line = request(dice, language, line);
    }
    std::string prefix_file;
    for (const std::string& prefix : prefixes) prefix_file += prefix + "\n";
    write("prefixes", prefix_file);
    const Words models = command_with_models("translate", arguments, dice, language);
    const auto n_best = std::find(arguments.begin(), arguments.end(), "--n-best");
    const bool list = n_best != arguments.end() && n_best[1] != "1" && !has(arguments, "--json");
    answered += check({arguments, input.size(), list,
                       [&](const Words& more, const std::vector<bool>& kept) {
                         std::string text;
                         for (size_t l = 0; l < input.size(); ++l) text += (kept[l] ? input[l] : "") + "\n";
                         return run_command(models + arguments + more, text);
                       }},
                      dice);
  }
  EXPECT_GT(answered, count / 3) << "most are refused, so little is tried";
  std::cout << "    " << answered << " of " << count << " combinations were answered, the others refused\n";
}

TEST_F(Combinations, OfScoreAnswerEveryPairOnce) {
  const Declared declared("score");
  const Gives gives = of_score();
  const uint64_t count = environment("HEXAPLA_LONG_TESTS") ? 2'500 : 30;
  uint64_t answered = 0;
  for (uint64_t i = 0; i < count && !HasFailure(); ++i) {
    SCOPED_TRACE(cat("combination ", i));
    Dice dice(i + (uint64_t{1} << 32));
    const Language& language = languages_[dice.below(static_cast<uint32_t>(languages_.size()))];
    const Words arguments = declared.some(gives, dice, language);
    const bool tsv = dice.one_in(2), piped = dice.one_in(3);
    const Words models = command_with_models("score", arguments, dice, language);
    Words source(dice.one_in(3) ? 64 : 1 + dice.below(16)), target(source.size());
    for (Words* side : {&source, &target})
      for (std::string& line : *side) {
        line = this->line(dice, language);
        if (tsv) std::replace(line.begin(), line.end(), '\t', ' ');
      }
    answered += check({arguments, source.size(), false,
                       [&](const Words& more, const std::vector<bool>& kept) {
                         std::string x, y, both;
                         for (size_t l = 0; l < source.size(); ++l) {
                           const std::string a = kept[l] ? source[l] : "", b = kept[l] ? target[l] : "";
                           x += a + "\n", y += b + "\n", both += a + "\t" + b + "\n";
                         }
                         const std::string stdin_text = tsv ? both : y;
                         const Words files = tsv ? Words{"--tsv", piped ? "-" : write("both", both)}
                                                 : Words{write("x", x), piped ? "-" : write("y", y)};
                         return run_command(models + files + arguments + more, piped ? stdin_text : "");
                       }},
                      dice);
  }
  EXPECT_GT(answered, count / 3) << "most are refused, so little is tried";
  std::cout << "    " << answered << " of " << count << " combinations were answered, the others refused\n";
}

}  // namespace
}  // namespace hexapla::cli
