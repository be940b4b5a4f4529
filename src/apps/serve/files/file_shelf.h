#pragma once
// Translated files for download. They stay in memory: the server writes nothing to disk.
#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "serve/work/account.h"

namespace hexapla::serve {

std::string random_digits(int n);  // hexadecimal, cannot be guessed

class FileShelf {
 public:
  using Clock = std::chrono::steady_clock;

  // bytes: limit of all files together; 0: disabled. kept: lifetime of a file.
  explicit FileShelf(std::size_t bytes, Clock::duration kept = std::chrono::minutes(30)) : most_(bytes), kept_(kept) {}

  bool on() const { return most_ > 0; }
  // Memory that a file with this name and content takes.
  static std::size_t bytes_of(const std::string& name, const std::string& content) {
    return sizeof(File) + kRandomDigits + name.size() + content.size();
  }
  // Drops the oldest files to make room. -> the name for get(): 32 random digits, a dot and `name`;
  // nothing if the file alone exceeds the limit.
  std::optional<std::string> put(const std::string& name, std::string content);
  // Nothing if there is no such file (any more).
  std::optional<std::string> get(const std::string& name);
  std::size_t bytes() const { return bytes_.sum(); }

 private:
  static constexpr int kRandomDigits = 32;  // random digits in a name
  struct File {
    std::string name, content;
    Account::Share bytes;
    Clock::time_point put;
  };
  const std::size_t most_;
  const Clock::duration kept_;
  Account bytes_;
  std::mutex mutex_;
  std::list<File> files_;  // oldest first
};

}  // namespace hexapla::serve
