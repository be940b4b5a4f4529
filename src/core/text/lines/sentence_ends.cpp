#include "text/lines/sentence_ends.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <string>

#include "text/characters.h"
#include "text/lines/marks.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

using Words = std::initializer_list<std::string_view>;

utf8proc_category_t category_at(std::string_view text, size_t at) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point_at(text, at).first));
}
bool is_lower(std::string_view text, size_t at) { return category_at(text, at) == UTF8PROC_CATEGORY_LL; }
bool is_capital(std::string_view text, size_t at) { return category_at(text, at) == UTF8PROC_CATEGORY_LU; }
bool is_digit(std::string_view text, size_t at) { return category_at(text, at) == UTF8PROC_CATEGORY_ND; }
bool is_greek(char32_t c) { return c >= 0x370 && c <= 0x3FF; }

size_t after_blanks(std::string_view text, size_t at) {
  while (at < text.size() && is_blank(character_at(text, at))) at += character_at(text, at).size();
  return at;
}

// Lower case, for the lists below.
std::string folded_word(std::string_view word) {
  std::string lower;
  for (size_t at = 0; at < word.size();) {
    const auto [c, bytes] = code_point_at(word, at);
    std::array<utf8proc_uint8_t, 4> out{};
    const utf8proc_ssize_t n = utf8proc_encode_char(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)), out.data());
    lower.append(out.begin(), out.begin() + n);
    at += bytes;
  }
  return lower;
}

bool in(const std::string& word, Words words) { return std::find(words.begin(), words.end(), word) != words.end(); }

// Titles and other abbreviations that precede another word.
bool needs_more(const std::string& word) {
  return in(word, {"mr",   "mrs", "dhr",  "mevr", "ms",   "dr",   "prof", "st",   "gen",    "sen",  "rep", "gov",
                   "capt", "col", "lt",   "sgt",  "maj",  "rev",  "hon",  "pres", "vs",     "cf",   "mt",  "messrs",
                   "mmes", "hr",  "fr",   "frl",  "fa",   "bzw",  "vgl",  "geb",  "med",    "phil", "jur", "ing",
                   "dipl", "ca",  "mme",  "mlle", "av",   "apr",  "sr",   "sra",  "srta",   "dra",  "ee",  "uu",
                   "ud",   "uds", "sres", "dña",  "exmo", "exma", "sig",  "sigg", "sig.ra", "dott", "avv", "г",
                   "ул",   "им",  "проф", "акад", "т",    "тов",  "см",   "напр", "κ",      "κα",   "डॉ",  "श्री"});
}

// Abbreviations that precede a number.
bool needs_a_number(const std::string& word) {
  return word.ends_with("str") ||
         in(word, {"no",   "nos",  "nr",  "num",    "núm", "n",   "p",   "pp",  "pag", "pág", "pg",  "s",   "ss",
                   "fig",  "figs", "abb", "tab",    "eq",  "vol", "bd",  "art", "abs", "kap", "ch",  "cap", "sec",
                   "sect", "v",    "ver", "approx", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept",
                   "oct",  "okt",  "nov", "dec",    "dez", "стр", "рис", "гл",  "д",   "кв",  "№",   "bzw"});
}

// German dates and ordinals: "Am 3. Mai", "im 18. Jahrhundert".
bool counts_days(const std::string& word) {
  return in(word, {"januar",       "jänner", "februar",   "märz",    "april",    "mai",       "juni",
                   "juli",         "august", "september", "oktober", "november", "dezember",  "jahrhundert",
                   "jahrhunderts", "jh",     "platz",     "stock",   "klasse",   "jahrestag", "geburtstag"});
}

