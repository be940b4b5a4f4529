#pragma once
// Unicode characters by script, for finding word boundaries: some scripts write no spaces between
// words.

namespace hexapla {

enum class Script {
  han,     // Chinese characters
  kana,    // Japanese syllables
  hangul,  // Korean; with spaces
  thai,    // Thai, Lao, Khmer, Myanmar, Tibetan: a space ends a phrase or a sentence, not a word
  other    // letters, marks and digits of all other scripts
};

namespace detail {
struct CharacterRange {
  char32_t first, last;
};
template <int N>
constexpr bool in_any(const CharacterRange (&ranges)[N], char32_t c) {
  for (const CharacterRange& r : ranges)
    if (r.first <= c && c <= r.last) return true;
  return false;
}
constexpr CharacterRange kHan[] = {{0x2E80, 0x2FDF}, {0x3005, 0x3007}, {0x3021, 0x3029}, {0x3038, 0x303B},
                                   {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x323AF}};
constexpr CharacterRange kKana[] = {
    {0x3041, 0x30FA}, {0x30FC, 0x30FF}, {0x31F0, 0x31FF}, {0xFF66, 0xFF9F}, {0x1B000, 0x1B16F}};
constexpr CharacterRange kHangul[] = {{0x1100, 0x11FF}, {0x3130, 0x318F}, {0xA960, 0xA97F}, {0xAC00, 0xD7FF}};
constexpr CharacterRange kThai[] = {{0x0E01, 0x0FFF}, {0x1000, 0x109F}, {0x1780, 0x17FF},
                                    {0x19E0, 0x19FF}, {0xA9E0, 0xA9FF}, {0xAA60, 0xAA7F}};
// Includes the marks of these scripts, so that a mark is never part of the word before or after it.
constexpr CharacterRange kNoBlanks[] = {{0x0E00, 0x0EFF},     // Thai, Lao
                                        {0x1000, 0x109F},     // Myanmar
                                        {0x1780, 0x17FF},     // Khmer
                                        {0x2E80, 0x312F},     // radicals, punctuation, kana, bopomofo
                                        {0x31A0, 0xA4CF},     // more of these, Han, Yi
                                        {0xF900, 0xFAFF},     // Han, compatibility forms
                                        {0xFF66, 0xFF9F},     // halfwidth kana
                                        {0x1B000, 0x1B16F},   // more kana
                                        {0x20000, 0x323AF}};  // Han, extensions
// Fullwidth commas, stops and brackets, and the halfwidth ones of Japanese.
constexpr CharacterRange kWideMarks[] = {{0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF20},
                                         {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFE6}};
}  // namespace detail

constexpr Script script_of(char32_t c) {
  if (c < 0x0E00) return Script::other;
  if (detail::in_any(detail::kHan, c)) return Script::han;
  if (detail::in_any(detail::kKana, c)) return Script::kana;
  if (detail::in_any(detail::kHangul, c)) return Script::hangul;
  return detail::in_any(detail::kThai, c) ? Script::thai : Script::other;
}

// Whether it belongs to a script without spaces between words: Han, kana, bopomofo, Yi, Thai, Lao,
// Khmer, Myanmar.
constexpr bool writes_no_blanks(char32_t c) { return c >= 0x0E00 && detail::in_any(detail::kNoBlanks, c); }
constexpr bool is_wide_mark(char32_t c) { return c >= 0xFE10 && detail::in_any(detail::kWideMarks, c); }

}  // namespace hexapla
