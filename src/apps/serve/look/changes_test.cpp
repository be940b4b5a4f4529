#include "serve/look/changes.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "lib/test_models.h"
#include "model/changes/changed_model.h"
#include "serve/look/look.h"

namespace hexapla::serve {
namespace {

using api::test::model_file;
using nlohmann::json;
using testing::HasSubstr;

const Inspector& inspector() {
  static const Inspector one(model_file());
  return one;
}

Answer changed(const json& changes, json request = {{"q", "a dog runs"}, {"t", "two cats"}, {"tensors", {"*"}}}) {
  request["changes"] = changes;
  return inspect(inspector(), request);
}

struct LookChanges : TestFolder {
  // The answer of a model file with the same weights, another configuration and edited numbers.
  template <class Edit, class Numbers>
  Answer rewritten(Edit&& edit, Numbers&& numbers) const {
    const model::LoadedModel from = model::load_model(model_file());
    model::Config config = from.config;
    edit(config);
    config.resolve();
    model::Transformer net(config);
    const model::Parameters memory(net, DType::f32, model::Parameters::Use::inference);
    model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
      model::for_each<model::Parameter>(*from.net, [&](const std::string& own, model::Parameter& q) {
        if (own == name) std::copy_n(q.value.data<float>(), q.value.size(), p.value.data<float>());
      });
      numbers(name, p);
    });
    model::save_model(at("changed.safetensors"), net, from.text(), {});
    return inspect(Inspector(at("changed.safetensors")), {{"q", "a dog runs"}, {"t", "two cats"}, {"tensors", {"*"}}});
  }
  template <class Edit>
  Answer configured(Edit&& edit) const {
    return rewritten(edit, [](const std::string&, model::Parameter&) {});
  }
};

void expect_same(const Answer& a, const Answer& b) {
  ASSERT_EQ(a["names"], b["names"]) << "with their formulas";
  for (const auto& [name, tensor] : a["tensors"].items()) {
    const Answer &values = tensor["values"], &others = b["tensors"][name]["values"];
    ASSERT_EQ(values.size(), others.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != others[i]) {  // -inf in masked cells
        ASSERT_NEAR(values[i].get<double>(), others[i].get<double>(), 1e-6) << name;
      }
    }
  }
}

TEST_F(LookChanges, AreThoseOfAModelWithThatSetting) {
  expect_same(changed({{"scale", false}}), configured([](model::Config& c) { c.score = "dot"; }));
  expect_same(changed({{"mask", false}}), configured([](model::Config& c) { c.decoder_mask = "none"; }));
  expect_same(changed({{"positions", false}}), configured([](model::Config& c) { c.positions = "none"; }));
  expect_same(changed({{"scale", false}, {"positions", false}}),
              configured([](model::Config& c) { c.score = "dot", c.positions = "none"; }));
}

TEST_F(LookChanges, ARemovedHeadHasNoRowsInTheOutputProjection) {
  const auto removed = [&](const std::string& projection, std::int64_t head) {
    return rewritten([](model::Config&) {},
                     [&](const std::string& name, model::Parameter& p) {
                       if (name == projection) std::fill_n(p.value.slice(head * 32, 32).data<float>(), 32 * 128, 0.f);
                     });
  };
  expect_same(changed({{"heads", {{"encoder", 1, 2}}}}), removed("encoder.layers.0.self_attention.output.weight", 1));
  expect_same(changed({{"heads", {{"decoder", 1, 1}}}}), removed("decoder.layers.0.self_attention.output.weight", 0));
  expect_same(changed({{"heads", {{"cross", 1, 4}}}}), removed("decoder.layers.0.cross_attention.output.weight", 3));
  const json request{{"q", "a dog runs"}, {"t", "two cats"}, {"tensors", {"*"}}};
  EXPECT_EQ(inspect(inspector(), request), inspect(Inspector(model_file()), request))
      << "the model itself is as before";
}

TEST_F(LookChanges, ATranslationStandsBesideTheModelsOwn) {
  const Answer answer = changed({{"heads", {{"cross", 1, 1}, {"cross", 1, 2}}}}, {{"q", "a dog runs"}});
  const Translation own = inspector().translation("a dog runs");
  EXPECT_EQ(answer["unchanged"]["text"], own.text);
  EXPECT_EQ(answer["unchanged"]["tokens"], own.tokens);
  EXPECT_EQ(inspector().inspect("a dog runs").target_tokens.size(), own.tokens.size() + 1);
  const Answer& other = answer["translation"];
  EXPECT_EQ(other["log_probabilities"].size(), other["tokens"].size() + 1);
  std::vector<std::string> read{"<s>"};
  for (const auto& token : other["tokens"]) read.push_back(token);
  EXPECT_EQ(answer["target_tokens"], read);
  EXPECT_NEAR(answer["score"].get<double>(), other["score"].get<double>(), 1e-4);
}

// Greedily, with a pass over the whole prefix for each token.
TEST_F(LookChanges, WithoutTheMaskEveryStepSeesThePrefixAnew) {
  api::test::save_recorded(at("greedy.safetensors"),
                           {{"beam-size", "1"}, {"length-penalty", "0"}, {"extra-length", "6"}});
  const Inspector one = Inspector(at("greedy.safetensors")).changed({.mask = false});
  const Translation found = one.translation("a dog runs");
  InspectionOptions options;
  options.top_tokens = 3;
  options.target_tokens.emplace();
  for (std::size_t i = 0; i < found.tokens.size(); ++i) {
    const auto top = one.inspect("a dog runs", "", options).top.back();
    const auto best = std::find_if(top.begin(), top.end(), [](const NextToken& next) { return next.token != "<s>"; });
    EXPECT_EQ(found.tokens[i], best->token) << i;
    EXPECT_NEAR(found.token_scores[i], best->log_probability, 1e-5);
    options.target_tokens->push_back(found.tokens[i]);
  }
  EXPECT_GT(found.tokens.size(), 2u);
  TranslatorOptions how;
  how.beam_size = 1, how.extra_length = 6, how.length_penalty = 0;
  EXPECT_EQ(one.trace("a dog runs", how).finished.at(0).tokens, found.tokens);
}

