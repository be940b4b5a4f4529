#include "train/record/earlier_run.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "train/record/checkpoint.h"

namespace hexapla::train {
namespace {

class EarlierRunTest : public TestFolder {
 protected:
  std::optional<EarlierRun> with(const std::map<std::string, std::string>& state) const {
    save_checkpoint(at("run/checkpoints"), 3, {{}, state});
    return EarlierRun::in(at("run"));
  }
};

TEST_F(EarlierRunTest, ItsOptionsAreThoseOfTheNewestCheckpoint) {
  EXPECT_FALSE(EarlierRun::in(at("run")));
  EXPECT_FALSE(EarlierRun::in(""));
  const auto run = with({{"identity", R"({"precision": "bf16", "batch-tokens": 512, "lr": 0.5})"},
                         {"changeable", R"({"hash of valid-sets": "12ab", "valid-tokenize": "zh"})"}});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->precision(), "bf16");
  EXPECT_EQ(run->number("batch-tokens"), 512);
  EXPECT_EQ(run->number("lr"), std::nullopt) << "no integer";
  EXPECT_EQ(run->number("decay-updates"), std::nullopt);
  EXPECT_EQ(run->tokenizer(), "zh");
}

TEST_F(EarlierRunTest, RecordsOfEarlierVersionsLackOptions) {
  EXPECT_EQ(with({})->precision(), "");
  EXPECT_EQ(with({})->number("batch-tokens"), std::nullopt);
  EXPECT_EQ(with({})->tokenizer(), std::nullopt);
  EXPECT_EQ(with({{"identity", R"({"precision": "auto"})"}})->precision(), "");
  EXPECT_EQ(with({{"changeable", R"({"hash of valid-sets": "12ab"})"}})->tokenizer(), "13a");
  EXPECT_EQ(with({{"changeable", R"({"hash of valid-sets": "", "valid-tokenize": "zh"})"}})->tokenizer(), std::nullopt);
}

TEST_F(EarlierRunTest, ARecordThatIsNotJsonIsRefused) {
  EXPECT_THROW(with({{"identity", "{"}})->precision(), DataError);
  EXPECT_EQ(with({{"identity", "{"}})->number("batch-tokens"), std::nullopt);
}

}  // namespace
}  // namespace hexapla::train
