#include "base/system/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <locale>
#include <new>
#include <system_error>

#include "base/error.h"
#include "base/system/cancellation.h"

namespace hexapla {
namespace {

// The first byte in the pipe. No byte: the child died.
constexpr char kReturned = 'r', kThrew = 't', kNoMemory = 'm';
constexpr const char* kMemoryEnd = "had too little memory";

bool write_all(int file, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = write(file, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno != EINTR) return false;
    at += n > 0 ? static_cast<size_t>(n) : 0;
  }
  return true;
}

// Until the end of the pipe or cancellation.
std::string read_all(int file) {
  std::string bytes;
  std::array<char, 1 << 16> some;
  for (;;) {
    pollfd more{file, POLLIN, 0};
    while (poll(&more, 1, wait_between_looks()) <= 0)
      if (canceled()) return bytes;
    const ssize_t n = read(file, some.data(), some.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return bytes;
    if (n > 0) bytes.append(some.data(), static_cast<size_t>(n));
  }
}

bool for_lack_of_memory(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const std::system_error& e) {  // a thread that could not be started
    return e.code() == std::errc::resource_unavailable_try_again;
  } catch (...) {
    return false;
  }
}

std::string outcome(const std::function<std::string()>& work) {
  try {
    return kReturned + work();
  } catch (const std::exception& e) {
    if (for_lack_of_memory(std::current_exception())) return {kNoMemory};
    return std::string(1, kThrew) + e.what();
  }
}

constexpr int kOtherException = 3;  // exit code: uncaught exception in a thread of the work

[[noreturn]] void be_the_child(pid_t parent, int out, const std::function<std::string()>& work) {
  std::locale::global(std::locale::classic());  // SentencePiece reads and writes numbers in the global locale
  prctl(PR_SET_PDEATHSIG, SIGKILL);             // nobody is left to read the result
  if (getppid() != parent) std::_Exit(1);
  std::set_terminate([] {  // silently: the parent reports it
    const std::exception_ptr error = std::current_exception();
    std::_Exit(error && for_lack_of_memory(error) ? 1 : kOtherException);
  });
  // Skip destructors and buffers: they belong to the parent.
  std::_Exit(write_all(out, outcome(work)) ? 0 : 1);
}

// "" if the child ended normally.
std::string end_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "";  // the caller ignores SIGCHLD: rely on the pipe
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (WIFEXITED(status)) return WEXITSTATUS(status) == kOtherException ? "failed in one of its threads" : kMemoryEnd;
  // The usual sign that the system or a control group ran out of memory.
  if (WTERMSIG(status) == SIGKILL) return "was killed by the system (signal 9), as happens when memory runs out";
  return cat("was killed by signal ", WTERMSIG(status));
}

}  // namespace

ChildResult in_child_process(const std::function<std::string()>& work) {
#if defined(__SANITIZE_THREAD__)
  return {work(), ""};
#endif
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {work(), ""};
  const pid_t parent = getpid(), child = fork();
  if (child == 0) be_the_child(parent, ends[1], work);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return {work(), ""};
  }
  const std::string result = read_all(ends[0]);
  close(ends[0]);
  if (canceled()) kill(child, SIGKILL);
  const std::string end = end_of(child);
  check_canceled();
  if (!end.empty() || result.empty()) return {{}, end.empty() ? "ended without a result" : end};
  if (result[0] == kThrew) throw RunError(result.substr(1));
  if (result[0] == kNoMemory) return {{}, kMemoryEnd};
  return {result.substr(1), ""};
}

}  // namespace hexapla
