#pragma once
// Reads the pairs that a process trains on: all pairs or, if an update has several shards, those of
// its own shards.
#include "data/training_text.h"
#include "train/cluster/processes.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

struct OwnPairs {
  std::vector<data::PreparedPairs> shards;  // a single one without `shards`
  std::vector<std::string> notes;           // from reading the sets
  std::string fingerprint;                  // of all ids in all processes
  int64_t examples = 0;                     // in all processes
  std::vector<int64_t> of_sets;             // per training set, in all processes
};

struct Reading {
  data::PairOptions options;
  const data::ReadingProgress& progress;
  cluster::Processes& processes;
};

// text: all sets, rewound if partly read. UsageError: several processes and sets that can be read
// only once. DataError: as TrainingText; a shard without pairs.
OwnPairs prepare_own_pairs(const TrainOptions& options, const std::vector<data::ParallelSource>& sets,
                           data::TrainingText& text, const text::VocabularyPair& vocabularies, const Reading& how);

}  // namespace hexapla::train
