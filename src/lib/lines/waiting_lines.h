#pragma once
#include <exception>
#include <string>
#include <utility>

#include "base/error.h"
#include "data/files/lines.h"

namespace hexapla::api {

// Lines of a file, of which one is read ahead to tell whether it is there.
class WaitingLines {
 public:
  // path: "-" is stdin.
  explicit WaitingLines(const std::string& path)
      : reader_(path, [this] {
          if (looking_) throw NotThere();
        }) {}
  WaitingLines(const WaitingLines&) = delete;
  WaitingLines& operator=(const WaitingLines&) = delete;

  bool next(std::string& line) {
    if (!looked_) return reader_.next(line);
    looked_ = false;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    line = std::move(ahead_);
    return there_;
  }
  // Whether next() returns without waiting for a pipe or a terminal.
  bool ready() {
    if (looked_) return true;
    looking_ = true;
    try {
      there_ = reader_.next(ahead_);
    } catch (const NotThere&) {
      looking_ = false;
      return false;
    } catch (const UserError&) {
      error_ = std::current_exception();
    }
    looking_ = false;
    return looked_ = true;
  }
  const std::string& name() const { return reader_.name(); }

 private:
  struct NotThere {};

  bool looking_ = false, looked_ = false;
  bool there_ = false;  // whether what was looked at is a line, not the end
  std::string ahead_;
  std::exception_ptr error_;
  data::LineReader reader_;
};

}  // namespace hexapla::api
