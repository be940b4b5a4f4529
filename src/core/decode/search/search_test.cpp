#include "decode/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "base/compute/parallel.h"
#include "decode/steps/workers.h"
#include "decode/test_models.h"

namespace hexapla::decode {
namespace {
using namespace test;
using Found = std::vector<std::vector<Hypothesis>>;

// search() in an arena of exactly search_memory() bytes.
Found find_all(Backend& backend, const model::Transformer& model, std::span<const text::Ids> sources,
               const SearchOptions& options) {
  const DType dtype = model.target_embedding().table.value.dtype;
  Arena arena(search_memory(model, sources, options, dtype));
  Context cx{backend, arena, dtype};
  const Found found = search(cx, model, sources, options, kSpecials);
  EXPECT_EQ(arena.mark().bottom, 0u) << "the arena is not given back";
  return found;
}

std::vector<std::unique_ptr<Backend>> backends() {
  std::vector<std::unique_ptr<Backend>> all;
  all.push_back(make_reference_backend());
  for (const Isa isa : isas_here()) all.push_back(make_cpu_backend(isa));
  return all;
}

// ---- comparison with an exhaustive search that uses the whole decoder ----

class Oracle {
 public:
  Oracle(const model::Transformer& model, const text::Ids& source)
      : model_(model), source_(source), arena_(64 << 20), backend_(make_reference_backend()) {}

  // log p of each next token after <s> ids.
  std::vector<double> next(const text::Ids& ids) {
    Context cx{*backend_, arena_, DType::f64};
    text::Ids in{kSpecials.bos};
    in.insert(in.end(), ids.begin(), ids.end());
    const std::vector<int32_t> rows{0, static_cast<int32_t>(source_.size())},
        target{0, static_cast<int32_t>(in.size())};
    model::Transformer::Saved s;
    const Tensor p = model_.log_probabilities(cx, {source_, in, in, rows, target}, s);
    const double* last = p.data<double>() + (p.shape[0] - 1) * p.shape[1];
    std::vector<double> result(last, last + p.shape[1]);
    arena_.clear();
    return result;
  }

 private:
  const model::Transformer& model_;
  text::Ids source_;
  Arena arena_;
  std::unique_ptr<Backend> backend_;
};

void all_translations(Oracle& oracle, const text::Ids& ids, double score, size_t longest, const LengthPenalty& penalty,
                      std::vector<Hypothesis>& out) {
  const std::vector<double> p = oracle.next(ids);
  const double whole = score + p[kSpecials.eos];
  out.push_back({ids, whole, whole / divisor(penalty, std::ssize(ids) + 1)});
  if (ids.size() == longest) return;
  for (size_t id = 0; id < p.size(); ++id) {
    if (id <= 2) continue;
    text::Ids longer = ids;
    longer.push_back(static_cast<int32_t>(id));
    all_translations(oracle, longer, score + p[id], longest, penalty, out);
  }
}

TEST(Search, WideBeamFindsTheBestOfAllTranslations) {
  model::Config c = small_config();
  c.source_vocab = c.target_vocab = 7;  // <unk> and three words
  for (uint64_t seed : {1, 2, 3}) {
    const TestModel m(c, DType::f64, seed);
    const text::Ids source{4, 6, 2};
    const LengthPenalty penalties[] = {PaperPenalty{0.6}, PowerPenalty{1}, PowerPenalty{0}};
    for (const LengthPenalty& penalty : penalties) {
      Oracle oracle(m.model, source);
      std::vector<Hypothesis> all;
      all_translations(oracle, {}, 0, 3, penalty, all);
      std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.normalized > b.normalized; });
      const auto backend = make_reference_backend();
      const Found found = find_all(*backend, m.model, std::vector<text::Ids>{source},
                                   {.beam_size = 300, .length_penalty = penalty, .n_best = 5, .extra_length = 1});
      ASSERT_EQ(found[0].size(), 5u);
      for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(found[0][i].ids, all[i].ids) << "place " << i;
        EXPECT_NEAR(found[0][i].score, all[i].score, 1e-10);
        EXPECT_NEAR(found[0][i].normalized, all[i].normalized, 1e-10);
      }
    }
  }
}

