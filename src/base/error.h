#pragma once
// Errors. Libraries throw; only the program prints, and turns them into exit codes.
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hexapla {

// A broken invariant: a bug, or an API used wrongly. Names the op, the shapes and the place in the model.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Something the user can mend: the message names option, file, line or value, and says what to do next. It writes the
// name of an option between backticks: base/option_names.h.
struct UserError : std::runtime_error {
  UserError(int code, const std::string& what) : std::runtime_error(what), exit_code(code) {}
  int exit_code;
};
struct RunError : UserError {  // the machine said no: disk full, no permission, out of memory
  explicit RunError(const std::string& what) : UserError(1, what) {}
};
struct UsageError : UserError {  // options and configuration
  explicit UsageError(const std::string& what) : UserError(2, what) {}
};
struct DataError : UserError {  // corpora, vocabularies, model files
  explicit DataError(const std::string& what) : UserError(3, what) {}
};

// cat("rows ", 3, " of ", shape): everything that has operator<<, put together.
template <class... Args>
std::string cat(const Args&... args) {
  std::ostringstream out;
  out.exceptions(std::ios_base::badbit);  // a lack of memory is thrown: else the text would end there in silence
  (out << ... << args);
  return out.str();
}

// Throws Error with the current Scope (the place in the model) and the place in the code.
[[noreturn]] void fail(const std::string& what, const char* file = __builtin_FILE(), int line = __builtin_LINE());

}  // namespace hexapla

// The only macro: the message is built only when the condition is false.
#define HEXAPLA_CHECK(cond, ...)                    \
  do {                                              \
    if (!(cond)) [[unlikely]]                       \
      ::hexapla::fail(::hexapla::cat(__VA_ARGS__)); \
  } while (false)
