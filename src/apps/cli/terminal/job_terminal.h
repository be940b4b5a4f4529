#pragma once
// Shows what a job tells (lib/jobs/watch.h) on the terminal.
#include <string>

#include "base/error.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/terminal.h"
#include "lib/guard.h"
#include "lib/jobs/watch.h"

namespace hexapla::cli {

class JobTerminal {
 public:
  JobTerminal(const std::string& color, bool quiet) : progress_(make_terminal(parse_color(color), quiet)) {}

  // line: the live line for some progress. Borrows this object.
  api::JobWatch watch(std::function<std::string(const api::JobProgress& progress)> line = {}) {
    api::JobWatch watch;
    watch.note = [this](const std::string& where, const std::string& what) { notes_.add(where, what); };
    watch.say = [this](const std::string& text) {
      notes_.finish();
      progress_.say(text);
    };
    if (line) watch.progress = [this, line = std::move(line)](const api::JobProgress& p) { progress_.show(line(p)); };
    return watch;
  }
  // Runs a job that a signal stops before it writes. watch: the job's. -> the exit code
  template <class Job>
  int run(api::JobWatch& watch, Job&& job) {
    watch.stop = &stop_on_signals();
    try {
      job();
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
