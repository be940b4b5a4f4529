#pragma once
// Writes the pairs without faults, and counts the others.
#include <array>
#include <string>
#include <string_view>

#include "data/curate/examination.h"
#include "data/curate/pairs/pair_writer.h"

namespace hexapla::data {

// UsageError: a file to write is also an input, or is given twice.
void check_outputs(const ExamineOptions& options);

class CleanWriter {
 public:
  // RunError: a file cannot be created.
  explicit CleanWriter(const ExamineOptions& options);
  void add(std::string_view source, std::string_view target, FaultSet faults);
  // Renames the files to their final names if `write`; otherwise removes them.
  Examination::Clean finish(bool write);

 private:
  FaultSet drops_;
  PairWriter to_;
  Examination::Clean counts_;
};

}  // namespace hexapla::data
