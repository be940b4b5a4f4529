#include "decode/live/live_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/compute/parallel.h"
#include "base/files/test_folder.h"
#include "decode/live/live_loop.h"
#include "decode/search/decode_loop.h"
#include "decode/steps/workers.h"
#include "decode/strategies/beam_search.h"
#include "decode/test_models.h"

namespace hexapla::decode {
namespace {

using namespace test;
using std::chrono::milliseconds;
using Clock = LiveRequest::Clock;

constexpr LiveLimits kLimits{.sentences = 6, .tokens = 60, .longest = 40, .widest = 8, .cache_rows = 600};

struct Served {
  TestModel m{small_config()};
  std::unique_ptr<Backend> backend = m.on_backend();
  LiveQueue queue{kLimits, kSpecials, positions(m.model)};
  std::vector<std::thread> loops;
  std::vector<size_t> peaks;

  explicit Served(int workers) : peaks(workers) {
    for (int i = 0; i < workers; ++i)
      loops.emplace_back([this, i] {
        use_threads(1);
        const DType dtype = m.model.target_embedding().table.value.dtype;
        Arena arena = make_arena(*backend, live_memory(m.model, kLimits, dtype));
        Context cx{*backend, arena, dtype};
        run_live_loop(cx, m.model, queue);
        peaks[i] = arena.mark().bottom;
      });
  }
  ~Served() { end(); }
  void end(bool finish = true) {
    queue.close(finish);
    for (std::thread& t : loops)
      if (t.joinable()) t.join();
  }
  std::vector<Hypothesis> alone(const text::Ids& source, const SearchOptions& options,
                                const SentenceConstraints& constraints) const {
    const size_t first = 0;
    Queue list{
        .sources = {&source, 1}, .order = {&first, 1}, .sentences = 1, .tokens = 1, .requests = {&constraints, 1}};
    std::vector<Hypothesis> found;
    const DType dtype = m.model.target_embedding().table.value.dtype;
    on_workers(1, *backend, dtype, search_memory(m.model, list, options, dtype), [&](Context& cx) {
      search(cx, m.model, list, options, kSpecials, [&](size_t, std::vector<Hypothesis> h) { found = std::move(h); });
    });
    return found;
  }
};

SearchOptions some_options(Random& random) {
  SearchOptions o{.beam_size = 1 + static_cast<int>(random.below(8)), .extra_length = random.below(12)};
  o.n_best = 1 + static_cast<int>(random.below(static_cast<uint32_t>(o.beam_size)));
  if (random.below(3) == 0) o.length_penalty = PowerPenalty{1.0};
  if (random.below(4) == 0) o.min_length = random.below(10);
  if (random.below(4) == 0) o.no_repeat_ngram = 2;
  if (random.below(4) == 0) o.token_scores = true;
  if (random.below(5) == 0)
    o.sampling = SamplingOptions{.temperature = 0.7, .top_k = random.below(6), .seed = random.below(9)};
  return o;
}

struct Asked {
  text::Ids source;
  SearchOptions options;
  SentenceConstraints constraints;
  std::optional<LiveResult> result;
  int ends = 0;
  size_t steps = 0;
};

// Requests arrive from three threads while others are in progress; some are canceled, some are
// late.
TEST(LiveQueue, EachOfManyRequestsHasTheBytesThatItHasAlone) {
  Random random(11);
  const std::vector<text::Ids> sources = random_sentences(500, 20, 24);
  std::vector<Asked> all(500);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = {sources[i], some_options(random), {}, {}};
    all[i].constraints.line = i;
  }
  std::mutex mutex;
  Served served(2);
  const auto submit = [&](size_t from) {
    for (size_t i = from; i < all.size(); i += 3) {
      Asked& a = all[i];
      LiveRequest r{.source = a.source, .options = a.options, .constraints = a.constraints};
      if (i % 7 == 3) r.deadline = Clock::now() - milliseconds(1);
      r.on_step = [&a](const text::Ids& so_far) { a.steps = std::max(a.steps, so_far.size()); };
      r.on_end = [&](LiveResult result) {
        const std::lock_guard lock(mutex);
        a.result = std::move(result), ++a.ends;
      };
      const size_t name = served.queue.submit(std::move(r));
      if (i % 11 == 5) served.queue.cancel(name);
      if (i % 50 == 0) std::this_thread::sleep_for(milliseconds(2));
    }
  };
  std::vector<std::thread> callers;
  for (size_t from = 0; from < 3; ++from) callers.emplace_back(submit, from);
  for (std::thread& t : callers) t.join();
  served.end();
  size_t finished = 0, with_steps = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const Asked& a = all[i];
    ASSERT_EQ(a.ends, 1) << i;
    if (a.result->end == LiveEnd::finished) {
      ++finished;
      with_steps += a.steps > 0;
      EXPECT_EQ(a.result->hypotheses, served.alone(a.source, a.options, a.constraints)) << i;
    } else {
      const bool canceled = i % 11 == 5, late = i % 7 == 3;  // if both, either may come first
      EXPECT_TRUE(a.result->end == LiveEnd::canceled ? canceled : a.result->end == LiveEnd::late && late) << i;
    }
    EXPECT_FALSE(i % 7 == 3 && a.result->end == LiveEnd::finished) << "too late, and yet finished: " << i;
  }
  EXPECT_GT(finished, 350u);
  EXPECT_GT(with_steps, 300u);
  for (const size_t held : served.peaks) EXPECT_EQ(held, 0u) << "the arena is not given back";
}

