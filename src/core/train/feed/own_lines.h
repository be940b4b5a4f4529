#pragma once
// Divides the lines of the training sets: each shard of an update draws from its own part, so a
// process reads only what its shards train on (docs/adr/0067).
#include <vector>

#include "data/training_text.h"
#include "train/cluster/processes.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

// An update has `accumulate` batches. A shard computes consecutive ones and gets the same share of
// each set's lines as of the batches, so all shards finish an epoch at about the same time.
class LineShares {
 public:
  // lines: per set.
  LineShares(const TrainOptions& options, std::vector<int64_t> lines);

  // The lines of a set after `from`, up to and including `to`.
  cluster::Share of_shard(int64_t shard, size_t set) const;
  int64_t shard_of(size_t set, int64_t line) const;  // line: from 1

 private:
  int64_t batches_, shards_;
  std::vector<int64_t> lines_;
};

// Line counts of sets that can be read twice. Each process counts a part of every uncompressed
// file; the first one counts all other files. DataError, the same in all: as ParallelReader.
class CountedSets {
 public:
  CountedSets(cluster::Processes& processes, std::vector<data::ParallelSource> sets);

  std::vector<int64_t> lines() const;  // per set
  // The sets restricted to the lines of this process's shards. Of uncompressed files it reads
  // nothing else, except to find the first of these lines.
  std::vector<data::ParallelSource> own(const LineShares& shares, int64_t shards) const;

 private:
  struct File {
    std::string path;
    std::vector<int64_t> lines;  // per part; a compressed file is one part
    int64_t all() const;
  };
  File count(const std::string& path) const;
  data::LinePlace place_behind(const File& file, int64_t line) const;

  cluster::Processes& processes_;
  std::vector<data::ParallelSource> sets_;
  std::vector<std::vector<File>> files_;  // per set
};

// UsageError: more processes than shards, or options that divide the text differently.
void check_shares(const TrainOptions& options, cluster::Processes& processes);

// All processes read the same files, each a different part. UsageError, the same in all, names a
// process whose file differs from the first one's, which compares the bytes of every part.
void require_same_files(cluster::Processes& processes, const std::vector<std::string>& paths);

}  // namespace hexapla::train
