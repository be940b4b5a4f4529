#include "text/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "text/plain_line.h"
#include "text/utf8.h"
#include "text/words.h"

namespace hexapla::text {
namespace {

CharacterKind kind_of(utf8proc_int32_t code_point) {
  const utf8proc_category_t category = utf8proc_category(code_point);
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) return CharacterKind::letter;
  if (category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME) return CharacterKind::mark;
  return CharacterKind::other;
}

constexpr size_t kMostMarks = 256;  // on one character: the time to sort them grows with their square

// The length of the text up to where a character has too many marks.
size_t size_to_fold(std::string_view text) {
  size_t at = 0;
  for (size_t marks = 0; at < text.size() && marks < kMostMarks;) {
    const auto [c, bytes] = code_point_at(text, at);
    marks = utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class == 0 ? 0 : marks + 1;
    at += bytes;
  }
  return at;
}

std::string folded_part(std::string_view clean) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE |
                                                      UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  const auto bytes = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(clean.data()),
                                  static_cast<utf8proc_ssize_t>(clean.size()), &mapped, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (bytes < 0) throw std::bad_alloc();  // the text is valid
  return {reinterpret_cast<const char*>(mapped), static_cast<size_t>(bytes)};
}

std::string folded_form(std::string_view text) {
  const std::string clean = clean_utf8(text);
  std::string form;
  for (std::string_view rest = clean; !rest.empty();) {
    const size_t size = size_to_fold(rest);
    form += folded_part(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return form;
}

}  // namespace

std::pair<char32_t, size_t> code_point_at(std::string_view text, size_t at) {
  utf8proc_int32_t code_point = -1;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                      static_cast<utf8proc_ssize_t>(text.size() - at), &code_point);
  if (bytes <= 0) return {0xFFFD, 1};
  return {static_cast<char32_t>(code_point), static_cast<size_t>(bytes)};
}

bool has_letter(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto [code_point, bytes] = code_point_at(text, at);
    if (kind_of(static_cast<utf8proc_int32_t>(code_point)) == CharacterKind::letter) return true;
    at += bytes;
  }
  return false;
}

std::string folded(std::string_view text) {
  const std::string form = folded_form(plain_line(text));
  std::string out;
  for (const std::string_view word : words(form, WordEnds::at_blanks)) out.append(out.empty() ? "" : " ").append(word);
  return out;
}

std::string essence(std::string_view text) {
  const std::string folded = folded_form(text);
  std::string out;
  for (size_t at = 0; at < folded.size();) {
    const auto [code_point, size] = code_point_at(folded, at);
    const utf8proc_category_t kind = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
    const bool symbol = code_point >= 0x80 && kind >= UTF8PROC_CATEGORY_SM && kind <= UTF8PROC_CATEGORY_SO;
    if ((kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NO) || symbol) out.append(folded, at, size);
    at += size;
  }
  return out;
}

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> all;
  for (size_t at = 0; at < text.size(); at = all.back().to) {
    const auto [code_point, bytes] = code_point_at(text, at);
    all.push_back({at, at + bytes, kind_of(static_cast<utf8proc_int32_t>(code_point))});
  }
  return all;
}

}  // namespace hexapla::text
