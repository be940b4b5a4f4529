// Tests the definition itself, against numbers computed by hand.
#include "backend/reference/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/compute/random.h"

namespace hexapla {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::Pointwise;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Numbers = std::vector<double>;
Tensor view(Numbers& v, Shape s) { return Tensor::of(v.data(), s); }
Tensor view(Numbers& v) { return view(v, {std::ssize(v)}); }
Numbers unset(size_t n) { return Numbers(n, kNan); }

// Each within 1e-12.
auto near(const Numbers& expected) { return Pointwise(DoubleNear(1e-12), expected); }

class Reference : public testing::Test {
 protected:
  std::unique_ptr<Backend> backend_ = make_reference_backend();
};

// Two keys, d_k = 1, v = (10, 20). A query of 0 weighs both equally; a query of ln 3 with keys 0
// and 1 weighs them 1 : 3.
class Attention : public Reference {
 protected:
  Numbers q_{0, std::log(3)}, k_{0, 1}, v_{10, 20}, out_ = unset(2), lse_ = unset(2);
  std::vector<int32_t> offsets_{0, 2};
  AttentionInput input() {
    AttentionInput in{view(q_, {2, 1, 1}), view(k_, {2, 1, 1}), view(v_, {2, 1, 1}), offsets_, offsets_};
    return in;
  }
  void run(const AttentionInput& in) { backend_->attention(in, view(out_, {2, 1}), view(lse_, {2, 1})); }
};

TEST_F(Attention, WeighsValuesBySoftmax) {
  run(input());
  EXPECT_THAT(out_, near({15, 17.5}));
  EXPECT_THAT(lse_, near({std::log(2), std::log(4)}));
}

TEST_F(Attention, ScaleMultipliesTheScores) {
  AttentionInput in = input();
  in.scale = 2;  // weights 1 : 9
  run(in);
  EXPECT_THAT(out_, near({15, 19}));
}

TEST_F(Attention, CausalQueriesSeeOnlyThePast) {
  AttentionInput in = input();
  in.causal = true;
  run(in);
  EXPECT_THAT(out_, near({10, 17.5}));
  EXPECT_THAT(lse_, near({0, std::log(4)}));
}

TEST_F(Attention, SequencesDoNotSeeEachOther) {
  offsets_ = {0, 1, 2};
  run(input());
  EXPECT_THAT(out_, near({10, 20}));
}

TEST_F(Attention, MaskIsAddedToTheScores) {
  Numbers mask{std::log(4), 0, 0, -kInfinity};
  AttentionInput in = input();
  in.mask = view(mask, {2, 2});
  run(in);
  EXPECT_THAT(out_, near({12, 10}));  // weights 4 : 1; 1 : 0
}

TEST_F(Attention, ARowThatSeesNothingIsZeroAndHasNoGradient) {
  Numbers mask{-kInfinity, -kInfinity, 0, 0};
  AttentionInput in = input();
  in.mask = view(mask, {2, 2});
  run(in);
  EXPECT_THAT(out_, near({0, 17.5}));
  EXPECT_EQ(lse_[0], -kInfinity);
  Numbers d_out{1, 0}, dq = unset(2), dk = unset(2), dv = unset(2);
  backend_->attention_backward(in, view(out_, {2, 1}), view(lse_, {2, 1}), view(d_out, {2, 1}), view(dq, {2, 1, 1}),
                               view(dk, {2, 1, 1}), view(dv, {2, 1, 1}));
  EXPECT_THAT(dq, Each(0));
  EXPECT_THAT(dk, Each(0));
  EXPECT_THAT(dv, Each(0));
}

// Query 1 has the weights p = (1/4, 3/4). With d_out = (0, 1): dv = p; the score gradients are
// p_u (v_u - out) = 1/4 (10 - 17.5), 3/4 (20 - 17.5) = -+1.875, so dq = 1.875 * 1 and dk = -+1.875 ln 3.
TEST_F(Attention, GradientByHand) {
  run(input());
  Numbers d_out{0, 1}, dq = unset(2), dk = unset(2), dv = unset(2);
  backend_->attention_backward(input(), view(out_, {2, 1}), view(lse_, {2, 1}), view(d_out, {2, 1}),
                               view(dq, {2, 1, 1}), view(dk, {2, 1, 1}), view(dv, {2, 1, 1}));
  EXPECT_THAT(dv, near({0.25, 0.75}));
  EXPECT_THAT(dq, near({0, 1.875}));
  EXPECT_THAT(dk, near({-1.875 * std::log(3), 1.875 * std::log(3)}));
}

// atanh(1/2) makes tanh 1/2: with w = 2 ln 3 the scores of the second query are 0 and ln 3.
TEST_F(Attention, AdditiveScores) {
  Numbers w{2 * std::log(3)};
  q_ = {0, 0};
  k_ = {0, std::atanh(0.5)};
  AttentionInput in = input();
  in.additive = view(w, {1, 1});
  in.scale = 1000;  // ignored
  backend_->additive_attention(in, view(out_, {2, 1}), view(lse_, {2, 1}));
  EXPECT_THAT(out_, near({17.5, 17.5}));
  // d score: -+1.875 for d_out = 1; through tanh' = 3/4 at the second key, 1 at the first, times w.
  Numbers d_out{0, 1}, dq = unset(2), dk = unset(2), dv = unset(2), dw{100};
  backend_->additive_attention_backward(in, view(out_, {2, 1}), view(lse_, {2, 1}), view(d_out, {2, 1}),
                                        view(dq, {2, 1, 1}), view(dk, {2, 1, 1}), view(dv, {2, 1, 1}),
                                        view(dw, {1, 1}));
  EXPECT_THAT(dw, near({100 + 1.875 / 2}));
  EXPECT_THAT(dk, near({-1.875 * w[0], 1.875 * 0.75 * w[0]}));
  EXPECT_THAT(dq, near({0, 1.875 * w[0] * (0.75 - 1)}));
}

TEST_F(Attention, StepSeesTheRowsOfItsIndex) {
  std::vector<int32_t> index{1, 0, 1, 1}, lengths{1, 2};
  backend_->attention_step(view(q_, {2, 1, 1}), view(k_, {2, 1, 1}), view(v_, {2, 1, 1}),
                           Tensor::of(index.data(), {2, 2}), Tensor::of(lengths.data(), {2}), 1, view(out_, {2, 1}));
  EXPECT_THAT(out_, near({20, 20}));
  index = {0, 0, 1, 0};
  lengths = {2, 2};
  backend_->attention_step(view(q_, {2, 1, 1}), view(k_, {2, 1, 1}), view(v_, {2, 1, 1}),
                           Tensor::of(index.data(), {2, 2}), Tensor::of(lengths.data(), {2}), 1, view(out_, {2, 1}));
  EXPECT_THAT(out_, near({10, 17.5}));
}

// Dropped weights vanish, kept ones are doubled: the output is one of 0, 2 p_0 v_0, 2 p_1 v_1 and their sum, as the
// mask of (query row, key) says.
TEST_F(Attention, DropoutOfTheWeights) {
  AttentionInput in = input();
  in.dropout = {11, 1, 1, 0.5f};
  run(in);
  Numbers ones(64, 1), factors = unset(64);  // 32 keys of query row 0, then 32 of row 1
  backend_->dropout(view(ones, {1, 64}), in.dropout, view(factors, {1, 64}));
  EXPECT_THAT(out_, near({factors[0] * 5 + factors[1] * 10, factors[32] * 2.5 + factors[33] * 15}));
  EXPECT_THAT(lse_, near({std::log(2), std::log(4)}));
}

// Known answers of the Random123 library (kat_vectors: philox4x32 10).
TEST(Philox, KnownAnswers) {
  constexpr uint32_t f = 0xFFFFFFFF;
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}), ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(philox({f, f, f, f}, {f, f}), ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
}

