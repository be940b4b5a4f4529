#include "model/weights/packed_weights.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <map>
#include <thread>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "base/files/test_folder.h"
#include "model/weights/quantize.h"
#include "model/weights/save_quantized.h"
#include "tensor/half.h"

namespace hexapla::model {
namespace {
using testing::HasSubstr;

const std::vector<int32_t> kSource{5, 7, 9, 2}, kTargetIn{1, 6, 4}, kTargetOut{6, 4, 2}, kSourceRows{0, 4},
    kTargetRows{0, 3};

struct Results {
  std::vector<float> log_probabilities;
  double nll = 0;
  bool operator==(const Results&) const = default;
};
Results results_of(Backend& backend, const Transformer& net) {
  Arena arena(8 << 20);
  Context cx{backend, arena};
  const BatchView batch{kSource, kTargetIn, kTargetOut, kSourceRows, kTargetRows};
  Transformer::Saved saved;
  const auto all = net.log_probabilities(cx, batch, saved).values<float>();
  return {{all.begin(), all.end()}, net.loss(cx, batch, 0, saved).nll};
}

const std::map<std::string, std::function<void(Config&)>> kSiblings{
    {"paper", [](Config&) {}},
    {"gru", [](Config& c) { c.encoder_mixing = "gru"; }},
    {"convolution", [](Config& c) { c.encoder_mixing = "convolution"; }},
    {"ssru", [](Config& c) { c.decoder_mixing = "ssru"; }},
    {"experts", [](Config& c) { c.experts = 3, c.experts_per_token = 2; }}};

class PackedModel : public TestFolder, public testing::WithParamInterface<const char*> {
 protected:
  Config config() const {
    Config c;
    c.source_vocab = c.target_vocab = 24;
    c.enc_layers = c.dec_layers = 2;
    c.d_model = 16, c.d_ff = 24, c.heads = 2;
    c.tied = c.tied.parse("tied", GetParam());
    c.generator_bias = true;
    sibling_(c);
    c.resolve();
    return c;
  }
  std::string save(const std::string& name, uint64_t seed, bool quantized = false) const {
    Transformer net(config());
    const Parameters parameters(net, DType::f32, Parameters::Use::inference);
    initialize(net, seed);
    if (quantized)
      save_quantized(at(name), net, {"text", "text"}, {}, {});
    else
      save_model(at(name), net, {"text", "text"}, {});
    return at(name);
  }
  std::unique_ptr<Backend> backend_ = make_cpu_backend();
  std::function<void(Config&)> sibling_ = [](Config&) {};
};

TEST_P(PackedModel, HasTheBitsOfTheModelAsItIs) {
  for (const auto& [name, change] : kSiblings) {
    sibling_ = change;
    const std::string file = save(name, 1);
    const Results expected = results_of(*backend_, *load_model(file).net);
    LoadedModel packed = load_to_translate(file);
    pack_weights(*backend_, packed);
    EXPECT_EQ(results_of(*backend_, *packed.net), expected) << name;
  }
}

TEST_P(PackedModel, KeepsEveryWeightOfAProductAndNothingElse) {
  LoadedModel model = load_to_translate(save("model", 1));
  pack_weights(*backend_, model);
  const Parameter* tied = model.net->generator.weight ? nullptr : &model.net->target_embedding().table;
  for_each<Parameter>(*model.net, [&](const std::string& name, const Parameter& p) {
    EXPECT_EQ(p.packed != nullptr, quantizable(name, p) == ScaleOf::columns || &p == tied) << name;
  });
}

// The weights of a new model may have the addresses of a deleted one.
TEST_P(PackedModel, ModelsAfterAndBesideEachOtherKeepToTheirOwn) {
  std::vector<std::string> files;
  std::vector<Results> expected;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    files.push_back(save(cat("model", seed), seed));
    expected.push_back(results_of(*backend_, *load_model(files.back()).net));
  }
  for (size_t i = 0; i < files.size(); ++i) {
    LoadedModel first = load_to_translate(files[i]), second = load_to_translate(files[(i + 1) % 3]);
    pack_weights(*backend_, first);
    pack_weights(*backend_, second);
    EXPECT_EQ(results_of(*backend_, *first.net), expected[i]);
    EXPECT_EQ(results_of(*backend_, *second.net), expected[(i + 1) % 3]);
  }
  EXPECT_EQ(results_of(*backend_, *load_model(files[0]).net), expected[0]) << "one that is not packed";
}

TEST_P(PackedModel, IsSharedByThreads) {
  LoadedModel model = load_to_translate(save("model", 1));
  pack_weights(*backend_, model);
  const Transformer& net = *model.net;
  const Results expected = results_of(*backend_, net);
  std::vector<Results> found(3);
  {
    std::vector<std::jthread> threads;
    for (Results& r : found) threads.emplace_back([&] { r = results_of(*backend_, net); });
  }
  for (const Results& r : found) EXPECT_EQ(r, expected);
}

TEST_P(PackedModel, AQuantizedOneGivesAboutWhatItsIntegersStandFor) {
  for (const auto& [name, change] : kSiblings) {
    sibling_ = change;
    const std::string file = save(name, 1, true);
    const Results expected = results_of(*backend_, *load_model(file).net);
    LoadedModel packed = load_to_translate(file);
    EXPECT_THROW(results_of(*backend_, *packed.net), InternalError)
        << "its integers are no numbers before they are packed";
    pack_weights(*backend_, packed);
    const Results found = results_of(*backend_, *packed.net);
    EXPECT_NEAR(found.nll, expected.nll, 0.2) << name;
    for (size_t i = 0; i < found.log_probabilities.size(); ++i)
      EXPECT_NEAR(found.log_probabilities[i], expected.log_probabilities[i], 0.2) << name;
  }
}

// Bit-identical, and without an f32 table.
TEST_P(PackedModel, AQuantizedOneLooksUpWhatItsIntegersStandFor) {
  const std::string file = save("model", 1, true);
  const LoadedModel plain = load_model(file), quantized = load_to_translate(file);
  Arena arena(1 << 20);
  Context cx{*backend_, arena};
  const std::vector<int32_t> ids{5, 0, 23, 5};
  for (size_t i = 0; i < plain.net->embeddings.size(); ++i) {
    const Tensor all = Tensor::of(ids.data(), {4});
    const auto expected = plain.net->embeddings[i].forward(cx, all).values<float>(),
               found = quantized.net->embeddings[i].forward(cx, all).values<float>();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin(), found.end())) << i;
    const auto place = quantized.net->embeddings[i].table.value.values<float>();
    EXPECT_TRUE(std::all_of(place.begin(), place.end(), [](float x) { return x == 0; })) << "never written";
  }
}

