#pragma once
// Translated files that wait to be fetched. They are in memory: the server writes nothing to disk.
#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>

namespace hexapla::serve {

std::string random_digits(int n);  // hexadecimal ones that nobody can guess

class FileShelf {
 public:
  using Clock = std::chrono::steady_clock;

  // bytes: of all files together; 0: none. kept: for how long each of them stays.
  explicit FileShelf(std::size_t bytes, Clock::duration kept = std::chrono::minutes(30)) : most_(bytes), kept_(kept) {}

  bool on() const { return most_ > 0; }
  // The bytes that a file of this name and content takes up.
  static std::size_t bytes_of(const std::string& name, const std::string& content) {
    return sizeof(File) + digits + name.size() + content.size();
  }
  // The oldest make room. -> the name to fetch it by, which nobody can guess: 32 random digits and `name`. Nothing: it
  // is larger than all may be.
  std::optional<std::string> put(const std::string& name, std::string content);
  // Nothing where there is none of this name, or no longer.
  std::optional<std::string> get(const std::string& name);
  std::size_t bytes() const;

 private:
  static constexpr int digits = 32;  // of a name that nobody can guess
  struct File {
    std::string name, content;
    std::size_t bytes;
    Clock::time_point put;
  };
  void drop_oldest();

  const std::size_t most_;
  const Clock::duration kept_;
  mutable std::mutex mutex_;
  std::list<File> files_;  // the oldest first
  std::size_t bytes_ = 0;
};

}  // namespace hexapla::serve
