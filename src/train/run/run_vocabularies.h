#pragma once
// A run's own copies of its vocabularies: DIR/vocab.spm where both sides have the same one, to the bytes, else
// DIR/vocab.source.spm and DIR/vocab.target.spm. So a resumed run has the same pieces even if the text has gone. They
// are a run's only if one of its checkpoints says so; what a start has left that got no further is nobody's.
#include <optional>
#include <string>

#include "text/vocabulary/vocabulary.h"
#include "train/options/options.h"

namespace hexapla::train {

// The hash of both, by which a checkpoint names its vocabularies.
std::string hash_of(const text::VocabularyPair& vocabularies);

// The record of a run's vocabulary in its newest complete checkpoint.
class VocabularyRecord {
 public:
  // None: there is no such checkpoint.
  static std::optional<VocabularyRecord> of_run(const std::string& run);

  // UsageError naming the option, its values and what to do: by these options the run would have another one.
  void compare(const TrainOptions& options) const;
  // The same for the one that `vocab`, `vocabs` or `init-from` brings.
  void compare(const TrainOptions& options, const text::VocabularyPair& given) const;

 private:
  std::string changeable_, initial_, hash_;  // "": of an earlier version, which did not say
};

// separate: the run is asked for a vocabulary for each side. UsageError: the folder holds two, and it is not.
std::optional<text::VocabularyPair> vocabularies_of_run(const std::string& run, bool separate);

// -> files of another vocabulary that had the place, and are gone; "": none. Expects the caller to hold the folder's
// RunLock. RunError.
std::string keep_vocabularies(const std::string& run, const text::VocabularyPair& vocabularies, bool separate);

// "DIR/vocab.spm": the copies that are there, to be named as options.
std::string copies_of_vocabularies(const std::string& run);

// The bytes of {source, target}; none: the folder has no copies.
std::optional<std::pair<std::string, std::string>> vocabulary_bytes_of_run(const std::string& run);

}  // namespace hexapla::train
