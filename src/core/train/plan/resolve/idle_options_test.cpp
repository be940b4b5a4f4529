// Gives every option of a training in contexts where it has an effect and where it has none.
#include "train/plan/resolve/idle_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <map>
#include <optional>

#include "base/error.h"
#include "base/test_paths.h"
#include "train/plan/resolve/recipes.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::train {
namespace {

using testing::HasSubstr;

using GivenOptions = std::vector<GivenOption>;

const std::string kModel = source_path("tests/fixtures/run_of_0.1.0/model.safetensors");

// Each context gives some options their effect, or takes it away.
const std::vector<GivenOptions> kContexts{
    {},
    {{"valid-sets", {"a", "b"}}},
    {{"valid-sets", {"a", "b"}}, {"valid-script", {"p"}}},
    {{"vocab", {"v.spm"}}},
    {{"vocabs", {"a.spm", "b.spm"}}},
    {{"separate-vocabs", {"true"}}},
    {{"init-from", {kModel}}},
    {{"init-from", {kModel}}, {"preset", {"tiny"}}},
    {{"preset", {"tiny"}}},
    {{"preset", {"tiny"}}, {"lr", {"0"}}},
    {{"schedule", {"plateau"}}, {"valid-sets", {"a", "b"}}},
    {{"schedule", {"linear"}}},
    {{"schedule", {"cosine"}}},
    {{"schedule", {"constant"}}},
    {{"guided-alignment", {"links"}}},
    {{"final-model", {"best"}}, {"valid-sets", {"a", "b"}}},
    {{"average-last", {"0"}}},
    {{"average-best", {"3"}}, {"valid-sets", {"a", "b"}}},
    {{"shards", {"2"}}, {"accumulate", {"2"}}},
    {{"experts", {"4"}}},
    {{"experts", {"4"}}, {"dim-expert", {"8"}}},
    {{"norm", {"none"}}},
    {{"norm", {"none"}}, {"embedding-norm", {"true"}}},
    {{"positions", {"learned"}}},
    {{"positions", {"none"}}},
    {{"encoder-mixing", {"convolution"}}},
    {{"decoder-mixing", {"ssru"}}},
};

bool has(const GivenOptions& given, const std::string& name) {
  return std::any_of(given.begin(), given.end(), [&](const GivenOption& option) { return option.name == name; });
}

// Words that set the option, to its present value if it has one.
std::vector<std::string> words_of(const OptionRow& row) {
  const std::vector<std::string> words = row.words();
  if (words == std::vector<std::string>{""}) return {"x"};
  if (!words.empty()) return words;
  return std::holds_alternative<std::vector<double>*>(row.field) ? std::vector<std::string>{"1"}
                                                                 : std::vector<std::string>{"x", "y"};
}

// Calls f(name, words, when) for every option.
template <class F>
void for_each_option(const TrainOptions& o, F&& f) {
  for (const OptionRow& row : all_rows(o)) f(row.name, words_of(row), row.when);
}

// Error message when the option is given in this context; "" if it is accepted.
std::string refusal(GivenOptions context, const std::string& name, const std::vector<std::string>& words) {
  context.push_back({name, words, "run.yml:7"});
  try {
    resolve_options(context);
    return "";
  } catch (const UsageError& e) {
    EXPECT_EQ(e.option(), name) << e.what();
    EXPECT_THAT(e.what(), HasSubstr("run.yml:7: `" + name + "` ")) << "where it was given";
    return e.what();
  }
}

TEST(IdleOptions, AreRefusedByNameWhereTheyDoNothingAndTakenWhereTheyDoSomething) {
  std::map<std::string, int> taken, refused;
  for (const GivenOptions& context : kContexts) {
    const TrainOptions o = resolve_options(context).options;
    for_each_option(o, [&](const std::string& name, const std::vector<std::string>& words, const When& when) {
      if (has(context, name) || name == "init-from" || name == "preset" || name == "valid-sets") return;
      if (name == "tied" && o.text.separate_vocabs) return;  // tested below
      const std::string said = refusal(context, name, words);
      EXPECT_EQ(said.empty(), when.now) << name << ": " << said;
      if (!when.now) {
        EXPECT_THAT(said, HasSubstr(when.otherwise));
      }
      ++(when.now ? taken : refused)[name];
    });
  }
  EXPECT_GT(taken.size(), 100u);
  EXPECT_GT(refused.size(), 35u);
  for (const auto& [name, times] : refused)
    EXPECT_GT(taken[name], 0) << "in no context does " << name << " do anything";
  EXPECT_THAT(refusal({{"separate-vocabs", {"true"}}}, "tied", {"all"}), HasSubstr("`separate-vocabs` trains two"));
}

// Preset and init-from settings yield to given options.
TEST(IdleOptions, OfPresetsAreNeverRefused) {
  for (const std::string& preset : model::Config::preset_names())
    for (const GivenOptions& context : kContexts) {
      if (has(context, "preset")) continue;
      GivenOptions given = context;
      given.push_back({"preset", {preset}});
      EXPECT_NO_THROW(resolve_options(given)) << preset << " " << (context.empty() ? "" : context[0].name);
    }
}

TEST(IdleOptions, AFactorBesideTheRateOfAPresetSaysWhatToDo) {
  EXPECT_EQ(
      refusal({{"preset", {"tiny"}}}, "lr-factor", {"2"}),
      "run.yml:7: `lr-factor` 2 scales the paper's learning rate, but `lr` sets it directly: give `lr` 0, too, or "
      "leave it out");
  EXPECT_EQ(refusal({{"preset", {"tiny"}}, {"lr", {"0"}}}, "lr-factor", {"2"}), "");
  EXPECT_EQ(refusal({{"preset", {"base"}}}, "lr-factor", {"2"}), "");
}

// A program may supply validation pairs after the options.
TEST(IdleOptions, MayWaitForValidationSets) {
  const GivenOptions given{{"preset", {"tiny"}}, {"valid-every", {"2e"}}, {"valid-beam", {"4"}}};
  EXPECT_THROW(resolve_options(given), UsageError);
  EXPECT_EQ(resolve_options(given, ValidSets::may_follow).options.valid_beam, 4);
}

TEST(IdleOptions, AreLeftOutOfWhatIsWritten) {
  const TrainOptions o = resolve_options({{"preset", {"tiny"}}}).options;
  const std::string written = dump_options(o);
  for (const std::string& name : idle_options(o)) EXPECT_EQ(written.find("\n" + name + ":"), std::string::npos) << name;
  EXPECT_GT(idle_options(o).size(), 10u);
}

}  // namespace
}  // namespace hexapla::train
