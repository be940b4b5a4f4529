// Decoding on a device whose memory the host cannot access: the same bits as on the processor.
#include <gtest/gtest.h>

#include <numeric>

#include "backend/cpu/cpu.h"
#include "backend/guarded/guarded.h"
#include "decode/rescoring/alignment.h"
#include "decode/rescoring/score.h"
#include "decode/search/ensemble.h"
#include "decode/steps/workers.h"
#include "decode/test_models.h"

namespace hexapla::decode {
namespace {
using namespace test;

std::unique_ptr<Backend> make_guarded() { return make_guarded_backend(make_cpu_backend()); }

// A model in memory of the backend.
struct OnDevice : TestModel {
  OnDevice(const model::Config& c, Backend& backend, uint64_t seed = 7) : TestModel(c, DType::f32, seed) {
    parameters.move_to(backend);
  }
};

// False for models with parts in host code, which a device refuses.
bool runs_on_devices(const model::Config& c) {
  return c.softmax() && c.encoder_mixing == "attention" && c.experts == 0;
}

std::string text_of(const std::vector<std::vector<Hypothesis>>& found) {
  std::string text;
  for (const auto& sentence : found) {
    for (const Hypothesis& h : sentence) {
      text += cat(h.score, ":");
      for (const int32_t id : h.ids) text += cat(" ", id);
      text += "; ";
    }
    text += "\n";
  }
  return text;
}

// search() in an arena of exactly search_memory() bytes.
std::string searched(Backend& backend, const model::Config& c, const SearchOptions& options) {
  const OnDevice m(c, backend);
  const std::vector<text::Ids> sources = random_sentences(7, 9, 24);
  std::string text;
  on_workers(1, backend, DType::f32, search_memory(m.model, sources, options, DType::f32),
             [&](Context& cx) { text = text_of(search(cx, m.model, sources, options, kSpecials)); });
  return text;
}

TEST(DeviceMemory, SearchesFindTheSame) {
  const auto guarded = make_guarded(), cpu = make_cpu_backend();
  for (const Variant& v : variants()) {
    if (!runs_on_devices(v.config)) {
      EXPECT_THROW(searched(*guarded, v.config, {}), UsageError) << v.name;
      continue;
    }
    for (const SearchOptions& options :
         {SearchOptions{.n_best = 3, .extra_length = 6}, SearchOptions{.beam_size = 1, .extra_length = 6},
          SearchOptions{.extra_length = 6, .no_repeat_ngram = 2},
          SearchOptions{.extra_length = 6, .sampling = SamplingOptions{}},
          SearchOptions{.extra_length = 6, .sampling = {{.top_k = 5}}},
          SearchOptions{.extra_length = 6, .sampling = {{.top_p = 0.7}}}})
      EXPECT_EQ(searched(*guarded, v.config, options), searched(*cpu, v.config, options)) << v.name;
  }
}

std::string mixed(Backend& backend, const Mixture& mixture) {
  model::Config other = small_config();
  other.d_model = 24, other.heads = 3, other.dec_layers = 1;
  const OnDevice first(small_config(), backend), second(other, backend, 8);
  const Ensemble ensemble{{&first.model, &second.model}, mixture};
  const std::vector<text::Ids> sources = random_sentences(5, 9, 24);
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Queue queue{.sources = sources, .order = order, .sentences = 3, .tokens = 100};
  const SearchOptions options{.extra_length = 5};
  std::vector<std::vector<Hypothesis>> found(sources.size());
  on_workers(1, backend, DType::f32, search_memory(ensemble, queue, options, DType::f32), [&](Context& cx) {
    search(cx, ensemble, queue, options, kSpecials,
           [&](size_t index, std::vector<Hypothesis> h) { found[index] = std::move(h); });
  });
  return text_of(found);
}

TEST(DeviceMemory, EnsemblesFindTheSame) {
  const auto guarded = make_guarded(), cpu = make_cpu_backend();
  EXPECT_EQ(mixed(*guarded, LinearMixture{}), mixed(*cpu, LinearMixture{}));
  EXPECT_EQ(mixed(*guarded, LogLinearMixture{}), mixed(*cpu, LogLinearMixture{}));
}

std::vector<double> scored_and_aligned(Backend& backend, const model::Config& c) {
  const OnDevice m(c, backend);
  const std::vector<text::Ids> sources = random_sentences(6, 9, 24);
  std::vector<text::Ids> targets = random_sentences(6, 9, 24, 9);
  for (text::Ids& t : targets) t.pop_back();
  std::vector<double> all;
  const size_t memory = std::max(score_memory({.models = {&m.model}}, sources, targets, DType::f32),
                                 align_memory(m.model, sources, targets, DType::f32));
  on_workers(1, backend, DType::f32, memory, [&](Context& cx) {
    for (const PairScore& s : score_pairs(cx, {.models = {&m.model}}, sources, targets, kSpecials))
      all.push_back(s.score);
    for (const SoftAlignment& a : align_pairs(cx, m.model, sources, targets, kSpecials, {0, 1}))
      all.insert(all.end(), a.weights.begin(), a.weights.end());
  });
  return all;
}

TEST(DeviceMemory, ScoresAndAlignmentsAreTheSame) {
  const auto guarded = make_guarded(), cpu = make_cpu_backend();
  for (const Variant& v : variants())
    if (runs_on_devices(v.config)) {
      EXPECT_EQ(scored_and_aligned(*guarded, v.config), scored_and_aligned(*cpu, v.config)) << v.name;
    }
}

}  // namespace

}  // namespace hexapla::decode
