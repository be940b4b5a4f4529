// The plugin hexapla_mpi.so: the only code that is linked with an MPI library. The program opens it if a launcher has
// started it (train/cluster/mpi/launched_processes.cpp), so one program runs with and without MPI.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "base/error.h"
#include "train/cluster/mpi/plugin.h"

namespace hexapla::train::cluster {
namespace {

// Larger messages are split: MPI counts bytes in an int.
constexpr size_t kMostAtOnce = size_t{1} << 30;
// MPI libraries send up to 64 KiB over TCP, including their headers, without asking the receiver.
// If they ask, the answer queues after the receiver's own data, so a link's two directions are used
// in turn. Messages small enough for a receiver to buffer are split into such pieces.
constexpr size_t kSentUnasked = 60 << 10, kKeptUnasked = 1 << 20;
constexpr std::chrono::microseconds between_looks(200);
// Longer than launchers wait for a process to end by itself (Open MPI: 1 s).
constexpr std::chrono::seconds before_others_speak(3);

class MpiProcesses final : public Processes {
 public:
  MpiProcesses() : exceptions_(std::uncaught_exceptions()) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads_);
    MPI_Comm_rank(MPI_COMM_WORLD, &number_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  // If a process exits without MPI_Finalize, the launcher ends the others. Only one should report
  // the error: if all fail alike, the first one reports before the others would.
  ~MpiProcesses() override {
    if (std::uncaught_exceptions() == exceptions_) {
      MPI_Barrier(MPI_COMM_WORLD);  // without it, a launcher may take an early end of one process for an error
      MPI_Finalize();
    } else if (number_ > 0) {
      std::this_thread::sleep_for(before_others_speak);
    }
  }

  int number() const override { return number_; }
  int count() const override { return count_; }
  std::string host() const override {
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    return {name, static_cast<size_t>(length)};
  }

  bool by_any_thread() const override { return threads_ >= MPI_THREAD_SERIALIZED; }

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    start(out, in);
    wait(&MpiProcesses::yield);
  }
  void exchange_beside(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    start(out, in);
    wait(&MpiProcesses::nap);
  }

 private:
  void start(std::span<const Outgoing> out, std::span<const Incoming> in) {
    requests_.clear();
    const auto post = [&](const auto& message, char* bytes, const auto& call) {
      const size_t piece = message.size <= kKeptUnasked ? kSentUnasked : kMostAtOnce;
      for (size_t at = 0; at < message.size; at += piece) {
        requests_.emplace_back();
        require(call(bytes + at, static_cast<int>(std::min(piece, message.size - at)), &requests_.back()));
      }
    };
    for (const Incoming& m : in)
      post(m, static_cast<char*>(m.bytes), [&](char* bytes, int size, MPI_Request* request) {
        return MPI_Irecv(bytes, size, MPI_BYTE, m.from, 0, MPI_COMM_WORLD, request);
      });
    for (const Outgoing& m : out)
      post(m, static_cast<char*>(const_cast<void*>(m.bytes)), [&](char* bytes, int size, MPI_Request* request) {
        return MPI_Isend(bytes, size, MPI_BYTE, m.to, 0, MPI_COMM_WORLD, request);
      });
  }

  using Clock = std::chrono::steady_clock;
  // Called between two polls; MPI's own wait keeps a core busy.
  using Rest = void (*)(int64_t looks, Clock::time_point began);
  void wait(Rest rest) {
    const Clock::time_point began = Clock::now();
    for (int64_t looks = 0;; ++looks) {
      int done = 0;
      require(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE));
      if (done) return;
      rest(looks, began);
    }
  }
  // Long waits leave the core to other processes of the host.
  static void yield(int64_t looks, Clock::time_point began) {
    if (looks < 100) return;
    if (Clock::now() - began < std::chrono::seconds(1))
      sched_yield();
    else
      std::this_thread::sleep_for(between_looks);
  }
  // The core belongs to a compute thread; messages are buffered by the system meanwhile.
  static void nap(int64_t, Clock::time_point) { std::this_thread::sleep_for(between_looks); }

  static void require(int code) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw RunError(cat("another process cannot be reached any more: ", std::string(text, static_cast<size_t>(length)),
                       "; the same command resumes from the last checkpoint"));
  }

  int exceptions_, number_ = 0, count_ = 1, threads_ = MPI_THREAD_SINGLE;
  std::vector<MPI_Request> requests_;  // of an exchange; reused
};

}  // namespace

const char* mpi_library() {
  static const std::string version = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string all(text, static_cast<size_t>(length));
    return all.substr(0, all.find_first_of(",\n"));
  }();
  return version.c_str();
}

Processes* mpi_processes() { return std::make_unique<MpiProcesses>().release(); }

}  // namespace hexapla::train::cluster

extern "C" [[gnu::visibility("default")]] const hexapla::train::cluster::MpiPlugin hexapla_mpi_plugin{
    HEXAPLA_VERSION, &hexapla::train::cluster::mpi_library, &hexapla::train::cluster::mpi_processes};
