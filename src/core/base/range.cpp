#include "base/range.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace hexapla {
namespace {

// The shortest decimal form that gives the number back, without an exponent if that is short.
template <Number T>
std::string digits(T value) {
  char text[32];
  if constexpr (std::floating_point<T>) {
    if (std::isnan(value)) return "nan";  // whatever its sign
    const bool plain = std::abs(value) < 1e15 && (std::abs(value) >= 1e-4 || value == 0);
    if (plain) return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr};
  }
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

template <Number T>
std::optional<T> parse_number(const std::string& word) {
  T value{};
  const bool plus = std::floating_point<T> && word.starts_with('+');
  const char *const begin = word.data() + (plus ? 1 : 0), *const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) return {};
  return value;
}

template <Number T>
bool Range<T>::has(T value) const {
  if ((or_zero || zero) && value == 0) return true;
  return (open_least ? value > least : value >= least) && (open_most ? value < most : value <= most);
}

template <Number T>
std::string Range<T>::after(const std::string& noun) const {
  const std::string special = zero ? cat(zero, ", or ") : or_zero ? "0, or " : "";
  if (most == std::numeric_limits<T>::max())
    return cat(special, noun, open_least ? "above " : "at least ", digits(least));
  if (!open_least && !open_most) return cat(special, noun, "from ", digits(least), " to ", digits(most));
  return cat(special, noun, open_least ? "above " : "at least ", digits(least), " and ",
             open_most ? "below " : "at most ", digits(most));
}

template <Number T>
std::string Range<T>::text() const {
  return after("");
}

template <Number T>
std::string Range<T>::requirement() const {
  return after(std::floating_point<T> ? "a number " : "a whole number ");
}

template <Number T>
std::vector<std::string> Range<T>::outside() const {
  using Limits = std::numeric_limits<T>;
  const auto next = [](T value, T to) {
    if constexpr (std::floating_point<T>)
      return std::nextafter(value, to);
    else
      return to < value ? value - 1 : value + 1;
  };
  std::vector<std::string> all;
  if (open_least || least > Limits::lowest()) all.push_back(digits(open_least ? least : next(least, Limits::lowest())));
  if (open_most || most < Limits::max()) all.push_back(digits(open_most ? most : next(most, Limits::max())));
  return all;
}

template <Number T>
void Range<T>::refuse(const std::string& option, const std::string& value) const {
  throw UsageError(cat("`", option, "` is ", value, ", but must be ", requirement()), option, value);
}

template <Number T>
T Range<T>::parse(const std::string& option, const std::string& word) const {
  if (zero && word == zero) return 0;
  const auto value = parse_number<T>(word);
  if (!value) refuse(option, "'" + word + "'");
  if (!has(*value) || (zero && *value == 0)) refuse(option, word);
  return *value;
}

template <Number T>
void Range<T>::check(const std::string& option, T value) const {
  if (!has(value)) refuse(option, digits(value));
}

void check_choice(const Choices& choices, const std::string& option, const std::string& value) {
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  std::string list;
  for (const std::string& c : choices) list += (list.empty() ? "" : ", ") + c;
  throw UsageError(cat("`", option, "` is '", value, "', but must be one of: ", list), option, value);
}

template struct Range<int64_t>;
template struct Range<uint64_t>;
template struct Range<double>;
template std::optional<int64_t> parse_number(const std::string&);
template std::optional<uint64_t> parse_number(const std::string&);
template std::optional<double> parse_number(const std::string&);

}  // namespace hexapla
