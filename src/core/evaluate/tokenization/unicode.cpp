#include "evaluate/tokenization/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace hexapla::evaluate {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first, last;
};

template <size_t N>
bool in(const std::array<Range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](Range r) { return r.first <= c && c <= r.last; });
}

// Unicode's Other_Uppercase and Other_Lowercase: cased although not Lu, Ll or Lt.
constexpr std::array kOtherCased = {
    Range{0xAA, 0xAA},       Range{0xBA, 0xBA},       Range{0x2B0, 0x2B8},     Range{0x2C0, 0x2C1},
    Range{0x2E0, 0x2E4},     Range{0x345, 0x345},     Range{0x37A, 0x37A},     Range{0x1D2C, 0x1D6A},
    Range{0x1D78, 0x1D78},   Range{0x1D9B, 0x1DBF},   Range{0x2071, 0x2071},   Range{0x207F, 0x207F},
    Range{0x2090, 0x209C},   Range{0x2160, 0x217F},   Range{0x24B6, 0x24E9},   Range{0x2C7C, 0x2C7D},
    Range{0xA69C, 0xA69D},   Range{0xA770, 0xA770},   Range{0xA7F8, 0xA7F9},   Range{0xAB5C, 0xAB5F},
    Range{0x10780, 0x10780}, Range{0x10783, 0x10785}, Range{0x10787, 0x107B0}, Range{0x107B2, 0x107BA},
    Range{0x1F130, 0x1F149}, Range{0x1F150, 0x1F169}, Range{0x1F170, 0x1F189}};

// Word_Break MidLetter, MidNumLet, Single_Quote: case-ignorable although not Mn, Me, Cf, Lm or Sk.
constexpr std::array kMidWord = {
    Range{0x27, 0x27},     Range{0x2E, 0x2E},     Range{0x3A, 0x3A},     Range{0xB7, 0xB7},
    Range{0x387, 0x387},   Range{0x55F, 0x55F},   Range{0x5F4, 0x5F4},   Range{0x2018, 0x2019},
    Range{0x2024, 0x2024}, Range{0x2027, 0x2027}, Range{0xFE13, 0xFE13}, Range{0xFE52, 0xFE52},
    Range{0xFE55, 0xFE55}, Range{0xFF07, 0xFF07}, Range{0xFF0E, 0xFF0E}, Range{0xFF1A, 0xFF1A}};

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool cased(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LT ||
         in(kOtherCased, c);
}

bool case_ignorable(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME || kind == UTF8PROC_CATEGORY_CF ||
         kind == UTF8PROC_CATEGORY_LM || kind == UTF8PROC_CATEGORY_SK || in(kMidWord, c);
}

// Unicode's Final_Sigma: preceded, but not followed, by a cased letter, skipping case-ignorable
// characters.
bool final_sigma(std::u32string_view text, size_t at) {
  size_t before = at, after = at + 1;
  while (before > 0 && case_ignorable(text[before - 1])) --before;
  if (before == 0 || !cased(text[before - 1])) return false;
  while (after < text.size() && case_ignorable(text[after])) ++after;
  return after == text.size() || !cased(text[after]);
}

void append(std::string& out, char32_t c) {
  std::array<utf8proc_uint8_t, 4> bytes;
  const auto n = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(n));
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t c = -1;
    const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                    static_cast<utf8proc_ssize_t>(text.size() - at), &c);
    out.push_back(n > 0 ? static_cast<char32_t>(c) : kReplacement);
    at += n > 0 ? static_cast<size_t>(n) : 1;
  }
  return out;
}

std::string to_utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) append(out, c);
  return out;
}

bool in_ranges(std::u32string_view ranges, char32_t c) {
  for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
    if (ranges[i] <= c && c <= ranges[i + 1]) return true;
  }
  return false;
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char32_t c : code_points(text)) {
    const bool space = is_space(c);
    if (!space && !inside) words.emplace_back();
    if (!space) append(words.back(), c);
    inside = !space;
  }
  return words;
}

std::string strip_right(std::string_view text) {
  std::u32string points = code_points(text);
  while (!points.empty() && is_space(points.back())) points.pop_back();
  return to_utf8(points);
}

std::string strip(std::string_view text) {
  std::u32string points = code_points(text);
  points.erase(std::find_if_not(points.rbegin(), points.rend(), is_space).base(), points.end());
  points.erase(points.begin(), std::find_if_not(points.begin(), points.end(), is_space));
  return to_utf8(points);
}

std::string lower(std::string_view text) {
  const std::u32string points = code_points(text);
  std::string out;
  for (size_t i = 0; i < points.size(); ++i) {
    const char32_t c = points[i];
    if (c == 0x130) {
      out += "i\u0307";  // the only character whose lower case has more characters
    } else if (c == 0x3A3) {
      append(out, final_sigma(points, i) ? 0x3C2 : 0x3C3);
    } else {
      append(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
    }
  }
  return out;
}

}  // namespace hexapla::evaluate
