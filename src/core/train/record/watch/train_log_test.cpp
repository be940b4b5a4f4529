#include "train/record/watch/train_log.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"

namespace hexapla::train {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

using TrainLog = TestFolder;

TEST_F(TrainLog, EveryLineEndsWithItsTime) {
  JsonLines log(at("log"), 0);
  log.append("{\"update\": 1, \"rate\": 2.5}");
  EXPECT_THAT(read_file(at("log")),
              ContainsRegex("^\\{\"update\": 1, \"rate\": 2.5, \"time\": "
                            "\"20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z\"\\}\n$"));
}

TEST_F(TrainLog, LinesThatAreNoneOfItsAreDropped) {
  const std::string own = "{\"update\": 1, \"loss\": 2}\n";
  std::ofstream(at("log")) << "5\n\"a\"\n[1]\nnull\n{\"update\": \"1\"}\n{\"update\": null}\n{\"loss\": 1}\n\n"
                           << own << "{\"update\": 2}\n{\"upda";
  const JsonLines log(at("log"), 1);
  EXPECT_EQ(read_file(at("log")), own);
}

TEST_F(TrainLog, ALineThatDoesNotFitLeavesNoHalf) {
  JsonLines log(at("log"), 0);
  log.append("{\"update\": 1}");
  const std::string before = read_file(at("log"));
  {
    const FileSizeLimit limit(before.size() + 5);
    EXPECT_THAT(what_of<RunError>([&] { log.append("{\"update\": 2}"); }), HasSubstr(at("log")));
  }
  EXPECT_EQ(read_file(at("log")), before);
  log.append("{\"update\": 3}");
  JsonLines again(at("log"), 3);
  EXPECT_THAT(read_file(at("log")), HasSubstr("{\"update\": 3, "));
}

// Lines that are not JSON are dropped when a run resumes.
TEST(ValidationLine, IsJsonWhateverTheNumbers) {
  Validation v;
  v.update = 3;
  v.loss = std::numeric_limits<double>::quiet_NaN();
  v.perplexity = std::numeric_limits<double>::infinity();
  v.sets = {{"a\xE9", v}};
  const nlohmann::json line = nlohmann::json::parse(to_json(v));
  EXPECT_TRUE(line.at("loss").is_null() && line.at("perplexity").is_null());
  EXPECT_TRUE(line.at("sets").begin().value().at("perplexity").is_null());
  EXPECT_EQ(line.at("bleu"), -1);
}

}  // namespace
}  // namespace hexapla::train
