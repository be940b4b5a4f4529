#pragma once
// Errors. The library throws; only the program prints errors and turns them into exit codes.
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

#include "hexapla/error.h"

namespace hexapla {

// The error types are those of the public header. The message of a UserError names the option,
// file, line or value, says what to do next, and writes option names in backticks
// (base/options/option_names.h). An InternalError is a bug, a broken invariant or misuse of the
// API: it names the op, the shapes and the place in the model.

namespace detail {

// A reference to any value with operator<<, with its type erased, so that cat() is not instantiated
// for every combination of types.
struct Streamed {
  const void* value;
  void (*write)(std::ostream& out, const void* value);
};

template <class T>
Streamed streamed(const T& value) {
  return {&value, [](std::ostream& out, const void* v) { out << *static_cast<const T*>(v); }};
}
Streamed streamed(const char* text);

std::string joined(std::initializer_list<Streamed> all);

}  // namespace detail

// cat("rows ", 3, " of ", shape) concatenates any values that have operator<<.
template <class... Args>
std::string cat(const Args&... args) {
  return detail::joined({detail::streamed(args)...});
}

// Throws InternalError with the current Scope (the place in the model) and the place in the code.
[[noreturn]] void fail(const std::string& what, const char* file = __builtin_FILE(), int line = __builtin_LINE());

}  // namespace hexapla

// The only macro: the message is built only when the condition is false.
#define HEXAPLA_CHECK(cond, ...)                    \
  do {                                              \
    if (!(cond)) [[unlikely]]                       \
      ::hexapla::fail(::hexapla::cat(__VA_ARGS__)); \
  } while (false)
