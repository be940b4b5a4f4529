#include "data/curate/pairs/raw_pairs.h"

#include <algorithm>

namespace hexapla::data {

RawReader::RawReader(const data::ParallelSource& from) {
  from.check();
  source_.emplace(from.tsv.empty() ? from.source : from.tsv);
  if (from.tsv.empty()) target_.emplace(from.target);
}

bool RawReader::next_of_tsv(RawPair& pair) {
  pair.has_source = pair.has_target = source_->next(pair.source);
  if (!pair.has_source) return false;
  pair.target_cr = source_->had_carriage_return();
  pair.fields = 1 + static_cast<int>(std::count(pair.source.begin(), pair.source.end(), '\t'));
  if (pair.fields == 2) {
    const size_t tab = pair.source.find('\t');
    pair.target.assign(pair.source, tab + 1);
    pair.source.resize(tab);
  }
  return true;
}

bool RawReader::next(RawPair& pair) {
  pair.source.clear();
  pair.target.clear();
  pair.source_cr = pair.target_cr = false;
  if (target_) {
    pair.has_source = source_->next(pair.source);
    pair.has_target = target_->next(pair.target);
    pair.source_cr = pair.has_source && source_->had_carriage_return();
    pair.target_cr = pair.has_target && target_->had_carriage_return();
    if (!pair.has_source && !pair.has_target) return false;
  } else if (!next_of_tsv(pair)) {
    return false;
  }
  ++line_;
  return true;
}

}  // namespace hexapla::data
