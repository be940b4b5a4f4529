#pragma once
// What made a model: everything that decides its result, kept in the model file, so that it can be run again.
#include <map>
#include <string>
#include <vector>

#include "train/options/options.h"

namespace hexapla::train {

struct DataFile {
  std::string path, hash;  // as it was given; of the bytes as they lie on the disk (hash_hex)
  int64_t bytes = 0;
};

// Of every regular file; "-", pipes and a program's pairs, which cannot be read twice, are left out. DataError: there
// is no such file.
std::vector<DataFile> describe_files(const std::vector<std::string>& paths);

// Provenance::changed calls the kernels of a processor by this name; their results differ from those of others.
inline constexpr const char* instruction_set = "instruction set";

struct Provenance {
  TrainOptions options;         // without what does not change the result: folder, threads
  std::vector<DataFile> files;  // that were trained and validated on
  std::string vocabulary;       // hash of its bytes
  std::string build, machine;   // "0.1.0 of 07fb438, GNU 12.2.0, Release"; "AMD EPYC 9654, cpu (avx512), bf16"
  std::string metric;           // signature of the validation BLEU; "" if there was no validation
  std::string changed;          // options that changed on the way (RunState::changed); `options` has the last of them

  // As entries of a model's history: options, data, vocabulary, build, machine, metric, changed.
  std::map<std::string, std::string> to_history() const;
  // DataError naming the file: a model without these entries, or with entries of another form. Options that this
  // program does not know come back in `unknown`.
  static Provenance from_history(const std::map<std::string, std::string>& history, const std::string& file,
                                 std::vector<std::string>& unknown);
};

// The hash of their bytes, as Provenance has it.
std::string hash_of_vocabularies(const std::string& source, const std::string& target);
std::string build_text();
std::string machine_text(const std::string& backend, const std::string& precision);

// What differs between a run's provenance and this machine or these files, one clear line each: what may be why the
// bytes do not agree.
std::vector<std::string> differences(const Provenance& was, const Provenance& now);

}  // namespace hexapla::train
