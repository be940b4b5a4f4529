#include "model/layers/split_feed_forward.h"

#include <gmock/gmock.h>

#include <numeric>

#include "backend/cpu/cpu.h"
#include "base/compute/random.h"
#include "model/layers/feed_forward.h"
#include "model/parameters/parameters.h"

namespace hexapla::model {
namespace {

constexpr int64_t kTokens = 9, kWidth = 8, kHidden = 24, kExperts = 6;

class Split : public testing::Test {
 protected:
  Split() : parameters_(network_, DType::f32, Parameters::Use::training), x_(cx_.keep({kTokens, kWidth})) {
    initialize(network_, 3);
    Random random(4);
    const Tensor values = parameters_.values();
    for (float& v : values.values<float>()) v += static_cast<float>(0.1 * random.normal());
    for (float& v : x_.values<float>()) v = static_cast<float>(random.normal());
  }
  SplitFeedForward with(int64_t active) const {
    return {network_.activation, network_.inner, network_.outer, ByActivation{kExperts}, active};
  }
  static std::vector<float> numbers(Tensor t) { return {t.values<float>().begin(), t.values<float>().end()}; }

  FeedForward network_{Activation::relu, kWidth, kHidden, 0};
  Parameters parameters_;
  std::unique_ptr<Backend> backend_ = make_cpu_backend();
  Arena arena_{size_t{1} << 20};
  Context cx_{*backend_, arena_};
  Tensor x_;
  const std::vector<int32_t> rows_{0, kTokens};
  SplitFeedForward::Saved saved_;
  FeedForwardSaved whole_;
};

TEST_F(Split, WithAllExpertsIsTheNetwork) {
  EXPECT_EQ(numbers(with(kExperts).forward(cx_, x_, rows_, saved_)), numbers(network_.forward(cx_, x_, rows_, whole_)));
}

TEST_F(Split, UsesTheExpertsThatComeToMost) {
  with(2).forward(cx_, x_, rows_, saved_);
  network_.forward(cx_, x_, rows_, whole_);
  const int64_t width = kHidden / kExperts;
  for (int64_t t = 0; t < kTokens; ++t) {
    std::vector<float> sums;
    for (int64_t e = 0; e < kExperts; ++e) {
      const float* of_expert = whole_.hidden.data<float>() + t * kHidden + e * width;
      sums.push_back(std::accumulate(of_expert, of_expert + width, 0.F));
    }
    std::vector<float> sorted = sums;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    for (int64_t i = 0; i < kHidden; ++i) {
      const size_t at = static_cast<size_t>(t * kHidden + i), expert = static_cast<size_t>(i / width);
      const float all = numbers(whole_.hidden)[at];
      EXPECT_EQ(numbers(saved_.hidden)[at], sums[expert] >= sorted[1] ? all : 0) << "token " << t << ", unit " << i;
    }
  }
}

TEST_F(Split, RefusesExpertsOfUnequalSize) {
  SplitFeedForward s = with(1);
  s.choice = ByActivation{5};
  EXPECT_THROW(s.forward(cx_, x_, rows_, saved_), InternalError);
}

}  // namespace
}  // namespace hexapla::model
