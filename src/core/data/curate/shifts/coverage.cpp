#include "data/curate/shifts/coverage.h"

namespace hexapla::data {
namespace {

bool byte_piece(const std::string& piece) {
  return piece.size() == 6 && piece.starts_with("<0x") && piece.back() == '>';
}

}  // namespace

Coverage::Use::Use(text::Vocabulary v) : vocabulary(std::move(v)) {
  used.resize(static_cast<size_t>(vocabulary.size()));
  for (int32_t id = 0; id < vocabulary.size(); ++id) byte.push_back(byte_piece(vocabulary.piece(id)));
}

bool Coverage::Use::ordinary(int32_t id) const {
  const text::Vocabulary& v = vocabulary;
  return id != v.bos() && id != v.eos() && id != v.unk() && id != v.pad() && !byte[id];
}

Coverage::Coverage(text::VocabularyPair v)
    : uses_{Use(v.source), Use(v.target)}, joint_(text::same_pieces(v.source, v.target)) {}

bool Coverage::add(std::string_view line, Where where) {
  Side& side = sides_[index(where)];
  Use& use = uses_[index(where)];
  const int64_t unknown_before = side.unknown;
  side.words += static_cast<int64_t>(text::words(line).size());
  for (const int32_t id : use.vocabulary.encode(line)) {
    use.used[id] = true;
    ++side.tokens;
    side.unknown += id == use.vocabulary.unk();
    side.bytes += use.byte[id];
  }
  return side.unknown > unknown_before;
}

std::vector<int32_t> Coverage::never_used(Where side) const {
  const Use &own = uses_[index(side)], &other = uses_[1 - index(side)];
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < own.vocabulary.size(); ++id) {
    const auto i = static_cast<size_t>(id);
    if (!own.used[i] && !(joint_ && other.used[i]) && own.ordinary(id)) ids.push_back(id);
  }
  return ids;
}

}  // namespace hexapla::data
