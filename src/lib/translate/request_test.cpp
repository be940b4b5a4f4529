// How requests of Translator::submit() end.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <stdexcept>

#include "hexapla/hexapla.h"
#include "lib/test_models.h"

namespace hexapla::api {
namespace {

using std::chrono::milliseconds;
using test::model_file;

TranslatorOptions request_options() {
  TranslatorOptions options;
  options.extra_length = 5;
  return options;
}

std::vector<std::string> texts_of(const PendingTranslation::Lines& lines) {
  std::vector<std::string> all;
  for (const std::vector<Translation>& line : lines) all.push_back(line.front().text);
  return all;
}

// "late", "canceled", or the text of another exception.
std::string ending_of(const PendingTranslation& request) {
  try {
    request.get();
  } catch (const TimedOut&) {
    return "late";
  } catch (const Canceled&) {
    return "canceled";
  } catch (const std::exception& e) {
    return e.what();
  }
  return "finished";
}

struct Requests : testing::Test {
  const std::vector<std::string> lines = test::made_up_lines(3, 2);
  const Translator translator{model_file()};

  // Submits a request whose first step calls at_first_step().
  PendingTranslation begin(std::function<void()> at_first_step, const TranslatorOptions& options,
                           RequestOptions request = {}) const {
    auto first = std::make_shared<std::atomic_flag>();
    request.on_progress = [first, f = std::move(at_first_step)](std::size_t, const std::string&) {
      if (!first->test_and_set()) f();
    };
    return translator.submit(lines, options, request);
  }
};

TEST_F(Requests, EndWhenTheyAreToldToStop) {
  std::atomic<bool> stop = false;
  TranslatorOptions options = request_options();
  options.stop = &stop;
  EXPECT_EQ(texts_of(translator.submit(lines, options).get()), translator.translate(lines, request_options()));
  EXPECT_EQ(ending_of(begin([&] { stop = true; }, options)), "canceled");
  EXPECT_EQ(ending_of(translator.submit(lines, options)), "canceled") << "told before";
  EXPECT_EQ(ending_of(translator.submit(lines, request_options())), "finished") << "without a flag";
}

TEST_F(Requests, ThatAreLateAreNotCanceled) {
  RequestOptions soon;
  soon.timeout = milliseconds(1);
  const auto sleep = [] { std::this_thread::sleep_for(milliseconds(5)); };
  EXPECT_EQ(ending_of(begin(sleep, request_options(), soon)), "late");
  std::unique_ptr<PendingTranslation> own;
  std::promise<void> there;
  own = std::make_unique<PendingTranslation>(begin(
      [&, known = there.get_future().share()] {
        known.wait();
        own->cancel();
      },
      request_options()));
  there.set_value();
  EXPECT_EQ(ending_of(*own), "canceled");
  const TimedOut late("");
  EXPECT_NE(dynamic_cast<const Canceled*>(&late), nullptr) << "for programs that know only this one";
}

TEST_F(Requests, GiveTheirResultToTheFunctionAtTheirEnd) {
  const std::vector<std::string> expected = translator.translate(lines, request_options()), blank{"", " "};
  for (const std::vector<std::string>& each : {lines, blank}) {
    std::vector<std::string> found;
    RequestOptions request;
    request.on_end = [&](const PendingTranslation& ended) {
      EXPECT_TRUE(ended.ready());
      found = texts_of(ended.get());
    };
    const PendingTranslation p = translator.submit(each, request_options(), request);
    EXPECT_EQ(texts_of(p.get()), found);
    EXPECT_EQ(found, translator.translate(each, request_options()));
  }
  std::string ending;
  RequestOptions request;
  request.on_end = [&](const PendingTranslation& ended) { ending = ending_of(ended); };
  std::atomic<bool> stop = false;
  TranslatorOptions options = request_options();
  options.stop = &stop;
  EXPECT_EQ(ending_of(begin([&] { stop = true; }, options, request)), "canceled");
  EXPECT_EQ(ending, "canceled");
}

// Those of earlier versions have no argument.
TEST_F(Requests, TakeAnyFunctionAtTheirEnd) {
  int calls = 0;
  const auto count = [&] { ++calls; };
  RequestOptions request;
  for (const EndFunction& f : {EndFunction(count), EndFunction(std::function<void()>(count)),
                               EndFunction([&](const PendingTranslation&) { ++calls; }), EndFunction(),
                               EndFunction(nullptr), EndFunction(std::function<void()>())}) {
    request.on_end = f;
    translator.submit(lines, request_options(), request).get();
  }
  request.on_end = {};
  request.on_end = count;
  translator.submit({""}, request_options(), request).get();
  EXPECT_EQ(calls, 4);
}

TEST_F(Requests, ThrowWhatTheFunctionAtTheirEndThrew) {
  RequestOptions request;
  request.on_end = [] { throw std::length_error("of the program"); };
  const std::vector<std::string> blank{""};
  for (const std::vector<std::string>& each : {lines, blank}) {
    const PendingTranslation p = translator.submit(each, request_options(), request);
    for (int twice = 0; twice < 2; ++twice) EXPECT_THROW(p.get(), std::length_error);
  }
  EXPECT_EQ(ending_of(translator.submit(lines, request_options())), "finished") << "others go on";
}

// The result of a call with little memory: its translation, "out of memory" or another error.
template <class F>
std::string outcome_of(F&& call) {
  try {
    return call();
  } catch (const OutOfMemory&) {
    return "out of memory";
  } catch (const std::exception& e) {
    return std::string("another error: ") + e.what();
  }
}

// "": within every limit of the process's addresses, a request does as the call does.
std::string differences_with_little_memory() {
  std::string all;
  for (std::size_t room = std::size_t{1} << 32; room >= std::size_t{1} << 20; room /= 2) {
    const Translator translator(model_file());
    const std::string before = translator.translate("a dog runs", request_options());
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + room;
    setrlimit(RLIMIT_AS, &limit);
    const std::string called = outcome_of([&] { return translator.translate("a dog runs", request_options()); });
    const std::string submitted =
        outcome_of([&] { return translator.submit({"a dog runs"}, request_options()).get()[0][0].text; });
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
    const bool enough = room >= std::size_t{1} << 26;  // for a thread besides
    if (submitted != before && (enough || submitted != "out of memory"))
      all += std::to_string(room >> 20) + " MiB: " + submitted + " (the call: " + called + ")\n";
  }
  return all;
}

TEST(RequestMemory, ShrinksAsThatOfACall) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs all addresses";
#endif
  model_file();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const std::string wrong = differences_with_little_memory();
    std::fputs(wrong.c_str(), stderr);
    std::_Exit(wrong.empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace hexapla::api