// Beam search as described, without batches, caches or early stopping.
std::vector<Hypothesis> plain_beam_search(const model::Transformer& model, const text::Ids& source,
                                          const SearchOptions& options) {
  Oracle oracle(model, source);
  struct BeamEntry {
    text::Ids ids;
    double score;
  };
  std::vector<BeamEntry> live{{{}, 0}};
  std::vector<Hypothesis> finished;
  const auto beam = static_cast<size_t>(options.beam_size);
  const size_t cap = source.size() + static_cast<size_t>(options.extra_length);
  const auto finish = [&](const BeamEntry& l) {
    finished.push_back({l.ids, l.score, l.score / divisor(options.length_penalty, int64_t(l.ids.size()) + 1)});
  };
  const bool shrinks = options.stop_when == StopWhen::shrinking, never = options.stop_when == StopWhen::never;
  const auto done = [&](size_t length) {
    if (never) return false;
    if (finished.size() < beam || options.stop_when != StopWhen::outscored || beam == 1) return finished.size() >= beam;
    std::stable_sort(finished.begin(), finished.end(), [](auto& a, auto& b) { return a.normalized > b.normalized; });
    const double best = live.front().score / divisor(options.length_penalty, static_cast<int64_t>(length) - 1);
    return best <= finished[beam - 1].normalized;
  };
  for (size_t length = 1; length <= cap && !done(length); ++length) {
    std::vector<BeamEntry> candidates;
    for (const BeamEntry& l : live) {
      const std::vector<double> p = oracle.next(l.ids);
      for (size_t id = 2; id < p.size(); ++id) {
        if (length == cap && id != 2) continue;
        const auto token = static_cast<int32_t>(id);
        const bool again = std::find(l.ids.begin(), l.ids.end(), token) != l.ids.end();
        candidates.push_back({l.ids, l.score + (again ? options.repetition_penalty : 1) * p[id]});
        candidates.back().ids.push_back(static_cast<int32_t>(id));
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](auto& a, auto& b) { return a.score > b.score; });
    live.clear();
    const size_t places = shrinks ? beam - finished.size() : beam;
    if (shrinks && length < cap) candidates.resize(std::min(candidates.size(), places));
    for (size_t rank = 0; rank < candidates.size(); ++rank) {
      BeamEntry& l = candidates[rank];
      const bool ends = l.ids.back() == kSpecials.eos;
      if (ends && rank < places) l.ids.pop_back(), finish(l);
      if (!ends && live.size() < places) live.push_back(l);
    }
  }
  std::stable_sort(finished.begin(), finished.end(), [](auto& a, auto& b) { return a.normalized > b.normalized; });
  finished.resize(std::min(finished.size(), static_cast<size_t>(options.n_best)));
  return finished;
}

constexpr StopWhen kOutscored = StopWhen::outscored;

// n_best below beam_size, so that sentences end early; exponents that let long translations win
// late; small vocabularies, so that </s> occurs at every rank.
TEST(Search, EqualsPlainBeamSearch) {
  const auto backend = make_reference_backend();
  std::set<size_t> lengths;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    model::Config c = small_config();
    c.tied = "none";
    c.source_vocab = c.target_vocab = seed % 2 ? 9 : 24;
    const TestModel m(c, DType::f64, seed);
    m.model.generator.bias->value.data<double>()[kSpecials.eos] = 0.5 * static_cast<double>(seed % 5);
    const std::vector<text::Ids> sources = random_sentences(12, 6, static_cast<int>(c.source_vocab), seed);
    for (const SearchOptions& options :
         {SearchOptions{.extra_length = 6}, SearchOptions{.beam_size = 5, .n_best = 5, .extra_length = 4},
          SearchOptions{.beam_size = 3, .length_penalty = PowerPenalty{1}, .n_best = 2, .extra_length = 5},
          SearchOptions{.beam_size = 6, .length_penalty = PowerPenalty{4}, .extra_length = 12},
          SearchOptions{.beam_size = 3, .length_penalty = PowerPenalty{1}, .extra_length = 9, .stop_when = kOutscored},
          SearchOptions{.beam_size = 4,
          .length_penalty = PowerPenalty{3},
          .n_best = 4,
          .extra_length = 9,
          .stop_when = kOutscored},
          SearchOptions{.beam_size = 3, .n_best = 3, .extra_length = 9, .stop_when = StopWhen::never},
          SearchOptions{.beam_size = 3, .n_best = 3, .extra_length = 9, .repetition_penalty = 1.7},
          SearchOptions{.beam_size = 4, .extra_length = 9, .stop_when = kOutscored, .repetition_penalty = 0.6},
          SearchOptions{.beam_size = 2, .length_penalty = PowerPenalty{0}, .n_best = 2, .extra_length = 8},
          SearchOptions{.beam_size = 6, .length_penalty = PaperPenalty{-3}, .extra_length = 12}}) {
      const Found found = find_all(*backend, m.model, sources, options);
      for (size_t b = 0; b < sources.size(); ++b) {
        const std::vector<Hypothesis> expected = plain_beam_search(m.model, sources[b], options);
        ASSERT_EQ(found[b].size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
          EXPECT_EQ(found[b][i].ids, expected[i].ids) << "sentence " << b << ", place " << i;
          EXPECT_NEAR(found[b][i].normalized, expected[i].normalized, 1e-10);
          lengths.insert(expected[i].ids.size());
        }
      }
    }
  }
  EXPECT_GE(lengths.size(), 5u) << "the models are too dull for this test";
}

