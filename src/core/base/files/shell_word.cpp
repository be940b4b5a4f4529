#include "base/files/shell_word.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/error.h"

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

std::vector<std::string> joined_paths(const std::string& word, const std::string& option) {
  if (std::error_code unknown; word.empty() || std::filesystem::exists(word, unknown)) return {word};
  std::vector<std::string> paths;
  for (size_t at = 0; at <= word.size();) {
    const size_t plus = std::min(word.find('+', at), word.size());
    if (paths.emplace_back(word.substr(at, plus - at)).empty())
      throw UsageError(cat("`", option, "` ", word, ": a path is missing beside a +; give PATH+PATH"), option, word);
    at = plus + 1;
  }
  return paths;
}

}  // namespace hexapla
