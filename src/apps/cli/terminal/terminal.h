#pragma once
// Output for the user's terminal, on stderr only: stdout is for data.
#include <atomic>
#include <string>

#include "lib/display.h"

namespace hexapla::cli {

enum class Color { automatic, always, never };
// UsageError unless auto, always or never.
Color parse_color(const std::string& word);

struct Terminal {
  bool live = false;   // stderr is a terminal: rewrites one line; otherwise writes plain lines
  bool color = false;  // of stderr; NO_COLOR and TERM=dumb are honored
  bool quiet = false;
  int width = 80;      // columns
  bool timed = false;  // plain lines begin with the local date and time
};
Terminal make_terminal(Color color, bool quiet);
// For long jobs: without a terminal, every line has a time stamp.
Terminal make_log_terminal(Color color, bool quiet);
// Whether pictures on stdout may use color.
bool stdout_color(Color color);
int stdout_width();

// The only way to write foreign text to stderr: file names, lines of data, a model's metadata.
// Control sequences are escaped (text/utf8.h, printable), and option names of the library become
// flags.
void say_on_stderr(const std::string& text);

// Progress on stderr. say() writes lines that stay; show() updates the live line, which exists only
// on a terminal.
class Progress {
 public:
  explicit Progress(const Terminal& terminal) : terminal_(terminal) {}
  ~Progress() { clear(); }
  void say(const std::string& line);
  void say_painted(const std::string& line);  // with our colors; foreign text in it must be printable()
  void show(const std::string& line);
  void clear();
  const Terminal& terminal() const { return terminal_; }

 private:
  Terminal terminal_;
  bool shown_ = false;
};

// From now on SIGINT, SIGTERM, SIGUSR1 (which launchers and batch systems pass on) and SIGHUP set
// the flag; a second SIGINT or SIGTERM ends the process at once. An ignored SIGHUP stays ignored
// (nohup).
const std::atomic<bool>& stop_on_signals();
int caught_signal();  // the first; 0: none yet

}  // namespace hexapla::cli