TEST(LiveQueue, WhatIsOnItsWayCanBeCanceled) {
  Served served(1);
  std::promise<LiveResult> ended;
  std::promise<void> begun;
  std::atomic<bool> told = false;
  // A slow request that ends late.
  LiveRequest r{.source = random_sentences(1, 4, 24)[0],
                .options = {.beam_size = 1, .extra_length = 30, .min_length = 30}};
  r.on_step = [&](const text::Ids&) {
    if (!told.exchange(true)) begun.set_value();
    std::this_thread::sleep_for(milliseconds(20));
  };
  r.on_end = [&](LiveResult result) { ended.set_value(std::move(result)); };
  const size_t name = served.queue.submit(std::move(r));
  begun.get_future().wait();
  EXPECT_TRUE(served.queue.cancel(name));
  EXPECT_EQ(ended.get_future().get().end, LiveEnd::canceled);
  EXPECT_FALSE(served.queue.cancel(name)) << "it is gone";
}

TEST(LiveQueue, ADeadlineEndsWhatIsOnItsWay) {
  Served served(1);
  std::promise<LiveResult> ended;
  LiveRequest r{.source = random_sentences(1, 4, 24)[0],
                .options = {.beam_size = 1, .extra_length = 30, .min_length = 30}};
  r.deadline = Clock::now() + milliseconds(50);
  r.on_step = [](const text::Ids&) { std::this_thread::sleep_for(milliseconds(20)); };
  r.on_end = [&](LiveResult result) { ended.set_value(std::move(result)); };
  served.queue.submit(std::move(r));
  EXPECT_EQ(ended.get_future().get().end, LiveEnd::late);
}

// The queue may be sleeping for no deadline, an earlier or later one, or that of a request that is
// gone.
TEST(LiveQueue, WhoWaitsTooLongIsTold) {
  Served served(0);
  const auto wait_for = [&](milliseconds time) {
    const auto ended = std::make_shared<std::promise<LiveEnd>>();
    LiveRequest r{.source = random_sentences(1, 4, 24)[0], .options = {.beam_size = 1, .extra_length = 4}};
    r.deadline = Clock::now() + time;
    r.on_end = [ended](LiveResult result) { ended->set_value(result.end); };
    return std::pair(served.queue.submit(std::move(r)), ended->get_future());
  };
  auto gone = wait_for(milliseconds(100));
  auto later = wait_for(milliseconds(200));
  auto first = wait_for(milliseconds(20));
  EXPECT_TRUE(served.queue.cancel(gone.first));
  EXPECT_EQ(gone.second.get(), LiveEnd::canceled);
  const auto is_late = [](std::future<LiveEnd>& end) {
    return end.wait_for(std::chrono::minutes(1)) == std::future_status::ready && end.get() == LiveEnd::late;
  };
  EXPECT_TRUE(is_late(first.second));
  EXPECT_TRUE(is_late(later.second));
  auto alone = wait_for(milliseconds(10));
  EXPECT_TRUE(is_late(alone.second));
}

