#pragma once
// The library's boundary: only errors of hexapla/error.h, or exceptions of the caller's own
// functions, pass it.
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/system/cancellation.h"

namespace hexapla::api {

// Messages spell options as fields (beam_size), or, while such an object exists, as flags of the
// program's commands (--beam-size).
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
const OutOfMemory& out_of_memory_for_requests() noexcept;  // with advice for Translator::submit()

// Calls f(). Its errors are translated for the caller, with options spelled by
// spelled_for_caller().
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

// Calls the caller's functions: their exceptions pass unchanged, and canceling the library's work
// does not cancel theirs. Use one object per call of the library.
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
  // guarded(f), but rethrows an exception of one of the functions unchanged.
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
