#include "model/layers/mixture_of_experts.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "base/compute/random.h"
#include "model/layers/feed_forward.h"
#include "model/parameters/parameters.h"

namespace hexapla::model {
namespace {

using testing::ElementsAre;

struct ExpertsBench {
  std::unique_ptr<Backend> backend = make_cpu_backend();
  Arena arena{size_t{1} << 22};
  Context cx{*backend, arena};

  Tensor of(const std::vector<std::vector<float>>& rows) {
    const Tensor t = cx.keep({std::ssize(rows), std::ssize(rows.front())});
    for (size_t i = 0; i < rows.size(); ++i)
      std::copy(rows[i].begin(), rows[i].end(), t.data<float>() + i * rows[i].size());
    return t;
  }
  Tensor random(int64_t n, int64_t d) {
    const Tensor t = cx.keep({n, d});
    Random random(5);
    for (float& v : t.values<float>()) v = static_cast<float>(random.normal());
    return t;
  }
};

std::vector<int32_t> ids(Tensor t) { return {t.values<int32_t>().begin(), t.values<int32_t>().end()}; }
std::vector<float> numbers(Tensor t) { return {t.values<float>().begin(), t.values<float>().end()}; }

// The logarithms of the probabilities of three experts.
Tensor logits(ExpertsBench& b, std::vector<std::vector<float>> p) {
  for (auto& row : p)
    for (float& x : row) x = std::log(x);
  return b.of(p);
}

TEST(Routing, TokensOfAnExpertStandSideBySideInOrder) {
  ExpertsBench b;
  const Routing r =
      route(b.cx, logits(b, {{.1F, .6F, .3F}, {.7F, .2F, .1F}, {.2F, .5F, .3F}, {.2F, .1F, .7F}}), {1, 0});
  EXPECT_THAT(ids(r.experts), ElementsAre(1, 0, 1, 2));
  EXPECT_THAT(ids(r.starts), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(ids(r.tokens), ElementsAre(1, 0, 2, 3));
  EXPECT_THAT(ids(r.slots), ElementsAre(1, 0, 2, 3));
  EXPECT_FLOAT_EQ(r.gates.data<float>()[0], .6F) << "the probability itself: else the router would learn nothing";
}

TEST(Routing, TwoGatesSumToOne) {
  ExpertsBench b;
  const Routing r = route(b.cx, logits(b, {{.1F, .6F, .3F}, {.7F, .2F, .1F}}), {2, 0});
  EXPECT_THAT(ids(r.experts), ElementsAre(1, 2, 0, 1));
  EXPECT_FLOAT_EQ(r.gates.data<float>()[0], .6F / .9F);
  EXPECT_FLOAT_EQ(r.gates.data<float>()[3], .2F / .9F);
  EXPECT_EQ(r.dispatched(), 4);
}

TEST(Routing, TiesGoToTheLowerNumber) {
  ExpertsBench b;
  EXPECT_THAT(ids(route(b.cx, logits(b, {{1, 1, 1}, {1, 2, 2}}), {2, 0}).experts), ElementsAre(0, 1, 1, 2));
}

// Second choices get the capacity that first choices leave, whichever token they belong to.
TEST(Routing, AFullExpertTakesNoMore) {
  ExpertsBench b;
  const auto p = std::vector<std::vector<float>>(4, {.6F, .3F, .1F});
  const Routing one = route(b.cx, logits(b, p), {1, 1.5});  // ceil(1.5 * 4 / 3)
  EXPECT_THAT(ids(one.slots), ElementsAre(0, 1, -1, -1));
  EXPECT_THAT(ids(one.starts), ElementsAre(0, 2, 2, 2));
  auto q = p;
  q[3] = {.3F, .6F, .1F};
  const Routing two = route(b.cx, logits(b, q), {2, 0.75});  // ceil(0.75 * 2 * 4 / 3)
  EXPECT_THAT(ids(two.slots), ElementsAre(0, 3, 1, -1, -1, -1, 2, -1));
  const Tensor y = gather(b.cx, b.random(8, 2), two);
  EXPECT_THAT(numbers(y.slice(2, 1)), ElementsAre(0, 0)) << "both of its experts were full";
}

TEST(Routing, ImbalanceIsOneOfAnEvenLoadAndTheirNumberOfOneThatHasAll) {
  ExpertsBench b;
  EXPECT_NEAR(load_imbalance(route(b.cx, logits(b, {{98, 1, 1}, {1, 98, 1}, {1, 1, 98}}), {1, 0})), 1, 1e-6);
  EXPECT_NEAR(load_imbalance(route(b.cx, logits(b, {{1e9F, 1, 1}, {1e9F, 1, 1}}), {1, 0})), 3, 1e-6);
}

// NaN and infinity are reported where the weights are checked; before that, nothing may be read out
// of bounds.
TEST(Routing, OfWhatIsNoNumberChoosesSomeExperts) {
  ExpertsBench b;
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  const Routing r = route(b.cx, b.of({{nan, nan, nan}, {1, nan, 2}, {infinite, 0, infinite}}), {2, 0});
  for (int64_t i = 0; i < 3; ++i) {
    const int32_t* chosen = r.experts.data<int32_t>() + 2 * i;
    EXPECT_NE(chosen[0], chosen[1]);
    for (const int32_t e : {chosen[0], chosen[1]}) EXPECT_TRUE(e >= 0 && e < 3) << e;
  }
}

TEST(Routing, RefusesMoreThanThereAre) {
  ExpertsBench b;
  EXPECT_THROW(route(b.cx, b.of({{1, 2}}), {3, 0}), InternalError);
}

// A module that owns its memory.
template <class M>
struct Owned {
  explicit Owned(M m) : module(std::move(m)), parameters(module, DType::f32, Parameters::Use::training) {
    initialize(module, 3);
  }
  M module;
  Parameters parameters;
};

// A single expert has gate 1: it equals the feed-forward network with the same weights.
TEST(MixtureOfExperts, OfOneIsTheNetwork) {
  ExpertsBench b;
  Owned one(MixtureOfExperts(Activation::relu, {6, 12, 1, 1}, {}, 0));
  Owned network(FeedForward(Activation::relu, 6, 12, 0));
  std::vector<Tensor> values;
  for_each<Parameter>(one.module.experts.front(), [&](const auto&, Parameter& p) { values.push_back(p.value); });
  size_t next = 0;
  for_each<Parameter>(network.module, [&](const auto&, Parameter& p) { copy(b.cx, values[next++], p.value); });
  const Tensor x = b.random(7, 6);
  const std::vector<int32_t> rows{0, 7};
  MixtureOfExperts::Saved s;
  FeedForwardSaved t;
  EXPECT_EQ(numbers(one.module.forward(b.cx, x, rows, s)), numbers(network.module.forward(b.cx, x, rows, t)));
}

// Also with a capacity, which applies to training only.
TEST(MixtureOfExperts, ATokenDoesNotDependOnThoseBesideIt) {
  for (const int64_t per_token : {1, 2}) {
    ExpertsBench b;
    Owned m(MixtureOfExperts(Activation::gelu, {16, 24, 4, per_token}, {0.5, 1}, 0.5));
    const Tensor x = b.random(40, 16);
    const std::vector<int32_t> rows{0, 40}, alone{0, 1};
    MixtureOfExperts::Saved s;
    const Tensor all = m.module.forward(b.cx, x, rows, s);
    EXPECT_EQ(s.balancing, 0) << "a part of the loss in training";
    for (const int64_t i : {0, 17, 39}) {
      MixtureOfExperts::Saved t;
      EXPECT_EQ(numbers(m.module.forward(b.cx, x.slice(i, 1), alone, t)), numbers(all.slice(i, 1))) << i;
    }
  }
}

TEST(MixtureOfExperts, InTrainingWhatFindsNoRoomPassesBy) {
  ExpertsBench b;
  b.cx.training = true;
  Owned m(MixtureOfExperts(Activation::relu, {16, 24, 4, 1}, {0.1, 1}, 0));
  const std::vector<int32_t> rows{0, 40};
  MixtureOfExperts::Saved s;
  const Tensor y = m.module.forward(b.cx, b.random(40, 16), rows, s);
  EXPECT_GE(s.balancing, 1);
  int64_t zeros = 0;
  for (int64_t i = 0; i < 40; ++i) {
    const auto row = numbers(y.slice(i, 1));
    const bool zero = std::all_of(row.begin(), row.end(), [](float v) { return v == 0; });
    EXPECT_EQ(zero, s.routing.slots.data<int32_t>()[i] < 0) << i;
    zeros += zero;
  }
  EXPECT_GE(zeros, 36) << "four experts take one of 40 tokens each";
}

}  // namespace
}  // namespace hexapla::model
