#include "inspect/files/formulas.h"

#include <gmock/gmock.h>

#include <cmath>
#include <regex>

#include "backend/cpu/cpu.h"
#include "base/files/file.h"
#include "base/test_paths.h"
#include "inspect/gradients.h"
#include "inspect/padded.h"
#include "inspect/parameters_apart.h"
#include "inspect/test_small.h"

namespace hexapla::inspect {
namespace {

struct Small : SmallModel {
  explicit Small(const model::Config& c) : SmallModel(c, make_cpu_backend()) {}
};

bool fits(const std::string& name, const std::string& pattern) {
  std::string expression;
  for (const char c : pattern) expression += c == '*' ? ".*" : c == '.' ? "\\." : std::string(1, c);
  return std::regex_match(name, std::regex(expression));
}

TEST(Formulas, StarsStandForAnyText) {
  const std::string texts[] = {"", "a", "b", "ab", "ba", "aab", "abab", "a.b", "abcab", "bbbbab"};
  const std::string patterns[] = {"", "*", "**", "a", "a*", "*b", "a*b", "*a*b", "a*b*", "*ab", "a.b", "*a*a*", "b*ab"};
  for (const std::string& text : texts)
    for (const std::string& pattern : patterns)
      EXPECT_EQ(named_like(text, pattern), fits(text, pattern)) << text << " like " << pattern;
  EXPECT_FALSE(named_like(std::string(5000, 'a'), "*a*a*a*a*a*a*a*a*b")) << "in no time";
}

TEST(Formulas, TheFirstThatFitsCounts) {
  const std::vector<Formula> all{{"gradient.*", "first"}, {"*.norm", "second"}};
  EXPECT_EQ(formula_of("gradient.encoder.norm", all), "first");
  EXPECT_EQ(formula_of("encoder.norm", all), "second");
  EXPECT_EQ(formula_of("loss", all), "");
}

TEST(Formulas, DescribeEveryTensorAndNoOther) {
  for (const model::Config& c : siblings()) {
    const Small small(c);
    Inspection seen = small.inspect(kPair);
    add_parameters(seen.seen, small.model);
    add_gradients(seen, *small.backend, small.model, kPair);
    add_padded(seen, *small.backend, small.model, kPair.source, {4, 2}, 0);
    std::map<std::string, int> uses;
    for (const auto& [name, value] : seen.seen.tensors()) {
      const auto all = formulas(c);
      const auto found =
          std::find_if(all.begin(), all.end(), [&, n = name](const Formula& f) { return fits(n, f.tensor); });
      ASSERT_NE(found, all.end()) << name << " has no formula";
      ++uses[found->tensor];
    }
    for (const char* step : {"*.embedded", "*_attention.scores", "*.sum", "*.norm", "generator.logits", "loss"})
      EXPECT_GT(uses[step], 0) << step;
    for (const Formula& f : formulas(c)) {
      const bool given = f.formula.starts_with("parameter") || f.formula.starts_with("statistic") ||
                         f.tensor.ends_with(".ids") || f.tensor == "target.labels";
      EXPECT_TRUE(given || uses[f.tensor] > 0) << f.tensor << " describes nothing";
    }
  }
}

std::string last_word(const std::string& name) { return name.substr(name.rfind('.') + 1); }

TEST(Formulas, StandInTheNotes) {
  const std::string notes = read_file(source_path("docs/notes.md"));
  const Inspection run = Small(small_config()).inspect(kPair);
  for (const auto& [name, value] : run.seen.tensors())
    EXPECT_NE(notes.find("." + last_word(name)), notes.npos) << name << " is not in docs/notes.md";
}

// The paper's formulas in a few lines, for machines without NumPy (tests/notes has all of them).
Recorded product(const Recorded& a, const Recorded& b) {
  Recorded y{{a.shape[0], b.shape[1]}, DType::f64, {}};
  for (int64_t r = 0; r < a.shape[0]; ++r)
    for (int64_t c = 0; c < b.shape[1]; ++c) {
      double sum = 0;
      for (int64_t i = 0; i < b.shape[0]; ++i) sum += a.values[r * b.shape[0] + i] * b.values[i * b.shape[1] + c];
      y.values.push_back(sum);
    }
  return y;
}
Recorded sum(Recorded a, const Recorded& b) {
  const size_t period = b.values.size();  // a bias is added to every row
  for (size_t i = 0; i < a.values.size(); ++i) a.values[i] += b.values[i % period];
  return a;
}
Recorded head_of(const Recorded& x, int64_t h, int64_t width) {
  Recorded head{{x.shape[0], width}, DType::f64, {}};
  for (int64_t r = 0; r < x.shape[0]; ++r)
    for (int64_t i = 0; i < width; ++i) head.values.push_back(x.values[r * x.shape[1] + h * width + i]);
  return head;
}
Recorded layer_norm(Recorded x, const Recorded& gain, const Recorded& bias, double eps) {
  const size_t d = x.shape[-1];
  for (size_t row = 0; row < x.values.size(); row += d) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < d; ++i) mean += x.values[row + i] / double(d);
    for (size_t i = 0; i < d; ++i) variance += std::pow(x.values[row + i] - mean, 2) / double(d);
    for (size_t i = 0; i < d; ++i)
      x.values[row + i] = (x.values[row + i] - mean) / std::sqrt(variance + eps) * gain.values[i] + bias.values[i];
  }
  return x;
}

