#pragma once
// An inspection as a file: numbers, and everything needed to interpret them.
#include <map>
#include <string>
#include <vector>

#include "inspect/recorder.h"

namespace hexapla::inspect {

struct Side {
  text::Ids ids;
  std::vector<std::string> pieces;
};

// Information stored with the numbers.
struct Legend {
  const model::Config& config;
  Side source, target;                                            // the target as input, beginning with <s>
  Side labels;                                                    // the decoder's expected output, ending with </s>
  std::vector<std::string> source_vocabulary, target_vocabulary;  // all pieces by id
};

// Writes every tensor of the inspection and the ids of both sides, as i32 named source.ids,
// target.ids and target.labels. Numbers keep the type in which the model computed them. Metadata,
// as texts: format, config and formulas (JSON objects; inspect/files/formulas.h), and JSON lists of
// pieces: source.pieces, target.pieces, labels.pieces, source.vocabulary, target.vocabulary.
// RunError: writing failed.
void write_tensors(const std::string& path, const Recorder& seen, const Legend& legend);

// {"source": {"ids", "pieces"}, "target": {...}, "labels": {...}, "config": {...}, "formulas":
// {...}, "vocabulary": {"source", "target"}, "tensors": {name: {"shape", "values"}}}; values are
// row-major, and null is a number that is not finite: -inf in scores and masks.
std::string tensors_as_json(const Recorder& seen, const Legend& legend);

}  // namespace hexapla::inspect
