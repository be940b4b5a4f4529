#pragma once
// The options of `hexapla translate`, and whether they go together.
#include <string>
#include <vector>

#include "cli/options/alignment_options.h"
#include "cli/options/shard_options.h"
#include "hexapla/translator.h"

namespace hexapla::cli {

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
  ShardOptions shard;
  std::string trace;  // file for a picture of the search, .svg; "": none
};

// UsageError: options that exclude each other, or that no model could follow. Nothing is read for it.
void check(const TranslateJob& job);
// A note for the user if the input is a document in a text format, or "". UsageError: it is another document, which
// would be read as lines of text.
std::string note_of_document(const TranslateJob& job);

}  // namespace hexapla::cli
