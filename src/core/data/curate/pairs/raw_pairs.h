#pragma once
// Parallel text with format errors: reports and skips what ParallelReader would reject.
#include <cstdint>
#include <optional>
#include <string>

#include "data/files/lines.h"
#include "data/files/parallel_text.h"

namespace hexapla::data {

struct RawPair {
  std::string source, target;
  bool has_source = false, has_target = false;  // the shorter file ends first
  bool source_cr = false, target_cr = false;    // line ended with "\r\n"; of a TSV line: target
  int fields = 2;                               // of a TSV line; unless 2, `source` is the whole line
};

class RawReader {
 public:
  // Errors as LineReader, and as ParallelReader for invalid sets of names.
  explicit RawReader(const data::ParallelSource& from);

  bool next(RawPair& pair);
  int64_t line_number() const { return line_; }
  int64_t source_lines() const { return source_->line_number(); }
  int64_t target_lines() const { return target_ ? target_->line_number() : source_lines(); }
  bool source_mark() const { return source_->had_byte_order_mark(); }
  bool target_mark() const { return target_ && target_->had_byte_order_mark(); }
  double share_read() const { return source_->share_read(); }
  const std::string& source_name() const { return source_->name(); }
  const std::string& target_name() const { return (target_ ? target_ : source_)->name(); }

 private:
  bool next_of_tsv(RawPair& pair);
  std::optional<data::LineReader> source_, target_;  // TSV: only the first
  int64_t line_ = 0;
};

}  // namespace hexapla::data