TEST(LiveQueue, RefusesWhatIsBeyondItsLimits) {
  const TestModel m(small_config());
  LiveLimits few = kLimits;
  few.waiting = 2;
  LiveQueue queue(few, kSpecials, positions(m.model));
  const auto submit = [&](int tokens, SearchOptions options) {
    queue.submit(
        {.source = text::Ids(static_cast<size_t>(tokens), 5), .options = options, .on_end = [](LiveResult) {}});
  };
  const auto refusal = [&](int tokens, SearchOptions options) {
    return what_of<UsageError>([&] { submit(tokens, options); });
  };
  EXPECT_THAT(refusal(61, {}), testing::HasSubstr("61 source tokens, but this queue takes at most 60"));
  EXPECT_THAT(refusal(5, {.extra_length = 36}), testing::HasSubstr("41 tokens that its translation may have"));
  EXPECT_THAT(refusal(5, {.beam_size = 9, .extra_length = 5}), testing::HasSubstr("9 hypotheses at a time"));
  EXPECT_THAT(refusal(5, {.beam_size = 0}), testing::HasSubstr("`beam-size` is 0"));
  submit(5, {.extra_length = 5});
  submit(5, {.extra_length = 5});
  EXPECT_THAT(what_of<RunError>([&] { submit(5, {.extra_length = 5}); }), testing::HasSubstr("2 requests are waiting"));
  queue.close(false);
  EXPECT_THAT(what_of<RunError>([&] { submit(5, {.extra_length = 5}); }), testing::HasSubstr("closed"));
}

TEST(LiveQueue, LoopsShareWhatArrives) {
  const TestModel m(small_config());
  LiveQueue queue(kLimits, kSpecials, positions(m.model));
  for (int loop = 0; loop < 2; ++loop) queue.join();
  for (int i = 0; i < 5; ++i)
    queue.submit(
        {.source = text::Ids{5, kSpecials.eos}, .options = {.extra_length = 5}, .on_end = [](const LiveResult&) {}});
  for (size_t held = 0; held < 3; ++held) EXPECT_TRUE(queue.next(false, held)) << held;
  EXPECT_FALSE(queue.next(false, 3)) << "three of five are its part";
  EXPECT_TRUE(queue.next(true, 0));
  EXPECT_TRUE(queue.next(false, 1));
  EXPECT_FALSE(queue.next(false, 2)) << "nothing waits";
  queue.submit(
      {.source = text::Ids{5, kSpecials.eos}, .options = {.extra_length = 5}, .on_end = [](const LiveResult&) {}});
  queue.leave();
  EXPECT_TRUE(queue.next(false, 5)) << "a loop that has gone leaves its part to the others";
}

TEST(LiveQueue, AnIdleLoopWaitsUntilAClientMayHaveAnotherOneBegun) {
  const TestModel m(small_config());
  LiveQueue queue(kLimits, kSpecials, positions(m.model));
  queue.join();
  const auto submit = [&](uint64_t client) {
    return queue.submit({.source = text::Ids{5, kSpecials.eos},
                         .options = {.extra_length = 5},
                         .client = client,
                         .on_end = [](const LiveResult&) {}});
  };
  for (size_t i = 0; i < ClientTurns::kTurnsBesideOthers + 1; ++i) submit(1);
  submit(2);
  std::vector<size_t> begun;
  while (const auto job = queue.next(false, begun.size())) begun.push_back(job->name);
  EXPECT_EQ(begun.size(), ClientTurns::kTurnsBesideOthers + 1);
  EXPECT_EQ(queue.waiting(), 1u);
  auto idle = std::async(std::launch::async, [&] { return queue.next(true, 0)->name; });
  queue.failed(begun.front(), {});
  EXPECT_EQ(idle.get(), ClientTurns::kTurnsBesideOthers);
}