// A model with a constant distribution: after an early, probable end a longer translation may still
// become better.
TEST(Search, DoesNotStopBeforeTheLongTranslationThatWins) {
  model::Config c = small_config();
  c.source_vocab = c.target_vocab = 7;
  c.tied = "none";
  const TestModel m(c, DType::f64);
  for (double& w : m.model.generator.weight->value.values<double>()) w = 0;
  const double p[] = {1e-9, 1e-9, 0.9, 0.005, 0.05, 0.03, 0.015};
  for (int id = 0; id < 7; ++id) m.model.generator.bias->value.data<double>()[id] = std::log(p[id]);
  const SearchOptions options{.beam_size = 6, .length_penalty = PowerPenalty{4}, .extra_length = 4};
  const auto backend = make_reference_backend();
  const Found found = find_all(*backend, m.model, std::vector<text::Ids>{{5, 2}}, options);
  EXPECT_EQ(found[0][0].ids, (text::Ids{4, 4}));  // (2 log 0.05 + log 0.9) / 3^4, not log 0.9 / 1
  EXPECT_EQ(found[0][0].ids, plain_beam_search(m.model, {5, 2}, options)[0].ids);
}

// With a beam of 1 logits are penalized: positive ones are divided (transformers'
// RepetitionPenaltyLogitsProcessor), also that of <s> if it is </s>, too. The score stays the
// model's.
TEST(Search, AloneAHypothesisIsPenalizedByItsLogits) {
  model::Config c = small_config();
  c.source_vocab = c.target_vocab = 7;
  c.tied = "none";
  const TestModel m(c, DType::f64);
  for (double& w : m.model.generator.weight->value.values<double>()) w = 0;
  const double logits[] = {-9, -9, 0.5, 4, 3, -1, -1.5};
  for (int id = 0; id < 7; ++id) m.model.generator.bias->value.data<double>()[id] = logits[id];
  const auto backend = make_reference_backend();
  const auto found = [&](double penalty, const SpecialIds& special) {
    const SearchOptions options{.beam_size = 1, .extra_length = 4, .repetition_penalty = penalty};
    const std::vector<text::Ids> source{{5, 2}};
    Arena arena(search_memory(m.model, source, options, DType::f64));
    Context cx{*backend, arena, DType::f64};
    return search(cx, m.model, source, options, special)[0][0];
  };
  const Hypothesis h = found(10, {1, 2, 0});
  EXPECT_EQ(h.ids, (text::Ids{3, 4}));  // 4 / 10 and 3 / 10 are below the 0.5 of </s>
  const Hypothesis other = found(10, {2, 2, 0});
  EXPECT_EQ(other.ids, (text::Ids{3, 4, 3, 3, 3})) << "0.5 / 10 of </s> is below 4 / 10";
  double sum = 0;
  for (const double l : logits) sum += std::exp(l);
  EXPECT_NEAR(h.score, 4 + 3 + 0.5 - 3 * std::log(sum), 1e-9);
}

// ---- invariants ----

TEST(Search, BeamOneIsGreedy) {
  for (const auto& backend : backends())
    for (const Variant& v : variants()) {
      const TestModel m(v.config);
      const std::vector<text::Ids> sources = random_sentences(20, 10, 24);
      const SearchOptions options{.beam_size = 1, .extra_length = 8};
      const Found beam = find_all(*backend, m.model, sources, options);
      Arena arena(search_memory(m.model, sources, options, DType::f32));
      Context cx{*backend, arena};
      const std::vector<Hypothesis> plain = greedy(cx, m.model, sources, options, kSpecials);
      for (size_t b = 0; b < sources.size(); ++b) EXPECT_EQ(beam[b], std::vector{plain[b]}) << v.name << ", " << b;
    }
}