// 16-bit numbers give the same bits as the same numbers in f32, packed or not.
TEST_P(PackedModel, InHalfPrecisionHasTheBitsOfItsNumbersInF32) {
  for (const DType type : {DType::f16, DType::bf16})
    for (const auto& [name, change] : kSiblings) {
      sibling_ = change;
      const LoadedModel from = load_model(save("model", 1));
      const auto fill = [&](const std::string& parameter, const Tensor& to) {
        for (const auto& [other, p] : leaves_of(*from.net).parameters)
          for (size_t i = 0; other == parameter && i < p->value.values<float>().size(); ++i)
            NumberStore(to).set(i, p->value.values<float>()[i]);
      };
      save_model(at("halves"), config(), {"text", "text"}, {}, {fill, [&](const std::string&) { return type; }});
      const Results expected = results_of(*backend_, *load_model(at("halves")).net);
      LoadedModel packed = load_to_translate(at("halves"));
      pack_weights(*backend_, packed);
      EXPECT_EQ(results_of(*backend_, *packed.net), expected) << name;
      const auto plain = make_reference_backend();  // does not pack weights
      LoadedModel unpacked = load_to_translate(at("halves"));
      pack_weights(*plain, unpacked);
      EXPECT_EQ(results_of(*plain, *unpacked.net), results_of(*plain, *load_model(at("halves")).net)) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, PackedModel, testing::Values("all", "decoder", "none"));

TEST(PackedWeights, OfAnotherShapeAreAnError) {
  const auto backend = make_cpu_backend();
  std::vector<float> numbers(12);
  const Tensor w = Tensor::of(numbers.data(), {3, 4}), x = Tensor::of(numbers.data(), {1, 3});
  const auto packed = backend->pack(w.transposed());
  Arena arena(1 << 16);
  Context cx{*backend, arena};
  EXPECT_THAT(what_of<InternalError>([&] { linear(cx, x, {w, packed.get()}, {}); }), HasSubstr("packed copy"));
}

TEST(PackedWeights, HaveNoGradient) {
  const auto backend = make_cpu_backend();
  std::vector<float> numbers(12);
  const std::vector<int32_t> label{2};
  const Tensor w = Tensor::of(numbers.data(), {3, 4}), x = Tensor::of(numbers.data(), {1, 3});
  const auto packed = backend->pack(w);
  Arena arena(1 << 16);
  Context cx{*backend, arena};
  const LossInput in{x, {w, packed.get()}, {}, Tensor::of(label.data(), {1}), 0.1, 1};
  EXPECT_NO_THROW(cross_entropy(cx, in));
  EXPECT_THAT(what_of<InternalError>([&] { cross_entropy_with_gradient(cx, in, {}, {}); }), HasSubstr("is packed"));
}

}  // namespace
}  // namespace hexapla::model
