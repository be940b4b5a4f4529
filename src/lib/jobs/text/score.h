#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "hexapla/translator.h"
#include "lib/jobs/lines/shard_output.h"
#include "lib/jobs/lines/word_alignments.h"
#include "lib/jobs/watch.h"

namespace hexapla::api {

struct ScoreJob {
  std::vector<std::string> files;  // SOURCE TARGET,
  std::string tsv;                 // or one file with SOURCE<TAB>TARGET lines
  std::string model;
  ModelOptions how;
  std::vector<GivenOption> search;  // the given options
  WordAlignments alignment;
  ShardOutput shard;                                 // shards of `tsv`
  bool words = false, tokens = false, json = false;  // columns, or everything as JSON
};

// Scores given translations: one line per pair, to `out` or to the output of a shard. -> whether
// the reader of `out` has read all of it. UsageError: options that exclude each other; other errors
// as data::ParallelReader, ShardOutput::open() and decode::TextScorer::score().
bool score_files(const ScoreJob& job, std::ostream& out, const JobWatch& watch);

}  // namespace hexapla::api
