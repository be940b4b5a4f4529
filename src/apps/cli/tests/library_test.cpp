// The library's output is byte-identical to the program's: each decoding option, scores, training.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/files/file.h"
#include "cli/test_command.h"
#include "hexapla/hexapla.h"

namespace hexapla::cli {
namespace {

const std::vector<std::string> kWords{"ein", "Hund", "läuft", "die", "Katze", "schläft", "二", "人", "grün", "schnell"};

std::string made_up_text(int lines, uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int i = 0; i < lines; ++i) {
    for (uint32_t n = 1 + random.below(12); n > 0; --n)
      text += kWords[random.below(static_cast<uint32_t>(kWords.size()))] + (n > 1 ? " " : "");
    text += "\n";
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct LibraryAndProgram : CommandFolder {
  const std::string text = made_up_text(100, 1);
  const std::string model = at("model");

  LibraryAndProgram() {
    save_untrained_model(model, text::Vocabulary::train(lines_of(made_up_text(300, 2)), {.size = 60}));
  }
  std::string program(const std::vector<std::string>& options) const {
    const Result r = run_command(std::vector<std::string>{"translate", "-m", model, "-q"} + options, text);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  }
  // In the program's --n-best format.
  std::string library(const Options& options) const {
    const Translator translator(model);
    const TranslatorOptions how = TranslatorOptions::from(options);
    std::string out;
    size_t number = 0;
    for (const auto& line : translator.translate_n_best(lines_of(text), how)) {
      for (const Translation& t : line)
        out += how.n_best.value_or(1) == 1
                   ? t.text + "\n"
                   : fmt::format("{} ||| {} ||| F0= {:.6f} ||| {:.6f}\n", number, t.text, t.score, t.normalized);
      ++number;
    }
    return out;
  }
  std::string requests(const Options& options) const {
    const Translator translator(model);
    std::vector<PendingTranslation> pending;
    for (const std::string& line : lines_of(text))
      pending.push_back(translator.submit({line}, TranslatorOptions::from(options)));
    std::string out;
    for (const PendingTranslation& p : pending) out += p.get()[0][0].text + "\n";
    return out;
  }
};

using OneOption = std::pair<const char*, OptionValue>;

TEST_F(LibraryAndProgram, GiveTheSameForEveryOption) {
  const OneOption all[] = {{"beam-size", 6},       {"length-penalty", 1.2},    {"length-normalization", "power"},
                           {"extra-length", 3},    {"max-length", 5},          {"batch-sentences", 3},
                           {"batch-tokens", 40},   {"word-penalty", 0.7},      {"coverage-penalty", 0.4},
                           {"longest", 4},         {"longest-ratio", 1.5},     {"min-length", 6},
                           {"no-repeat-ngram", 2}, {"max-repetition", 2},      {"unk", "copy"},
                           {"unk", "forbid"},      {"long-input", "truncate"}, {"stop-when", "outscored"}};
  for (const auto& [name, value] : all) {
    const Options options{{"n_best", 3}, {"extra_length", 8}, {name, value}};
    std::vector<std::string> flags{"--n-best", "3", std::string("--") + name, value.words().front()};
    if (options.count("extra_length") && std::string(name) != "extra-length")
      flags = flags + std::vector<std::string>{"--extra-length", "8"};
    Options given = options;
    if (std::string(name) == "extra-length") given.erase("extra_length");
    EXPECT_EQ(library(given), program(flags)) << name;
  }
}

TEST_F(LibraryAndProgram, GiveTheSameSamplesAndAlignments) {
  EXPECT_EQ(library({{"sample", true}, {"n_best", 2}, {"temperature", 0.8}, {"top_k", 7}, {"seed", 3}}),
            program({"--sample", "--n-best", "2", "--temperature", "0.8", "--top-k", "7", "--seed", "3"}));
  EXPECT_EQ(library({{"sample", true}, {"top_p", 0.7}}), program({"--sample", "--top-p", "0.7"}));
  EXPECT_EQ(requests({{"extra_length", 8}, {"coverage_penalty", 0.3}}),
            program({"--extra-length", "8", "--coverage-penalty", "0.3"}));
  const Translator translator(model);
  TranslatorOptions how;
  how.extra_length = 8, how.alignment = "words";
  std::string aligned;
  for (const auto& line : translator.translate_n_best(lines_of(text), how)) {
    std::string links;
    for (const auto& [from, to] : line[0].alignment.links)
      links += fmt::format("{}{}-{}", links.empty() ? "" : " ", from, to);
    aligned += line[0].text + " ||| " + links + "\n";
  }
  EXPECT_EQ(aligned, program({"--extra-length", "8", "--alignment", "hard"}));
}

TEST_F(LibraryAndProgram, GiveTheSameScoresAndConstraints) {
  const std::string target = made_up_text(100, 5);
  write("x", text), write("y", target);
  std::string scores;
  for (const ScoreResult& s : Translator(model).score_tokens(lines_of(text), lines_of(target)))
    scores += fmt::format("{:.6f}\t{:.6f}\n", s.score, s.normalized);
  EXPECT_EQ(scores, run_command({"score", "-m", model, "-q", at("x"), at("y")}).out);
  const std::vector<Constraints> asked(100, Constraints{"", {"Hund"}, {"ein"}});
  std::string constrained;
  for (const std::string& line : Translator(model).translate(lines_of(text), {}, asked)) constrained += line + "\n";
  EXPECT_EQ(constrained, program({"--require", "Hund", "--forbid", "ein"}));
}

TEST_F(LibraryAndProgram, TrainTheSameBytes) {
  write("x", made_up_text(300, 3)), write("y", made_up_text(300, 4));
  const std::vector<std::string> common{"--train-sets",   at("x"), at("y"),         "--valid-sets",
                                        at("x"),          at("y"), "--preset",      "tiny",
                                        "--layers",       "1",     "--dim-model",   "16",
                                        "--dim-ff",       "32",    "--heads",       "2",
                                        "--vocab-size",   "60",    "--max-updates", "10",
                                        "--batch-tokens", "300",   "--warmup",      "5",
                                        "--valid-every",  "5",     "--save-every",  "5"};
  const Result r = run_command(std::vector<std::string>{"train", "-q", "--model", at("program")} + common);
  ASSERT_EQ(r.code, 0) << r.err;
  const auto files = OptionValue({at("x").c_str(), at("y").c_str()});
  const TrainingResult result = Trainer({{"model", at("library")},
                                         {"train_sets", files},
                                         {"valid_sets", files},
                                         {"preset", "tiny"},
                                         {"layers", 1},
                                         {"dim_model", 16},
                                         {"dim_ff", 32},
                                         {"heads", 2},
                                         {"vocab_size", 60},
                                         {"max_updates", 10},
                                         {"batch_tokens", 300},
                                         {"warmup", 5},
                                         {"valid_every", 5},
                                         {"save_every", 5}})
                                    .train();
  EXPECT_EQ(read_file(result.model), read_file(at("program") + "/model.safetensors"));
  EXPECT_EQ(read_file(at("library") + "/valid.jsonl").substr(0, 60),
            read_file(at("program") + "/valid.jsonl").substr(0, 60));
  EXPECT_TRUE(std::filesystem::exists(at("library") + "/report.html"));
}

}  // namespace
}  // namespace hexapla::cli
