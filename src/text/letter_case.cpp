#include "text/letter_case.h"

#include <utf8proc.h>

#include <array>

#include "text/characters.h"

namespace hexapla::text {
namespace {

void append(std::string& to, utf8proc_int32_t c) {
  std::array<utf8proc_uint8_t, 4> bytes;
  const auto n = utf8proc_encode_char(c, bytes.data());
  to.append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(n));
}

}  // namespace

std::string capitalized(std::string_view text) {
  if (text.empty()) return "";
  const auto [c, bytes] = code_point_at(text, 0);
  const auto title = utf8proc_totitle(static_cast<utf8proc_int32_t>(c));
  if (title == static_cast<utf8proc_int32_t>(c) || c == 0xFFFD) return std::string(text);
  std::string out;
  append(out, title);
  return out.append(text.substr(bytes));
}

}  // namespace hexapla::text