TEST(LiveQueue, AnIdleLoopRestsBeforeItWaitsOn) {
  const TestModel m(small_config());
  LiveQueue queue(kLimits, kSpecials, positions(m.model));
  queue.join();
  std::promise<void> rests;
  auto idle = std::async(std::launch::async, [&] { return queue.next(true, 0, [&] { rests.set_value(); })->name; });
  rests.get_future().wait();
  const size_t name = queue.submit(
      {.source = text::Ids{5, kSpecials.eos}, .options = {.extra_length = 5}, .on_end = [](const LiveResult&) {}});
  EXPECT_EQ(idle.get(), name);
}

TEST(LiveQueue, AnIdleLoopOfAClosedQueueEndsWithTheLastThatWaited) {
  const TestModel m(small_config());
  LiveQueue queue(kLimits, kSpecials, positions(m.model));
  queue.join();
  const auto submit = [&](uint64_t client) {
    return queue.submit({.source = text::Ids{5, kSpecials.eos},
                         .options = {.extra_length = 5},
                         .client = client,
                         .on_end = [](const LiveResult&) {}});
  };
  size_t last = 0;
  for (size_t i = 0; i < ClientTurns::kTurnsBesideOthers + 1; ++i) last = submit(1);
  submit(2);
  std::vector<size_t> begun;
  while (const auto job = queue.next(false, begun.size())) begun.push_back(job->name);
  queue.close();
  auto idle = std::async(std::launch::async, [&] { return queue.next(true, 0).has_value(); });
  std::this_thread::sleep_for(milliseconds(20));  // let it start waiting
  EXPECT_TRUE(queue.cancel(last));
  EXPECT_FALSE(idle.get());
}

TEST(LiveLimits, SharedByLoopsHaveRoomForTheLargestRequest) {
  const LiveLimits all;
  const LiveLimits two = all.shared_by(2), many = all.shared_by(16);
  EXPECT_EQ(two.sentences, 32);
  EXPECT_EQ(two.tokens, 2048);
  EXPECT_EQ(two.cache_rows, 16384);
  EXPECT_EQ(many.sentences, 16);
  EXPECT_EQ(many.tokens, all.longest_source);
  EXPECT_EQ(many.cache_rows, all.longest * all.widest);
  EXPECT_EQ(kLimits.shared_by(3).cache_rows, 320) << "where even one has room for more than the largest";
  EXPECT_EQ(all.shared_by(1).cache_rows, all.cache_rows);
}

TEST(LiveQueue, ClosingAnswersThoseThatWait) {
  const TestModel m(small_config());
  LiveQueue queue(kLimits, kSpecials, positions(m.model));
  std::vector<LiveEnd> ends;
  for (int i = 0; i < 3; ++i)
    queue.submit({.source = text::Ids{5, kSpecials.eos}, .options = {.extra_length = 5}, .on_end = [&](LiveResult r) {
                    ends.push_back(r.end);
                  }});
  EXPECT_EQ(queue.waiting(), 3u);
  queue.close(false);
  EXPECT_THAT(ends, testing::ElementsAre(LiveEnd::canceled, LiveEnd::canceled, LiveEnd::canceled));
  EXPECT_EQ(queue.waiting(), 0u);
}

// Throws in its second step.
struct Failing final : DecodingStrategy {
  BeamSearch beam;
  int steps = 0;
  explicit Failing(const SearchOptions& options) : beam(options, kSpecials) {}
  void begin(Sentence& s) override { beam.begin(s); }
  void choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
              std::span<const int64_t> first) override {
    if (++steps == 2) throw RunError("it fails");
    beam.choose(cx, logits, sentences, first);
  }
};

