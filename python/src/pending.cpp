#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "bind.h"
#include "gil.h"

namespace hexapla::python {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

// News of a request from the translator's own thread, which Python's threads poll. The translator's
// thread never calls Python, because the interpreter may be shutting down.
class News {
 public:
  void so_far(std::size_t line, const std::string& text) {
    tell([&] { (line < texts_.size() ? texts_ : (texts_.resize(line + 1), texts_))[line] = text; });
  }
  void warned(std::size_t line, const std::string& what) {
    const std::lock_guard lock(mutex_);
    warnings_.emplace_back(line, what);
  }
  void end() {
    tell([&] { ended_ = true; });
  }

  // Waits until there are more than `seen` news, at most `time`. -> their number
  std::uint64_t wait(duration<double> time, std::uint64_t seen) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [&] { return count_ > seen || ended_; });
    return count_;
  }
  bool ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  std::string text(std::size_t line) {
    const std::lock_guard lock(mutex_);
    return line < texts_.size() ? texts_[line] : "";
  }
  std::vector<std::pair<std::size_t, std::string>> warnings() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
  }

  // Makes an eventfd readable once there are more than `seen` news.
  void listen(int fd, std::uint64_t seen) {
    const std::lock_guard lock(mutex_);
    listeners_.push_back(fd);
    if (count_ > seen || ended_) signal(fd);
  }
  void unlisten(int fd) {
    const std::lock_guard lock(mutex_);
    std::erase(listeners_, fd);
  }

 private:
  template <class F>
  void tell(F&& f) {
    const std::lock_guard lock(mutex_);
    f();
    ++count_;
    changed_.notify_all();
    for (const int fd : listeners_) signal(fd);
  }
  static void signal(int fd) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(fd, &one, sizeof one);  // a full one is readable, too
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex:
  std::uint64_t count_ = 0;
  bool ended_ = false;
  std::vector<std::string> texts_;
  std::vector<std::pair<std::size_t, std::string>> warnings_;
  std::vector<int> listeners_;
};

struct Pending {
  PendingTranslation request;
  std::shared_ptr<News> news;
  bool aligned;

  // seconds: negative for no limit. -> as News::wait()
  std::uint64_t wait(double seconds, std::uint64_t seen) const {
    const auto began = steady_clock::now();
    for (;;) {
      const double left = seconds - duration<double>(steady_clock::now() - began).count();
      const double slice = seconds < 0 ? 0.05 : std::clamp(left, 0.0, 0.05);  // checks for signals in between
      std::uint64_t count = 0;
      {
        const WithoutGil released;
        count = news->wait(duration<double>(slice), seen);
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (count > seen || news->ended() || (seconds >= 0 && left <= 0)) return count;
    }
  }
  nb::list get() const {
    const auto lines = [&] {
      const WithoutGil released;
      return request.get();
    }();
    return translation_lists(lines, aligned);
  }
};

// timeout: in seconds; 0: none. follow: whether to report partial translations.
Pending submit(const Translator& t, const std::vector<std::string>& lines, const nb::dict& options,
               const nb::list& constraints, double timeout, bool follow) {
  const auto news = std::make_shared<News>();
  TranslatorOptions how = search_options_of(options);
  how.warn = [news](std::size_t line, const std::string& what) { news->warned(line, what); };
  RequestOptions request;
  request.constraints = constraints_of(constraints);
  request.timeout = std::chrono::ceil<std::chrono::milliseconds>(duration<double>(timeout));
  if (follow) request.on_progress = [news](std::size_t line, const std::string& text) { news->so_far(line - 1, text); };
  request.on_end = [news] { news->end(); };
  const WithoutGil released;
  return {t.submit(lines, how, request), news, !how.alignment.empty()};
}

}  // namespace

void bind_pending(nb::module_& m) {
  nb::class_<Pending>(m, "Pending")
      .def("wait", &Pending::wait)
      .def("get", &Pending::get)
      .def("ended", [](const Pending& p) { return p.news->ended(); })
      .def("text", [](const Pending& p, std::size_t line) { return p.news->text(line); })
      .def("warnings", [](const Pending& p) { return p.news->warnings(); })
      .def("listen", [](const Pending& p, int fd, std::uint64_t seen) { p.news->listen(fd, seen); })
      .def("unlisten", [](const Pending& p, int fd) { p.news->unlisten(fd); })
      .def("cancel", [](const Pending& p) {
        const WithoutGil released;
        p.request.cancel();
      });
  m.def("submit", &submit);
}

}  // namespace hexapla::python