TEST_F(LookChanges, SourceTokensTakeThePlaceOfTheText) {
  const std::vector<std::string> cats = inspector().inspect("a cat runs", "two").source_tokens;
  const json request{{"q", "a dog runs"}, {"t", "two"}, {"tensors", {"encoder.*"}}};
  const Answer answer = changed({{"source_tokens", cats}}, request);
  EXPECT_EQ(answer["source_tokens"], cats);
  EXPECT_EQ(answer["tensors"],
            inspect(inspector(), {{"q", "a cat runs"}, {"t", "two"}, {"tensors", {"encoder.*"}}})["tensors"]);
  EXPECT_EQ(answer["unchanged"]["text"], inspector().translation("a dog runs").text);
  EXPECT_EQ(answer["translation"]["text"], inspector().translation("a cat runs").text);
}

TEST_F(LookChanges, AChangedModelOutlivesTheOneThatItWasMadeFrom) {
  auto first = std::make_unique<Inspector>(model_file());
  const Inspector other = first->changed({.scale = false});
  const Inspector both = other.changed({.positions = false});
  first.reset();
  EXPECT_EQ(other.inspect("a dog", "two").predicted.back(), "</s>");
  EXPECT_EQ(both.formula("encoder.layers.0.self_attention.scores"),
            inspector().changed({.scale = false}).formula("encoder.layers.0.self_attention.scores"));
}

TEST_F(LookChanges, ShareTheUnchangedNumbers) {
  const model::LoadedModel from = model::load_model(model_file());
  const model::LoadedModel to = model::changed_model(from, {.scale = false, .removed_heads = {{"cross", 1, 1}}});
  EXPECT_EQ(to.net->source_embedding().table.value.bytes, from.net->source_embedding().table.value.bytes);
  EXPECT_EQ(to.memory.size(), 1u) << "one output projection";
}

TEST_F(LookChanges, AreRefusedByNameIfThereIsNoSuchPart) {
  const auto refusal = [](const json& changes) { return what_of<UsageError>([&] { changed(changes); }); };
  EXPECT_THAT(refusal({{"skale", false}}), HasSubstr("\"skale\""));
  EXPECT_THAT(refusal({{"scale", 0}}), HasSubstr("true or false"));
  EXPECT_THAT(refusal(json::array()), HasSubstr("must be an object"));
  EXPECT_THAT(refusal({{"heads", {{"encoder", 2, 1}}}}), HasSubstr("no layer 2"));
  EXPECT_THAT(refusal({{"heads", {{"encoder", 1, 5}}}}), HasSubstr("no head 5"));
  EXPECT_THAT(refusal({{"heads", {{"both", 1, 1}}}}), HasSubstr("\"both\""));
  EXPECT_THAT(refusal({{"heads", json::array({json::array({"encoder", 1})})}}), HasSubstr("[\"encoder\", 1, 2]"));
  EXPECT_THAT(refusal({{"source_tokens", {"\u0e44"}}}), HasSubstr("the source vocabulary has no token"));
  EXPECT_THAT(refusal({{"source_tokens", json::array()}}), HasSubstr("no tokens"));
  EXPECT_THAT(what_of<UsageError>([&] { inspector().changed({.scale = false}).changed({.scale = false}); }),
              HasSubstr("the model's score is dot"));
}

TEST(LookDistribution, IsWhatSamplingDrawsFrom) {
  const Answer answer = inspect(inspector(), {{"q", "a dog"},
                                              {"t", "two"},
                                              {"top", 50},
                                              {"tensors", {"generator.log_probabilities"}},
                                              {"distribution", {{"temperature", 0.5}, {"top_p", 0.6}}}});
  const std::vector<double> all = answer["tensors"]["generator.log_probabilities"]["values"];
  const std::size_t columns = all.size() / answer["predicted"].size();
  std::vector<double> weights;  // of the first position, without <s> and padding
  for (std::size_t id = 0; id < columns; ++id)
    if (id != 0 && id != 1) weights.push_back(std::exp(all[id] / 0.5));
  std::sort(weights.rbegin(), weights.rend());
  double total = 0, kept = 0;
  for (const double w : weights) total += w;
  std::size_t n = 0;
  while (kept < 0.6 * total) kept += weights[n++];
  const Answer& first = answer["distribution"][0];
  EXPECT_EQ(first["size"], n);
  ASSERT_EQ(first["tokens"].size(), n);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(first["tokens"][i]["probability"].get<double>(), weights[i] / kept, 1e-6);
}

TEST(LookDistribution, RefusesWhatSamplingRefuses) {
  const auto refusal = [](const json& shape) {
    return what_of<UsageError>([&] { inspect(inspector(), {{"q", "a"}, {"t", "a"}, {"distribution", shape}}); });
  };
  EXPECT_THAT(refusal({{"temperature", 0}}), HasSubstr("temperature"));
  EXPECT_THAT(refusal({{"top_p", 1.5}}), HasSubstr("top_p"));
  EXPECT_THAT(refusal({{"top_k", 1}}), HasSubstr("\"top_k\""));
  EXPECT_THAT(refusal({{"top_p", "x"}}), HasSubstr("must be a number"));
}

}  // namespace
}  // namespace hexapla::serve
