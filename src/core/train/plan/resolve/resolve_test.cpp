#include "train/plan/resolve/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "decode/options/named/read_options.h"
#include "train/plan/resolve/recipes.h"

namespace hexapla::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of_options(const std::vector<GivenOption>& given) {
  return what_of<UsageError>([&] { resolve_options(given); });
}

TEST(ResolveOptions, WhatIsGivenStandsOnThePreset) {
  const ResolvedOptions r = resolve_options({{"preset", {"tiny"}},
                                             {"lr", {"0.25"}},
                                             {"train-sets", {"a", "b"}},
                                             {"train-weights", {"1", "0.5"}},
                                             {"gated", {"true"}},
                                             {"batch-tokens", {"auto"}},
                                             {"heads", {"2"}},
                                             {"lr", {"0.5"}, "run.yml:3"}});
  EXPECT_EQ(r.options.architecture.d_model, model::Config::preset("tiny").d_model);
  EXPECT_EQ(r.options.lr, 0.5) << "the last one counts";
  EXPECT_EQ(r.options.train_sets, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(r.options.text.train_weights, (std::vector<double>{1, 0.5}));
  EXPECT_TRUE(r.options.architecture.gated);
  EXPECT_EQ(r.options.batch_tokens, 0);
  EXPECT_EQ(r.options.architecture.heads, 2);
  EXPECT_EQ(r.origins.at("lr"), "run.yml:3");
  EXPECT_EQ(r.origins.at("heads"), "given");
  EXPECT_EQ(r.origins.at("dim-model"), "preset tiny");
  EXPECT_EQ(r.origins.at("warmup"), "preset tiny");
  EXPECT_EQ(r.origins.at("seed"), "default");
}

TEST(ResolveOptions, EveryOptionHasAnOrigin) {
  const ResolvedOptions r = resolve_options({});
  for (const OptionRow& row : all_rows(r.options)) EXPECT_EQ(r.origins.count(row.name), 1u) << row.name;
}

TEST(ResolveOptions, LayersAreOfBothStacks) {
  const ResolvedOptions r = resolve_options({{"layers", {"3"}}});
  EXPECT_EQ(r.options.architecture.enc_layers, 3);
  EXPECT_EQ(r.options.architecture.dec_layers, 3);
  EXPECT_THAT(refusal_of_options({{"layers", {"3"}}, {"dec-layers", {"1"}}}), HasSubstr("both stacks"));
}

TEST(ResolveOptions, AnotherEndTakesThePlaceOfTheRecipes) {
  EXPECT_GT(resolve_options({{"preset", {"tiny"}}}).options.max_updates, 0);
  EXPECT_EQ(resolve_options({{"preset", {"tiny"}}, {"max-minutes", {"30"}}}).options.max_updates, 0);
  EXPECT_EQ(resolve_options({{"max-minutes", {"30"}}, {"max-updates", {"7"}}}).options.max_updates, 7);
  EXPECT_EQ(resolve_options({{"preset", {"base"}}, {"batch-tokens", {"512"}}}).options.accumulate, 1);
  EXPECT_EQ(resolve_options({{"average-best", {"2"}}}).options.average_last, 0);
}

TEST(ResolveOptions, ErrorsNameOptionValueAndLocation) {
  EXPECT_THAT(refusal_of_options({{"batch-token", {"5"}, "c.yml:2"}}),
              AllOf(HasSubstr("c.yml:2: unknown option 'batch-token'"), HasSubstr("did you mean 'batch-tokens'?")));
  EXPECT_THAT(refusal_of_options({{"seed", {"many"}, "c.yml:4"}}),
              AllOf(HasSubstr("c.yml:4: "), HasSubstr("`seed` is 'many', but must be")));
  EXPECT_THAT(refusal_of_options({{"gated", {"perhaps"}}}),
              HasSubstr("`gated` is 'perhaps', but must be true or false"));
  EXPECT_THAT(refusal_of_options({{"lr", {}, "c.yml:1"}}), HasSubstr("c.yml:1: `lr` has no value"));
  EXPECT_THAT(refusal_of_options({{"dim-model", {"10"}}, {"heads", {"3"}}}),
              HasSubstr("(options that you do not give have the values of `preset` auto)"));
  EXPECT_THAT(refusal_of_options({{"vocab", {"v.spm"}}, {"vocab-size", {"300"}}}),
              HasSubstr("`vocab-size` 300 applies to a vocabulary"));
  EXPECT_THAT(refusal_of_options({{"train-sets", {"-", "b"}}, {"valid-sets", {"-", "d"}}}),
              HasSubstr("can be read only once"));
}

TEST(ResolveOptions, RemovedOptionsMayBeOff) {
  for (const char* off : {"0", "0.0"}) {
    EXPECT_EQ(resolve_options({{"r-drop", {off}, "c.yml:4"}}).origins.count("r-drop"), 0) << off;
    EXPECT_EQ(resolve_options({{"r_drop", {off}}}).options.seed, 1) << off;
  }
  EXPECT_THAT(refusal_of_options({{"r-drop", {"5"}, "c.yml:4"}}),
              AllOf(HasSubstr("c.yml:4: `r-drop` is 5, but this option was removed, because R-Drop made"),
                    HasSubstr("hexapla 0.1.0 of commit be5f735, which still has it")));
  for (const char* value : {"", "five", "-0.5"})
    EXPECT_THAT(refusal_of_options({{"r_drop", {value}}}), HasSubstr("was removed"));
  EXPECT_THAT(refusal_of_options({{"r-drop", {}}}), HasSubstr("was removed"));
}

// Writing resolved options and reading them back gives the same options.
TEST(ResolveOptions, AreWrittenAndReadBack) {
  const std::string path = testing::TempDir() + "hexapla_resolve_test.yml";
  const TrainOptions first = resolve_options({{"preset", {"tiny"}},
                                              {"user-symbols", {"<a>", "ж"}},
                                              {"model", {"it's a run: #1"}},
                                              {"tsv", {"true"}},
                                              {"max-loss-jump", {"1.1"}},
                                              {"batch-tokens", {"auto"}}})
                                 .options;
  std::ofstream(path) << dump_options(first) << "\n";
  const std::vector<GivenOption> given = read_options_file(path);
  EXPECT_EQ(given.front().location, path + ":1");
  const ResolvedOptions again = resolve_options(given);
  EXPECT_EQ(dump_options(again.options), dump_options(first));
  EXPECT_EQ(again.options.model, "it's a run: #1");
  EXPECT_EQ(again.options.text.user_symbols, (std::vector<std::string>{"<a>", "ж"}));
  std::ofstream(path) << "lr: {a: 1}\n";
  EXPECT_THAT(what_of<UsageError>([&] { read_options_file(path); }), HasSubstr(path + ":1: 'lr' cannot be"));
  std::ofstream(path) << "[1]: 2\n- x";
  EXPECT_THAT(what_of<UsageError>([&] { read_options_file(path); }), HasSubstr("not valid YAML"));
}

// If an option spells 0 as a word, the written file must, too: the parser rejects 0.
TEST(ResolveOptions, AZeroThatHasAWordIsWrittenAsThatWord) {
  TrainOptions o = preset_options("tiny");
  o.max_minutes = 1, o.batch_tokens = 0;  // both have an effect
  EXPECT_THAT(dump_options(o),
              testing::AllOf(testing::HasSubstr("cooldown: auto"), testing::HasSubstr("batch-tokens: auto")));
}

// The same reader serves decoding options.
TEST(ReadOptionsFile, OfDecoding) {
  const std::string path = testing::TempDir() + "hexapla_resolve_test_decoding.yml";
  std::ofstream(path) << "beam-size: 6\nunk: copy\nlength_penalty: 1.0\nsample: false\n";
  const auto options = decode::read_options(read_options_file(path));
  EXPECT_EQ(options.beam_size, 6);
  EXPECT_EQ(options.unk.text(), "copy");
  EXPECT_EQ(options.length_penalty, 1.0);
  std::ofstream(path) << "beam-size: 6\nn-best: x\n";
  EXPECT_EQ(what_of<UsageError>([&] { decode::read_options(read_options_file(path)); }),
            path + ":2: `n-best` is 'x', but must be a whole number from 1 to 1000");
}

}  // namespace
}  // namespace hexapla::train
