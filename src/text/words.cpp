#include "text/words.h"

#include <algorithm>

namespace hexapla {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && !is_space(text[end])) ++end;
    if (end > i) all.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  return all;
}

std::vector<int32_t> words_of_pieces(std::string_view text, std::span<const PiecePlace> pieces) {
  const std::vector<std::string_view> all = words(text);
  std::vector<int32_t> out(pieces.size(), 0);
  if (all.empty()) return out;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const char* from = text.data() + pieces[i].from;
    const auto word = std::partition_point(all.begin(), all.end() - 1,
                                           [&](std::string_view w) { return w.data() + w.size() <= from; });
    out[i] = static_cast<int32_t>(word - all.begin());
  }
  return out;
}

}  // namespace hexapla
