#pragma once
// A long call of the library: it releases the GIL, responds to Ctrl-C, and runs callbacks on the
// calling thread, as Python programmers expect (a database cursor belongs to its thread).
#include <nanobind/nanobind.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <type_traits>

namespace hexapla::python {

class Call {
 public:
  // stop: makes the library's function return soon; called if a signal handler raises.
  explicit Call(std::function<void()> stop) : stop_(std::move(stop)) {}

  // Runs f() without the GIL; the caller holds it. A call from the main thread, the only one where
  // Python handles signals, runs f on another thread and waits for its end and for signals. Throws
  // what a signal handler raised, once f has ended; it may be called again, one run after the other.
  template <class F>
  auto run(F&& f) {
    std::optional<std::invoke_result_t<F&>> result;
    execute([&] { result.emplace(f()); });
    return std::move(*result);
  }

  // Only within run(): calls f() with the GIL on the thread that called run(), and rethrows its
  // exceptions.
  void back(const std::function<void()>& f);
  // Like back(), but stores KeyboardInterrupt as if a signal handler had raised it.
  void back_until_interrupted(const std::function<void()>& f);

 private:
  void execute(const std::function<void()>& work);
  void answer_until_done();
  void answer(const std::function<void()>* asked);
  void interrupt(nanobind::python_error error);
  void raise(const std::exception_ptr& failed);

  std::function<void()> stop_;
  bool elsewhere_ = false;  // the library runs on another thread
  std::optional<nanobind::python_error> interrupted_;
  std::mutex asking_;  // one callback at a time
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  bool done_ = false;
  const std::function<void()>* asked_ = nullptr;
  std::exception_ptr raised_;
};

// hexapla::set_threads() for calls from the current thread.
void set_threads_of_caller(int n);

}  // namespace hexapla::python
