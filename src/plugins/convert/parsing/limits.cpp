#include "convert/parsing/limits.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "base/files/file.h"

namespace hexapla::convert {

std::string shown(std::string_view text) {
  std::string out = "'";
  for (const unsigned char c : text.substr(0, 80)) out += c < 0x20 || c == 0x7f ? '?' : static_cast<char>(c);
  return out + (text.size() > 80 ? "...'" : "'");
}

void check_name(const std::string& file, std::string_view name) {
  if (!name.empty() && name.size() <= limits::kName &&
      std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    return;
  throw DataError(cat(file, ": a tensor has a name of ", name.size(), " bytes, ", shown(name), "; allowed are 1 to ",
                      limits::kName, " bytes without control characters"));
}

size_t checked_bytes(const std::string& place, const std::vector<size_t>& shape, ElementType type) {
  if (shape.size() > limits::kRank)
    throw DataError(cat(place, " has the rank ", shape.size(), "; allowed is at most ", limits::kRank));
  int64_t size = static_cast<int64_t>(size_of(type));
  bool empty = false;
  for (const size_t extent : shape) {
    if (extent > INT64_MAX || __builtin_mul_overflow(size, std::max<int64_t>(static_cast<int64_t>(extent), 1), &size))
      throw DataError(cat(place, " has an extent of ", extent, ", and a size that does not fit into 63 bits; the file ",
                          "is damaged"));
    empty = empty || extent == 0;
  }
  return empty ? 0 : static_cast<size_t>(size);
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string read_limited(const std::string& path, size_t limit) {
  const FileReader file(path);
  if (file.size() > limit)
    throw DataError(cat(path, ": it has ", file.size(), " bytes; allowed are ", limit,
                        ". It is not a file of this kind, or damaged"));
  std::string content(file.size(), '\0');
  file.read(0, content.data(), content.size());
  return content;
}

}  // namespace hexapla::convert
