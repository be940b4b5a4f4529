// The public face: only its own header is needed to use it; the rest here makes a model to use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/random.h"
#include "hexapla/hexapla.h"
#include "model/model_file.h"
#include "text/vocabulary.h"

namespace hexapla {
namespace {

const std::vector<std::string> words{"a",    "dog",  "cat", "bird", "runs", "sleeps",
                                     "fast", "here", "and", "two",  "big",  "red"};

std::vector<std::string> made_up_lines(int n, uint64_t seed) {
  Random random(seed);
  std::vector<std::string> lines(n);
  for (std::string& line : lines)
    for (uint32_t i = 0, length = 1 + random.below(9); i < length; ++i)
      line += (i > 0 ? " " : "") + words[random.below(static_cast<uint32_t>(words.size()))];
  return lines;
}

// The path of a model with random weights.
const std::string& model_file() {
  static const std::string path = [] {
    const Vocabulary vocabulary = Vocabulary::train(made_up_lines(300, 1), {.size = 40});
    Config c = Config::preset("tiny");
    c.source_vocab = c.target_vocab = vocabulary.size();
    c.enc_layers = c.dec_layers = 1;
    c.resolve();
    Transformer model(c);
    const Parameters parameters(model, DType::f32, Parameters::Use::inference);
    initialise(model, 5);
    const std::string file = testing::TempDir() + "hexapla_api_test.safetensors";
    save_model(file, model, {vocabulary.bytes(), vocabulary.bytes()}, {});
    return file;
  }();
  return path;
}

TEST(Api, OneLineManyLinesAndNBestAgree) {
  const Translator translator(model_file());
  const std::vector<std::string> lines = made_up_lines(40, 2);
  const TranslatorOptions options{.n_best = 3, .extra_length = 5};
  const std::vector<std::string> best = translator.translate(lines, options);
  const auto all = translator.translate_n_best(lines, options);
  ASSERT_EQ(best.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(translator.translate(lines[i], options), best[i]);
    ASSERT_EQ(all[i].size(), 3u);
    EXPECT_EQ(all[i][0].text, best[i]);
    EXPECT_GE(all[i][0].normalised, all[i][1].normalised);
    EXPECT_LT(all[i][0].score, 0);
  }
}

TEST(Api, MayBeCalledFromSeveralThreads) {
  const Translator translator(model_file());
  const std::vector<std::string> lines = made_up_lines(20, 3);
  const TranslatorOptions options{.extra_length = 5};
  const std::vector<std::string> expected = translator.translate(lines, options);
  std::vector<std::vector<std::string>> found(3);
  std::vector<std::thread> callers;
  for (auto& f : found)
    callers.emplace_back([&] {
      set_threads(1);
      f = translator.translate(lines, options);
    });
  for (std::thread& t : callers) t.join();
  for (const auto& f : found) EXPECT_EQ(f, expected);
}

TEST(Api, BlankLinesAndNoLines) {
  const Translator translator(model_file());
  EXPECT_EQ(translator.translate(""), "");
  EXPECT_EQ(translator.translate(std::vector<std::string>{}), std::vector<std::string>{});
  EXPECT_EQ(translator.translate(std::vector<std::string>{" ", ""}), (std::vector<std::string>{"", ""}));
}

TEST(Api, OptionsReachTheSearch) {
  const Translator translator(model_file());
  EXPECT_THROW(translator.translate("a dog", {.beam_size = 0}), std::runtime_error);
  EXPECT_THROW(translator.translate("a dog", {.length_normalization = "mean"}), std::runtime_error);
  EXPECT_THROW(translator.translate("a dog", {.batch_tokens = 0}), std::runtime_error);
  std::vector<std::string> warnings;
  translator.translate("a dog and a cat", {.max_length = 3, .warn = [&](size_t line, const std::string& what) {
                                             warnings.push_back(std::to_string(line) + " " + what);
                                           }});
  EXPECT_THAT(warnings,
              testing::ElementsAre(testing::HasSubstr("0 6 tokens are more than 3, so it was translated in 3 parts")));
}

TEST(Api, ScoresTranslations) {
  const Translator translator(model_file());
  const std::vector<double> scores = translator.score({"a dog", "a cat"}, {"two birds", ""});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_LT(scores[0], scores[1]);  // more tokens of a model that knows nothing
  EXPECT_EQ(translator.score({"a cat"}, {""}), std::vector<double>{scores[1]});
  EXPECT_THROW(translator.score({"a dog"}, {}), std::runtime_error);
}

TEST(Api, MovesAndReportsItsVersion) {
  Translator first(model_file());
  const std::string expected = first.translate("a dog runs");
  Translator second(std::move(first));
  EXPECT_EQ(second.translate("a dog runs"), expected);
  EXPECT_THAT(version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

// As `cp new model.safetensors` and a full disk do it: the old file is written over, and cut short.
TEST(Api, WhatBecomesOfTheFileIsNoMatter) {
  const std::string path = testing::TempDir() + "hexapla_api_test_changing.safetensors";
  std::filesystem::copy_file(model_file(), path, std::filesystem::copy_options::overwrite_existing);
  const Translator translator(path);
  const std::vector<std::string> lines = made_up_lines(20, 4);
  const TranslatorOptions options{.extra_length = 5};
  const std::vector<std::string> expected = translator.translate(lines, options);
  const std::vector<double> scores = translator.score(lines, expected);
  const auto size = std::filesystem::file_size(path);
  std::fstream(path, std::ios::in | std::ios::out) << std::string(size, '\x3f');
  ASSERT_EQ(std::filesystem::file_size(path), size);
  EXPECT_EQ(translator.translate(lines, options), expected);
  EXPECT_EQ(translator.score(lines, expected), scores);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(translator.translate(lines, options), expected);
  EXPECT_EQ(translator.score(lines, expected), scores);
  std::filesystem::remove(path);
}

TEST(Api, BadModelFilesAreNamed) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      const Translator translator(path);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "";
  };
  const std::string missing = testing::TempDir() + "no_such_model.safetensors",
                    text = testing::TempDir() + "not_a_model";
  std::ofstream(text) << "hello\n";
  EXPECT_THAT(message(missing), testing::HasSubstr(missing));
  EXPECT_THAT(message(text), testing::HasSubstr(text));
}

}  // namespace
}  // namespace hexapla
