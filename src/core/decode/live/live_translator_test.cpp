#include "decode/live/live_translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/compute/parallel.h"
#include "base/files/test_folder.h"
#include "decode/test_text.h"
#include "decode/text/translator.h"

namespace hexapla::decode {
namespace {

using namespace test;
using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = LiveRequest::Clock;

constexpr LiveLimits kServedLimits{
    .sentences = 6, .tokens = 90, .longest_source = 40, .longest = 80, .widest = 12, .cache_rows = 900};

struct ServedLines {
  std::vector<std::unique_ptr<TestModel>> models;
  std::unique_ptr<Backend> backend = make_backend();
  std::unique_ptr<LiveTranslator> live;
  std::unique_ptr<TextTranslator> alone;
  std::vector<std::thread> loops;

  explicit ServedLines(int workers, const LiveLimits& own = kServedLimits, uint64_t members = 1) {
    Ensemble ensemble;
    for (uint64_t i = 0; i < members; ++i) {
      models.push_back(std::make_unique<TestModel>(config(), DType::f32, 7 + i));
      models.back()->set_bias(vocabulary().eos(), -2);  // fewer empty translations
      models.back()->set_bias(vocabulary().unk(), 2);   // some unknown tokens to copy
      models.back()->parameters.move_to(*backend);
      ensemble.models.push_back(&models.back()->model);
    }
    live = std::make_unique<LiveTranslator>(ensemble, vocabulary(), vocabulary(), own);
    alone = std::make_unique<TextTranslator>(ensemble, vocabulary(), vocabulary(), *backend);
    for (int i = 0; i < workers; ++i)
      loops.emplace_back([this] {
        use_threads(1);
        Arena arena = make_arena(*backend, live->arena_memory());
        Context cx{*backend, arena, live->dtype()};
        live->serve(cx);
        EXPECT_EQ(arena.mark().bottom, 0u) << "the arena is not given back";
      });
  }
  ~ServedLines() { end(); }
  void end(bool finish = true) {
    live->close(finish);
    for (std::thread& t : loops)
      if (t.joinable()) t.join();
  }
};

// Receives a request's result.
struct Answer {
  std::promise<TextResult> promise;
  std::future<TextResult> future = promise.get_future();
  std::function<void(TextResult)> sink() {
    return [this](TextResult r) { promise.set_value(std::move(r)); };
  }
  bool exists() const { return future.wait_for(milliseconds(0)) == std::future_status::ready; }
};

// Blocks the first caller until opened.
struct Gate {
  std::promise<void> reached, opened;
  std::shared_future<void> open = opened.get_future().share();
  std::atomic<bool> held = false;
  void pass() {
    if (!held.exchange(true)) reached.set_value();
    open.wait();
  }
};

TranslateOptions greedy_options() {
  TranslateOptions o;
  o.search = {.beam_size = 1, .extra_length = 20, .min_length = 12};
  return o;
}

TextRequest request_of(const std::string& line, const TranslateOptions& options) {
  return {.lines = {line}, .options = options, .on_end = {}};
}

void expect_same(const std::vector<std::vector<Translation>>& is, const std::vector<std::vector<Translation>>& expected,
                 size_t request) {
  ASSERT_EQ(is.size(), expected.size()) << request;
  for (size_t i = 0; i < is.size(); ++i) {
    ASSERT_EQ(is[i].size(), expected[i].size()) << request;
    for (size_t j = 0; j < is[i].size(); ++j) {
      const Translation &a = is[i][j], &b = expected[i][j];
      EXPECT_EQ(a.text, b.text) << request;
      EXPECT_EQ(std::tie(a.score, a.normalized, a.coverage), std::tie(b.score, b.normalized, b.coverage)) << request;
      EXPECT_EQ(std::tie(a.ids, a.token_scores), std::tie(b.ids, b.token_scores)) << request;
      EXPECT_EQ(a.spans, b.spans) << request;
      EXPECT_EQ(a.protected_spans, b.protected_spans) << request;
    }
  }
}

// Draws requests of every kind.
struct Draw {
  Random random{18};
  const std::vector<std::string> pool = made_up_lines(400, 4);
  const std::shared_ptr<const text::Protection> protection =
      std::make_shared<text::Protection>(true, std::span<const std::string>());

