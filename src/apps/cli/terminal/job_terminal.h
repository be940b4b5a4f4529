#pragma once
// Shows what work on text tells on the terminal.
#include <functional>
#include <string>

#include "base/error.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/terminal.h"
#include "lib/guard.h"

namespace hexapla::cli {

class JobTerminal {
 public:
  JobTerminal(const std::string& color, bool quiet) : progress_(make_terminal(parse_color(color), quiet)) {}

  // A line for the user, after the notes before it.
  void say(const std::string& text) {
    notes_.finish();
    progress_.say(text);
  }
  // where: "line 3".
  void note(const std::string& where, const std::string& what) { notes_.add(where, what); }
  // Notes on lines by their numbers, from 1, after `before` others: for the library's options. Borrows this object.
  std::function<void(size_t line, const std::string& what)> notes_on_lines(int64_t before = 0) {
    return [this, before](size_t line, const std::string& what) {
      note(fmt::format("line {}", before + static_cast<int64_t>(line)), what);
    };
  }
  // Runs a job(stop) that a signal stops before it writes. -> the exit code
  template <class Job>
  int run(Job&& job) {
    try {
      job(stop_on_signals());
      finish();
      return 0;
    } catch (const Canceled&) {
      progress_.say("stopped; nothing was written");
      return 128 + caught_signal();
    }
  }
  void finish() { notes_.finish(); }  // call it after the job's end, if it has succeeded
  Progress& progress() { return progress_; }

 private:
  const api::SpelledAsFlags flags_;  // in the messages of the library
  Progress progress_;
  LineNotes notes_{progress_};
};

}  // namespace hexapla::cli
