#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/processes.h"
#include "data/batches/batch_stream.h"
#include "data/training_text.h"
#include "model/record/usage.h"
#include "train/options/options.h"
#include "train/provenance/provenance.h"

namespace hexapla::train {

class RunLock;  // train/run/checkpoint.h

// One of `valid-sets`: so many of the validation lines, and of the examples that the loss is taken over.
struct ValidSet {
  std::string name;
  size_t lines = 0, examples = 0;
};

// Keys of TrainingData::identity that others ask for.
inline constexpr const char *pairs_of_sets = "pairs of each training set",
                            *parts_of_pairs = "parts that the pairs are shuffled in (--shuffle-memory)";

// What a run learns from and is measured on.
struct TrainingData {
  data::TrainingPairs pairs;  // with the vocabularies
  // Where an update has several shards: what each of those of this process draws from, in order. The first of them is
  // pairs.store, too.
  std::vector<std::shared_ptr<const data::PairStore>> shards{};
  int64_t examples = 0;  // of all processes
  data::ShuffleSpace space{};
  std::vector<std::string> sets{};                             // names of the training sets, for messages
  std::vector<data::Example> valid{};                          // may be empty
  std::vector<std::string> valid_source{}, valid_reference{};  // detokenized text for BLEU
  std::vector<ValidSet> valid_sets{};                          // all of them in turn, in the order of the options
  std::vector<std::string> notes{};                            // what was dropped while reading
  std::vector<std::string> unknown{};                          // TrainStart::unknown
  model::Usage usage{};                                        // of the models that the run makes: usage_of_run()
  std::map<std::string, std::string> identity{};               // of all that: a run is not resumed on other data
  std::vector<DataFile> files{};                               // that were read
  // Of the run's folder, from before anything was read there until the result is shown; train() takes one where there
  // is none.
  std::shared_ptr<const RunLock> lock{};
  // Those that train together. The first of them alone reads and writes the run's folder, and holds its lock.
  cluster::Processes* processes = &cluster::alone();
};

// Pairs that a program gives instead of files, where an option of sets is data::pairs_of_program. Each is read once.
struct ProgramPairs {
  data::PairFunction train = {}, valid = {};
};

// What the i-th shard of this process draws from.
data::TrainingPairs pairs_of_shard(const TrainingData& data, size_t i);

// Reads and checks the sets, trains or loads the vocabularies, and holds the lock of the run's folder from then on.
// UsageError (another run has the folder, ...), DataError, RunError.
TrainingData prepare_data(
    const TrainOptions& options, const data::ReadingProgress& progress = [](const char*, int64_t) {},
    const ProgramPairs& pairs = {}, cluster::Processes& processes = cluster::alone());

}  // namespace hexapla::train
