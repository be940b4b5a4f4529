#include "call.h"

#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "bind.h"
#include "gil.h"

namespace hexapla::python {
namespace {

thread_local int threads_of_calls = 0;

// The thread that runs the calls of the main thread. There is only one, and it never ends, because
// OpenMP keeps a team of threads for each thread that ever computed. Only the main thread uses it.
class Helper {
 public:
  // Null while another call of the main thread runs, because a signal handler makes this call.
  static Helper* free_one() {
    static Helper* helper = nullptr;
    static pid_t process = 0;
    if (process != getpid()) helper = new Helper, process = getpid();  // a forked child has no such thread
    return helper->busy_ ? nullptr : helper;
  }

  // Runs `work` on the helper thread, and meanwhile until_done() on this thread.
  template <class Done>
  void run(const std::function<void()>& work, Done&& until_done) {
    busy_ = true;
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
    }
    changed_.notify_one();
    until_done();
    busy_ = false;
  }

 private:
  Helper() {
    std::thread([this] { serve(); }).detach();
  }
  void serve() {
    for (;;) {
      const std::function<void()>* work = nullptr;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return work_ != nullptr; });
        work = std::exchange(work_, nullptr);
      }
      (*work)();
    }
  }

  bool busy_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
};

bool signals_arrive_here() {
  const nb::module_ threading = nb::module_::import_("threading");
  const auto thread = [&](const char* which) { return call_python(threading.attr(which), nb::make_tuple()); };
  return thread("current_thread").is(thread("main_thread"));
}

Helper* helper_of_this_call() {
  if (!signals_arrive_here()) return nullptr;
  try {
    return Helper::free_one();
  } catch (const std::system_error&) {  // no thread available: uses this one, without Ctrl-C
    return nullptr;
  }
}

}  // namespace

void set_threads_of_caller(int n) {
  hexapla::set_threads(n);
  threads_of_calls = n;
}

void Call::execute(const std::function<void()>& work) {
  std::exception_ptr failed;
  const auto attempt = [&] {
    try {
      work();
    } catch (...) {
      failed = std::current_exception();
    }
  };
  Helper* const helper = helper_of_this_call();
  elsewhere_ = helper != nullptr;
  if (helper) {
    done_ = false;
    const std::function<void()> there = [&, threads = threads_of_calls] {
      hexapla::set_threads(threads);
      attempt();
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_all();  // under the lock: this object may be destroyed right after it
    };
    helper->run(there, [&] { answer_until_done(); });
  } else {
    const WithoutGil released;
    attempt();
  }
  raise(failed);
}

// Checks for signals every 50 ms.
void Call::answer_until_done() {
  const WithoutGil released;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return done_ || asked_; });
    if (done_) return;
    const auto* asked = asked_;
    lock.unlock();
    answer(asked);
    lock.lock();
    if (!asked) continue;
    asked_ = nullptr;
    changed_.notify_all();
  }
}

void Call::answer(const std::function<void()>* asked) {
  const WithGil gil;
  if (asked) try {
      (*asked)();
    } catch (...) {
      raised_ = std::current_exception();
    }
  if (PyErr_CheckSignals() != 0) interrupt(nb::python_error());
}

void Call::back(const std::function<void()>& f) {
  if (!elsewhere_) {
    const WithGil gil;
    f();
    return;
  }
  const std::lock_guard one(asking_);
  std::unique_lock lock(mutex_);
  asked_ = &f;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !asked_; });
  if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
}

void Call::back_until_interrupted(const std::function<void()>& f) {
  back([&] {
    try {
      f();
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      interrupt(error);
    }
  });
}

void Call::interrupt(nb::python_error error) {
  if (interrupted_) return;
  interrupted_.emplace(std::move(error));
  stop_();
}

// Throws the call's error; if it was interrupted, the interruption with the error as its context.
void Call::raise(const std::exception_ptr& failed) {
  if (!interrupted_) {
    if (failed) std::rethrow_exception(failed);
    return;
  }
  const auto context = [&](const nb::python_error& error) {
    PyException_SetContext(interrupted_->value().ptr(), nb::object(nb::borrow(error.value())).release().ptr());
  };
  if (failed) try {
      std::rethrow_exception(failed);
    } catch (const Canceled&) {  // as requested
    } catch (const Error& error) {
      raise_in_python(error);
      context(nb::python_error());
    } catch (const nb::python_error& error) {
      context(error);
    } catch (...) {
    }
  throw *interrupted_;
}

}  // namespace hexapla::python
