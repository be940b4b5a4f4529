#pragma once
// Which lines of the training sets are whose: every shard of an update draws from a part of its own, so that a process
// reads what its shards train on and no more (docs/adr/0074).
#include <vector>

#include "cluster/processes.h"
#include "data/training_text.h"
#include "train/options/options.h"

namespace hexapla::train {

// An update has `accumulate` batches. A shard computes neighbors of them, and has as large a part of each set's lines
// as of the batches, so that all come to the end of an epoch at about the same time.
class LineShares {
 public:
  // lines: of each set.
  LineShares(const TrainOptions& options, std::vector<int64_t> lines);

  // Of a set: the lines behind `from`, up to `to`.
  cluster::Share of_shard(int64_t shard, size_t set) const;
  int64_t shard_of(size_t set, int64_t line) const;  // line: from 1

 private:
  int64_t batches_, shards_;
  std::vector<int64_t> lines_;
};

// The lines of sets that can be read twice. Of each file that is not compressed every process counts a part, and the
// first process counts the lines of the others. DataError, the same in all: as ParallelReader.
class CountedSets {
 public:
  CountedSets(cluster::Processes& processes, std::vector<data::ParallelSource> sets);

  std::vector<int64_t> lines() const;  // of each set
  // The sets, but only the lines of the shards of this process. Of files that are not compressed nothing else is read
  // but what it takes to find the first of them.
  std::vector<data::ParallelSource> own(const LineShares& shares, int64_t shards) const;

 private:
  struct File {
    std::string path;
    std::vector<int64_t> lines;  // of each part; of a compressed file one, the whole
    int64_t all() const;
  };
  File count(const std::string& path) const;
  data::LinePlace place_behind(const File& file, int64_t line) const;

  cluster::Processes& processes_;
  std::vector<data::ParallelSource> sets_;
  std::vector<std::vector<File>> files_;  // of each set
};

// UsageError: there are more processes than shards, or they would not have parts of the same text.
void check_shares(const TrainOptions& options, cluster::Processes& processes);

// Several processes read the same text under the same names, each another part: UsageError, the same in all, names one
// that has another file than the first, which compares the bytes of each one's part.
void require_same_files(cluster::Processes& processes, const std::vector<std::string>& paths);

}  // namespace hexapla::train
