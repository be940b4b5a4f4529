// Tests of the public API. Using it needs only its own header; the other includes make a model.
#include <dlfcn.h>
#include <execinfo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/system/test_allocations.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"

#ifdef HEXAPLA_SEES_ALLOCATIONS
namespace {
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
std::atomic<int64_t> allocations_left{kNever};

// SentencePiece and its protobuf do not survive allocation failures, so none are simulated there.
bool within_sentencepiece() {
  std::array<void*, 64> frames;
  const int n = backtrace(frames.data(), static_cast<int>(frames.size()));
  return std::any_of(frames.begin(), frames.begin() + n, [](void* frame) {
    Dl_info in{};
    return dladdr(frame, &in) != 0 && in.dli_fname && std::strstr(in.dli_fname, "sentencepiece");
  });
}

// Only one allocation fails; later ones, for the error message, succeed.
bool fails() {
  if (allocations_left == kNever || allocations_left < 0) return false;
  if (allocations_left > 0) return --allocations_left, false;
  if (within_sentencepiece()) return false;
  allocations_left = -1;
  return true;
}
}  // namespace

void hexapla::before_allocation() {
  if (fails()) throw std::bad_alloc();
}
#endif

namespace hexapla::api {
namespace {

using test::made_up_lines;
using test::model_file;

TEST(Api, OneLineManyLinesAndNBestAgree) {
  const Translator translator(model_file());
  const std::vector<std::string> lines = made_up_lines(40, 2);
  const TranslatorOptions options{.extra_length = 5};
  TranslatorOptions several = options;
  several.n_best = 3;
  const std::vector<std::string> best = translator.translate(lines, options);
  const auto all = translator.translate_n_best(lines, several);
  ASSERT_EQ(best.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(translator.translate(lines[i], options), best[i]);
    ASSERT_EQ(all[i].size(), 3u);
    EXPECT_EQ(all[i][0].text, best[i]);
    EXPECT_GE(all[i][0].normalized, all[i][1].normalized);
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
  for (const TranslatorOptions& wrong :
       std::vector<TranslatorOptions>{{.beam_size = 1001},
                                      {.n_best = 0},
                                      {.length_penalty = 101},
                                      {.length_penalty = std::numeric_limits<double>::quiet_NaN()},
                                      {.extra_length = -1},
                                      {.extra_length = 1 << 30},
                                      {.max_length = 1},
                                      {.max_length = 1 << 30},
                                      {.batch_sentences = 1 << 30},
                                      {.batch_tokens = 1 << 30}})
    EXPECT_THROW(translator.translate_n_best({"a dog"}, wrong), std::runtime_error);
  for (const int threads : {-1, 120'000}) EXPECT_THROW(set_threads(threads), std::runtime_error);
  std::vector<std::string> warnings;
  translator.translate("a dog and a cat", {.max_length = 3, .warn = [&](size_t line, const std::string& what) {
                                             warnings.push_back(std::to_string(line) + " " + what);
                                           }});
  EXPECT_THAT(warnings,
              testing::ElementsAre(testing::HasSubstr("1 6 tokens are more than 3, so it was translated in 3 parts")));
}

TEST(Api, ScoresTranslations) {
  const Translator translator(model_file());
  const std::vector<double> scores = translator.score({"a dog", "a cat"}, {"two birds", ""});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_LT(scores[0], scores[1]);  // more tokens, from an untrained model
  EXPECT_EQ(translator.score({"a cat"}, {""}), std::vector<double>{scores[1]});
  EXPECT_THROW(translator.score({"a dog"}, {}), std::runtime_error);
}

// Whatever the mixture, a translation's score is the one that its search gave it.
TEST(Api, AnEnsembleScoresAsItTranslates) {
  const Translator first(test::model_file());
  for (const char* mixture : {"linear", "log-linear"}) {
    const Translator both({test::model_file(), test::second_model_file()}, {.ensemble = mixture, .weights = {2, 1}});
    size_t compared = 0, others = 0;
    for (const std::string& line : test::made_up_lines(10, 21)) {
      const auto found = both.translate_n_best({line}, {.n_best = 3, .extra_length = 4, .sentences = "keep"});
      for (const Translation& t : found.front()) {
        const ScoreResult score = both.score_tokens({line}, {t.text}).front();
        if (score.tokens != t.tokens) continue;  // the text has another segmentation
        EXPECT_NEAR(score.score, t.score, 1e-3);
        others += std::abs(first.score({line}, {t.text}).front() - t.score) > 0.01;
        ++compared;
      }
    }
    EXPECT_GT(compared, 3u);
    EXPECT_GT(others, 3u) << "as if there were one model";
  }
}

TEST(Api, ScoresTheBeginningOfALongPair) {
  const Translator translator(model_file());
  std::vector<std::string> told;
  const TranslatorOptions options{.max_length = 3, .warn = [&](size_t line, const std::string& what) {
                                    told.push_back(std::to_string(line) + " " + what);
                                  }};
  const std::vector<double> scores = translator.score({"a", "a dog and a cat"}, {"a", "a dog and a cat"}, options);
  EXPECT_THAT(told,
              testing::ElementsAre(testing::HasSubstr("2 of 6 tokens only the first 3 were read"),
                                   testing::HasSubstr("2 its translation: of 6 tokens only the first 3 were read")));
  EXPECT_EQ(scores[1], translator.score({"a dog"}, {"a dog"})[0]);
}

TEST(Api, MovesAndReportsItsVersion) {
  Translator first(model_file());
  const std::string expected = first.translate("a dog runs");
  Translator second(std::move(first));
  EXPECT_EQ(second.translate("a dog runs"), expected);
  EXPECT_THAT(version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

// Simulates `cp new model.safetensors` with a full disk: the old file is overwritten and truncated.
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

// The type and message of the error that f throws.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const UsageError& e) {
    return std::string("usage: ") + e.what();
  } catch (const DataError& e) {
    return std::string("data: ") + e.what();
  } catch (const OutOfMemory& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another: ") + e.what();
  } catch (...) {
    return "something else";
  }
  return "nothing";
}

TEST(Api, ErrorsSayWhoseTheyAre) {
  const Translator translator(model_file());
  EXPECT_THAT(error_of([&] { translator.translate("a dog", {.beam_size = 0}); }),
              testing::StartsWith("usage: beam_size is 0"));
  EXPECT_THAT(error_of([&] { translator.score({"a dog"}, {}); }), testing::StartsWith("usage: there are 1 lines"));
  EXPECT_THAT(error_of([] { Translator("/nowhere/model"); }), testing::StartsWith("data: "));
  try {
    TranslatorOptions::from({{"beam_size", "many"}});
    FAIL() << "it is no number";
  } catch (const UsageError& e) {
    EXPECT_EQ(e.option(), "beam_size");
    EXPECT_EQ(e.value(), "'many'");
  }
}

TEST(Api, WhatItsCallerThrowsPasses) {
  const Translator translator(model_file());
  const std::vector<std::string> lines{"a dog and a cat"};
  const TranslatorOptions options{.max_length = 3, .warn = [](size_t, const std::string&) { throw 7; }};
  EXPECT_THROW(translator.translate(lines, options), int);
  EXPECT_THROW(translator.translate(lines[0], options), int);
  EXPECT_THROW(translator.score(lines, lines, options), int);
}

#ifdef HEXAPLA_SEES_ALLOCATIONS
// f's errors if the n-th allocation fails, for every n until it succeeds.
template <class F>
std::set<std::string> errors_without_memory(F&& f) {
  std::set<std::string> errors;
  for (int64_t n = 1; n < 100'000; n += 1 + n / 50) {
    allocations_left = n;
    const std::string error = error_of(f);
    const bool failed = allocations_left < 0;
    allocations_left = kNever;
    if (!failed) return errors;
    errors.insert(error);
  }
  return errors;
}

TEST(Api, LackOfMemoryIsSaidWhereverItStrikes) {
  const std::string path = model_file();
  const Translator translator(path);
  const std::vector<std::string> lines = made_up_lines(5, 4);
  const TranslatorOptions options{.beam_size = 2, .extra_length = 2};
  set_threads(1);
  translator.translate(lines, options);
  within_sentencepiece();  // allocates what backtrace() needs once
  // "nothing": a sort can do without its buffer.
  const auto said = testing::HasSubstr("out of memory: give fewer lines at a time");
  const auto only = testing::AllOf(testing::Contains(said), testing::Each(testing::AnyOf(said, "nothing")));
  EXPECT_THAT(errors_without_memory([&] { Translator again(path); }), only);
  EXPECT_THAT(errors_without_memory([&] { translator.translate(lines, options); }), only);
  EXPECT_THAT(errors_without_memory([&] { translator.translate(lines[0], options); }), only);
  EXPECT_THAT(errors_without_memory([&] { translator.translate_n_best(lines, options); }), only);
  EXPECT_THAT(errors_without_memory([&] { translator.score(lines, lines); }), only);
  set_threads(0);
}
#endif

TEST(Api, AChildTranslatesAfterItsParentUsedThreads) {
  const Translator translator(model_file());
  const std::vector<std::string> lines = made_up_lines(30, 5);
  const TranslatorOptions options{.extra_length = 5};
  set_threads(2);
  const std::vector<std::string> expected = translator.translate(lines, options);
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {  // concurrently, like a worker pool
    children.push_back(fork());
    if (children.back() != 0) continue;
    alarm(120);  // ends a child that hangs
    set_threads(2);
    const Translator own(model_file());
    std::_Exit(translator.translate(lines, options) == expected && own.translate(lines, options) == expected ? 0 : 1);
  }
  EXPECT_EQ(translator.translate(lines, options), expected);
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  set_threads(0);
}

}  // namespace
}  // namespace hexapla::api
