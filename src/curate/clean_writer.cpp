#include "curate/clean_writer.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"

namespace hexapla {
namespace {

FaultSet dropped_faults(const ExamineOptions& options) {
  FaultSet out;
  for (size_t i = 0; i < kFaults; ++i) {
    if (info(static_cast<Fault>(i)).dropped) out.add(static_cast<Fault>(i));
  }
  for (const Fault fault : options.drop) out.add(fault);
  for (const Fault fault : options.keep) out.remove(fault);
  return out;
}

void refuse_to_overwrite(const ExamineOptions& options) {
  const ParallelSource& text = options.text;
  for (const std::string& to : options.clean) {
    for (const std::string& from : {text.source, text.target, text.tsv}) {
      std::error_code missing;
      if (!from.empty() && std::filesystem::equivalent(from, to, missing))
        throw UsageError(cat("--write-clean ", to, " would overwrite the text that is read: give another name"));
    }
  }
  if (options.clean.size() == 2 && options.clean[0] == options.clean[1])
    throw UsageError(
        cat("--write-clean names ", options.clean[0], " twice: give a name for each side, or one for TSV"));
}

}  // namespace

CleanWriter::CleanWriter(const ExamineOptions& options) : drops_(dropped_faults(options)) {
  refuse_to_overwrite(options);
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

// A tab inside of a line would be a third field.
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
    for (LineWriter& writer : to_) writer.commit();
  }
  return counts_;
}

}  // namespace hexapla
