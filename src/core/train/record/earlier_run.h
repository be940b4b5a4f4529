#pragma once
// The options of the run that a folder holds. Everything that a new start takes over from them before it resumes
// (precision, vocabulary, batch size, decay, tokenizer) reads them here.
#include <cstdint>
#include <optional>
#include <string>

#include "train/plan/options/options.h"

namespace hexapla::train {

struct EarlierRun {
  std::string folder;
  // JSON records of train/loop/run/resume_fingerprint.h; "" if an earlier version did not write them.
  std::string identity, changeable;
  std::string usage = {};  // model::Usage of its models, as JSON

  // From the newest complete checkpoint in the run folder, without reading its tensors; none if there is none.
  static std::optional<EarlierRun> in(const std::string& folder);

  // The precision that auto resolved to when the run started: "f32" or "bf16"; "" if unknown. DataError: the record is
  // not JSON.
  std::string precision() const;
  // An integer of the identity; none if it has none.
  std::optional<int64_t> number(const char* option) const;
  // The BLEU tokenizer of its validations; none if it had no validation sets.
  std::optional<std::string> tokenizer() const;
};

// Options that are auto, but had another default when an earlier version started the run in the folder: with that, so
// that the run goes on as it began.
TrainOptions with_defaults_of_run(const TrainOptions& options, const std::optional<EarlierRun>& earlier);

}  // namespace hexapla::train
