#include "data/curate/pairs/pair_writer.h"

#include <algorithm>

namespace hexapla::data {

PairWriter::PairWriter(const std::vector<std::string>& files) {
  for (const std::string& path : files) to_.emplace_back(path);
}

void PairWriter::write(std::string_view source, std::string_view target) {
  if (to_.size() == 1) return write_tsv(source, target);
  to_[0].write(source);
  to_[1].write(target);
}

// A tab in a line would start a third field.
void PairWriter::write_tsv(std::string_view source, std::string_view target) {
  line_ = source;
  line_ += ' ';
  line_ += target;
  std::replace(line_.begin(), line_.end(), '\t', ' ');
  line_[source.size()] = '\t';
  to_[0].write(line_);
}

void PairWriter::finish() {
  for (LineWriter& writer : to_) writer.finish();  // does everything that can fail before the first rename
  for (LineWriter& writer : to_) writer.commit();
}

}  // namespace hexapla::data