class Dropout : public Reference {
 protected:
  static constexpr int64_t kRows = 500, kWidth = 300;
  Numbers mask(DropoutMask m) {
    Numbers ones(kRows * kWidth, 1), y = unset(kRows * kWidth);
    backend_->dropout(view(ones, {kRows, kWidth}), m, view(y, {kRows, kWidth}));
    return y;
  }
};

TEST_F(Dropout, KeepsTheFractionAndTheExpectation) {
  for (const float p : {0.1f, 0.5f, 0.9f}) {
    double kept = 0, sum = 0;
    for (const double x : mask({7, 3, 2, p})) {
      kept += x != 0;
      sum += x;
      EXPECT_TRUE(x == 0 || std::abs(x - 1 / (1.0 - p)) < 1e-9);
    }
    const double n = kRows * kWidth, deviation = std::sqrt(p * (1 - p) / n);
    EXPECT_NEAR(kept / n, 1 - p, 5 * deviation);
    EXPECT_NEAR(sum / n, 1, 5 * deviation / (1 - p));
  }
}

// Columns of row 5 whose counter, word and half were computed by hand from the definition of
// DropoutMask.
TEST_F(Dropout, TakesTheBitsThatItsDefinitionSays) {
  struct {
    int64_t column;
    uint32_t counter;
    size_t word;
    int shift;
  } const known[] = {{0, 0, 0, 0}, {17, 1, 0, 16}, {47, 15, 1, 0}, {127, 15, 3, 16}, {128, 16, 0, 0}, {200, 24, 2, 0}};
  const Numbers y = mask({(uint64_t{9} << 32) + 7, 3, 2, 0.5f});
  for (const auto& k : known) {
    const uint32_t bits = philox({k.counter, 5, 2, 3}, {7, 9})[k.word] >> k.shift & 0xFFFF;
    EXPECT_EQ(y[5 * kWidth + k.column], bits >= 32768 ? 2 : 0) << k.column;
  }
}