  bool once_in(uint32_t n) { return random.below(n) == 0; }
  std::string line() {
    if (once_in(12)) return once_in(2) ? "" : "  ";
    std::string text = pool[random.below(400)];
    if (once_in(3)) text += ". " + pool[random.below(400)] + " und Ж.";
    if (once_in(8)) text += once_in(2) ? " \xff" : " Ж2";
    if (once_in(4)) text.insert(text.find(' ') == text.npos ? 0 : text.find(' '), once_in(2) ? " {0} @a" : "{1}");
    if (once_in(20)) text = "{2}: https://a.example/b.";
    return text;
  }
  TranslateOptions options() {
    TranslateOptions o;
    o.search.beam_size = 1 + static_cast<int>(random.below(6));
    o.search.n_best = 1 + static_cast<int>(random.below(static_cast<uint32_t>(o.search.beam_size)));
    o.search.extra_length = random.below(8);
    o.search.token_scores = once_in(3);
    o.max_length = 8 + random.below(20);
    if (once_in(5)) o.parting.long_input = LongInput::truncate;
    if (once_in(2)) o.parting.protection = protection;
    if (once_in(3)) o.search.length_penalty = PowerPenalty{1};
    if (once_in(5)) o.search.no_repeat_ngram = 2;
    if (once_in(8)) o.search.forbid_unknown = true;
    o.copy_unknown = once_in(2);
    o.attention = {1, AttentionHead::kMean};
    if (once_in(4))
      o.search.sampling = SamplingOptions{.temperature = 0.8, .top_k = random.below(9), .seed = random.below(9)};
    else if (once_in(2))
      o.coverage_penalty = 5;
    if (once_in(9)) o.everywhere.forbid = {"und"};
    return o;
  }
  LineConstraints constraints() {
    LineConstraints c;
    if (once_in(4)) c.prefix = once_in(2) ? "ein Hu" : "Ж ";
    if (once_in(5)) c.require = {"zwei"};
    if (once_in(6)) c.forbid = {"Hund"};
    return c;
  }
  TextRequest request() {
    TextRequest r{.first = random.below(1000), .options = options(), .on_end = {}};
    for (uint32_t i = 1 + random.below(3); i > 0; --i) {
      r.lines.push_back(line());
      r.constraints.push_back(constraints());
    }
    return r;
  }
};

// The list translator's result for a request, or its error.
struct Expected {
  std::vector<std::vector<Translation>> lines;
  std::vector<TextWarning> warnings;
  std::string refusal;