// A few at a time, so that sentences replace others, by two workers on one queue, in memory of
// exactly search_memory() bytes.
Found find_by_workers(Backend& backend, const model::Transformer& model, std::span<const text::Ids> sources,
                      std::span<const size_t> order, const SearchOptions& options) {
  Found found(sources.size());
  Queue queue{sources, order, 5, 30};
  const DType dtype = model.target_embedding().table.value.dtype;
  on_workers(2, backend, dtype, search_memory(model, queue, options, dtype), [&](Context& cx) {
    search(cx, model, queue, options, kSpecials, [&](size_t index, std::vector<Hypothesis> hypotheses) {
      EXPECT_TRUE(found[index].empty()) << "done twice";
      found[index] = std::move(hypotheses);
    });
    EXPECT_EQ(cx.arena.mark().bottom, 0u) << "the arena is not given back";
  });
  return found;
}

// Together, one by one, in another order, with one thread and with two: the same ids and
// bit-identical scores.
void expect_no_neighbors(Backend& backend, const TestModel& m, int sentences) {
  const std::vector<text::Ids> sources = random_sentences(sentences, 12, 24);
  const SearchOptions options{.n_best = 4, .extra_length = 8};
  use_threads(1);
  const Found together = find_all(backend, m.model, sources, options);
  use_threads(2);
  EXPECT_EQ(find_all(backend, m.model, sources, options), together) << "two threads";

  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Random(5).shuffle(order);
  std::vector<text::Ids> shuffled;
  for (size_t i : order) shuffled.push_back(sources[i]);
  const Found mixed = find_all(backend, m.model, shuffled, options);
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(mixed[i], together[order[i]]) << "another order, " << order[i];
  for (size_t b = 0; b < sources.size(); ++b)
    EXPECT_EQ(find_all(backend, m.model, std::vector<text::Ids>{sources[b]}, options)[0], together[b])
        << "alone, " << b;
  EXPECT_EQ(find_by_workers(backend, m.model, sources, order, options), together) << "by workers";
  use_threads(1);
}

TEST(Search, NeighborsAndThreadsDoNotMatter) {
  for (const auto& backend : backends()) {
    SCOPED_TRACE(backend->name());
    const bool reference = backend->name() == "reference";
    expect_no_neighbors(*backend, TestModel(small_config()), reference ? 30 : 100);
    model::Config wide = small_config();  // wide enough for every kind of kernel
    wide.d_model = 64, wide.d_ff = 160, wide.heads = 4, wide.tied = "all", wide.source_vocab = wide.target_vocab = 333;
    if (!reference) expect_no_neighbors(*backend, TestModel(wide), 100);
  }
}

TEST(Search, MemoryIsEnoughForEveryVariantAndNotAbsurd) {
  const auto backend = make_reference_backend();
  for (const Variant& v : variants()) {
    const TestModel m(v.config, DType::f64);
    for (int sentences : {1, 13}) {
      const std::vector<text::Ids> sources = random_sentences(sentences, 20, 24);
      const SearchOptions options{.beam_size = 3, .extra_length = 12};
      const size_t bytes = search_memory(m.model, sources, options, DType::f64);
      Arena arena(bytes);
      Context cx{*backend, arena, DType::f64};
      search(cx, m.model, sources, options, kSpecials);
      EXPECT_LT(bytes, 6 * arena.peak() + (1 << 20)) << v.name;
    }
  }
}

// Also if a translation may become much longer than its source and the others.
TEST(Search, EveryLineOfAQueueIsAnsweredWhateverItsLengths) {
  const TestModel m(small_config());
  m.model.generator.bias->value.data<float>()[kSpecials.eos] = -30;
  const auto backend = make_cpu_backend();
  const std::vector<text::Ids> sources = random_sentences(16, 9, 24);
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (const SearchOptions& options :
       {SearchOptions{.beam_size = 1, .min_length = 500}, SearchOptions{.beam_size = 3, .min_length = 90},
        SearchOptions{.beam_size = 2, .extra_length = 0, .min_length = 60},
        SearchOptions{.beam_size = 2, .extra_length = 100, .longest = 7}, SearchOptions{.longest_ratio = 9.5}}) {
    use_threads(1);
    const Found together = find_all(*backend, m.model, sources, options);
    for (const std::vector<Hypothesis>& found : together) {
      ASSERT_EQ(found.size(), 1u);
      EXPECT_GE(std::ssize(found[0].ids), options.min_length);
    }
    EXPECT_EQ(find_by_workers(*backend, m.model, sources, order, options), together);
    for (size_t b = 0; b < sources.size(); b += 5)
      EXPECT_EQ(find_all(*backend, m.model, std::vector<text::Ids>{sources[b]}, options)[0], together[b]);
  }
  use_threads(1);
}

