#include "base/files/shell_word.h"

#include <algorithm>
#include <string_view>

namespace hexapla {
namespace {

// Non-ASCII letters have no meaning to a shell.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:,@%+=").find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string shell_word(const std::string& name) {
  if (name.starts_with('-') && name != "-") return shell_word("./" + name);
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_plain)) return name;
  std::string word = "'";
  for (const char c : name) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace hexapla
