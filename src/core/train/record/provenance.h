#pragma once
// Provenance of a model: everything that determines it, kept in its file so that it can be trained
// again.
#include <map>
#include <string>
#include <vector>

#include "train/plan/options/options.h"

namespace hexapla::train {

struct DataFile {
  std::string path, hash;  // path as given; hash of the bytes on disk (hash_hex)
  int64_t bytes = 0;
};

// Describes every regular file; skips "-", pipes and a program's pairs, which cannot be read twice.
// DataError: no such file.
std::vector<DataFile> describe_files(const std::vector<std::string>& paths);

// Name in Provenance::changed for a processor's kernels; their results differ from those of others.
inline constexpr const char* kInstructionSet = "instruction set";

struct Provenance {
  TrainOptions options;         // without options that do not affect the result: folder, threads
  std::vector<DataFile> files;  // for training and validation
  std::string vocabulary;       // hash of its bytes
  std::string build, machine;   // "0.1.0 of 07fb438, GNU 12.2.0, Release"; "AMD EPYC 9654, cpu (avx512), bf16"
  std::string metric;           // signature of the validation BLEU; "" if there was no validation
  std::string changed;          // options changed at resumption (RunState::changed); `options` has the final values

  // As entries of a model's history: options, data, vocabulary, build, machine, metric, changed.
  std::map<std::string, std::string> to_history() const;
  // DataError naming the file: missing or malformed entries. Options unknown to this program are
  // returned in `unknown`.
  static Provenance from_history(const std::map<std::string, std::string>& history, const std::string& file,
                                 std::vector<std::string>& unknown);
};

// Hash of their bytes, as in Provenance.
std::string hash_of_vocabularies(const std::string& source, const std::string& target);
std::string build_text();
std::string machine_text(const std::string& backend, const std::string& precision);

// Differences between a run's provenance and this machine and these files, one per line: possible
// reasons for different bytes.
std::vector<std::string> differences(const Provenance& was, const Provenance& now);

}  // namespace hexapla::train
