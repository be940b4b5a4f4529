#pragma once
// Writes the pairs without faults, and counts the others.
#include <array>
#include <string>
#include <string_view>

#include "data/curate/examination.h"
#include "data/files/lines.h"

namespace hexapla::data {

// UsageError: a clean file is also an input, or is given twice.
void check_clean_files(const ExamineOptions& options);

class CleanWriter {
 public:
  // RunError: a file cannot be created.
  explicit CleanWriter(const ExamineOptions& options);
  void add(std::string_view source, std::string_view target, FaultSet faults);
  // Renames the files to their final names if `write`; otherwise removes them.
  Examination::Clean finish(bool write);

 private:
  void write_tsv(std::string_view source, std::string_view target);
  FaultSet drops_;
  std::vector<data::LineWriter> to_;  // two, or one of TSV lines
  Examination::Clean counts_;
  std::string line_;
};

}  // namespace hexapla::data