TEST_F(Dropout, IsNamedByAllOfItsName) {
  const DropoutMask name{7, 3, 2, 0.5f};
  const Numbers y = mask(name);
  EXPECT_EQ(mask(name), y);
  for (const DropoutMask& other : {DropoutMask{8, 3, 2, 0.5f}, DropoutMask{7, 4, 2, 0.5f}, DropoutMask{7, 3, 1, 0.5f},
                                   DropoutMask{7 + (uint64_t{1} << 32), 3, 2, 0.5f}}) {
    const Numbers z = mask(other);
    double same = 0;
    for (size_t i = 0; i < y.size(); ++i) same += y[i] == z[i];
    EXPECT_NEAR(same / static_cast<double>(y.size()), 0.5, 0.01);
  }
}

TEST_F(Dropout, ColumnsAndRowsAreIndependent) {
  const Numbers y = mask({7, 3, 2, 0.5f});
  for (const int64_t shift : {1, 15, 16, 32, 127, 128, 256, 300}) {
    double same = 0;
    for (size_t i = shift; i < y.size(); ++i) same += y[i] == y[i - shift];
    EXPECT_NEAR(same / static_cast<double>(y.size() - shift), 0.5, 0.01) << shift;
  }
}

TEST_F(Reference, LayerNorm) {  // x + r = (1, 3): mean 2, variance 1
  Numbers x{0, 1}, r{1, 2}, gain{10, 100}, bias{1, 2}, y = unset(2), normed = unset(2), rstd = unset(1);
  backend_->add_norm(view(x, {1, 2}), view(r, {1, 2}), view(gain), view(bias), 0, view(y, {1, 2}), view(normed, {1, 2}),
                     view(rstd));
  EXPECT_THAT(y, near({-9, 102}));
  EXPECT_THAT(normed, near({-1, 1}));
  EXPECT_THAT(rstd, near({1}));
  backend_->add_norm(view(x, {1, 2}), {}, view(gain), view(bias), 0.75, view(y, {1, 2}), view(normed, {1, 2}),
                     view(rstd));  // mean 0.5, variance 0.25 + 0.75
  EXPECT_THAT(y, near({-4, 52}));
  EXPECT_THAT(rstd, near({1}));
}