// Three sentences with a strategy each; the middle one fails.
struct Three final : SentenceQueue {
  const std::vector<text::Ids> sources = random_sentences(3, 12, 24);
  const SearchOptions options{.beam_size = 3, .extra_length = 8};
  const SentenceConstraints none{};
  Failing fails{options};
  BeamSearch first{options, kSpecials}, last{options, kSpecials};
  std::vector<std::vector<Hypothesis>> found{3};
  std::vector<size_t> failures;
  size_t given = 0;

  std::optional<SentenceJob> next(bool) override {
    if (given == 3) return {};
    DecodingStrategy* const strategies[] = {&first, &fails, &last};
    const size_t i = given++;
    return SentenceJob{i, &sources[i], &options, &none, strategies[i]};
  }
  void done(size_t name, std::vector<Hypothesis> hypotheses) override { found[name] = std::move(hypotheses); }
  bool failed(size_t name, const std::exception_ptr&) override {
    failures.push_back(name);
    return true;
  }
};

// Everything that a loop with three sentences needs.
struct LoopOfThree {
  explicit LoopOfThree(const Served& by) : served(by) {}

  const Served& served;
  DecodingCapacity capacity = capacity_for_three();
  Arena arena = make_arena(*served.backend, live_memory(served.m.model, kLimits, DType::f32));
  Context cx{*served.backend, arena};
  DecoderSteps steps{cx, served.m.model, capacity.tokens, capacity.cache_rows};

  void run(auto& with_steps, SentenceQueue& queue) {
    DecodeLoop(with_steps, positions(served.m.model), queue, capacity).run(cx);
  }

 private:
  static DecodingCapacity capacity_for_three() {
    DecodingCapacity c;
    c.sentences = 3, c.tokens = 60, c.cache_rows = 600, c.longest = 60, c.widest = 3;
    return c;
  }
};

TEST(DecodeLoop, AFailureLeavesItsNeighborsAlone) {
  const Served served(0);
  Three queue;
  LoopOfThree loop(served);
  loop.run(loop.steps, queue);
  EXPECT_THAT(queue.failures, testing::ElementsAre(1));
  for (const size_t i : {0, 2})
    EXPECT_EQ(queue.found[i], served.alone(queue.sources[i], queue.options, queue.none)) << i;
}

// Fails in its second encoding and its fifth step.
struct FailingSteps {
  DecoderSteps& steps;
  int encodings = 0, calls = 0;
  void encode(std::span<const text::Ids> sources, std::span<const int64_t> first_rows) {
    if (++encodings == 2) throw RunError("it fails");
    steps.encode(sources, first_rows);
  }
  NextLogits step(std::span<Prefix* const> prefixes, Offsets hypotheses, Offsets memory) {
    if (++calls == 5) throw RunError("it fails");
    return steps.step(prefixes, hypotheses, memory);
  }
};

struct Each final : SentenceQueue {
  const std::vector<text::Ids> sources = random_sentences(24, 12, 24);
  const SearchOptions options{.beam_size = 3, .extra_length = 8};
  const SentenceConstraints none{};
  std::vector<std::unique_ptr<BeamSearch>> strategies;
  std::vector<std::optional<std::vector<Hypothesis>>> found{sources.size()};
  std::vector<int> failures = std::vector<int>(sources.size());
  size_t given = 0;

  std::optional<SentenceJob> next(bool) override {
    if (given == sources.size()) return {};
    strategies.push_back(std::make_unique<BeamSearch>(options, kSpecials));
    const size_t i = given++;
    return SentenceJob{i, &sources[i], &options, &none, strategies.back().get()};
  }
  void done(size_t name, std::vector<Hypothesis> hypotheses) override { found[name] = std::move(hypotheses); }
  bool failed(size_t name, const std::exception_ptr&) override { return ++failures[name]; }
};

