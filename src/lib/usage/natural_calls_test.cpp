// Tests the results of natural calls.
#include <gmock/gmock.h>

#include <fstream>
#include <set>

#include "base/files/test_folder.h"
#include "lib/test_models.h"
#include "lib/usage/test_natural_calls.h"

namespace hexapla::api {
namespace {

using NaturalCalls = TestFolder;

TEST_F(NaturalCalls, AnOptionIsTheSameHoweverItsValueIsGiven) {
  const std::vector<test::Words> all = test::words_of_values();
  ASSERT_EQ(all.size(), 6u + 9 + 5 + 2 + 2);
  const std::vector<std::pair<size_t, test::Words>> expected{
      {6, {"a"}}, {9, {"a", "a"}}, {5, {"1", "2"}}, {2, {"0", "0"}}, {2, {"true", "false"}}};
  auto next = all.begin();
  for (const auto& [times, words] : expected)
    for (size_t i = 0; i < times; ++i) EXPECT_EQ(*next++, words) << i;
}

TEST_F(NaturalCalls, TrainersTakeOptionsInBraces) {
  std::ofstream(at("config")) << "preset: tiny\n";
  const test::Words all = test::options_of_trainers(at("config"));
  EXPECT_THAT(all[0], testing::HasSubstr("run"));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 1u);
}

TEST_F(NaturalCalls, TranslatorsTakeModelsAndLinesInBraces) {
  const auto all = test::translations_of_two(test::model_file());
  ASSERT_EQ(all[0].size(), 2u);
  EXPECT_THAT(all, testing::Each(all[0]));
}

TEST_F(NaturalCalls, OthersWork) { EXPECT_NO_THROW(test::other_calls(test::model_file())); }

}  // namespace
}  // namespace hexapla::api
