#include "serve/look/runs.h"

#include <gmock/gmock.h>
#include <sys/file.h>

#include <fstream>

#include "base/files/test_folder.h"
#include "train/record/checkpoint.h"

namespace hexapla::serve {
namespace {

namespace fs = std::filesystem;
using RunJson = nlohmann::ordered_json;

struct Runs : TestFolder {
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name)) << text;
  }
  static std::string updates(int n) {
    std::string text;
    for (int i = 1; i <= n; ++i) text += cat("{\"update\": ", i, ", \"loss\": ", 1.0 / i, "}\n");
    return text;
  }
};

TEST_F(Runs, AreTheFoldersWithALogTheLatestFirst) {
  write("runs/old/train.jsonl", updates(3));
  write("runs/new/train.jsonl", updates(20));
  write("runs/new/model.safetensors", "");
  write("runs/empty/other", "");
  write("runs/file", "");
  fs::last_write_time(at("runs/old/train.jsonl"), fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(
      json_text(runs(at("runs"))),
      R"({"runs":[{"name":"new","updates":20,"state":"finished"},{"name":"old","updates":3,"state":"stopped"}]})");
  EXPECT_THROW(runs(at("nowhere")), RunError);
}

TEST_F(Runs, TheStateIsTrainingWhileAProcessHoldsTheLock) {
  write("runs/a/train.jsonl", updates(1));
  {
    const train::RunLock lock(at("runs/a"));
    EXPECT_EQ(run(at("runs"), "a")->at("state"), "training");
    EXPECT_EQ(run(at("runs"), "a")->at("state"), "training") << "looking leaves the lock alone";
  }
  EXPECT_EQ(run(at("runs"), "a")->at("state"), "stopped");
}

TEST_F(Runs, GiveTheirLogsAndTheLastSamples) {
  write("runs/a/train.jsonl", updates(2) + "{\"update\": 3, \"lo");
  write("runs/a/valid.jsonl",
        "{\"update\": 1, \"bleu\": 3, \"samples\": [[\"a\", \"b\", \"c\"]]}\nno JSON\n"
        "{\"update\": 2, \"bleu\": 4, \"samples\": [[\"d\", \"e\", \"f\"]]}\n");
  const RunJson found = *run(at("runs"), "a");
  EXPECT_EQ(json_text(found["train"]), R"([{"update":1,"loss":1},{"update":2,"loss":0.5}])");
  EXPECT_EQ(json_text(found["valid"]), R"([{"update":1,"bleu":3},{"update":2,"bleu":4}])");
  EXPECT_EQ(json_text(found["samples"]), R"([["d","e","f"]])");
}

TEST_F(Runs, LongLogsAreThinnedAndEndWithTheirLastLine) {
  write("runs/a/train.jsonl", updates(5001));
  const RunJson train = run(at("runs"), "a")->at("train");
  ASSERT_EQ(train.size(), 2000u);
  EXPECT_EQ(train.back()["update"], 5001);
  EXPECT_LE(train.front()["update"].get<int>(), 3);
  for (std::size_t i = 1; i < train.size(); ++i)
    EXPECT_LE(train[i]["update"].get<int>() - train[i - 1]["update"].get<int>(), 3);
  EXPECT_EQ(runs(at("runs"))["runs"][0]["updates"], 5001);
}

TEST_F(Runs, NameTheCheckpointsThatTheyKeep) {
  write("runs/a/train.jsonl", updates(1));
  for (const char* name : {"update-00000200", "update-00000050", "aside-update-00000300", "update-x"})
    write(cat("runs/a/checkpoints/", name, "/state.json"), "{}");
  EXPECT_EQ(json_text(run(at("runs"), "a")->at("checkpoints")), "[50,200]");
  EXPECT_EQ(checkpoint_of(at("runs"), "a", 200), at("runs/a/checkpoints/update-00000200"));
  EXPECT_FALSE(checkpoint_of(at("runs"), "a", 300));
  EXPECT_FALSE(checkpoint_of(at("runs"), "../runs/a", 200));
  write("runs/b/train.jsonl", updates(1));
  EXPECT_TRUE(run(at("runs"), "b")->at("checkpoints").empty());
}

TEST_F(Runs, NoNameLeadsOutOfTheFolder) {
  write("runs/a/train.jsonl", updates(1));
  write("other/train.jsonl", updates(1));
  write("train.jsonl", updates(1));
  write("runs/train.jsonl", updates(1));
  using std::string_literals::operator""s;
  for (const std::string& name : {""s, "."s, ".."s, "../other"s, "a/"s, "a/."s, "./a"s, "/"s, at("other"), "a\0"s,
                                  "a\0/../other"s, "..\\other"s, "nothing"s, std::string(5000, 'a')})
    EXPECT_FALSE(run(at("runs"), name)) << name;
  EXPECT_TRUE(run(at("runs"), "a"));
}

}  // namespace
}  // namespace hexapla::serve
