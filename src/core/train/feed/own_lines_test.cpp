#include "train/feed/own_lines.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "data/files/lines.h"
#include "train/cluster/test_threads.h"
#include "train/feed/update_batches.h"

namespace hexapla::train {
namespace {

using cluster::test::in_threads;
using cluster::test::ThreadProcess;
using testing::HasSubstr;

class OwnLines : public TestFolder {
 protected:
  // Lines of very different lengths, the last one without a newline.
  std::string write(const std::string& name, int64_t lines) const {
    std::string text;
    for (int64_t i = 1; i <= lines; ++i)
      text +=
          name + " " + std::to_string(i) + std::string(static_cast<size_t>(i * i % 97), 'x') + (i < lines ? "\n" : "");
    std::ofstream(at(name)) << text;
    return at(name);
  }
  static TrainOptions options(int64_t shards, int64_t batches) {
    TrainOptions o;
    o.shards = shards;
    o.accumulate = batches;
    return o;
  }
};

TEST(LineShares, AreEverythingAndInProportionToTheBatches) {
  TrainOptions o;
  for (const auto& [shards, batches] : {std::pair{1, 1}, {3, 3}, {3, 7}, {4, 5}})
    for (const int64_t lines : {0, 1, 2, 10, 1000}) {
      o.shards = shards, o.accumulate = batches;
      const LineShares shares(o, {lines});
      int64_t line = 1;
      for (int64_t shard = 0; shard < shards; ++shard) {
        const cluster::Share own = shares.of_shard(shard, 0);
        EXPECT_EQ(own.from, line - 1);
        for (; line <= own.to; ++line) EXPECT_EQ(shares.shard_of(0, line), shard) << line << " of " << lines;
        EXPECT_NEAR(static_cast<double>(own.size()),
                    static_cast<double>(lines * cluster::share_of(batches, shard, shards).size()) / batches, 1);
      }
      EXPECT_EQ(line, lines + 1);
    }
}

// Concatenated in process order they are the whole text, for plain and compressed files, and for
// one that has no lines for some shards.
TEST_F(OwnLines, OfAllProcessesAreTheText) {
  constexpr int64_t shards = 5;
  std::vector<std::string> files{write("a", 100), write("b", 100), write("c", 3), write("d", 3)};
  data::LineWriter packed(at("a.gz"));
  for (const std::string& line : data::read_lines(files[0])) packed.write(line);
  packed.commit();
  files.push_back(at("a.gz")), files.push_back(files[1]);
  const auto sets = data::parse_sets("train-sets", files, false);
  std::vector<std::string> expected(sets.size());
  for (size_t set = 0; set < sets.size(); ++set) {
    data::CheckedReader reader(sets[set]);
    for (std::string x, y; reader.next(x, y);) expected[set] += cat(reader.line_number(), " ", x, " ", y, "\n");
  }
  for (const int count : {1, 2, 3, 5}) {
    std::vector<std::vector<std::string>> read(static_cast<size_t>(count));
    in_threads(count, [&](ThreadProcess& p) {
      const CountedSets counted(p, sets);
      EXPECT_EQ(counted.lines(), (std::vector<int64_t>{100, 3, 100}));
      for (const data::ParallelSource& set : counted.own(LineShares(options(shards, 7), counted.lines()), shards)) {
        std::string& text = read[p.number()].emplace_back();
        data::CheckedReader reader(set);
        for (std::string x, y; reader.next(x, y);) text += cat(reader.line_number(), " ", x, " ", y, "\n");
        reader.rewind();
        std::string x, y;
        if (reader.next(x, y)) {
          EXPECT_TRUE(text.starts_with(cat(reader.line_number(), " ", x)));
        }
      }
    });
    for (size_t set = 0; set < sets.size(); ++set) {
      std::string all;
      for (const auto& one : read) all += one[set];
      EXPECT_EQ(all, expected[set]) << count << " processes, set " << set;
    }
  }
}

TEST_F(OwnLines, OfFilesOfDifferentLengthAreRefusedInAll) {
  const auto sets = data::parse_sets("train-sets", {write("a", 100), write("b", 99)}, false);
  for (const int count : {1, 3})
    EXPECT_THAT(what_of<DataError>([&] { in_threads(count, [&](ThreadProcess& p) { CountedSets(p, sets); }); }),
                HasSubstr("has 100 lines but " + at("b") + " has 99"));
  const auto gone = data::parse_sets("train-sets", {at("a"), at("nothing")}, false);
  EXPECT_THAT(what_of<DataError>([&] { in_threads(2, [&](ThreadProcess& p) { CountedSets(p, gone); }); }),
              HasSubstr("nothing"));
}

TEST_F(OwnLines, OfAnotherFileAreFoundOut) {
  write("same", 50), write("first", 50), write("other", 50);
  std::string text = read_file(at("first"));
  text[text.size() - 1] = '!';  // in the part that only the last process reads
  std::ofstream(at("other")) << text;
  const auto message = [&](const std::string& others) {
    return what_of<UsageError>([&] {
      in_threads(3, [&](ThreadProcess& p) {
        require_same_files(p, {at("same"), at(p.number() == 2 ? others : "first")});
      });
    });
  };
  EXPECT_EQ(message("first"), "(no such error was thrown)");
  EXPECT_THAT(message("other"),
              testing::AllOf(HasSubstr("process 3 of 3 (thread-2) has another "), HasSubstr("part 3 of 3 the hash is "),
                             HasSubstr("put the same files on all hosts")));
  EXPECT_THAT(message("same"), HasSubstr(", not "));
}

TEST(UpdateStream, KeepsThePlacesOfItsShards) {
  RunState state;
  state.places = {data::BatchPosition{{2, 3}, 7}, std::nullopt, data::BatchPosition{}};
  EXPECT_FALSE(state.epoch_begins());
  EXPECT_EQ(RunState::from_strings(state.to_strings(), "x").places, state.places);
  EXPECT_TRUE(RunState().epoch_begins());
  EXPECT_FALSE(RunState().to_strings().contains("places")) << "earlier versions had none";
}

}  // namespace
}  // namespace hexapla::train
