#include "model/weights/average.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/compute/random.h"
#include "base/files/test_folder.h"

namespace hexapla::model {
namespace {
using testing::HasSubstr;

class AverageTest : public TestFolder {
 protected:
  // A model in which all numbers are `value`.
  std::string model(
      const std::string& name, double value, int64_t d_ff = 6, const std::string& vocabulary = "v",
      const std::function<void(Config&)>& change = [](Config&) {}) {
    Config c;
    c.source_vocab = c.target_vocab = 11;
    c.enc_layers = c.dec_layers = 1;
    c.d_model = 4, c.d_ff = d_ff, c.heads = 2, c.norm = "batch";
    change(c);
    c.resolve();
    Transformer net(c);
    Parameters parameters(net, DType::f32, Parameters::Use::inference);
    for_each<Parameter>(net, [&](const std::string&, Parameter& p) { fill(p.value, value); });
    for_each<Buffer>(net, [&](const std::string&, Buffer& b) { fill(b.value, std::abs(value)); });
    save_model(at(name), net, {vocabulary, vocabulary}, {{"seed", name}, {"warmup", "7"}});
    return at(name);
  }
  static void fill(const Tensor& t, double value) {
    for (float& x : t.values<float>()) x = static_cast<float>(value);
  }
};

TEST_F(AverageTest, IsTheMeanOfParametersAndBuffers) {
  LoadedModel m = average_models({model("a", 1), model("b", 2), model("c", 6)});
  for_each<Parameter>(*m.net, [&](const std::string& name, Parameter& p) {
    for (const float x : p.value.values<float>()) ASSERT_EQ(x, 3.0f) << name;
  });
  int buffers = 0;
  for_each<Buffer>(*m.net, [&](const std::string& name, Buffer& b) {
    for (const float x : b.value.values<float>()) ASSERT_EQ(x, 3.0f) << name;
    ++buffers;
  });
  EXPECT_GT(buffers, 0);
}

TEST_F(AverageTest, SumsInF64) {
  LoadedModel m = average_models({model("a", 1e8), model("b", 1), model("c", -1e8)});
  for_each<Parameter>(*m.net, [&](const std::string& name, Parameter& p) {
    for (const float x : p.value.values<float>()) ASSERT_EQ(x, 1.0f / 3) << name;
  });
}

TEST_F(AverageTest, HistoryIsWhatAllShare) {
  const LoadedModel m = average_models({model("a", 1), model("b", 2)});
  EXPECT_EQ(m.history, (std::map<std::string, std::string>{{"warmup", "7"}, {"average_of", at("a") + " " + at("b")}}));
}

TEST_F(AverageTest, RefusesAnotherShapeOrVocabulary) {
  const std::string a = model("a", 1), wide = model("wide", 1, 8), other = model("other", 1, 6, "w");
  EXPECT_THAT(what_of<DataError>([&] {
                average_models({a, wide});
              }),
              HasSubstr(wide + ": its dim-ff is 8, but that of " + a));
  EXPECT_THAT(what_of<DataError>([&] { average_models({a, other}); }), HasSubstr(other + ": its vocabulary"));
}

// One of the two files does not have this field.
TEST_F(AverageTest, RefusesWhatAFileLeavesOutAtItsDefault) {
  const std::string a = model("a", 1), open = model("open", 1, 6, "v", [](Config&c) { c.decoder_mask = "none"; });
  EXPECT_THAT(what_of<DataError>([&] {
                average_models({a, open});
              }),
              HasSubstr(open + ": its decoder-mask is \"none\", but that of " + a + " is \"causal\""));
  EXPECT_THROW(average_models({open, a}), DataError);
}

TEST_F(AverageTest, TakesModelsThatDifferInWhatIsOfTrainingAlone) {
  const std::string a = model("a", 1), b = model("b", 3, 6, "v", [](Config&c) {
                                         c.dropout = 0.3, c.load_balancing = 1, c.expert_capacity = 2;
                                       });
  EXPECT_EQ(average_models({a, b}).parameters->values().data<float>()[0], 2.0f);
}

}  // namespace
}  // namespace hexapla::model
