#include "model/weights/mixed_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/test_folder.h"
#include "model/parameters/parameters.h"

namespace hexapla::model {
namespace {

using testing::ElementsAre;

// A model in which each part costs some BLEU as integers.
struct Model {
  std::vector<std::pair<std::string, double>> costs{{"a", 0.1}, {"b", 2}, {"c", 0.6}, {"d", 0}};
  int measured = 0;

  double score(const std::vector<std::string>& kept) {
    ++measured;
    double lost = 0;
    for (const auto& [part, cost] : costs)
      if (std::find(kept.begin(), kept.end(), part) == kept.end()) lost += cost;
    return 40 - lost;
  }
  std::vector<std::string> kept(double max_drop, std::vector<std::string> already = {}) {
    MixedPrecisionSearch search{40, max_drop, [this](const auto& parts) { return score(parts); }};
    return parts_to_keep(search, {"a", "b", "c", "d"}, already, score(already));
  }
};

TEST(MixedPrecision, KeepsTheMostSensitivePartsUntilLittleIsLost) {
  EXPECT_THAT(Model().kept(3), ElementsAre()) << "nothing need be kept";
  EXPECT_THAT(Model().kept(1), ElementsAre("b"));
  EXPECT_THAT(Model().kept(0.3), ElementsAre("b", "c"));
  EXPECT_THAT(Model().kept(0), ElementsAre("b", "c", "a"));
  EXPECT_THAT(Model().kept(0.3, {"c"}), ElementsAre("c", "b"));
}

TEST(MixedPrecision, EndsWhereNothingIsLeft) {
  MixedPrecisionSearch hopeless{40, 0.1, [](const auto&) { return 1.0; }};
  EXPECT_EQ(parts_to_keep(hopeless, {"a", "b"}, {}, 1).size(), 2u);
}

TEST(MixedPrecision, PartsAreLayersTablesAndGenerator) {
  model::Config c = model::Config::preset("tiny");
  c.source_vocab = c.target_vocab = 20;
  c.enc_layers = 2;
  c.dec_layers = 1;
  c.resolve();
  model::Transformer net(c);
  const model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
  const std::vector<std::string> parts = quantizable_parts(net);
  EXPECT_THAT(parts, testing::IsSupersetOf({"encoder.layers.0.", "encoder.layers.1.", "decoder.layers.0."}));
  EXPECT_NO_THROW(check_kept(net, parts));
  EXPECT_THAT(what_of<UsageError>([&] { check_kept(net, {"encoder.layers.7."}); }),
              testing::HasSubstr("nothing of that name to quantize; it has "));
}

}  // namespace
}  // namespace hexapla::model
