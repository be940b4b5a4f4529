#include "cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"
#include "base/options/environment.h"
#include "base/options/option_names.h"
#include "base/range.h"
#include "base/system/cancellation.h"
#include "lib/display.h"

namespace hexapla::cli {
namespace {

bool may_color(Color color, int descriptor) {
  if (color != Color::automatic) return color == Color::always;
  const char* terminal = environment("TERM");
  return isatty(descriptor) && !environment("NO_COLOR") && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

int width_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = environment("COLUMNS");
  constexpr Range<int64_t> sensible{1, 10'000};
  const auto width = columns ? parse_number<int64_t>(columns) : std::nullopt;
  return width && sensible.has(*width) ? static_cast<int>(*width) : 80;
}

std::atomic<int> signal_caught{0};
std::atomic<bool> stop{false};

// Async-signal-safe: only lock-free atomics and _exit. Closing a terminal may send SIGHUP twice
// (from the shell and from the kernel), so a second SIGHUP does not interrupt saving.
void on_signal(int number) {
  stop = true;
  int none = 0;
  if (!signal_caught.compare_exchange_strong(none, number) && number != SIGHUP) _exit(128 + number);
}

// "[2026-03-01 14:09:25] "
std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "[%Y-%m-%d %H:%M:%S] ", &local)};
}

std::string for_stderr(const std::string& text) { return text::printable(spell_options(text, as_flag)); }

}  // namespace

Color parse_color(const std::string& word) {
  if (word == "auto") return Color::automatic;
  if (word == "always") return Color::always;
  if (word == "never") return Color::never;
  throw UsageError(cat("--color is '", word, "', but must be one of: auto, always, never"));
}

Terminal make_terminal(Color color, bool quiet) {
  const bool live = isatty(STDERR_FILENO);
  return {live, may_color(color, STDERR_FILENO), quiet, width_of(STDERR_FILENO)};
}
Terminal make_log_terminal(Color color, bool quiet) {
  Terminal t = make_terminal(color, quiet);
  t.timed = !t.live;
  return t;
}
bool stdout_color(Color color) { return may_color(color, STDOUT_FILENO); }
int stdout_width() { return width_of(STDOUT_FILENO); }

void say_on_stderr(const std::string& text) { std::fputs(for_stderr(text).c_str(), stderr); }

void Progress::say(const std::string& line) { say_painted(for_stderr(line)); }

void Progress::say_painted(const std::string& line) {
  if (terminal_.quiet) return;
  clear();
  if (!terminal_.timed) {
    std::fputs((line + "\n").c_str(), stderr);
    return;
  }
  const std::string stamp = time_stamp();
  Classic<std::istringstream> lines(line);
  for (std::string each; std::getline(lines, each);) std::fputs((stamp + each + "\n").c_str(), stderr);
}

void Progress::show(const std::string& line) {
  if (terminal_.quiet || !terminal_.live) return;
  clear();
  std::string cut = text::printable(line);
  while (text::width(cut) >= terminal_.width && !cut.empty()) cut.pop_back();
  std::fputs(cut.c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

const std::atomic<bool>& stop_on_signals() {
  static const CancelScope all_that_follows(&stop);
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  return stop;
}
int caught_signal() { return signal_caught; }

}  // namespace hexapla::cli
