#include "serve/files/file_shelf.h"

#include <algorithm>
#include <random>

namespace hexapla::serve {

std::string random_digits(int n) {
  std::random_device random;  // the system's generator
  std::string digits;
  for (int i = 0; i < n; ++i) digits += "0123456789abcdef"[random() % 16];
  return digits;
}

std::optional<std::string> FileShelf::put(const std::string& name, std::string content) {
  const std::size_t bytes = bytes_of(name, content);
  if (bytes > most_) return {};
  std::string whole = random_digits(kRandomDigits) + "." + name;
  const std::lock_guard lock(mutex_);
  while (bytes_.sum() + bytes > most_) files_.pop_front();
  files_.push_back({whole, std::move(content), bytes_.take(bytes), Clock::now()});
  return whole;
}

std::optional<std::string> FileShelf::get(const std::string& name) {
  const std::lock_guard lock(mutex_);
  while (!files_.empty() && Clock::now() - files_.front().put > kept_) files_.pop_front();
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const File& file) { return file.name == name; });
  return found == files_.end() ? std::nullopt : std::optional(found->content);
}

}  // namespace hexapla::serve
