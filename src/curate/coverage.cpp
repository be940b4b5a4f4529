#include "curate/coverage.h"

namespace hexapla {
namespace {

bool byte_piece(const std::string& piece) {
  return piece.size() == 6 && piece.starts_with("<0x") && piece.back() == '>';
}

}  // namespace

Coverage::Coverage(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {
  used_.resize(static_cast<size_t>(vocabulary_.size()));
  for (int32_t id = 0; id < vocabulary_.size(); ++id) byte_.push_back(byte_piece(vocabulary_.piece(id)));
}

bool Coverage::add(std::string_view line, Where where) {
  Side& side = sides_[static_cast<size_t>(where)];
  const int64_t unknown_before = side.unknown;
  side.words += static_cast<int64_t>(words(line).size());
  for (const int32_t id : vocabulary_.encode(line)) {
    used_[static_cast<size_t>(id)] = true;
    ++side.pieces;
    side.unknown += id == vocabulary_.unk();
    side.bytes += byte_[static_cast<size_t>(id)];
  }
  return side.unknown > unknown_before;
}

bool Coverage::ordinary(int32_t id) const {
  const Vocabulary& v = vocabulary_;
  return id != v.bos() && id != v.eos() && id != v.unk() && id != v.pad() && !byte_[static_cast<size_t>(id)];
}

std::vector<int32_t> Coverage::never_used() const {
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < vocabulary_.size(); ++id) {
    if (!used_[static_cast<size_t>(id)] && ordinary(id)) ids.push_back(id);
  }
  return ids;
}

}  // namespace hexapla
