#pragma once
// Exceptions of the library. Every message names the problem (option, file, line, value) and says
// what to do next; options are spelled as fields: beam_size. Exceptions of a caller's callback pass
// through the library unchanged.
#include <memory>
#include <stdexcept>
#include <string>

#include "hexapla/export.h"

namespace hexapla {

// Base class of all errors.
class HEXAPLA_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An error that the user of the library or program can fix.
class HEXAPLA_API UserError : public Error {
 public:
  using Error::Error;
};

// A wrong call: an option or argument out of range, an unknown option, or conflicting arguments.
class HEXAPLA_API UsageError : public UserError {
 public:
  explicit UsageError(const std::string& what) : UserError(what) {}
  UsageError(const std::string& what, std::string option, std::string value)
      : UserError(what), at_(std::make_shared<const Place>(Place{std::move(option), std::move(value)})) {}

  // The invalid option, and its value in words; empty if the error is not about a single option.
  const std::string& option() const noexcept { return at_ ? at_->option : nothing(); }
  const std::string& value() const noexcept { return at_ ? at_->value : nothing(); }

 private:
  struct Place {
    std::string option, value;
  };
  static const std::string& nothing() noexcept {
    static const std::string empty;
    return empty;
  }
  std::shared_ptr<const Place> at_;  // copying an exception must not throw
};

// Unusable files or text: missing, damaged, of another format, not parallel, or a model with other
// vocabularies.
class HEXAPLA_API DataError : public UserError {
 public:
  using UserError::UserError;
};

// A failure at run time: full disk, missing permission, full queue, a loss that is not finite.
class HEXAPLA_API RunError : public UserError {
 public:
  using UserError::UserError;
};

class HEXAPLA_API OutOfMemory : public RunError {
 public:
  using RunError::RunError;
};

// The request was canceled or has timed out.
class HEXAPLA_API Canceled : public Error {
 public:
  using Error::Error;
};

// A defect of the library: please report it.
class HEXAPLA_API InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace hexapla
