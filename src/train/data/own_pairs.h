#pragma once
// What a process trains on, from the text of the sets: all pairs, or where an update has several shards those of its
// own.
#include "cluster/processes.h"
#include "data/training_text.h"
#include "train/options/options.h"

namespace hexapla::train {

struct OwnPairs {
  std::vector<data::PreparedPairs> shards;  // without `shards` one
  std::vector<std::string> notes;           // of reading the sets
  std::string fingerprint;                  // of all ids of all processes
  int64_t examples = 0;                     // of all processes
  std::vector<int64_t> of_sets;             // of all processes, from each training set
};

struct Reading {
  data::PairOptions options;
  const data::ReadingProgress& progress;
  cluster::Processes& processes;
};

// text: the sets as a whole; what of it has been read was rewound. UsageError: several processes, and sets that can be
// read only once. DataError: as TrainingText; a shard without pairs.
OwnPairs prepare_own_pairs(const TrainOptions& options, const std::vector<data::ParallelSource>& sets,
                           data::TrainingText& text, const text::VocabularyPair& vocabularies, const Reading& how);

}  // namespace hexapla::train