TEST(Search, NeverWritesPaddingOrStart) {
  model::Config c = small_config();
  c.source_vocab = c.target_vocab = 8;
  const TestModel m(c);
  Tensor bias = m.model.generator.bias->value;
  bias.data<float>()[kSpecials.bos] = bias.data<float>()[kSpecials.pad] = 50;
  const auto backend = make_reference_backend();
  const std::vector<text::Ids> sources = random_sentences(10, 5, 8);
  for (const auto& found : find_all(*backend, m.model, sources, {.n_best = 4, .extra_length = 5})) {
    EXPECT_EQ(found.size(), 4u);
    for (const Hypothesis& h : found)
      for (int32_t id : h.ids) EXPECT_GT(id, kSpecials.eos);
  }
}

TEST(Search, LengthIsCapped) {
  model::Config c = small_config();
  const auto backend = make_reference_backend();
  const auto lengths = [&](const model::Config& config) {
    const TestModel m(config);
    m.model.generator.bias->value.data<float>()[kSpecials.eos] = -30;  // never by its score
    const auto found =
        find_all(*backend, m.model, std::vector<text::Ids>{{5, 2}, {5, 6, 7, 8, 2}}, {.extra_length = 6});
    return std::vector{found[0][0].ids.size(), found[1][0].ids.size()};
  };
  EXPECT_EQ(lengths(c), (std::vector<size_t>{7, 10}));  // without </s>: 1 + 6 and 4 + 6
  c.positions = "learned";
  c.max_positions = 9;
  EXPECT_EQ(lengths(c), (std::vector<size_t>{7, 8}));
}

TEST(Search, OptionsAreChecked) {
  const TestModel m(small_config());
  const auto backend = make_reference_backend();
  const std::vector<text::Ids> one{{5, 2}};
  for (const SearchOptions& o : {SearchOptions{.beam_size = 0}, SearchOptions{.beam_size = 2, .n_best = 3},
                                 SearchOptions{.n_best = 0}, SearchOptions{.extra_length = -1}})
    EXPECT_THROW(check(o), UsageError);
  Arena arena(1 << 20);
  Context cx{*backend, arena};
  EXPECT_TRUE(search(cx, m.model, {}, {}, kSpecials).empty());
  EXPECT_THROW(search(cx, m.model, std::vector<text::Ids>{{}}, {}, kSpecials), InternalError);
  cx.training = true;
  EXPECT_THROW(search(cx, m.model, one, {}, kSpecials), InternalError);
}

TEST(Search, TokenScoresAreThoseOfTheTokens) {
  const auto backend = make_reference_backend();
  const TestModel m(small_config(), DType::f64);
  const std::vector<text::Ids> sources = random_sentences(8, 6, 24);
  SearchOptions options{.n_best = 3, .extra_length = 5};
  const Found without = find_all(*backend, m.model, sources, options);
  options.token_scores = true;
  Found found = find_all(*backend, m.model, sources, options);
  for (size_t b = 0; b < sources.size(); ++b) {
    Oracle oracle(m.model, sources[b]);
    for (Hypothesis& h : found[b]) {
      ASSERT_EQ(h.token_scores.size(), h.ids.size() + 1);
      for (size_t i = 0; i <= h.ids.size(); ++i) {
        const std::vector<double> p =
            oracle.next(text::Ids(h.ids.begin(), h.ids.begin() + static_cast<std::ptrdiff_t>(i)));
        EXPECT_NEAR(h.token_scores[i], p[i < h.ids.size() ? h.ids[i] : kSpecials.eos], 1e-5);
      }
      h.token_scores.clear();
    }
  }
  EXPECT_EQ(found, without) << "asking for them changes something else";
}

TEST(Search, NotANumberIsAnErrorAndNotATranslation) {
  const TestModel m(small_config());
  m.model.target_embedding().table.value.data<float>()[5] = NAN;
  const auto backend = make_reference_backend();
  EXPECT_THROW(find_all(*backend, m.model, std::vector<text::Ids>{{5, 2}}, {}), RunError);
}

TEST(LengthPenalty, Formulas) {
  EXPECT_DOUBLE_EQ(divisor(PaperPenalty{}, 1), 1);
  EXPECT_DOUBLE_EQ(divisor(PaperPenalty{0.6}, 7), std::pow(2, 0.6));
  EXPECT_DOUBLE_EQ(divisor(PowerPenalty{}, 7), 7);
  EXPECT_DOUBLE_EQ(divisor(make_length_penalty("power", 0.5), 16), 4);
  EXPECT_DOUBLE_EQ(divisor(make_length_penalty("paper", 0), 16), 1);
  EXPECT_THROW(make_length_penalty("mean", 1), UsageError);
  EXPECT_THROW(make_length_penalty("paper", NAN), UsageError);
}

}  // namespace
}  // namespace hexapla::decode