// Four numbers: normed = (-1, -1, 1, 1), gain 1, d = (1, 0, 0, 0), rstd = 2: mean 1/4, along = -1/4.
TEST_F(Reference, LayerNormGradient) {
  Numbers normed{-1, -1, 1, 1}, rstd{2}, gain{1, 1, 1, 1}, d{1, 0, 0, 0}, dgain(4, 5.0), dbias(4, 7.0);
  backend_->add_norm_backward(view(normed, {1, 4}), view(rstd), view(gain), view(d, {1, 4}), view(dgain), view(dbias));
  EXPECT_THAT(d, near({1, -1, 0, 0}));
  EXPECT_THAT(dgain, near({4, 5, 5, 5}));
  EXPECT_THAT(dbias, near({8, 7, 7, 7}));
}

TEST_F(Reference, BatchNormNormalizesColumns) {
  Numbers x{1, 5, 3, 5}, gain{10, 2}, bias{0, 1}, y = unset(4), normed = unset(4), rstd = unset(2), mean = unset(2),
                                                  variance = unset(2);
  backend_->batch_norm(view(x, {2, 2}), {}, view(gain), view(bias), 1e-30, view(y, {2, 2}), view(normed, {2, 2}),
                       view(rstd), view(mean), view(variance));
  EXPECT_THAT(y, near({-10, 1, 10, 1}));
  EXPECT_THAT(mean, near({2, 5}));
  EXPECT_THAT(variance, near({1, 0}));
  backend_->batch_norm_inference(view(x, {2, 2}), {}, view(gain), view(bias), 3, view(mean), view(variance),
                                 view(y, {2, 2}));
  EXPECT_THAT(y, near({-5, 1, 5, 1}));
}

TEST_F(Reference, Sinusoids) {
  Numbers t = unset(12);
  backend_->sinusoids(Sinusoids::interleaved, view(t, {3, 4}));
  EXPECT_THAT(t, near({0, 1, 0, 1, std::sin(1), std::cos(1), std::sin(0.01), std::cos(0.01), std::sin(2), std::cos(2),
                       std::sin(0.02), std::cos(0.02)}));
  backend_->sinusoids(Sinusoids::halves, view(t, {3, 4}));
  EXPECT_THAT(t, near({0, 0, 1, 1, std::sin(1), std::sin(0.01), std::cos(1), std::cos(0.01), std::sin(2),
                       std::sin(0.02), std::cos(2), std::cos(0.02)}));
  backend_->sinusoids(Sinusoids::timing_signal, view(t, {2, 6}));  // exponents 0, 1/2 and 1
  EXPECT_THAT(t, near({0, 0, 0, 1, 1, 1, std::sin(1), std::sin(0.01), std::sin(0.0001), std::cos(1), std::cos(0.01),
                       std::cos(0.0001)}));
}

