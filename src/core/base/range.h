#pragma once
// Ranges for values from outside: every number from an option, a configuration file, a model's
// record or a caller of the library has a range, declared with the number and checked before use.
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hexapla {

template <class T>
concept Number = (std::integral<T> && !std::same_as<T, bool>) || std::floating_point<T>;

// least .. most. An open end is excluded. or_zero also allows 0, where it stands for "off" or for a
// word.
template <Number T>
struct Range {
  T least, most;
  bool open_least = false, open_most = false;
  bool or_zero = false;
  const char* zero = nullptr;  // the word that users write for 0, instead of 0

  bool has(T value) const;  // false for NaN
  // "from 1 to 1000", "above 0 and at most 1", "0, or from 1 to 8", "auto, or from 1 to 8", "at least 0"
  std::string text() const;
  // "a whole number from 1 to 1000", for messages.
  std::string requirement() const;
  // The values just outside of the range, as far as the type has them, as users write them.
  std::vector<std::string> outside() const;
  // Parses a word; whole numbers are decimal, may have leading zeros (017 is 17) but no plus sign.
  // UsageError: "`beam-size` is 'x', but must be a whole number from 1 to 1000".
  T parse(const std::string& option, const std::string& word) const;
  // The same check for a number.
  void check(const std::string& option, T value) const;

 private:
  std::string after(const std::string& noun) const;
  [[noreturn]] void refuse(const std::string& option, const std::string& value) const;
};

// The number that a word spells; none if it is not a number, or out of range for the type.
template <Number T>
std::optional<T> parse_number(const std::string& word);

// For options that are not numbers: any value, or one of a list of words.
struct AnyValue {};
using Choices = std::vector<std::string>;

// UsageError that lists the choices. An empty list allows any word.
void check_choice(const Choices& choices, const std::string& option, const std::string& value);

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

// Common ranges.
namespace ranges {
inline constexpr double kFloat = 1e38;  // fits f32
inline constexpr Range<int64_t> kCount{0, int64_t{1} << 31};
inline constexpr Range<int64_t> kCountFrom1{1, int64_t{1} << 31};
inline constexpr Range<int64_t> kThreads{0, 4096};  // with more, the OpenMP runtime's records overflow a stack
inline constexpr Range<uint64_t> kSeed{0, UINT64_MAX};
inline constexpr Range<double> kFrom0{0, kFloat};
inline constexpr Range<double> kAbove0{.least = 0, .most = kFloat, .open_least = true};
inline constexpr Range<double> kBelow1{.least = 0, .most = 1, .open_most = true};
inline constexpr Range<int64_t> kBeam{1, 1000};
inline constexpr Range<int64_t> kBatchTokens{1, int64_t{1} << 24};
inline constexpr Range<int64_t> kMebibytes{0, int64_t{1} << 30};
}  // namespace ranges

}  // namespace hexapla
