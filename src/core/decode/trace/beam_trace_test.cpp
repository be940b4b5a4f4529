#include "decode/trace/beam_trace.h"

#include <gmock/gmock.h>

#include "backend/cpu/cpu.h"
#include "decode/test_models.h"

namespace hexapla::decode {
namespace {
using namespace test;

const text::Ids kSource{5, 7, 9, 2};

Trace traced(const TestModel& m, const text::Ids& of, const SearchOptions& options) {
  const auto backend = make_cpu_backend();
  const std::vector<text::Ids> sources{of};
  Arena arena(search_memory(m.model, sources, options, DType::f32));
  Context cx{*backend, arena};
  return trace_search(cx, m.model, of, options, kSpecials);
}

std::vector<Hypothesis> searched_on(const TestModel& m, const text::Ids& of, const SearchOptions& options) {
  const auto backend = make_cpu_backend();
  const std::vector<text::Ids> sources{of};
  Arena arena(search_memory(m.model, sources, options, DType::f32));
  Context cx{*backend, arena};
  return search(cx, m.model, sources, options, kSpecials).front();
}

text::Ids extended_by(text::Ids ids, int32_t id) {
  ids.push_back(id);
  return ids;
}

TEST(Trace, FindsWhatSearchFinds) {
  for (const Variant& v : variants())
    for (int beam : {1, 2, 4}) {
      const TestModel m(v.config);
      const SearchOptions options{.beam_size = beam, .n_best = beam, .extra_length = 6};
      EXPECT_EQ(traced(m, kSource, options).found, searched_on(m, kSource, options)) << v.name << ", beam " << beam;
    }
}

TEST(Trace, WhatGoesOnIsAliveInTheNextStepAndWhatFinishesIsFound) {
  const TestModel m(small_config());
  int finished = 0, dropped = 0;
  for (const text::Ids& of : random_sentences(10, 6, 24)) {
    const SearchOptions options{.beam_size = 3, .n_best = 3, .extra_length = 8};
    const Trace t = traced(m, of, options);
    std::vector<text::Ids> ended;
    for (size_t i = 0; i < t.steps.size(); ++i) {
      std::vector<text::Ids> next;
      for (const TracedCandidate& c : t.steps[i].candidates) {
        const text::Ids& live = t.steps[i].live[c.beam];
        if (c.fate == Fate::goes_on) next.push_back(extended_by(live, c.id));
        if (c.fate == Fate::finished) ended.push_back(live);
        dropped += c.fate == Fate::beaten || c.fate == Fate::too_low;
        EXPECT_TRUE(c.fate != Fate::left || i + 1 == t.steps.size());
      }
      EXPECT_TRUE(i + 1 == t.steps.size() || t.steps[i + 1].live == next) << "step " << i + 1;
    }
    for (const Hypothesis& h : t.found) EXPECT_THAT(ended, testing::Contains(h.ids));
    finished += static_cast<int>(ended.size());
  }
  EXPECT_GT(finished, 10);
  EXPECT_GT(dropped, 10);
}

TEST(Trace, AtTheLongestLengthEverythingIsFinished) {
  const TestModel m(small_config());
  const Trace t = traced(m, kSource, {.beam_size = 2, .extra_length = 0, .longest = 1});
  EXPECT_LE(t.steps.size(), 2u);
  EXPECT_EQ(t.ending == TraceEnd::longest, t.steps.size() == 2u);
}

TEST(Trace, RefusesWhatIsNotPlainBeamSearch) {
  const TestModel m(small_config());
  EXPECT_THROW(traced(m, kSource, {.min_length = 3}), UsageError);
  EXPECT_THROW(traced(m, kSource, {.sampling = SamplingOptions{}}), UsageError);
}

}  // namespace
}  // namespace hexapla::decode