// Logits (0, ln 3) are the probabilities 1/4 and 3/4; with a smoothing of 0.2 the target is (0.9, 0.1).
TEST_F(Reference, SmoothedCrossEntropy) {
  Numbers x{1}, w{0, std::log(3)}, loss = unset(1), nll = unset(1), dx = unset(1), dw{0, 1}, db{0, 0}, tile(2);
  std::vector<int32_t> label{0};
  LossInput in{view(x, {1, 1}), view(w, {1, 2}), {}, Tensor::of(label.data(), {1}), 0.2, 2};
  backend_->cross_entropy(in, view(tile, {1, 2}), view(loss), view(nll));
  const double expected = 0.9 * std::log(4) + 0.1 * std::log(4.0 / 3);
  EXPECT_THAT(loss, near({expected}));
  EXPECT_THAT(nll, near({std::log(4)}));
  loss = nll = unset(1);
  backend_->cross_entropy_with_gradient(in, view(tile, {1, 2}), view(loss), view(nll), view(dx, {1, 1}),
                                        view(dw, {1, 2}), view(db));
  EXPECT_THAT(loss, near({expected}));
  EXPECT_THAT(db, near({2 * (0.25 - 0.9), 2 * (0.75 - 0.1)}));
  EXPECT_THAT(dw, near({-1.3, 2.3}));
  EXPECT_THAT(dx, near({1.3 * std::log(3)}));
}

TEST_F(Reference, ALabelOutsideTheClassesIsRefused) {
  Numbers x{1}, w{0, 1}, loss(1), nll(1), tile(2);
  std::vector<int32_t> label{2};
  const LossInput in{view(x, {1, 1}), view(w, {1, 2}), {}, Tensor::of(label.data(), {1}), 0, 1};
  EXPECT_THROW(backend_->cross_entropy(in, view(tile, {1, 2}), view(loss), view(nll)), InternalError);
}

TEST_F(Reference, TopTakesTheLowerIdAmongEquals) {
  Numbers x{std::log(1), std::log(3), std::log(1), std::log(3)}, scores = unset(3);
  std::vector<int32_t> ids(3, -1);
  backend_->log_softmax_top(view(x, {1, 4}), 3, view(scores, {1, 3}), Tensor::of(ids.data(), {1, 3}));
  EXPECT_THAT(ids, ElementsAre(1, 3, 0));
  EXPECT_THAT(scores, near({std::log(3.0 / 8), std::log(3.0 / 8), std::log(1.0 / 8)}));
}

// beta1 = beta2 = 1/2. Step 1, gradient 2: m = 1, v = 2; corrected 2 and 4: the step is lr * 2 / 2.
// Step 2, gradient 0 with m = 1, v = 2: m = 0.5, v = 1; corrected by 3/4: 2/3 and 4/3.
TEST_F(Reference, TwoStepsOfAdam) {
  Numbers p{1}, g{4}, m{0}, v{0};
  backend_->adam(view(p), view(g), view(m), view(v), {0.1, 0.5, 0.5, 0, 1, 0.5});
  EXPECT_THAT(p, near({0.9}));
  EXPECT_THAT(m, near({1}));
  EXPECT_THAT(v, near({2}));
  g = {0};
  backend_->adam(view(p), view(g), view(m), view(v), {0.1, 0.5, 0.5, 0, 2, 0.5});
  EXPECT_THAT(p, near({0.9 - 0.1 * (2.0 / 3) / std::sqrt(4.0 / 3)}));
  EXPECT_THAT(m, near({0.5}));
  EXPECT_THAT(v, near({1}));
}

// p - lr * wd * p = 2 - 0.1 * 0.5 * 2 = 1.9, then the step of Adam, independent of the decay: 1.9 -
// 0.1.
TEST_F(Reference, WeightDecayIsDecoupled) {
  Numbers p{2}, g{4}, m{0}, v{0};
  backend_->adam(view(p), view(g), view(m), view(v), {0.1, 0.5, 0.5, 0, 1, 0.5, 0.5});
  EXPECT_THAT(p, near({1.8}));
  EXPECT_THAT(m, near({1}));
  EXPECT_THAT(v, near({2}));
}

TEST_F(Reference, EpsilonIsOutsideTheRoot) {
  Numbers p{0}, g{1}, m{0}, v{0};
  backend_->adam(view(p), view(g), view(m), view(v), {1, 0.9, 0.98, 1, 1, 1});
  EXPECT_THAT(p, near({-0.5}));
}

