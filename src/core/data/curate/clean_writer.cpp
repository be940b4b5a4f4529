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

void check_clean_files(const ExamineOptions& options) {
  for (const std::string& to : options.clean)
    for (const auto& [from, what] : files_read(options))
      if (same_file(from, to))
        throw UsageError(cat("`write-clean` ", to, " would overwrite ", what, ": give another name"));
  if (options.clean.size() == 2 && same_file(options.clean[0], options.clean[1]))
    throw UsageError(cat("`write-clean` names one file twice, as ", options.clean[0], " and as ", options.clean[1],
                         ": give a name for each side, or one for TSV"));
}

CleanWriter::CleanWriter(const ExamineOptions& options) : drops_(dropped_faults(options)) {
  for (const std::string& path : options.clean) to_.emplace_back(path);
}

void CleanWriter::add(std::string_view source, std::string_view target, FaultSet faults) {
  for (size_t i = 0; i < kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    if (!faults.has(fault) || !drops_.has(fault)) continue;
    ++counts_.dropped[i];
    return;
  }
  ++counts_.kept;
  if (to_.size() == 1) return write_tsv(source, target);
  to_[0].write(source);
  to_[1].write(target);
}

// A tab in a line would start a third field.
void CleanWriter::write_tsv(std::string_view source, std::string_view target) {
  line_ = source;
  line_ += ' ';
  line_ += target;
  std::replace(line_.begin(), line_.end(), '\t', ' ');
  line_[source.size()] = '\t';
  to_[0].write(line_);
}

Examination::Clean CleanWriter::finish(bool write) {
  counts_.written = write;
  if (write) {
    for (data::LineWriter& writer : to_) writer.finish();  // does everything that can fail before the first rename
    for (data::LineWriter& writer : to_) writer.commit();
  }
  return counts_;
}

}  // namespace hexapla::data
