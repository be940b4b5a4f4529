#pragma once
// Counts the instructions of a piece of work, those of system libraries too: callgrind counts the same on every run.
#include <gmock/gmock.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"

namespace hexapla::test {

// Text of a given size: all parts in order, each repeated equally often, but those for once. In a repeated part \1 is
// the number of the repetition.
struct Part {
  Part(const char* its_text, bool is_many = true) : text(its_text), many(is_many) {}
  std::string text;
  bool many;
};
inline Part once(const char* text) { return {text, false}; }
using Shape = std::vector<Part>;

inline std::string text_of(const Shape& shape, std::size_t bytes) {
  std::size_t of_each = 0;
  for (const Part& p : shape) of_each += p.many ? p.text.size() : 0;
  std::string text;
  for (const Part& p : shape)
    for (std::size_t i = 0; i < (p.many ? bytes / of_each + 1 : 1); ++i)
      for (const char c : p.text) c == '\1' ? text += cat(i) : text += c;
  return text;
}

#ifdef CALLGRIND_ZERO_STATS
constexpr bool kCountsInstructions = true;
inline bool is_counting() { return RUNNING_ON_VALGRIND > 0; }

class Instructions {
 public:
  explicit Instructions(std::string file) : file_(std::move(file)) {}
  std::uint64_t of(const std::function<void()>& work) {
    CALLGRIND_ZERO_STATS;
    work();
    CALLGRIND_DUMP_STATS;
    const std::string name = cat(file_, '.', ++dumps_), text = read_file(name), what = "totals: ";
    std::filesystem::remove(name);
    return std::stoull(text.substr(text.rfind(what) + what.size()));
  }

 private:
  std::string file_;
  int dumps_ = 0;
};
#else
constexpr bool kCountsInstructions = false;
inline bool is_counting() { return false; }
class Instructions {
 public:
  explicit Instructions(std::string) {}
  std::uint64_t of(const std::function<void()>&) { return 0; }
};
#endif

// The work for inputs of doubling size must not grow by more than 2.25 per doubling, from `least` bytes on until it is
// long enough to tell. It may do so in one step, if the next input is refused without as much work. (With l n + q n^2
// instructions, 2.25 finds a q of 0.29 l / n, which 2.5 would find for no n below 2.3 times as much.)
inline void expect_linear(Instructions& counted, const std::string& name, std::size_t least,
                          const std::function<void(std::size_t bytes)>& work) {
  constexpr std::uint64_t enough = 3'500'000;
  constexpr double most = 2.25;
  std::uint64_t before = 0;
  std::string steep;
  for (std::size_t bytes = least;; bytes *= 2) {
    bool refused = false;
    const std::uint64_t now = counted.of([&] {
      try {
        work(bytes);
      } catch (const UserError&) {
        refused = true;
      }
    });
    const bool is_steep = before > 0 && static_cast<double>(now) > most * static_cast<double>(before);
    if (!steep.empty() || (is_steep && refused)) {
      EXPECT_TRUE(refused && !is_steep) << name << ", " << steep << bytes << " bytes: " << before << " and then " << now
                                        << " instructions";
      return;
    }
    if (is_steep) steep = cat(bytes, " bytes: ", before, " and then ", now, " instructions; ");
    if (!is_steep && before > 0 && (now > enough || bytes >= 16 * least)) return;
    before = now;
  }
}

}  // namespace hexapla::test
