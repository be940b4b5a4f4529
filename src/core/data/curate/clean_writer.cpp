#include "data/curate/clean_writer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"

namespace hexapla::data {
namespace {

FaultSet dropped_faults(const ExamineOptions& options) {
  FaultSet out;
  for (size_t i = 0; i < kFaults; ++i) {
    if (fault_info(static_cast<Fault>(i)).dropped) out.add(static_cast<Fault>(i));
  }
  for (const Fault fault : options.drop) out.add(fault);
  for (const Fault fault : options.keep) out.remove(fault);
  return out;
}

// All input files and their roles.
std::vector<std::pair<std::string, const char*>> files_read(const ExamineOptions& options) {
  std::vector<std::pair<std::string, const char*>> all;
  const auto add = [&](const data::ParallelSource& from, const char* what) {
    for (const std::string& path : {from.source, from.target, from.tsv})
      if (!path.empty()) all.emplace_back(path, what);
  };
  add(options.text, "the input text");
  if (options.tests) add(*options.tests, "the test set");
  for (const std::string& path : options.vocabularies) all.emplace_back(path, "the vocabulary");
  return all;
}

}  // namespace

void check_outputs(const ExamineOptions& options) {
  std::vector<std::string> before;
  for (const auto& [option, files] : {std::pair{"write-clean", &options.clean}, {"realign", &options.realigned}})
    for (const std::string& to : *files) {
      for (const auto& [from, what] : files_read(options))
        if (same_file(from, to))
          throw UsageError(cat("`", option, "` ", to, " would overwrite ", what, ": give another name"));
      for (const std::string& other : before)
        if (same_file(other, to))
          throw UsageError(cat("`", option, "` names one file twice, as ", other, " and as ", to,
                               ": give a name for each side, or one for TSV"));
      before.push_back(to);
    }
}

CleanWriter::CleanWriter(const ExamineOptions& options) : drops_(dropped_faults(options)), to_(options.clean) {}

void CleanWriter::add(std::string_view source, std::string_view target, FaultSet faults) {
  for (size_t i = 0; i < kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    if (!faults.has(fault) || !drops_.has(fault)) continue;
    ++counts_.dropped[i];
    return;
  }
  ++counts_.kept;
  to_.write(source, target);
}

Examination::Clean CleanWriter::finish(bool write) {
  counts_.written = write;
  if (write) to_.finish();
  return counts_;
}

}  // namespace hexapla::data
