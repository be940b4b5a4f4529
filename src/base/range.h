#pragma once
// What may come from outside: every number that an option, a configuration file, a model's record or a caller of the
// library gives has a range, which stands where the number is declared, and is checked against it before it is used.
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hexapla {

template <class T>
concept Number = (std::integral<T> && !std::same_as<T, bool>) || std::floating_point<T>;

// least .. most. An end that is open is not allowed itself. Whatever the range, 0 is allowed too where it stands for
// something else: for "off", or for a word.
template <Number T>
struct Range {
  T least, most;
  bool open_least = false, open_most = false;
  bool or_zero = false;
  const char* zero = nullptr;  // the word that users write for 0; then they may not write 0

  bool has(T value) const;  // not NaN
  // "from 1 to 1000", "above 0 and at most 1", "0, or from 1 to 8", "auto, or from 1 to 8", "at least 0"
  std::string text() const;
  // "a whole number from 1 to 1000", as messages say it
  std::string requirement() const;
  // The numbers next to the range that it does not have, if the type has any, as users write them.
  std::vector<std::string> outside() const;
  // Reads what a user wrote; whole numbers are decimal, with leading zeros (017 is 17) and without a plus. UsageError:
  // "`beam-size` is 'x', but must be a whole number from 1 to 1000". option: its name.
  T parse(const std::string& option, const std::string& word) const;
  // The same for a number that is there already.
  void check(const std::string& option, T value) const;

 private:
  std::string after(const std::string& noun) const;
  [[noreturn]] void refuse(const std::string& option, const std::string& value) const;
};

// The number that a word is; none where it is no number, or one that the type does not have.
template <Number T>
std::optional<T> parse_number(const std::string& word);

// Of what is no number: any value, or one of some words.
struct AnyValue {};
using Choices = std::vector<std::string>;

// UsageError that lists the choices. None: every word will do.
void check_choice(const Choices& choices, const std::string& option, const std::string& value);

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

// For visit() of a set of options, which declares a range for each number, and for words their choices.
template <class Field, class Allowed>
void check_allowed(const std::string& option, const Field& field, const Allowed& allowed) {
  if constexpr (std::same_as<Allowed, AnyValue>)
    static_assert(!Number<Field> && !std::same_as<Field, std::vector<double>>, "a number needs its range");
  else if constexpr (std::same_as<Allowed, Choices>)
    check_choice(allowed, option, field);
  else if constexpr (Number<Field>)
    allowed.check(option, field);
  else
    for (const auto value : field) allowed.check(option, value);
}

// What many options have in common.
namespace ranges {
inline constexpr double kFloat = 1e38;  // what f32 holds
inline constexpr Range<int64_t> count{0, int64_t{1} << 31};
inline constexpr Range<int64_t> count_from_1{1, int64_t{1} << 31};
inline constexpr Range<int64_t> threads{0, 4096};  // of more, the OpenMP run time's records do not fit on a stack
inline constexpr Range<uint64_t> seed{0, UINT64_MAX};
inline constexpr Range<double> from_0{0, kFloat};
inline constexpr Range<double> above_0{.least = 0, .most = kFloat, .open_least = true};
inline constexpr Range<double> below_1{.least = 0, .most = 1, .open_most = true};
inline constexpr Range<int64_t> beam{1, 1000};
inline constexpr Range<int64_t> batch_tokens{1, int64_t{1} << 24};
inline constexpr Range<int64_t> mebibytes{0, int64_t{1} << 30};
}  // namespace ranges

}  // namespace hexapla
