#include "text/characters.h"

#include <utf8proc.h>

namespace hexapla::text {
namespace {

CharacterKind kind_of(utf8proc_int32_t code_point) {
  const utf8proc_category_t category = utf8proc_category(code_point);
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) return CharacterKind::letter;
  if (category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME) return CharacterKind::mark;
  return CharacterKind::other;
}

}  // namespace

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> all;
  for (size_t at = 0; at < text.size(); at = all.back().to) {
    utf8proc_int32_t code_point = -1;
    const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                        static_cast<utf8proc_ssize_t>(text.size() - at), &code_point);
    if (bytes > 0)
      all.push_back({at, at + static_cast<size_t>(bytes), kind_of(code_point)});
    else
      all.push_back({at, at + 1, CharacterKind::other});
  }
  return all;
}

}  // namespace hexapla::text
