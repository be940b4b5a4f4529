#include "data/curate/mojibake.h"

#include <algorithm>
#include <array>
#include <vector>

#include "text/characters.h"

namespace hexapla::data {
namespace {

// Windows-1252's characters for the bytes 0x80 to 0x9F; 0: none.
constexpr std::array<char32_t, 32> kWindows = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                               0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                               0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                               0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

// Closing quotes, dashes, blanks, fractions, unit signs: characters that may follow a letter in
// good text. Those in the first line may also be between two letters.
constexpr std::string_view kMayFollow =
    "\x85\x91\x92\x95\x96\x97\xA0\xB4\xB7"
    "\x86\x87\x93\x94\x99\x9B\xA9\xAA\xAB\xAE\xB0\xB2\xB3\xB9\xBA\xBB\xBC\xBD\xBE";
constexpr std::string_view kMayJoin = kMayFollow.substr(0, 9);

bool has(std::string_view some, unsigned char byte) { return some.find(static_cast<char>(byte)) != some.npos; }

struct Byte {
  unsigned char value = 0;  // byte of the character in Latin-1 or Windows-1252, if >= 0x80; otherwise 0
  size_t at = 0;            // where the character begins
};

std::vector<Byte> western_bytes(std::string_view line) {
  std::vector<Byte> all;
  for (size_t at = 0; at < line.size();) {
    const auto [code_point, size] = text::code_point_at(line, at);
    const auto windows = code_point < 0x100 ? kWindows.end() : std::find(kWindows.begin(), kWindows.end(), code_point);
    unsigned char value = 0;
    if (code_point >= 0x80 && code_point < 0x100) value = static_cast<unsigned char>(code_point);
    if (windows != kWindows.end()) value = static_cast<unsigned char>(0x80 + (windows - kWindows.begin()));
    all.push_back({value, at});
    at += size;
  }
  return all;
}

class Signs {
 public:
  explicit Signs(std::string_view line) : line_(line), bytes_(western_bytes(line)) {}

  // Strength of the evidence in the characters from `i` on: 2 suffices. `next`: where to continue.
  int at(size_t i, size_t& next) {
    const unsigned char lead = value(i);
    const size_t n = length(lead);
    next = i + 1;
    if (n == 0) return 0;
    if (lead == 0xE2 && value(i + 1) == 0x80) return 2;                                   // â€œ
    if (lead == 0xF0 && value(i + 1) == 0x9F) return 2;                                   // ðŸ˜€
    if (lead == 0xC2) return value(i + 1) >= 0xA0 && later_byte_of_latin(i + 1) ? 2 : 0;  // Â°
    if (lead == 0xC3) return later_byte_of_latin(i + 1) ? 2 : 0;                          // Ã¤
    bool sure = false;
    size_t have = 1;
    for (; have < n && later_byte(i + have); ++have) sure |= !has(kMayFollow, value(i + have));
    const bool whole = have == n && shortest(i);
    // A byte without a Windows-1252 character may have been dropped.
    const bool cut = !whole && n == 3 && have == 2 && length(value(i + 2)) == 3 && later_byte(i + 3);
    if (!whole && !cut) return 0;
    next = i + have;
    const bool beside = i == joined_ || (length(value(next)) > 1 && later_byte(next + 1));
    joined_ = next;
    if (whole && sure) return n > 2 ? 2 : 1;
    return beside || (n == 2 && letter(next) && !has(kMayJoin, value(i + 1))) ? 1 : 0;
  }
  size_t size() const { return bytes_.size(); }
  size_t offset(size_t i) const { return bytes_[i].at; }

 private:
  unsigned char value(size_t i) const { return i < bytes_.size() ? bytes_[i].value : 0; }
  bool letter(size_t i) const {
    const char c = i < bytes_.size() ? line_[bytes_[i].at] : ' ';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  bool later_byte(size_t i) const { return value(i) >= 0x80 && value(i) < 0xC0; }
  // Excludes quotes, dashes and the ellipsis.
  bool later_byte_of_latin(size_t i) const {
    constexpr std::string_view quotes = "\x85\x91\x92\x93\x94\x95\x96\x97\xAB\xBB";
    return later_byte(i) && !has(quotes, value(i));
  }
  static size_t length(unsigned char lead) {
    if (lead < 0xC2 || lead > 0xF4) return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  }
  // Whether this is not an overlong form, a surrogate, or a value beyond Unicode.
  bool shortest(size_t i) const {
    const unsigned char lead = value(i), second = value(i + 1);
    if (lead == 0xE0) return second >= 0xA0;
    if (lead == 0xED) return second < 0xA0;
    if (lead == 0xF0) return second >= 0x90;
    return lead != 0xF4 || second < 0x90;
  }

  std::string_view line_;
  std::vector<Byte> bytes_;
  size_t joined_ = std::string_view::npos;  // end of the previous character
};

}  // namespace

size_t mojibake_in(std::string_view line) {
  if (line.find('\xC3') == std::string_view::npos) return std::string_view::npos;  // all lead bytes are Â to ô
  Signs signs(line);
  int sum = 0;
  for (size_t i = 0, next = 0; i < signs.size(); i = next) {
    sum += signs.at(i, next);
    if (sum >= 2) return signs.offset(i);
  }
  return std::string_view::npos;
}

}  // namespace hexapla::data
