#include "inspect/padded.h"

#include <gmock/gmock.h>

#include <cmath>

#include "backend/cpu/cpu.h"
#include "inspect/test_small.h"

namespace hexapla::inspect {
namespace {

struct PaddedModel : SmallModel {
  explicit PaddedModel(const model::Config& c) : SmallModel(c, make_cpu_backend()) {}
};

const text::Ids kShorter{4, 2};

Inspection with_padding() {
  const PaddedModel small(small_config());
  Inspection seen = small.inspect(kPair);
  add_padded(seen, *small.backend, small.model, kPair.source, kShorter, 0);
  return seen;
}

TEST(Padded, TheMaskHidesWhatIsNoToken) {
  const Inspection seen = with_padding();
  EXPECT_EQ(seen.seen.get("padded.ids").values, (std::vector<double>{4, 7, 5, 2, 4, 2, 0, 0}));
  const double hidden = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(seen.seen.get("padded.mask").values, (std::vector<double>{0, 0, 0, 0, 0, 0, hidden, hidden}));
}

// softmax(q k^T / sqrt(d_k) + padding mask) in the padded batch equals each source's weights.
TEST(Padded, ItsWeightsAreTheUnpaddedOnes) {
  const Inspection seen = with_padding();
  const std::string scope = "padded.encoder.layers.0.self_attention.";
  const Recorded second = of_source(seen.seen.get(scope + "scores"), 1), mask = seen.seen.get("padded.mask");
  const Recorded weights = of_source(seen.seen.get(scope + "weights"), 1);
  const Recorded unscaled = of_source(seen.seen.get(scope + "unscaled"), 1);
  EXPECT_EQ(second.shape, (Shape{kHeads, 4, 4}));
  for (int64_t h = 0; h < kHeads; ++h)
    for (size_t t = 0; t < kShorter.size(); ++t) {
      double sum = 0;
      std::vector<double> expected;
      for (size_t u = 0; u < 4; ++u) {
        const size_t at = (static_cast<size_t>(h) * 4 + t) * 4 + u;
        expected.push_back(std::exp(unscaled.values[at] / std::sqrt(double(kDKey)) + mask.values[4 + u]));
        sum += expected.back();
      }
      for (size_t u = 0; u < 4; ++u)
        EXPECT_NEAR(weights.values[(static_cast<size_t>(h) * 4 + t) * 4 + u], expected[u] / sum, 1e-7);
    }
}

TEST(Padded, ALongerSecondSourcePadsTheFirst) {
  const PaddedModel small(small_config());
  Inspection seen = small.inspect({kShorter, {6}});
  add_padded(seen, *small.backend, small.model, kShorter, kPair.source, -1);
  EXPECT_EQ(of_source(seen.seen.get("padded.ids"), 0).values, (std::vector<double>{4, 2, -1, -1}));
  const Recorded first = of_source(seen.seen.get("padded.encoder.embedded"), 0);
  const Recorded& alone = seen.seen.get("encoder.embedded");
  EXPECT_TRUE(std::equal(alone.values.begin(), alone.values.end(), first.values.begin()));
}

}  // namespace
}  // namespace hexapla::inspect
