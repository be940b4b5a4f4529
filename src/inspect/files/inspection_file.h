#pragma once
// An inspection as a file: numbers, and what is needed to read them.
#include <map>
#include <string>
#include <vector>

#include "inspect/recorder.h"

namespace hexapla::inspect {

struct Side {
  text::Ids ids;
  std::vector<std::string> pieces;
};

// What stands beside the numbers.
struct Legend {
  const model::Config& config;
  Side source, target;                                            // the target as it is read, <s> first
  Side labels;                                                    // what the decoder is asked for, </s> last
  std::vector<std::string> source_vocabulary, target_vocabulary;  // every piece, by its id
};

// Every tensor of the inspection and the ids of both sides, as i32 under source.ids, target.ids and target.labels. The
// numbers keep the type that the model computed them in. The metadata, each a text: format, config and formulas
// (JSON objects; inspect/files/formulas.h), and JSON lists of pieces: source.pieces, target.pieces, labels.pieces,
// source.vocabulary, target.vocabulary.
// RunError where the file cannot be written.
void write_tensors(const std::string& path, const Recorder& seen, const Legend& legend);

// {"source": {"ids", "pieces"}, "target": {...}, "labels": {...}, "config": {...}, "formulas": {...},
// "vocabulary": {"source", "target"}, "tensors": {name: {"shape", "values"}}}; values go row after row, and null stands
// for a number that is not finite: of scores and masks, -inf.
std::string tensors_as_json(const Recorder& seen, const Legend& legend);

}  // namespace hexapla::inspect
