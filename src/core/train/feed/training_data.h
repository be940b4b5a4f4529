#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/batches/batch_stream.h"
#include "data/training_text.h"
#include "model/record/usage.h"
#include "train/cluster/processes.h"
#include "train/plan/options/options.h"
#include "train/record/provenance.h"

namespace hexapla::train {

class RunLock;  // train/record/checkpoint.h

// One of `valid-sets`: its numbers of lines and of examples that the loss covers.
struct ValidSet {
  std::string name;
  size_t lines = 0, examples = 0;
};

// Keys of TrainingData::identity used elsewhere.
inline constexpr const char *kPairsOfSets = "pairs of each training set",
                            *kPartsOfPairs = "parts that the pairs are shuffled in (--shuffle-memory)";

// Training and validation data of a run.
struct TrainingData {
  data::TrainingPairs pairs;  // with vocabularies
  // With several shards per update: the stores of this process's shards, in order. The first one is
  // also pairs.store.
  std::vector<std::shared_ptr<const data::PairStore>> shards{};
  int64_t examples = 0;  // in all processes
  data::ShuffleSpace space{};
  std::vector<std::string> sets{};                                     // names of the training sets, for messages
  std::vector<data::Example> valid{};                                  // may be empty
  std::vector<std::string> valid_source{}, valid_reference{};          // detokenized text for BLEU
  std::vector<ValidSet> valid_sets{};                                  // in the order of the options
  std::vector<std::string> notes{};                                    // pairs dropped while reading
  std::vector<std::pair<std::string, data::UnknownTokens>> unknown{};  // TrainStart::unknown
  model::Usage usage{};                                                // for the models of the run: usage_of_run()
  std::map<std::string, std::string> identity{};  // of this data: a run cannot be resumed on other data
  std::vector<DataFile> files{};                  // files that were read
  // Lock of the run folder, held from before anything is read there until the result is shown.
  // train() takes one if null.
  std::shared_ptr<const RunLock> lock{};
  // The processes that train together. Only the first one reads, writes and locks the run folder.
  cluster::Processes* processes = &cluster::alone();
};

// Pairs supplied by a program instead of files, for sets named data::kPairsOfProgram. Each is read
// once.
struct ProgramPairs {
  data::PairFunction train = {}, valid = {};
};

// The pairs that the i-th shard of this process draws from.
data::TrainingPairs pairs_of_shard(const TrainingData& data, size_t i);

// The training sets of a run, opened, and the lock of its folder.
struct OpenedText {
  // Checks options and files, and takes the lock. UsageError (such as another run using the folder), DataError,
  // RunError.
  explicit OpenedText(const TrainOptions& options, const ProgramPairs& pairs = {},
                      cluster::Processes& processes = cluster::alone());

  std::vector<data::ParallelSource> sets;
  data::ShuffleSpace space;
  data::TrainingText text;
  std::shared_ptr<const RunLock> lock;
  std::vector<DataFile> files;
};

// Reads and checks the sets, trains or loads the vocabularies. Errors as OpenedText.
TrainingData prepare_data(OpenedText& opened, const TrainOptions& options, const data::ReadingProgress& progress,
                          const ProgramPairs& pairs = {}, cluster::Processes& processes = cluster::alone());
TrainingData prepare_data(
    const TrainOptions& options, const data::ReadingProgress& progress = [](const char*, int64_t) {},
    const ProgramPairs& pairs = {}, cluster::Processes& processes = cluster::alone());

}  // namespace hexapla::train