  Expected(const TextTranslator& alone, const TextRequest& r) {
    try {
      lines = alone.translate({r.lines, r.constraints, r.first}, r.options, [&](size_t line, const std::string& what) {
        warnings.push_back({line, what});
      });
    } catch (const UserError& e) {
      refusal = e.what();
    }
  }
};

struct AskedLine {
  TextRequest request;
  TextResult result{LiveEnd::canceled};
  std::string refusal;
  int ends = 0;
  std::atomic<int> steps = 0, at_a_time = 0;
  std::atomic<bool> together = false;  // two callbacks at the same time
};

void submit(LiveTranslator& live, AskedLine& a) {
  TextRequest r = a.request;
  if (a.request.first % 2 == 0)
    r.on_step = [&a](size_t line, const std::string&) {
      if (++a.at_a_time > 1 || line >= a.request.lines.size()) a.together = true;
      ++a.steps;
      --a.at_a_time;
    };
  r.on_end = [&a](TextResult result) {
    if (++a.at_a_time > 1) a.together = true;
    a.result = std::move(result);
    ++a.ends;
  };
  try {
    live.submit(std::move(r));
  } catch (const UserError& e) {
    a.refusal = e.what();
  }
}

class LiveTranslatorOf : public testing::TestWithParam<uint64_t> {};

// Requests arrive from three threads while two loops translate others.
TEST_P(LiveTranslatorOf, EachOfManyRequestsIsWhatTheTranslatorMakesOfIt) {
  Draw draw;
  std::vector<AskedLine> all(320);
  for (AskedLine& a : all) a.request = draw.request();
  ServedLines served(2, kServedLimits, GetParam());
  std::vector<std::thread> callers;
  for (size_t from = 0; from < 3; ++from)
    callers.emplace_back([&, from] {
      for (size_t i = from; i < all.size(); i += 3) submit(*served.live, all[i]);
    });
  for (std::thread& t : callers) t.join();
  served.end();
  int refused = 0, with_steps = 0, copied = 0, in_parts = 0, warned = 0, none = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const AskedLine& a = all[i];
    const Expected expected(*served.alone, a.request);
    EXPECT_EQ(a.refusal, expected.refusal);
    if (!a.refusal.empty()) {
      EXPECT_EQ(a.ends, 0) << i;
      ++refused;
      continue;
    }
    ASSERT_EQ(a.ends, 1) << i;
    ASSERT_EQ(a.result.end, LiveEnd::finished) << i;
    expect_same(a.result.lines, expected.lines, i);
    EXPECT_EQ(a.result.warnings, expected.warnings) << i;
    EXPECT_FALSE(a.together) << "callbacks of one request at the same time";
    with_steps += a.steps > 0;
    for (const TextWarning& w : a.result.warnings) in_parts += w.what.find(" parts") != std::string::npos, ++warned;
    for (const auto& line : a.result.lines)
      for (const Translation& t : line)
        copied += a.request.options.copy_unknown && !t.spans.empty(), none += !t.whole();
  }
  EXPECT_GT(refused, 5);
  EXPECT_LT(refused, 110);
  EXPECT_GT(with_steps, 50);
  EXPECT_GT(copied, 20);
  EXPECT_GT(in_parts, 40);
  EXPECT_GT(warned, in_parts);
  EXPECT_GT(none, 0);
}
INSTANTIATE_TEST_SUITE_P(Models, LiveTranslatorOf, testing::Values(1, 2));

TEST(LiveTranslator, TellsWhatALineReadsAsSoFar) {
  ServedLines served(1);
  std::vector<std::string> told;
  Answer answer;
  TextRequest r = request_of("zwei Katzen und ein Hund", greedy_options());
  r.on_step = [&](size_t line, const std::string& so_far) {
    EXPECT_EQ(line, 0u);
    told.push_back(so_far);
  };
  r.on_end = answer.sink();
  served.live->submit(std::move(r));
  const TextResult result = answer.future.get();
  ASSERT_EQ(result.end, LiveEnd::finished);
  EXPECT_GE(told.size(), 12u);
  for (const std::string& so_far : told) EXPECT_THAT(result.lines[0][0].text, testing::StartsWith(so_far));
  for (size_t i = 1; i < told.size(); ++i) EXPECT_GE(told[i].size(), told[i - 1].size());
}

LiveLimits one_at_a_time() {
  LiveLimits one = kServedLimits;
  one.sentences = 1;
  return one;
}

// A request in progress that is blocked until the gate is opened.
struct Held {
  Gate gate;
  Answer answer;
  TextRequest request = request_of("ein Hund", greedy_options());
  size_t name;
  explicit Held(LiveTranslator& live) {
    TextRequest r = request;
    r.on_step = [this](size_t, const std::string&) { gate.pass(); };
    r.on_end = answer.sink();
    name = live.submit(std::move(r));
    gate.reached.get_future().wait();
  }
  ~Held() {
    if (answer.future.valid()) answer.future.wait();  // its callbacks refer to this object
  }
  void open() { gate.opened.set_value(); }
};

TEST(LiveTranslator, CanBeCanceledOnItsWayAndWhileItWaits) {
  ServedLines served(1, one_at_a_time());
  Held held(*served.live);
  Answer waits;
  TextRequest r = request_of("zwei Katzen", greedy_options());
  r.on_end = waits.sink();
  const size_t name = served.live->submit(std::move(r));
  EXPECT_TRUE(served.live->cancel(name));
  ASSERT_TRUE(waits.exists()) << "no loop is needed for that";
  EXPECT_EQ(waits.future.get().end, LiveEnd::canceled);
  EXPECT_FALSE(served.live->cancel(name)) << "it is gone";
  EXPECT_TRUE(served.live->cancel(held.name));
  EXPECT_FALSE(held.answer.exists()) << "its loop is held";
  held.open();
  EXPECT_EQ(held.answer.future.get().end, LiveEnd::canceled);
}

TEST(LiveTranslator, AllPartsAreCanceledTogether) {
  ServedLines served(1, one_at_a_time());
  Held held(*served.live);
  Answer answer;
  TextRequest r = request_of("ein Hund läuft. zwei Katzen und ein Hund. die Straße", greedy_options());
  r.options.max_length = 6;
  r.on_end = answer.sink();
  const size_t name = served.live->submit(std::move(r));
  EXPECT_GE(served.live->waiting(), 3u);
  EXPECT_TRUE(served.live->cancel(name));
  EXPECT_EQ(answer.future.get().end, LiveEnd::canceled);
  EXPECT_EQ(served.live->waiting(), 0u);
  held.open();
}

TEST(LiveTranslator, ALateRequestIsAnsweredThoughNoLoopHasTime) {
  ServedLines served(1, one_at_a_time());
  Held held(*served.live);
  for (const milliseconds left : {milliseconds(-5), milliseconds(0), milliseconds(3)}) {
    Answer late;
    TextRequest r = request_of("zwei Katzen", greedy_options());
    r.deadline = Clock::now() + left;
    r.on_end = late.sink();
    served.live->submit(std::move(r));
    EXPECT_EQ(late.future.get().end, LiveEnd::late);
  }
  EXPECT_EQ(served.live->waiting(), 0u);
  EXPECT_FALSE(held.answer.exists());
  held.open();
  const TextResult result = held.answer.future.get();
  expect_same(result.lines, Expected(*served.alone, held.request).lines, 0);
}

TEST(LiveTranslator, ALaterDeadlineDoesNotHoldUpAnEarlierOne) {
  ServedLines served(0);
  Answer later;
  TextRequest r = request_of("zwei Katzen", greedy_options());
  r.deadline = Clock::now() + std::chrono::hours(1);
  r.on_end = later.sink();
  served.live->submit(r);
  for (int i = 0; i < 20; ++i) {  // mostly while the later deadline is awaited
    Answer earlier;
    r.deadline = Clock::now() + milliseconds(2);
    r.on_end = earlier.sink();
    served.live->submit(r);
    EXPECT_EQ(earlier.future.get().end, LiveEnd::late);
  }
  EXPECT_EQ(served.live->waiting(), 1u);
  served.end(false);
  EXPECT_EQ(later.future.get().end, LiveEnd::canceled);
}

TEST(LiveTranslator, ADeadlineEndsWhatIsOnItsWay) {
  ServedLines served(1);
  Answer answer;
  TextRequest r = request_of("ein Hund", greedy_options());
  const auto deadline = Clock::now() + milliseconds(10);
  r.deadline = deadline;
  r.on_step = [=](size_t, const std::string&) { std::this_thread::sleep_until(deadline); };
  r.on_end = answer.sink();
  served.live->submit(std::move(r));
  EXPECT_EQ(answer.future.get().end, LiveEnd::late);
}

TEST(LiveTranslator, WhatACallbackThrowsIsTheEndOfItsRequestAlone) {
  ServedLines served(1);
  Answer mine, other;
  TextRequest bad = request_of("ein Hund läuft. zwei Katzen und ein Hund", greedy_options());
  bad.options.max_length = 6;
  bad.on_step = [](size_t, const std::string&) { throw std::logic_error("mine"); };
  bad.on_end = mine.sink();
  TextRequest worse = request_of("die Straße", greedy_options());
  worse.on_end = [](const TextResult&) { throw std::logic_error("lost"); };
  TextRequest good = request_of("zwei Katzen", greedy_options());
  TextRequest asked = good;
  asked.on_end = other.sink();
  served.live->submit(std::move(bad));
  served.live->submit(std::move(worse));
  served.live->submit(std::move(asked));
  const TextResult failed = mine.future.get();
  EXPECT_EQ(failed.end, LiveEnd::failed);
  EXPECT_THAT([&] { std::rethrow_exception(failed.error); }, testing::ThrowsMessage<std::logic_error>("mine"));
  const TextResult result = other.future.get();
  ASSERT_EQ(result.end, LiveEnd::finished);
  expect_same(result.lines, Expected(*served.alone, good).lines, 0);
}

TEST(LiveTranslator, CallbacksMaySubmitAndCancel) {
  ServedLines served(2);
  std::promise<size_t> name;
  std::shared_future<size_t> own = name.get_future().share();
  Answer first, second;
  TextRequest r = request_of("ein Hund läuft. zwei Katzen und ein Hund", greedy_options());
  r.options.max_length = 6;
  r.on_step = [&](size_t, const std::string&) { served.live->cancel(own.get()); };
  r.on_end = [&](TextResult result) {
    TextRequest next = request_of("zwei Katzen", greedy_options());
    next.on_end = second.sink();
    served.live->submit(std::move(next));
    first.promise.set_value(std::move(result));
  };
  name.set_value(served.live->submit(std::move(r)));
  EXPECT_EQ(first.future.get().end, LiveEnd::canceled);
  EXPECT_EQ(second.future.get().end, LiveEnd::finished);
}

TEST(LiveTranslator, TakesAllPartsOfARequestOrNone) {
  LiveLimits few = kServedLimits;
  few.waiting = 4;
  ServedLines served(0, few);
  const auto submit = [&](const std::string& line) {
    TextRequest r = request_of(line, {});
    r.options.search.extra_length = 4;
    r.options.max_length = 7;
    r.on_end = [](const TextResult&) {};
    served.live->submit(std::move(r));
  };
  const std::string three = "ein Hund läuft. Katzen zwei. Straße die";
  submit(three);
  EXPECT_EQ(served.live->waiting(), 3u);
  EXPECT_THAT(what_of<RunError>([&] { submit(three); }), HasSubstr("3 requests are waiting, and at most 4 may"));
  EXPECT_EQ(served.live->waiting(), 3u);
  EXPECT_THAT(what_of<UsageError>([&] { submit(three + ". " + three); }),
              HasSubstr("in this queue at most 4 may wait"));
  submit("ein");
  EXPECT_EQ(served.live->waiting(), 4u);
}

TEST(LiveTranslator, BlankLinesNeedNoLoop) {
  ServedLines served(0);
  Answer answer;
  TextRequest r{.lines = {"", "  "}, .on_end = answer.sink()};
  served.live->submit(std::move(r));
  ASSERT_TRUE(answer.exists());
  const TextResult result = answer.future.get();
  ASSERT_EQ(result.lines.size(), 2u);
  EXPECT_EQ(result.lines[1].at(0).text, "");
}

TEST(LiveTranslator, RefusesAnAttentionHeadThatThereIsNot) {
  ServedLines served(0);
  TextRequest r = request_of("ein Hund", {});
  r.options.copy_unknown = true;
  r.options.attention.layer = 9;
  r.on_end = [](const TextResult&) {};
  EXPECT_THAT(what_of<UsageError>([&] { served.live->submit(r); }), HasSubstr("`alignment-layer` 9"));
}

// The largest forced passes within the limits, in a loop that has little memory for anything else.
TEST(LiveTranslator, ForcedPassesAreWithinTheMemoryThatIsAnnounced) {
  const LiveLimits small{
      .sentences = 1, .tokens = 100, .longest_source = 100, .longest = 160, .widest = 2, .cache_rows = 320};
  for (const uint64_t members : {1, 2}) {
    ServedLines served(1, small, members);
    TranslateOptions o;
    o.search = {.beam_size = 2, .n_best = 2, .extra_length = 60, .min_length = 159};
    o.max_length = 100;
    o.coverage_penalty = 2;
    o.copy_unknown = true;
    std::string line = "ein";
    while (vocabulary().encode(line + " ein").size() < 100) line += " ein";
    std::vector<Answer> answers(3);
    TextRequest r = request_of(line, o);
    for (Answer& a : answers) {
      TextRequest one = r;
      one.on_end = a.sink();
      served.live->submit(std::move(one));
    }
    const Expected expected(*served.alone, r);
    for (Answer& a : answers) {
      const TextResult result = a.future.get();
      ASSERT_EQ(result.end, LiveEnd::finished);
      EXPECT_EQ(result.lines[0][0].ids.size(), 159u);
      expect_same(result.lines, expected.lines, members);
    }
  }
}

}  // namespace
}  // namespace hexapla::decode
