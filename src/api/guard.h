#pragma once
// The border of the library: what comes out of it is an error of hexapla/error.h, or what the caller's own function
// threw.
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/system/cancellation.h"

namespace hexapla::api {

// Messages spell options as fields (beam_size), or, while there is one of these, as the program's own commands do
// (--beam-size).
class SpelledAsFlags {
 public:
  SpelledAsFlags() noexcept;
  ~SpelledAsFlags();
  SpelledAsFlags(const SpelledAsFlags&) = delete;
  SpelledAsFlags& operator=(const SpelledAsFlags&) = delete;
};
std::string spelled_for_caller(std::string_view message);

[[noreturn]] void rethrow_for_caller(const std::exception& error);
[[noreturn]] void throw_out_of_memory();

// f(). Of the errors that come out, messages spell options as fields.
template <class F>
auto guarded(F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw_out_of_memory();
  } catch (const std::exception& e) {
    rethrow_for_caller(e);
  }
}

// Functions of the caller that the library calls: what they throw passes it and is not rewritten, and what they do is
// not canceled with the library's work. One for each call of the library.
class CallerFunctions {
 public:
  template <class F, class... Arguments>
  auto call(const F& f, Arguments&&... arguments) {
    const CancelScope own(nullptr);
    try {
      return f(std::forward<Arguments>(arguments)...);
    } catch (...) {
      thrown_ = std::current_exception();
      throw;
    }
  }
  // guarded(f), or what one of the functions threw.
  template <class F>
  auto guard(F&& f) {
    try {
      return guarded(f);
    } catch (...) {
      if (thrown_) std::rethrow_exception(thrown_);
      throw;
    }
  }

 private:
  std::exception_ptr thrown_;
};

}  // namespace hexapla::api
