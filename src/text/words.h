#pragma once
// Words, as tools that align or count them have them: what stands between white space (ASCII).
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hexapla {

// Where a piece stands in a text: bytes from .. to - 1, perhaps none.
struct PiecePlace {
  size_t from, to;
  bool operator==(const PiecePlace&) const = default;
};

std::vector<std::string_view> words(std::string_view text);

// The word (from 0) that each piece belongs to: that of its first byte that is not white space; where it has none, the
// word that follows, or the last one. All 0 where the text has no word.
std::vector<int32_t> words_of_pieces(std::string_view text, std::span<const PiecePlace> pieces);

}  // namespace hexapla
