#include "data/curate/pairs/signature.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hexapla::data {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool is_space_or_tab(char c) { return c == ' ' || c == '\t'; }

uint8_t length_class(std::string_view line) {
  const auto characters = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
  const double steps = 4 * std::log2(static_cast<double>(characters) + 1);
  return static_cast<uint8_t>(std::min<long>(kLengths - 1, std::lround(steps)));
}

// "1,000.5" and "1 000,5" are the same number in two languages, so only digits count.
uint8_t numbers_hash(std::string_view line) {
  uint32_t hash = 0;
  for (const char c : line) {
    if (digit(c)) hash = hash * 31 + static_cast<uint32_t>(c - '0') + 1;
  }
  return hash == 0 ? 0 : static_cast<uint8_t>(1 + hash % 255);
}

// The same mark in different scripts is one kind.
uint8_t mark_kinds(std::string_view line) {
  using namespace std::string_view_literals;
  constexpr std::array<std::array<std::string_view, 4>, 8> kinds = {{{"?"sv, "？"sv, "؟"sv, "？"sv},
                                                                     {"!"sv, "！"sv, "¡"sv, "！"sv},
                                                                     {":"sv, "："sv, ":"sv, ":"sv},
                                                                     {";"sv, "；"sv, "؛"sv, ";"sv},
                                                                     {","sv, "，"sv, "،"sv, "、"sv},
                                                                     {"\""sv, "«"sv, "“"sv, "„"sv},
                                                                     {"("sv, "（"sv, "["sv, "【"sv},
                                                                     {"-"sv, "–"sv, "—"sv, "…"sv}}};
  uint8_t found = 0;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    const bool has = std::any_of(kinds[kind].begin(), kinds[kind].end(),
                                 [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; });
    if (has) found = static_cast<uint8_t>(found | (1u << kind));
  }
  return found;
}

uint8_t capitals_behind_the_first_word(std::string_view line) {
  uint8_t n = 0;
  for (size_t i = 1; i < line.size() && n < 3; ++i) {
    if (is_space_or_tab(line[i - 1]) && line[i] >= 'A' && line[i] <= 'Z') ++n;
  }
  return n;
}

}  // namespace

LineSignature signature_of(std::string_view line) {
  return {length_class(line), numbers_hash(line), mark_kinds(line), capitals_behind_the_first_word(line)};
}

}  // namespace hexapla::data
