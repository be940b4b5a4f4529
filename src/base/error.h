#pragma once
// Errors. Libraries throw; only the program prints, and turns them into exit codes.
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

#include "hexapla/error.h"

namespace hexapla {

// The errors themselves are those of the public header. A UserError's message names the option, file, line or value,
// and says what to do next; it writes the name of an option between backticks (base/options/option_names.h). An
// InternalError is a broken invariant, a bug or an API used wrongly: it names the op, the shapes and the place in the
// model.

namespace detail {

// Anything that has operator<<, by reference, without its type: so a line of text has no code of its own for each
// combination of types that is put together somewhere.
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

// cat("rows ", 3, " of ", shape): everything that has operator<<, put together.
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
