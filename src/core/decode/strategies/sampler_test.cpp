#include "decode/strategies/sampler.h"

#include <gtest/gtest.h>

#include <map>
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

// Samples for sentences with given line numbers, a few at a time, by several workers.
struct Draws {
  const model::Transformer& model;
  std::vector<text::Ids> sources;
  std::vector<SentenceConstraints> requests;
  int64_t sentences = 1000, workers = 1;

  Draws(const model::Transformer& m, std::vector<text::Ids> s)
      : model(m), sources(std::move(s)), requests(sources.size()) {
    for (size_t i = 0; i < requests.size(); ++i) requests[i].line = i;
  }
  Found of(const SearchOptions& options) const {
    const auto backend = make_cpu_backend();
    const DType dtype = model.target_embedding().table.value.dtype;
    std::vector<size_t> order(sources.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    Queue queue{.sources = sources, .order = order, .sentences = sentences, .tokens = 5000, .requests = requests};
    Found found(sources.size());
    on_workers(workers, *backend, dtype, search_memory(model, queue, options, dtype), [&](Context& cx) {
      search(cx, model, queue, options, kSpecials,
             [&](size_t index, std::vector<Hypothesis> h) { found[index] = std::move(h); });
    });
    return found;
  }
};

SearchOptions samples(int n, SamplingOptions sampling = {}) {
  SearchOptions o{.n_best = n, .extra_length = 8};
  o.sampling = sampling;
  return o;
}

model::Config constant_config(int64_t vocabulary) {
  model::Config c = small_config();
  c.source_vocab = c.target_vocab = vocabulary;
  c.tied = "none";
  return c;
}

// A model with the same distribution for every token.
struct ConstantModel : TestModel {
  explicit ConstantModel(const std::vector<double>& p) : TestModel(constant_config(std::ssize(p))) {
    for (float& w : model.generator.weight->value.values<float>()) w = 0;
    for (size_t id = 0; id < p.size(); ++id)
      model.generator.bias->value.data<float>()[id] = static_cast<float>(std::log(p[id]));
  }
};

// How often each token comes first in samples for 4,000 sentences, including </s>.
std::map<int32_t, int> first_tokens(const TestModel& m, const SearchOptions& options) {
  std::map<int32_t, int> counts;
  const Draws draws(m.model, std::vector<text::Ids>(4000, text::Ids{4, 2}));
  for (const auto& found : draws.of(options))
    for (const Hypothesis& h : found) ++counts[h.ids.empty() ? kSpecials.eos : h.ids[0]];
  return counts;
}

// Pearson's chi-squared statistic; weights are unnormalized probabilities.
double chi_square(const std::map<int32_t, int>& counts, const std::map<int32_t, double>& weights) {
  double n = 0, sum = 0, x = 0;
  for (const auto& [id, count] : counts) {
    EXPECT_TRUE(weights.count(id)) << "token " << id << " must not be drawn";
    n += count;
  }
  for (const auto& [id, w] : weights) sum += w;
  for (const auto& [id, w] : weights) {
    const double expected = n * w / sum, got = counts.count(id) ? counts.at(id) : 0;
    x += (got - expected) * (got - expected) / expected;
  }
  return x;
}

// <pad>, <s>, </s>, <unk> and four words; padding and <s> are never written.
const std::vector<double> kProbabilities{0.05, 0.05, 0.1, 0.02, 0.4, 0.2, 0.15, 0.03};

TEST(Sampler, DrawsFromTheModelsDistribution) {
  const ConstantModel m(kProbabilities);
  const std::map<int32_t, double> p{{2, 0.1}, {3, 0.02}, {4, 0.4}, {5, 0.2}, {6, 0.15}, {7, 0.03}};
  std::map<int32_t, double> sharp, flat;
  for (const auto& [id, w] : p) sharp[id] = std::pow(w, 1 / 0.5), flat[id] = std::pow(w, 1 / 3.0);
  constexpr double limit = 20.5;  // five degrees of freedom, one in a thousand
  EXPECT_LT(chi_square(first_tokens(m, samples(2)), p), limit);
  EXPECT_LT(chi_square(first_tokens(m, samples(2, {.temperature = 0.5})), sharp), limit);
  EXPECT_LT(chi_square(first_tokens(m, samples(2, {.temperature = 3})), flat), limit);
  EXPECT_GT(chi_square(first_tokens(m, samples(2, {.temperature = 3})), p), 10 * limit) << "the test sees nothing";
}

TEST(Sampler, CutsTheDistributionOff) {
  const ConstantModel m(kProbabilities);
  constexpr double limit = 13.8;  // two degrees of freedom
  EXPECT_LT(chi_square(first_tokens(m, samples(2, {.top_k = 3})), {{4, 0.4}, {5, 0.2}, {6, 0.15}}), limit);
  // Writable tokens have 0.9 in all: 0.4 + 0.2 are 0.667 of it, with 0.15 they are 0.833.
  EXPECT_LT(chi_square(first_tokens(m, samples(2, {.top_p = 0.66})), {{4, 0.4}, {5, 0.2}}), limit);
  EXPECT_LT(chi_square(first_tokens(m, samples(2, {.top_p = 0.67})), {{4, 0.4}, {5, 0.2}, {6, 0.15}}), limit);
  // Among the best three, 0.4 is 0.53, and with 0.2 it is 0.8.
  EXPECT_LT(chi_square(first_tokens(m, samples(2, {.top_k = 3, .top_p = 0.79})), {{4, 0.4}, {5, 0.2}}), limit);
  EXPECT_EQ(first_tokens(m, samples(1, {.top_k = 1})).size(), 1u);
  EXPECT_EQ(first_tokens(m, samples(1, {.top_p = 0.001})).size(), 1u);
}

// Forbidden tokens are not sampled, and the others keep their proportions.
TEST(Sampler, FollowsRules) {
  const ConstantModel m(kProbabilities);
  for (const SamplingOptions& s : {SamplingOptions{}, SamplingOptions{.top_p = 0.99}}) {
    SearchOptions o = samples(2, s);
    o.min_length = 1;  // not </s> first
    EXPECT_LT(chi_square(first_tokens(m, o), {{3, 0.02}, {4, 0.4}, {5, 0.2}, {6, 0.15}, {7, 0.03}}), 18.5);
  }
}

// If the best token is forbidden, the others keep their proportions, however improbable they are:
// at this temperature their weights relative to it are 0.
TEST(Sampler, LowTemperaturesUnderRulesDrawWhatIsLeft) {
  const ConstantModel m({1e-9, 1e-9, 1 - 1e-6, 1e-7, 2e-7, 2.02e-7, 1.98e-7, 1e-8});
  const double cold = 0.01;
  std::map<int32_t, double> left;
  for (const auto& [id, p] : std::map<int32_t, double>{{4, 2e-7}, {5, 2.02e-7}, {6, 1.98e-7}})
    left[id] = std::pow(p / 2e-7, 1 / cold);
  for (const SamplingOptions& s :
       {SamplingOptions{.temperature = cold}, SamplingOptions{.temperature = cold, .top_p = 0.9999},
        SamplingOptions{.temperature = cold, .top_k = 3}}) {
    SearchOptions o = samples(2, s);
    o.min_length = 4;
    const auto counts = first_tokens(m, o);
    EXPECT_LT(chi_square(counts, left), 13.8) << s.top_k << " " << s.top_p;
    int drawn = 0;
    for (const auto& [id, n] : counts) drawn += n;
    EXPECT_EQ(drawn, 2 * 4000) << "translations were lost";
  }
}

TEST(Sampler, ScoresAreTheModels) {
  const ConstantModel m(kProbabilities);
  SearchOptions o = samples(3, {.temperature = 2, .top_p = 0.9});
  o.token_scores = true;
  const Draws draws(m.model, random_sentences(20, 5, 8));
  for (const auto& found : draws.of(o))
    for (const Hypothesis& h : found) {
      double sum = 0;
      for (size_t i = 0; i < h.token_scores.size(); ++i) {
        EXPECT_NEAR(h.token_scores[i], std::log(kProbabilities[i < h.ids.size() ? h.ids[i] : 2]), 1e-4);
        sum += h.token_scores[i];
      }
      EXPECT_NEAR(sum, h.score, 1e-4);
    }
}

TEST(Sampler, ALinesSamplesAreItsOwn) {
  const TestModel m(small_config());
  const Draws all(m.model, random_sentences(40, 10, 24));
  for (const SamplingOptions& s : {SamplingOptions{}, SamplingOptions{.top_k = 8, .top_p = 0.9}}) {
    const Found together = all.of(samples(4, s));
    Draws few = all;
    few.sentences = 3, few.workers = 2;
    use_threads(2);
    EXPECT_EQ(few.of(samples(4, s)), together) << "batches and threads";
    use_threads(1);
    Draws one(m.model, {all.sources[17]});
    one.requests[0].line = 17;
    EXPECT_EQ(one.of(samples(4, s))[0], together[17]) << "neighbors";
    const Found fewer = one.of(samples(2, s));
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(fewer[0][i].ids, together[17][i].ids) << "fewer samples";
    for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(fewer[0][i].score, together[17][i].score, 1e-4);
  }
}

TEST(Sampler, SeedLinePartAndNumberAllCount) {
  const TestModel m(small_config());
  Draws one(m.model, {{5, 6, 7, 8, 9, 2}});
  const auto ids = [&](uint64_t seed, uint64_t line, uint32_t part) {
    one.requests[0].line = line, one.requests[0].part = part;
    std::vector<text::Ids> all;
    const Found found = one.of(samples(2, {.seed = seed}));
    for (const Hypothesis& h : found[0]) all.push_back(h.ids);
    return all;
  };
  std::set<text::Ids> different;
  for (const auto& both : {ids(1, 0, 0), ids(2, 0, 0), ids(1, 1, 0), ids(1, 0, 1), ids(1, uint64_t{1} << 32, 0)})
    different.insert(both.begin(), both.end());
  EXPECT_EQ(different.size(), 10u);
  EXPECT_EQ(ids(1, 0, 0), ids(1, 0, 0));
}

TEST(Sampler, EveryStepHasItsOwnNumber) {
  std::set<double> seen;
  for (int64_t step = 1; step < 20; ++step)
    for (uint32_t sample = 0; sample < 5; ++sample)
      for (uint32_t attempt = 0; attempt < 3; ++attempt)
        seen.insert(draw({.seed = 1, .line = 0, .part = 0, .sample = sample, .step = step}, attempt));
  EXPECT_EQ(seen.size(), 19u * 5 * 3);
  EXPECT_GE(*seen.begin(), 0);
  EXPECT_LT(*seen.rbegin(), 1);
}

TEST(Sampler, OptionsAreChecked) {
  for (const SamplingOptions& s :
       {SamplingOptions{.temperature = 0}, SamplingOptions{.temperature = NAN}, SamplingOptions{.top_k = -1},
        SamplingOptions{.top_p = 0}, SamplingOptions{.top_p = 1.5}})
    EXPECT_THROW(check(samples(1, s)), UsageError);
  EXPECT_THROW(check(samples(1001)), UsageError);
  EXPECT_NO_THROW(check(samples(100)));  // more than the beam
}

}  // namespace
}  // namespace hexapla::decode
