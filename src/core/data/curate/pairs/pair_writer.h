#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "data/files/lines.h"

namespace hexapla::data {

// Writes pairs of lines into two files, or into one of TSV lines. Without finish() nothing remains. RunError.
class PairWriter {
 public:
  explicit PairWriter(const std::vector<std::string>& files);
  void write(std::string_view source, std::string_view target);
  void finish();  // gives all files their names

 private:
  void write_tsv(std::string_view source, std::string_view target);
  std::vector<LineWriter> to_;
  std::string line_;
};

}  // namespace hexapla::data
