// The usage record: every command that makes a model from a model keeps it, and `set` changes it.
#include <gmock/gmock.h>

#include "cli/test_command.h"
#include "model/record/usage.h"

namespace hexapla::cli {
namespace {

using model::Usage;
using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::string>;

void give(std::map<std::string, std::string>& field) { field = {{"beam-size", "3"}, {"length-penalty", "0.7"}}; }
void give(std::optional<int64_t>& field) { field = 1; }
void give(std::vector<int64_t>& field) { field = {3, 5, 8, 13}; }
void give(std::optional<double>& field) { field = 0.25; }

class UsageOfModels : public CommandFolder {
 protected:
  UsageOfModels() {
    const text::Vocabulary v =
        text::Vocabulary::train({"a dog runs .", "two cats sleep", "ein hund rennt"}, {.size = 30});
    save_untrained_model(at("bare"), v);
    Usage::visit(usage, [](const char*, auto& field) { give(field); });
    const model::LoadedModel m = model::load_model(at("bare"));
    model::save_model(at("m"), *m.net, {m.source_vocabulary, m.target_vocabulary, usage}, {});
  }
  void run(const Words& words) const {
    const Result r = run_command(words);
    ASSERT_EQ(r.code, 0) << testing::PrintToString(words) << r.err;
  }
  static Usage usage_of(const std::string& file) { return model::load_to_translate(file).usage; }
  // Training replaces the lengths by those of its own text.
  static Usage without_lengths(Usage u) {
    u.source_lengths = u.target_lengths = {};
    u.several_sentences = {};
    return u;
  }
  Usage usage;
};

TEST_F(UsageOfModels, IsKeptByEveryCommandThatMakesAModelOfOne) {
  EXPECT_EQ(usage_of(at("m")), usage);
  run({"quantize", "-m", at("m"), "-o", at("quantized")});
  EXPECT_EQ(usage_of(at("quantized")), usage);
  run({"average", at("m"), at("m"), "-o", at("mean")});
  EXPECT_EQ(usage_of(at("mean")), usage);
  run({"set", "beam-size=3", "-m", at("quantized"), "-o", at("same")});
  EXPECT_EQ(usage_of(at("same")), usage);
  run({"export", at("m"), "--to", "safetensors", "-o", at("plain")});
  run({"import", at("plain"), "-o", at("back")});
  EXPECT_EQ(usage_of(at("back")), usage);
}

TEST_F(UsageOfModels, IsKeptByTrainingOnAModelAndByItsCheckpoints) {
  write("en", "a dog runs .\ntwo cats sleep\n");
  write("de", "ein hund rennt\na dog\n");
  run({"train", "--model", at("run"), "--init-from", at("m"), "--train-sets", at("en"), at("de"), "--max-updates", "1",
       "--lr", "1e-30", "--warmup", "1", "--threads", "1", "--precision", "f32", "--quiet"});
  run({"average", at("run"), "--last", "1", "-o", at("mean")});
  for (const char* made : {"run/model.safetensors", "mean"}) {
    const Usage found = usage_of(at(made));
    EXPECT_EQ(without_lengths(found), without_lengths(usage)) << made;
    ASSERT_EQ(found.source_lengths.size(), std::size(model::kLengthShares)) << made;
    EXPECT_GT(found.source_lengths.front(), 1) << made;
    EXPECT_EQ(found.several_sentences, 0.0) << made;
  }
}

TEST_F(UsageOfModels, OfAMeanIsWhatAllHaveInCommon) {
  run({"set", "beam-size=5", "-m", at("m"), "-o", at("other")});
  run({"average", at("m"), at("other"), "-o", at("mean")});
  Usage expected = usage;
  expected.search.erase("beam-size");
  EXPECT_EQ(usage_of(at("mean")), expected);
  run({"set", "alignment-layer=0", "-m", at("m"), "-o", at("other")});
  run({"average", at("m"), at("other"), "-o", at("mean")});
  EXPECT_FALSE(usage_of(at("mean")).alignment_layer);
  EXPECT_FALSE(usage_of(at("mean")).alignment_head) << "a head of no layer means nothing";
}

TEST_F(UsageOfModels, IsChangedFieldByField) {
  run({"set", "beam-size=5", "length-penalty=", "alignment-layer=0", "alignment-head=", "-m", at("m"), "-o", at("n")});
  Usage expected = usage;
  expected.search = {{"beam-size", "5"}};
  expected.alignment_layer = 0;
  expected.alignment_head = {};
  EXPECT_EQ(usage_of(at("n")), expected);
  const auto refused = [&](const std::string& change, const auto& what) {
    const Result r = run_command({"set", change, "-m", at("m"), "-o", at("refused")});
    EXPECT_EQ(r.code, 2) << change;
    EXPECT_THAT(r.err, what);
  };
  refused("beam-size", HasSubstr("NAME=VALUE"));
  refused("beam-size=0", HasSubstr("beam-size"));
  refused("beams=4", AllOf(HasSubstr("no record of 'beams'"), HasSubstr("alignment-head")));
  EXPECT_THAT(run_command({"set", "beam-size=5", "beam-size=6", "-m", at("m"), "-o", at("refused")}).err,
              HasSubstr("changed twice"));
  refused("alignment-layer=2", HasSubstr("alignment-layer"));
  EXPECT_THAT(run_command({"set", "beam-size=2", "-m", at("m"), "-o", at("m")}).err, HasSubstr("overwritten"));
}

TEST_F(UsageOfModels, IsShown) {
  const Result text = run_command({"info", "-m", at("m")}), json = run_command({"info", "-m", at("m"), "--json"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("search beam-size"), HasSubstr("alignment-layer"), HasSubstr("source-end")));
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"usage\""), HasSubstr("\"several-sentences\": 0.25")));
}

// A field that this version does not know may affect translations.
TEST_F(UsageOfModels, OfANewerVersionIsNotPassedOver) {
  EXPECT_THAT(what_of<DataError>([] { Usage::from_json(R"({"casing":"lower"})", "m"); }), HasSubstr("'casing'"));
  EXPECT_THAT(what_of<DataError>([] { Usage::from_json(R"({"alignment-layer":"x"})", "m"); }), HasSubstr("damaged"));
  EXPECT_EQ(Usage::from_json(usage.to_json(), "m"), usage);
}

}  // namespace
}  // namespace hexapla::cli
