#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <utility>

#include "bind.h"
#include "gil.h"

namespace hexapla::python {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

// The names of requests with news, for the one Python thread that delivers them. The translator's
// thread never calls Python, because the interpreter may be shutting down.
class Deliveries {
 public:
  void add(std::uint64_t name) {
    {
      const std::lock_guard lock(mutex_);
      names_.push_back(name);
    }
    added_.notify_one();
  }
  std::uint64_t next() {
    std::unique_lock lock(mutex_);
    added_.wait(lock, [&] { return !names_.empty(); });
    const std::uint64_t name = names_.front();
    names_.pop_front();
    return name;
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<std::uint64_t> names_;
};

// Of this process: never destroyed, because threads wait in it, and another one in a forked child.
Deliveries*& deliveries() {
  static Deliveries* all = [] {
    pthread_atfork(nullptr, nullptr, [] { deliveries() = new Deliveries; });
    return new Deliveries;
  }();
  return all;
}

// News of a request from the translator's own thread, which Python's threads poll.
class News {
 public:
  // deliver: its progress, too.
  News(std::uint64_t name, bool deliver) : name_(name), deliver_(deliver), deliveries_(*deliveries()) {}

  void so_far(std::size_t line, const std::string& text) {
    const std::lock_guard lock(mutex_);
    (line < texts_.size() ? texts_ : (texts_.resize(line + 1), texts_))[line] = text;
    if (deliver_ && changed_lines_.insert(line).second && changed_lines_.size() == 1) deliveries_.add(name_);
    tell();
  }
  void warned(std::size_t line, const std::string& what) {
    const std::lock_guard lock(mutex_);
    warnings_.emplace_back(line, what);
  }
  void end(const PendingTranslation& request) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    result_ = request;
    deliveries_.add(name_);
    tell();
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
  // The lines, from 1, that changed since the last call, with their texts.
  std::vector<std::pair<std::size_t, std::string>> progress() {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<std::size_t, std::string>> all;
    for (const std::size_t line : changed_lines_) all.emplace_back(line + 1, texts_[line]);
    changed_lines_.clear();
    return all;
  }
  std::vector<std::pair<std::size_t, std::string>> warnings() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
  }
  // The ended request, once: it holds these news.
  std::optional<PendingTranslation> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(result_, std::nullopt);
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
  // Requires the mutex.
  void tell() {
    ++count_;
    changed_.notify_all();
    for (const int fd : listeners_) signal(fd);
  }
  static void signal(int fd) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(fd, &one, sizeof one);  // a full one is readable, too
  }

  const std::uint64_t name_;
  const bool deliver_;
  Deliveries& deliveries_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex:
  std::uint64_t count_ = 0;
  bool ended_ = false;
  std::optional<PendingTranslation> result_;
  std::vector<std::string> texts_;
  std::set<std::size_t> changed_lines_;  // that were not delivered
  std::vector<std::pair<std::size_t, std::string>> warnings_;
  std::vector<int> listeners_;
};

class Pending {
 public:
  // follow: whether there are partial translations; deliver: whether they are news for the thread that delivers.
  Pending(std::uint64_t name, bool follow, bool deliver)
      : news_(std::make_shared<News>(name, deliver)), follow_(follow) {}

  // timeout: in seconds; 0: none.
  void begin(const Translator& t, const std::vector<std::string>& lines, const nb::dict& options,
             const nb::list& constraints, double timeout, std::uint64_t client) {
    TranslatorOptions how = search_options_of(options);
    how.warn = [news = news_](std::size_t line, const std::string& what) { news->warned(line, what); };
    RequestOptions request;
    request.constraints = constraints_of(constraints);
    request.timeout = std::chrono::ceil<std::chrono::milliseconds>(duration<double>(timeout));
    request.client = client;
    if (follow_)
      request.on_progress = [news = news_](std::size_t line, const std::string& text) { news->so_far(line - 1, text); };
    request.on_end = [news = news_](const PendingTranslation& ended) { news->end(ended); };
    aligned_ = !how.alignment.empty();
    const WithoutGil released;
    const PendingTranslation begun = t.submit(lines, how, request);
    const std::lock_guard lock(mutex_);
    request_ = begun;
    if (canceled_) begun.cancel();
  }
  void cancel() {
    const WithoutGil released;
    std::unique_lock lock(mutex_);
    canceled_ = true;
    const std::optional<PendingTranslation> begun = request_;
    lock.unlock();
    if (begun) begun->cancel();
  }
  // seconds: negative for no limit. -> as News::wait()
  std::uint64_t wait(double seconds, std::uint64_t seen) const {
    const auto began = steady_clock::now();
    for (;;) {
      const double left = seconds - duration<double>(steady_clock::now() - began).count();
      const double slice = seconds < 0 ? 0.05 : std::clamp(left, 0.0, 0.05);  // checks for signals in between
      std::uint64_t count = 0;
      {
        const WithoutGil released;
        count = news_->wait(duration<double>(slice), seen);
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (count > seen || news_->ended() || (seconds >= 0 && left <= 0)) return count;
    }
  }
  // Once, after the end.
  nb::list get() const {
    const auto lines = [&] {
      const WithoutGil released;
      return news_->take().value().get();
    }();
    return translation_lists(lines, aligned_);
  }
  News& news() const { return *news_; }

 private:
  std::shared_ptr<News> news_;
  const bool follow_;
  bool aligned_ = false;
  std::mutex mutex_;
  // Guarded by the mutex:
  bool canceled_ = false;
  std::optional<PendingTranslation> request_;
};

// The name of the next request with news.
std::uint64_t next_news() {
  const WithoutGil released;
  return deliveries()->next();
}

}  // namespace

void bind_pending(nb::module_& m) {
  nb::class_<Pending>(m, "Pending")
      .def(nb::init<std::uint64_t, bool, bool>())
      .def("begin", &Pending::begin)
      .def("wait", &Pending::wait)
      .def("get", &Pending::get)
      .def("ended", [](const Pending& p) { return p.news().ended(); })
      .def("text", [](const Pending& p, std::size_t line) { return p.news().text(line); })
      .def("progress", [](const Pending& p) { return p.news().progress(); })
      .def("warnings", [](const Pending& p) { return p.news().warnings(); })
      .def("listen", [](const Pending& p, int fd, std::uint64_t seen) { p.news().listen(fd, seen); })
      .def("unlisten", [](const Pending& p, int fd) { p.news().unlisten(fd); })
      .def("cancel", &Pending::cancel);
  m.def("next_news", &next_news);
}

}  // namespace hexapla::python