TEST(DecodeLoop, AFailureOfTheModelEndsWhatWasInThatStepAndNothingElse) {
  const Served served(0);
  Each queue;
  LoopOfThree loop(served);
  FailingSteps failing{loop.steps};
  loop.run(failing, queue);
  int failures = 0;
  for (size_t i = 0; i < queue.sources.size(); ++i) {
    failures += queue.failures[i];
    ASSERT_EQ(queue.failures[i], queue.found[i] ? 0 : 1) << i;
    if (queue.found[i]) {
      EXPECT_EQ(*queue.found[i], served.alone(queue.sources[i], queue.options, queue.none)) << i;
    }
  }
  EXPECT_GE(failures, 2);
  EXPECT_LE(failures, 6);
}

TEST(LiveQueue, WhatAStepsCallbackThrowsIsTheEndOfItsRequestAlone) {
  Served served(1);
  std::promise<LiveResult> failed, finished;
  LiveRequest r{.source = text::Ids{5, kSpecials.eos}, .options = {.extra_length = 9, .min_length = 5}, .on_end = {}};
  LiveRequest bad = r;
  bad.on_step = [](const text::Ids&) { throw std::logic_error("mine"); };
  bad.on_end = [&](LiveResult result) { failed.set_value(std::move(result)); };
  r.on_end = [&](LiveResult result) {
    finished.set_value(std::move(result));
    throw std::logic_error("lost");
  };
  served.queue.submit(std::move(bad));
  served.queue.submit(std::move(r));
  EXPECT_EQ(failed.get_future().get().end, LiveEnd::failed);
  EXPECT_EQ(finished.get_future().get().end, LiveEnd::finished);
}

// The arena has been rewound to the state between steps when translations are processed.
TEST(LiveQueue, WhatIsFoundHasTheMemoryOfAStep) {
  Served served(1);
  std::mutex mutex;
  std::set<size_t> bottoms;
  for (const text::Ids& source : random_sentences(20, 12, 24)) {
    LiveRequest r{.source = source, .options = {.extra_length = 8}, .on_end = [](LiveResult) {}};
    r.on_found = [&](Context& cx, const model::Transformer&, std::vector<Hypothesis>&) {
      const std::lock_guard lock(mutex);
      bottoms.insert(cx.arena.mark().bottom);
    };
    served.queue.submit(std::move(r));
  }
  served.end();
  EXPECT_EQ(bottoms.size(), 1u);
}

TEST(LiveQueue, WhatIsFoundMayBeChangedAndMayFail) {
  Served served(1);
  std::promise<LiveResult> changed, failed;
  LiveRequest r{.source = text::Ids{5, kSpecials.eos}, .options = {.extra_length = 5}, .on_end = {}};
  LiveRequest bad = r;
  r.on_found = [](Context&, const model::Transformer&, std::vector<Hypothesis>& found) { found.resize(7); };
  r.on_end = [&](LiveResult result) { changed.set_value(std::move(result)); };
  bad.on_found = [](Context&, const model::Transformer&, std::vector<Hypothesis>&) { throw std::logic_error("mine"); };
  bad.on_end = [&](LiveResult result) { failed.set_value(std::move(result)); };
  served.queue.submit(std::move(bad));
  served.queue.submit(std::move(r));
  EXPECT_EQ(failed.get_future().get().end, LiveEnd::failed);
  EXPECT_EQ(changed.get_future().get().hypotheses.size(), 7u);
}

// If a step throws, only its request fails.
TEST(LiveQueue, AFailureIsThatOfItsRequest) {
  Served served(1);
  served.backend->fill(served.m.parameters.values(), NAN);
  std::promise<LiveResult> ended;
  served.queue.submit({.source = text::Ids{5, kSpecials.eos},
                       .options = {.extra_length = 5},
                       .on_end = [&](LiveResult r) { ended.set_value(std::move(r)); }});
  const LiveResult result = ended.get_future().get();
  EXPECT_EQ(result.end, LiveEnd::failed);
  EXPECT_THROW(std::rethrow_exception(result.error), RunError);
}

}  // namespace
}  // namespace hexapla::decode
