#include "data/curate/usual_scripts.h"

#include <algorithm>

#include "base/unicode_scripts.h"
#include "text/characters.h"

namespace hexapla::data {
namespace {

constexpr int kNone = 0, kEast = 1, kHangul = 2, kLatin = 3, kGreek = 4, kCyrillic = 5, kArabic = 6, kEthiopic = 7,
              kGeorgian = 8, kOtherBlock = 100;
constexpr int64_t kFewest = 5;  // words of a foreign line

// Scripts that are in several of Unicode's blocks, and what is in no script.
constexpr struct {
  char32_t first, last;
  int script;
} kRanges[] = {
    {0x00C0, 0x02AF, kLatin},    {0x02B0, 0x036F, kNone},     {0x0370, 0x03FF, kGreek},    {0x0400, 0x052F, kCyrillic},
    {0x0600, 0x06FF, kArabic},   {0x0750, 0x077F, kArabic},   {0x0870, 0x08FF, kArabic},   {0x10A0, 0x10FF, kGeorgian},
    {0x1200, 0x139F, kEthiopic}, {0x1C90, 0x1CBF, kGeorgian}, {0x1DC0, 0x1DFF, kNone},     {0x1E00, 0x1EFF, kLatin},
    {0x1F00, 0x1FFF, kGreek},    {0x2000, 0x2BFF, kNone},     {0x2DE0, 0x2DFF, kCyrillic}, {0x2E00, 0x2E7F, kNone},
    {0x3000, 0x303F, kNone},     {0x3100, 0x312F, kEast},     {0xA640, 0xA69F, kCyrillic}, {0xA720, 0xA7FF, kLatin},
    {0xE000, 0xF8FF, kNone},     {0xFB50, 0xFDFF, kArabic},   {0xFE00, 0xFE6F, kNone},     {0xFE70, 0xFEFC, kArabic},
    {0xFF21, 0xFF5A, kLatin},    {0xFEFD, 0xFFFF, kNone},     {0x1F000, 0x1FFFF, kNone}};

int script_number(char32_t c) {
  if (c < 0xC0) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? kLatin : kNone;
  const Script script = script_of(c);
  if (script == Script::han || script == Script::kana) return kEast;
  if (script == Script::hangul) return kHangul;
  for (const auto& range : kRanges)
    if (range.first <= c && c <= range.last) return range.script;
  return kOtherBlock + static_cast<int>(c / 0x80);  // Unicode gives most scripts a block of 128
}

// Calls f(script) for each run of letters of a script between blanks, or character of a script without blanks.
template <class F>
void each_word(std::string_view line, F&& f) {
  int before = kNone;
  for (size_t at = 0; at < line.size();) {
    const auto [c, length] = text::code_point_at(line, at);
    const int script = script_number(c);
    if (script != kNone && (script != before || writes_no_blanks(c))) f(script);
    if (script != kNone || c == ' ') before = script;
    at += length;
  }
}

}  // namespace

void UsualScripts::add(std::string_view line) {
  std::map<int, int64_t> words;
  each_word(line, [&](int script) { ++words[script]; });
  if (words.empty()) return;
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  ++lines_[std::max_element(words.begin(), words.end(), less)->first];
  ++all_;
}

bool UsualScripts::usual(int script) const {
  const auto found = lines_.find(script);
  return found != lines_.end() && 5 * found->second >= all_;
}

bool UsualScripts::is_foreign(std::string_view line) const {
  int64_t own = 0, all = 0;
  each_word(line, [&](int script) { own += usual(script), ++all; });
  const bool any = std::any_of(lines_.begin(), lines_.end(), [&](const auto& one) { return usual(one.first); });
  return any && all >= kFewest && 10 * own <= all;
}

}  // namespace hexapla::data
