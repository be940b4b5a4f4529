#include "decode/search/ensemble.h"

#include <gtest/gtest.h>

#include "backend/reference/reference.h"
#include "decode/rescoring/score.h"
#include "decode/steps/workers.h"
#include "decode/test_models.h"

namespace hexapla::decode {
namespace {
using namespace test;
using Found = std::vector<std::vector<Hypothesis>>;

Found find(const Ensemble& ensemble, std::span<const text::Ids> sources, const SearchOptions& options,
           int64_t sentences = 1000) {
  const auto backend = make_reference_backend();
  std::vector<size_t> order(sources.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  Queue queue{.sources = sources, .order = order, .sentences = sentences, .tokens = 5000};
  Found found(sources.size());
  on_workers(1, *backend, DType::f64, search_memory(ensemble, queue, options, DType::f64), [&](Context& cx) {
    search(cx, ensemble, queue, options, kSpecials,
           [&](size_t index, std::vector<Hypothesis> h) { found[index] = std::move(h); });
    EXPECT_EQ(cx.arena.mark().bottom, 0u) << "the arena is not given back";
  });
  return found;
}

// Different widths and depths, same vocabulary.
model::Config other_config() {
  model::Config c = small_config();
  c.d_model = 24, c.d_ff = 16, c.heads = 3, c.enc_layers = 1, c.dec_layers = 3;
  return c;
}

// Probabilities of the next token after <s> ids, from the whole decoder.
std::vector<double> next(const model::Transformer& model, const text::Ids& source, const text::Ids& ids) {
  const auto backend = make_reference_backend();
  Arena arena(64 << 20);
  Context cx{*backend, arena, DType::f64};
  text::Ids in{kSpecials.bos};
  in.insert(in.end(), ids.begin(), ids.end());
  const std::vector<int32_t> rows{0, static_cast<int32_t>(source.size())}, target{0, static_cast<int32_t>(in.size())};
  model::Transformer::Saved s;
  const Tensor log_p = model.log_probabilities(cx, {source, in, in, rows, target}, s);
  std::vector<double> p;
  for (int64_t id = 0; id < log_p.shape[1]; ++id)
    p.push_back(std::exp(log_p.data<double>()[(log_p.shape[0] - 1) * log_p.shape[1] + id]));
  return p;
}

using Mix = std::function<double(const std::vector<std::vector<double>>& p, size_t id)>;

double plain_score(const std::vector<const model::Transformer*>& models, const text::Ids& source,
                   const text::Ids& translation, const Mix& mixed) {
  double score = 0;
  text::Ids ids;
  for (size_t i = 0; i <= translation.size(); ++i) {
    std::vector<std::vector<double>> p;
    for (const model::Transformer* m : models) p.push_back(next(*m, source, ids));
    double all = 0;
    for (size_t id = 0; id < p[0].size(); ++id) all += mixed(p, id);
    const int32_t id = i < translation.size() ? translation[i] : kSpecials.eos;
    score += std::log(mixed(p, static_cast<size_t>(id)) / all);
    ids.push_back(id);
  }
  return score;
}

TEST(Ensemble, IsTheMeanOfItsModels) {
  const TestModel a(small_config(), DType::f64, 1), b(other_config(), DType::f64, 2);
  const std::vector<text::Ids> sources = random_sentences(6, 6, 24);
  const SearchOptions options{.n_best = 3, .extra_length = 4};
  const std::vector<const model::Transformer*> both{&a.model, &b.model};
  struct Case {
    Ensemble ensemble;
    Mix mixed;
  };
  const Case cases[] = {
      {{.models = both}, [](const auto& p, size_t id) { return (p[0][id] + p[1][id]) / 2; }},
      {{.models = both, .weights = {3, 1}}, [](const auto& p, size_t id) { return 0.75 * p[0][id] + 0.25 * p[1][id]; }},
      {{.models = both, .mixture = LogLinearMixture{}},
       [](const auto& p, size_t id) { return std::sqrt(p[0][id] * p[1][id]); }},
      {{.models = both, .mixture = LogLinearMixture{}, .weights = {1, 3}},
       [](const auto& p, size_t id) { return std::pow(p[0][id], 0.25) * std::pow(p[1][id], 0.75); }}};
  Found first;
  for (const Case& c : cases) {
    const Found found = find(c.ensemble, sources, options);
    for (size_t i = 0; i < sources.size(); ++i)
      for (const Hypothesis& h : found[i]) EXPECT_NEAR(h.score, plain_score(both, sources[i], h.ids, c.mixed), 1e-9);
    EXPECT_EQ(find(c.ensemble, sources, options, 2), found) << "batches";
    EXPECT_NE(found, first) << "the mixtures do not differ";
    first = found;
  }
}

TEST(Ensemble, OfOneModelTwiceIsThatModel) {
  const TestModel a(small_config(), DType::f64, 1);
  const std::vector<text::Ids> sources = random_sentences(10, 8, 24);
  const SearchOptions options{.n_best = 4, .extra_length = 6};
  const Found alone = find({.models = {&a.model}}, sources, options);
  for (const Mixture& mixture : {Mixture(LinearMixture{}), Mixture(LogLinearMixture{})}) {
    const Found twice = find({.models = {&a.model, &a.model}, .mixture = mixture}, sources, options);
    for (size_t i = 0; i < sources.size(); ++i) {
      ASSERT_EQ(twice[i].size(), alone[i].size());
      for (size_t k = 0; k < alone[i].size(); ++k) {
        EXPECT_EQ(twice[i][k].ids, alone[i][k].ids);
        EXPECT_NEAR(twice[i][k].score, alone[i][k].score, 1e-9);
      }
    }
  }
}

// Forced decoding gives a translation the score that the search gave it.
TEST(Ensemble, ScoresAsItSearches) {
  const TestModel a(small_config(), DType::f64, 1), b(other_config(), DType::f64, 2);
  const std::vector<text::Ids> sources = random_sentences(6, 6, 24);
  const auto backend = make_reference_backend();
  for (const Ensemble& e : {Ensemble{.models = {&a.model, &b.model}, .weights = {3, 1}},
                            Ensemble{.models = {&a.model, &b.model}, .mixture = LogLinearMixture{}}}) {
    const Found found = find(e, sources, {.n_best = 2, .extra_length = 4});
    for (size_t i = 0; i < sources.size(); ++i)
      for (const Hypothesis& h : found[i]) {
        const std::vector<text::Ids> source{sources[i]}, target{h.ids};
        Arena arena(score_memory(e, source, target, DType::f64));
        Context cx{*backend, arena, DType::f64};
        EXPECT_NEAR(score_pairs(cx, e, source, target, kSpecials).at(0).score, h.score, 1e-9);
      }
  }
}

TEST(Ensemble, WhatDoesNotFitIsRefused) {
  const TestModel a(small_config(), DType::f64);
  model::Config wider = small_config();
  wider.target_vocab = 25;
  const TestModel b(wider, DType::f64);
  EXPECT_THROW(check(Ensemble{}), UsageError);
  EXPECT_THROW(check(Ensemble{.models = {&a.model, &b.model}}), UsageError);
  EXPECT_THROW(check(Ensemble{.models = {&a.model, &a.model}, .weights = {1}}), UsageError);
  EXPECT_THROW(check(Ensemble{.models = {&a.model, &a.model}, .weights = {1, 0}}), UsageError);
  EXPECT_THROW(check(Ensemble{.models = {&a.model, &a.model}, .weights = {1, NAN}}), UsageError);
  EXPECT_THROW(make_mixture("harmonic"), UsageError);
}

}  // namespace
}  // namespace hexapla::decode
