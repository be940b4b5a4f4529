#include "model/weights/quantize.h"
#include "model/weights/save_quantized.h"

#include <gmock/gmock.h>

#include <cmath>
#include <list>

#include "base/compute/random.h"
#include "base/files/test_folder.h"

namespace hexapla::model {
namespace {
using testing::HasSubstr;

TEST(Quantize, LosesAtMostHalfAStep) {
  Random random(1);
  std::vector<float> w(7 * 5), back(7 * 5);
  for (float& x : w) x = static_cast<float>(random.normal());
  const Tensor t = Tensor::of(w.data(), {7, 5}), b = Tensor::of(back.data(), {7, 5});
  for (const ScaleOf how : {ScaleOf::columns, ScaleOf::rows}) {
    Quantized q = quantize(t, how);
    ASSERT_EQ(q.scales.size(), how == ScaleOf::columns ? 5u : 7u);
    dequantize(Tensor::of(q.integers.data(), {7, 5}), Tensor::of(q.scales.data(), {int64_t(q.scales.size())}), how, b);
    for (size_t i = 0; i < w.size(); ++i)
      EXPECT_LE(std::fabs(w[i] - back[i]), q.scales[how == ScaleOf::columns ? i % 5 : i / 5] * 0.501f);
    EXPECT_EQ(quantize(b, how).integers, q.integers) << "what is quantized stays as it is";
  }
}

TEST(Quantize, ZerosStayZeros) {
  std::vector<float> w(6);
  const Quantized q = quantize(Tensor::of(w.data(), {2, 3}), ScaleOf::columns);
  EXPECT_EQ(q.integers, std::vector<int8_t>(6));
  EXPECT_EQ(q.scales, std::vector<float>(3));
}

// Below 3.7e-37 the inverse of a column's scale is infinite.
TEST(Quantize, ColumnsWithoutAnInverseScaleAreZeros) {
  std::vector<float> w{1, 1e-38f, 3e-37f, 4e-37f, -1, 0, -3e-37f, -4e-37f};
  const Quantized q = quantize(Tensor::of(w.data(), {2, 4}), ScaleOf::columns);
  EXPECT_EQ(q.integers, (std::vector<int8_t>{127, 0, 0, 127, -127, 0, 0, -127}));
  EXPECT_EQ(q.scales, (std::vector<float>{1.f / 127, 0, 0, 4e-37f / 127}));
}

class QuantizedModel : public TestFolder {
 protected:
  QuantizedModel() : net(config()), parameters(net, DType::f32, Parameters::Use::inference) { initialize(net, 1); }
  static Config config() {
    Config c;
    c.source_vocab = c.target_vocab = 11;
    c.enc_layers = c.dec_layers = 1;
    c.d_model = 8, c.d_ff = 12, c.heads = 2;
    c.resolve();
    return c;
  }
  std::string save(const std::vector<std::string>& keep = {}) {
    save_quantized(at("q"), net, {"text", "text"}, {{"seed", "1"}}, keep);
    return at("q");
  }

  Transformer net;
  Parameters parameters;
};

TEST_F(QuantizedModel, IsLoadedAsWhatItsIntegersStandFor) {
  const LoadedModel loaded = load_model(save());
  std::map<std::string, Parameter*> original;
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) { original[name] = &p; });
  int quantized = 0;
  for_each<Parameter>(*loaded.net, [&](const std::string& name, Parameter& p) {
    const auto was = original.at(name)->value.values<float>(), is = p.value.values<float>();
    const bool rounds = quantizable(name, p).has_value();
    quantized += rounds;
    for (size_t i = 0; i < was.size(); ++i) ASSERT_NEAR(was[i], is[i], rounds ? 0.02 : 0) << name;
  });
  EXPECT_EQ(quantized, 1 + 4 + 7);
  EXPECT_EQ(loaded.history.at("seed"), "1");
}

TEST_F(QuantizedModel, KeepsItsIntegersToTranslate) {
  const LoadedModel loaded = load_model(save()), mapped = load_to_translate(at("q"));
  EXPECT_FALSE(mapped.parameters);
  for_each<Parameter>(*mapped.net, [&](const std::string& name, Parameter& p) {
    EXPECT_EQ(bool(p.integers), quantizable(name, p).has_value()) << name;
  });
  const Parameter &a = mapped.net->target_embedding().table, &b = loaded.net->target_embedding().table;
  EXPECT_EQ(a.value.dtype, DType::f32);
  std::vector<float> numbers(b.value.values<float>().size());
  dequantize(a.integers, a.scales, ScaleOf::rows, Tensor::of(numbers.data(), b.value.shape));
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), b.value.values<float>().begin()));
}

TEST_F(QuantizedModel, PartsCanStayAsTheyAre) {
  const LoadedModel mapped = load_to_translate(save({"encoder.layers.0.", "embeddings."}));
  for_each<Parameter>(*mapped.net, [&](const std::string& name, Parameter& p) {
    const bool kept = name.starts_with("encoder.layers.0.") || name.starts_with("embeddings.");
    EXPECT_EQ(bool(p.integers), quantizable(name, p).has_value() && !kept) << name;
  });
}

TEST_F(QuantizedModel, TheNetItselfIsNotChanged) {
  save();
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) { EXPECT_FALSE(p.integers) << name; });
}

TEST_F(QuantizedModel, MissingScalesAreRefused) {
  const auto file = SafetensorsFile::open(save());
  std::list<std::string> bytes;
  std::vector<NamedTensor> tensors;
  for (const auto& t : file.tensors())
    if (t.name != "embeddings.0.table.scales")
      tensors.push_back({t.name, Tensor(bytes.emplace_back(file.text(t)).data(), t.shape, t.dtype)});
  write_safetensors(at("changed"), tensors, file.metadata());
  EXPECT_THAT(what_of<DataError>([&] { load_model(at("changed")); }), HasSubstr("embeddings.0.table.scales"));
  EXPECT_THAT(what_of<DataError>([&] { load_to_translate(at("changed")); }), HasSubstr("embeddings.0.table.scales"));
}

}  // namespace
}  // namespace hexapla::model