TEST_F(Reference, LinearAndItsGradients) {
  Numbers x{1, 2}, w{1, 2, 3, 4, 5, 6}, b{10, 20, 30}, y = unset(3);
  backend_->linear(view(x, {1, 2}), view(w, {2, 3}), view(b), view(y, {1, 3}));
  EXPECT_THAT(y, near({19, 32, 45}));
  backend_->linear(view(x, {1, 2}), view(w, {3, 2}).transposed(), {}, view(y, {1, 3}));
  EXPECT_THAT(y, near({5, 11, 17}));
  Numbers dy{1, 0, 2}, dx{100, 200}, dw(6, 1.0);
  backend_->linear_backward_input(view(dy, {1, 3}), view(w, {2, 3}), view(dx, {1, 2}), Write::add);
  EXPECT_THAT(dx, near({107, 216}));
  backend_->linear_backward_weight(view(x, {1, 2}), view(dy, {1, 3}), view(dw, {3, 2}).transposed(), view(b));
  EXPECT_THAT(dw, near({2, 3, 1, 1, 3, 5}));
  EXPECT_THAT(b, near({11, 20, 32}));
}

TEST_F(Reference, Activations) {
  Numbers x{-1, 0, 2}, y = unset(3);
  backend_->activate(Activation::relu, view(x), view(y));
  EXPECT_THAT(y, near({0, 0, 2}));
  backend_->activate(Activation::gelu, view(x), view(y));  // Phi(-1), Phi(2) from tables
  EXPECT_THAT(y, near({-0.15865525393145705, 0, 2 * 0.9772498680518208}));
  backend_->activate(Activation::swish, view(x), view(y));
  EXPECT_THAT(y, near({-1 / (1 + std::exp(1)), 0, 2 / (1 + std::exp(-2))}));
  backend_->activate(Activation::gelu_tanh, view(x), view(y));
  EXPECT_THAT(y, near({-0.15880800939172324, 0, 1.954597694087775}));  // from torch.nn.GELU(approximate="tanh")
}

// Central differences, at points on both sides of zero.
TEST_F(Reference, DerivativesOfActivations) {
  for (const Activation f : {Activation::relu, Activation::gelu, Activation::swish, Activation::gelu_tanh}) {
    const double h = 1e-5;
    Numbers x{-3, -0.7, 0.4, 2}, up = x, down = x, dy(4, 1.0), dx = unset(4);
    for (size_t i = 0; i < x.size(); ++i) up[i] += h, down[i] -= h;
    backend_->activate(f, view(up), view(up));
    backend_->activate(f, view(down), view(down));
    backend_->activate_backward(f, view(x), view(dy), view(dx));
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(dx[i], (up[i] - down[i]) / (2 * h), 1e-9);
  }
}

TEST_F(Reference, EmbeddingsAndTheirGradient) {
  Numbers table{1, 2, 3, 4}, y(6, 1.0), dtable(4, 0.0);
  std::vector<int32_t> ids{1, 0, 1};
  const Tensor id = Tensor::of(ids.data(), {3});
  backend_->embed(view(table, {2, 2}), id, 10, Write::add, view(y, {3, 2}));
  EXPECT_THAT(y, near({31, 41, 11, 21, 31, 41}));
  backend_->embed(view(table, {2, 2}), id, 10, Write::set, view(y, {3, 2}));
  EXPECT_THAT(y, near({30, 40, 10, 20, 30, 40}));
  backend_->embed_backward(view(y, {3, 2}), id, 2, view(dtable, {2, 2}));
  EXPECT_THAT(dtable, near({20, 40, 120, 160}));
}

TEST_F(Reference, CombineWithZeroForgetsWhatWasThere) {
  Numbers x{1, 2}, y{kNan, kInfinity};
  backend_->combine(3, view(x), 0, view(y));
  EXPECT_THAT(y, near({3, 6}));
  backend_->combine(1, view(x), 2, view(y));
  EXPECT_THAT(y, near({7, 14}));
}

}  // namespace
}  // namespace hexapla
