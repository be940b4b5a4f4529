#include "base/system/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "base/classic.h"
#include "base/error.h"
#include "base/files/disk.h"
#include "base/system/cancellation.h"

extern char** environ;

namespace hexapla {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr size_t kKept = 64 << 10;  // bytes of output
constexpr int kLook = 50;           // milliseconds between checks while the program writes nothing

bool may_be_run(const fs::path& path) { return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0; }

// Closes all files from this number on in the program that is started.
void close_from(posix_spawn_file_actions_t& actions, int first) {
#ifdef __GLIBC__
  posix_spawn_file_actions_addclosefrom_np(&actions, first);
#else  // musl: those that are open now
  for (const auto& open : fs::directory_iterator("/proc/self/fd"))
    if (const int file = std::stoi(open.path().filename()); file >= first)
      posix_spawn_file_actions_addclose(&actions, file);
#endif
}

// The program's environment: empty stdin, the pipe as stdout, the file as stderr, no other open
// file.
class Surroundings {
 public:
  Surroundings(int out, const std::string& errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    close_from(actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~Surroundings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  // Returns 0 or the errno.
  int start(const std::vector<std::string>& words, pid_t& child) const {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return posix_spawnp(&child, arguments[0], &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    read = ends[0], write = ends[1];
    fcntl(write, F_SETFL, 0);  // the program's end blocks
  }
  ~Pipe() { close_end(read), close_end(write); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close_end(int& end) {
    if (end >= 0) close(std::exchange(end, -1));
  }
};

// Returns whether more may follow.
bool read_available(Pipe& from, std::string& out) {
  char bytes[4096];
  for (ssize_t n; (n = read(from.read, bytes, sizeof bytes)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    out.append(bytes, static_cast<size_t>(n));
    if (out.size() > 2 * kKept) out.erase(0, out.size() - kKept);
  }
  return false;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return cat("was ended by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")");
  return WEXITSTATUS(status) == 0 ? "" : cat("ended with exit code ", WEXITSTATUS(status));
}

std::optional<int> ended(pid_t child, int how) {
  int status = 0;
  pid_t found;
  while ((found = waitpid(child, &status, how)) < 0 && errno == EINTR) {
  }
  if (found == 0) return {};
  return status;
}

}  // namespace

std::string find_program(const std::string& name, const std::string& option) {
  if (name.find('/') != std::string::npos) {
    if (may_be_run(name)) return name;
    throw UsageError(cat(option, " ", name, fs::exists(name) ? " is not executable; chmod +x it" : " does not exist",
                         ", or name another program"));
  }
  Classic<std::istringstream> folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && may_be_run(fs::path(folder) / name)) return (fs::path(folder) / name).string();
  throw UsageError(cat(option, " ", name, ": there is no such program on PATH",
                       fs::exists(name) ? cat("; for the one in this folder, give ./", name) : "; give its path"));
}

SubprocessResult run_to_end(const Subprocess& program) {
  SubprocessResult result;
  Pipe out;
  if (out.read < 0) return {"", cat("could not be started: ", system_text(errno))};
  pid_t child = 0;
  if (const int why = Surroundings(out.write, program.errors).start(program.words, child); why != 0)
    return {"", cat("could not be started: ", system_text(why))};
  Pipe::close_end(out.write);
  const auto started = Clock::now();
  std::optional<int> status;
  const auto end_it = [&] {
    kill(-child, SIGKILL);
    ended(child, 0);
  };
  for (bool open = true; !(status = ended(child, WNOHANG));) {
    if (canceled()) {
      end_it();
      check_canceled();
    }
    if (program.seconds > 0 && std::chrono::duration<double>(Clock::now() - started).count() > program.seconds) {
      end_it();
      return {std::move(result.out), cat("took more than ", program.seconds / 60, " minutes and was stopped")};
    }
    pollfd one{open ? out.read : -1, POLLIN, 0};
    poll(&one, 1, kLook);
    if (open) open = read_available(out, result.out);
  }
  read_available(out, result.out);
  return {std::move(result.out), how_it_ended(*status)};
}

}  // namespace hexapla
