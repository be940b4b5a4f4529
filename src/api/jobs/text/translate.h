#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "api/jobs/lines/shard_output.h"
#include "api/jobs/lines/word_alignments.h"
#include "api/jobs/watch.h"
#include "hexapla/options.h"
#include "hexapla/translator.h"

namespace hexapla::api {

struct TranslateJob {
  std::vector<std::string> models;
  ModelOptions how;
  Options search;                            // the given options
  std::string input = "-";                   // path; "-": stdin
  bool jsonl = false;                        // the input has JSON objects with constraints
  std::string prefixes, glossary;            // paths; "": none
  std::vector<std::string> require, forbid;  // for every translation
  bool json = false;                         // writes translations as JSON instead of text
  WordAlignments alignment;
  ShardOutput shard;
  std::string trace;  // file for a picture of the search, .svg; "": none
};

struct TranslatedLines {
  int64_t without = 0;  // lines without a translation that satisfies their constraints
  bool taken = true;    // whether the reader of the output has read all of it
};

// Translates lines to `out`, or to the output of a shard. Answers lines before the reader waits for
// more. UsageError: options that exclude each other; other errors as Translator::stream(), ShardOutput::open() and
// those of the files.
TranslatedLines translate_lines(const TranslateJob& job, std::ostream& out, const JobWatch& watch);

}  // namespace hexapla::api
