#pragma once
// Output for the user's terminal, all of it on stderr: stdout is for data.
#include <atomic>
#include <string>

#include "text/quantities.h"

namespace hexapla::cli {

enum class Color { automatic, always, never };
// UsageError for another word than auto, always, never.
Color parse_color(const std::string& word);

struct Terminal {
  bool live = false;   // stderr is a terminal: one line that is rewritten; otherwise plain lines
  bool color = false;  // of stderr; NO_COLOR and TERM=dumb are honored
  bool quiet = false;
  int width = 80;      // columns
  bool timed = false;  // plain lines begin with the local date and time
};
Terminal make_terminal(Color color, bool quiet);
// For what takes hours: where nobody watches, every line says when it was written.
Terminal make_log_terminal(Color color, bool quiet);
// Whether pictures on stdout may use color.
bool stdout_color(Color color);
int stdout_width();

// The one way to stderr for words that may hold something foreign: names of files, lines of data, what a model says of
// itself. Nothing of it commands the terminal (text/utf8.h, printable). The library's names of options become flags.
void say_on_stderr(const std::string& text);

// Progress on stderr. say() is a line, or several, that stay; show() is the live line, dropped where stderr is no
// terminal.
class Progress {
 public:
  explicit Progress(const Terminal& terminal) : terminal_(terminal) {}
  ~Progress() { clear(); }
  void say(const std::string& line);
  void say_painted(const std::string& line);  // has colors of ours, and nothing foreign that is not printable()
  void show(const std::string& line);
  void clear();
  const Terminal& terminal() const { return terminal_; }

 private:
  Terminal terminal_;
  bool shown_ = false;
};

// From now on SIGINT, SIGTERM, SIGUSR1 (which launchers and batch systems pass on) and SIGHUP set the flag; a second
// SIGINT or SIGTERM ends the process at once. SIGHUP only where it was not ignored before: under nohup it stays so.
const std::atomic<bool>& stop_on_signals();
int caught_signal();  // the first; 0: none yet

}  // namespace hexapla::cli
