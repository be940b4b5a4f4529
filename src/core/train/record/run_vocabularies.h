#pragma once
// A run's own copies of its vocabularies: DIR/vocab.spm if both sides are byte-identical, else
// DIR/vocab.source.spm and DIR/vocab.target.spm. They let a run resume with the same pieces even if
// the text is gone. They count only if a checkpoint of the run refers to them; those of a start
// that got no further are ignored.
#include <optional>
#include <string>

#include "text/vocabulary/vocabulary.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

// Hash of both, by which a checkpoint identifies its vocabularies.
std::string hash_of(const text::VocabularyPair& vocabularies);

// The record of a run's vocabulary in its newest complete checkpoint.
class VocabularyRecord {
 public:
  // None if there is no such checkpoint.
  static std::optional<VocabularyRecord> of_run(const std::string& run);

  // UsageError naming the option, its values and a remedy: the options imply another vocabulary.
  void compare(const TrainOptions& options) const;
  // The same for a vocabulary from `vocab`, `vocabs` or `init-from`.
  void compare(const TrainOptions& options, const text::VocabularyPair& given) const;

 private:
  std::string changeable_, initial_, hash_;  // "" if an earlier version did not record it
};

// separate: a vocabulary per side is requested. UsageError: the folder has two, but one is
// requested.
std::optional<text::VocabularyPair> vocabularies_of_run(const std::string& run, bool separate);

// Writes the copies. -> replaced files of another vocabulary; "" if none. Expects the caller to
// hold the folder's RunLock. RunError.
std::string keep_vocabularies(const std::string& run, const text::VocabularyPair& vocabularies, bool separate);

// "DIR/vocab.spm": existing copies, as values for options.
std::string copies_of_vocabularies(const std::string& run);
// The same, after the option that takes them.
std::string how_to_give_copies(const std::string& run);

// Bytes of {source, target}; none if the folder has no copies.
std::optional<std::pair<std::string, std::string>> vocabulary_bytes_of_run(const std::string& run);

}  // namespace hexapla::train