class MainFormulas : public testing::Test {
 protected:
  MainFormulas() : small_(small_config()), seen_(small_.inspect(kPair).seen) { add_parameters(seen_, small_.model); }

  const Recorded& at(const std::string& name) const { return seen_.get(name); }
  void expect_same(const Recorded& got, const std::string& name) const {
    const Recorded& expected = at(name);
    ASSERT_EQ(got.shape, expected.shape) << name;
    for (size_t i = 0; i < got.values.size(); ++i) ASSERT_NEAR(got.values[i], expected.values[i], 1e-5) << name;
  }
  Small small_;
  Recorder seen_;
};

TEST_F(MainFormulas, Input) {
  const double angle = 1 / std::pow(10000, 2.0 / 8);  // position 1, dimensions 2 and 3
  EXPECT_NEAR(at("encoder.positions").values[8 + 2], std::sin(angle), 1e-6);
  EXPECT_NEAR(at("encoder.positions").values[8 + 3], std::cos(angle), 1e-6);
  EXPECT_NEAR(at("encoder.tokens").values[0], std::sqrt(8) * at("embeddings.0.table").values[kPair.source[0] * 8],
              1e-6);
  expect_same(sum(at("encoder.tokens"), at("encoder.positions")), "encoder.embedded");
}

TEST_F(MainFormulas, Attention) {
  const std::string self = "decoder.layers.0.self_attention.", cross = "decoder.layers.0.cross_attention.";
  expect_same(product(at("decoder.embedded"), at(self + "query.weight")), self + "q");
  expect_same(product(at("decoder.embedded"), at(self + "key.weight")), self + "k");
  expect_same(product(at(self + "norm"), at(cross + "query.weight")), cross + "q");
  expect_same(product(at("encoder.layers.0.feed_forward.norm"), at(cross + "value.weight")), cross + "v");
  for (const std::string& scope : {self, cross})
    for (int64_t h = 0; h < kHeads; ++h) {
      const int64_t keys = at(scope + "k").shape[0];
      Recorded weights{{3, keys}, DType::f64, at(scope + "unscaled").head(h)};
      for (double& x : weights.values) x /= std::sqrt(double(kDKey));
      if (scope == self) weights = sum(weights, at("decoder.mask"));
      for (double& x : weights.values) x = std::exp(x);
      for (int64_t t = 0; t < 3; ++t) {
        double total = 0;
        for (int64_t u = 0; u < keys; ++u) total += weights.values[t * keys + u];
        for (int64_t u = 0; u < keys; ++u) weights.values[t * keys + u] /= total;
      }
      EXPECT_THAT(at(scope + "weights").head(h), testing::Pointwise(testing::DoubleNear(1e-6), weights.values));
      const Recorded out = product(weights, head_of(at(scope + "v"), h, 5));
      EXPECT_THAT(head_of(at(scope + "heads"), h, 5).values, testing::Pointwise(testing::DoubleNear(1e-6), out.values));
    }
  expect_same(product(at(self + "heads"), at(self + "output.weight")), self + "output");
}

TEST_F(MainFormulas, ResidualNormFeedForwardGenerator) {
  const std::string layer = "decoder.layers.0.", ffn = layer + "feed_forward.";
  expect_same(sum(at("decoder.embedded"), at(layer + "self_attention.output")), layer + "self_attention.sum");
  const double eps = small_.model.config.norm_eps;
  expect_same(
      layer_norm(at(ffn + "sum"), at(layer + "feed_forward_norm.gain"), at(layer + "feed_forward_norm.bias"), eps),
      ffn + "norm");
  Recorded hidden = sum(product(at(layer + "cross_attention.norm"), at(ffn + "inner.weight")), at(ffn + "inner.bias"));
  expect_same(hidden, ffn + "inner");
  for (double& x : hidden.values) x = std::max(0.0, x);
  expect_same(hidden, ffn + "hidden");
  expect_same(sum(product(hidden, at(ffn + "outer.weight")), at(ffn + "outer.bias")), ffn + "output");
  Recorded generator{{8, kPieceCount}, DType::f64, std::vector<double>(8 * kPieceCount)};
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t k = 0; k < kPieceCount; ++k)
      generator.values[i * kPieceCount + k] = at("embeddings.0.table").values[k * 8 + i];
  expect_same(product(at(ffn + "norm"), generator), "generator.logits");
}

}  // namespace
}  // namespace hexapla::inspect
