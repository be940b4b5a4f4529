#pragma once
// What the library throws. Every message names what was wrong (option, file, line, value) and says what to do next; an
// option is spelled as a field: beam_size. What a caller's own callback throws passes through the library unchanged.
#include <memory>
#include <stdexcept>
#include <string>

namespace hexapla {

// All of them.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Something that whoever uses the library or the program can mend.
class UserError : public Error {
 public:
  using Error::Error;
};

// A wrong call: an option or argument out of its range, an unknown option, arguments that do not go together.
class UsageError : public UserError {
 public:
  explicit UsageError(const std::string& what) : UserError(what) {}
  UsageError(const std::string& what, std::string option, std::string value)
      : UserError(what), at_(std::make_shared<const Place>(Place{std::move(option), std::move(value)})) {}

  // The option that is wrong, and its value in words; empty where it is no single option.
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

// A file, or text, that cannot be used: missing, damaged, of another format, not parallel, a model of other
// vocabularies.
class DataError : public UserError {
 public:
  using UserError::UserError;
};

// The run time: a disk is full, a file may not be written, a queue is full, a loss is not finite.
class RunError : public UserError {
 public:
  using UserError::UserError;
};

class OutOfMemory : public RunError {
 public:
  using RunError::RunError;
};

// The request was canceled, or its time was up.
class Canceled : public Error {
 public:
  using Error::Error;
};

// A defect of the library: please report it.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace hexapla