// The word that ends before byte `end`, without leading brackets and quotes; the end of a long one.
std::string_view word_before(std::string_view text, size_t end) {
  constexpr size_t longest = 60;  // bytes; limits the time per mark in a text without blanks
  size_t begin = end > longest ? end - longest : 0;
  while (begin < end && (text[begin] & 0xC0) == 0x80) ++begin;
  for (size_t at = begin; at < end; at += character_at(text, at).size())
    if (const std::string_view c = character_at(text, at); is_blank(c) || is_opening(c) || c == "-" || c == "/")
      begin = at + c.size();
  return text.substr(begin, end - begin);
}
std::string_view word_at(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && !is_blank(character_at(text, end)) && !is_stop(character_at(text, end)) &&
         !is_closing(character_at(text, end)) && character_at(text, end) != ",")
    end += character_at(text, end).size();
  return text.substr(at, end - at);
}

// "U.S", "z.B", "J.R.R": letters, at most two of them between full stops.
bool is_dotted(std::string_view word) {
  size_t letters = 0, dots = 0;
  for (size_t at = 0; at < word.size(); at += character_at(word, at).size()) {
    if (word[at] == '.') {
      if (letters == 0) return false;
      ++dots, letters = 0;
    } else if ((!is_lower(word, at) && !is_capital(word, at)) || ++letters > 2) {
      return false;
    }
  }
  return dots > 0 && letters > 0;
}
bool is_one_letter(std::string_view word) {
  return !word.empty() && character_at(word, 0).size() == word.size() && word != "I" &&
         (is_capital(word, 0) || is_lower(word, 0));
}
bool is_small_number(std::string_view word) {
  return !word.empty() && word.size() <= 2 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether the period at `stop` belongs to an abbreviation; `next`: the next non-blank character.
bool abbreviates(std::string_view text, size_t stop, size_t next) {
  if (stop > 0 && text[stop - 1] == '.') return false;  // ...
  const std::string_view word = word_before(text, stop);
  const std::string lower = folded_word(word);
  if (lower == "a.m" || lower == "p.m") return false;
  if (is_dotted(word) || is_one_letter(word) || needs_more(lower)) return true;
  if (is_digit(text, next) && needs_a_number(lower)) return true;
  return is_small_number(word) && counts_days(folded_word(word_at(text, next)));
}

// Whether the sentence continues at `next` despite the mark.
bool sentence_goes_on(std::string_view text, size_t mark, size_t next, bool all_lower) {
  if (!all_lower && is_lower(text, next)) return true;
  return text[mark] == '.' && abbreviates(text, mark, next);
}

bool ends_at(std::string_view text, size_t mark) {
  const std::string_view c = character_at(text, mark);
  if (is_stop(c)) return true;
  if (c != ";" || mark == 0) return false;  // the Greek question mark
  size_t before = mark - 1;
  while (before > 0 && (text[before] & 0xC0) == 0x80) --before;
  return is_greek(code_point_at(text, before).first);
}

// Skips closing characters and further marks; French has a blank before its closing quote.
size_t after_closing(std::string_view text, size_t at) {
  while (at < text.size()) {
    const std::string_view c = character_at(text, at);
    const size_t next = after_blanks(text, at);
    if (is_closing(c) || is_stop(c))
      at += c.size();
    else if (next > at && next < text.size() && character_at(text, next) == "\u00BB")
      at = next + character_at(text, next).size();
    else
      break;
  }
  return at;
}

}  // namespace

size_t end_of_sentence(std::string_view text, bool all_lower) {
  for (size_t at = 0; at < text.size();) {
    const size_t mark = at;
    at += character_at(text, at).size();
    if (!ends_at(text, mark)) continue;
    const size_t marked = at;
    at = after_closing(text, at);
    const size_t next = after_blanks(text, at);
    if (next == text.size()) break;
    const bool wide = is_wide_stop(character_at(text, mark));
    if (next == at &&
        (!wide || (at > marked && !is_stop(character_at(text, marked)) && !is_opening(character_at(text, at)))))
      continue;  // 3.5, and text continuing after a quotation
    if (wide || !sentence_goes_on(text, mark, next, all_lower)) return at;
  }
  return text.size();
}

bool is_all_lower(std::string_view text) {
  bool lower = false;
  for (size_t at = 0; at < text.size(); at += character_at(text, at).size()) {
    if (is_capital(text, at)) return false;
    lower = lower || is_lower(text, at);
  }
  return lower;
}

}  // namespace hexapla::text
