// A step with a cache equals the whole decoder at that position.
#include "decode/steps/decoder_steps.h"

#include <gtest/gtest.h>

#include "backend/reference/reference.h"
#include "decode/test_models.h"

namespace hexapla::decode {
namespace {
using namespace test;

double number_at(Tensor t, int64_t i) { return t.dtype == DType::f64 ? t.data<double>()[i] : t.data<float>()[i]; }

struct Flat {
  std::vector<int32_t> ids, offsets{0};
  void append(const text::Ids& s) {
    ids.insert(ids.end(), s.begin(), s.end());
    offsets.push_back(static_cast<int32_t>(ids.size()));
  }
};

// Two hypotheses per sentence that share their first token; the second ends after three steps.
struct Forced {
  std::vector<text::Ids> sources,
      targets;  // targets[2 b + h]: <s> and the tokens that are fed to hypothesis h of sentence b

  explicit Forced(int vocabulary) : sources(random_sentences(5, 9, vocabulary)) {
    Random random(17);
    for (size_t b = 0; b < sources.size(); ++b)
      for (int h = 0; h < 2; ++h) {
        text::Ids ids{kSpecials.bos, h == 0 ? static_cast<int32_t>(4 + random.below(16)) : targets.back()[1]};
        while (ids.size() < (h == 0 ? 7 : 3)) ids.push_back(static_cast<int32_t>(4 + random.below(16)));
        targets.push_back(ids);
      }
  }
};

std::vector<double> whole_decoder(Context& cx, const model::Transformer& model, const Forced& forced) {
  Flat source, target;
  for (size_t i = 0; i < forced.targets.size(); ++i) {
    source.append(forced.sources[i / 2]);
    target.append(forced.targets[i]);
  }
  model::Transformer::Saved s;
  const Tensor memory = model.encode(cx, source.ids, source.offsets, s);
  const Tensor z = model.logits(cx, model.decode(cx, {memory, source.offsets}, target.ids, target.offsets, s));
  std::vector<double> values;
  for (int64_t i = 0; i < z.size(); ++i) values.push_back(number_at(z, i));
  cx.arena.clear();
  return values;
}

// The largest difference of any logit. Sentences have two hypotheses, one, or (at the end) none.
double worst_difference(Context& cx, const model::Transformer& model, const Forced& forced) {
  const std::vector<double> expected = whole_decoder(cx, model, forced);
  const int64_t v = model.config.target_vocab;
  std::vector<Prefix> prefixes(forced.targets.size());
  DecoderSteps decoder(cx, model, forced.sources, 64);
  double worst = 0;
  for (size_t t = 0; t < 7; ++t) {
    std::vector<Prefix*> live;
    std::vector<int32_t> offsets{0};
    std::vector<int64_t> place;
    int64_t at = 0;
    for (size_t i = 0; i < prefixes.size(); ++i) {
      if (t < forced.targets[i].size()) {
        Prefix& p = prefixes[i];
        if (t == 1 && i % 2 == 1) p.rows = prefixes[i - 1].rows;  // of the ancestor
        p.ids.push_back(forced.targets[i][t]);
        live.push_back(&p);
        place.push_back(at + static_cast<int64_t>(t));
      }
      at += std::ssize(forced.targets[i]);
      if (i % 2 == 1) offsets.push_back(static_cast<int32_t>(live.size()));
    }
    const Tensor z = decoder.step(live, offsets).values;
    for (size_t n = 0; n < live.size(); ++n)
      for (int64_t j = 0; j < v; ++j)
        worst = std::max(worst, std::abs(number_at(z, static_cast<int64_t>(n) * v + j) - expected[place[n] * v + j]));
  }
  return worst;
}

class CachedStep : public testing::TestWithParam<Variant> {};

TEST_P(CachedStep, EqualsTheWholeDecoder) {
  for (const auto& [dtype, tolerance] : {std::pair(DType::f32, 1e-5), std::pair(DType::f64, 1e-10)}) {
    const TestModel m(GetParam().config, dtype);
    Arena arena(64 << 20);
    const auto backend = make_reference_backend();
    Context cx{*backend, arena, dtype};
    EXPECT_LT(worst_difference(cx, m.model, Forced(24)), tolerance) << name_of(dtype);
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, CachedStep, testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace hexapla::decode
