#include "serve/work/log_queue.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/json.h"

namespace hexapla::serve {
namespace {

constexpr std::size_t kPerLine = 200;  // overhead in bytes
constexpr std::chrono::seconds kStuck{1};

std::string note_of(std::uint64_t dropped) {
  return json_text(nlohmann::ordered_json{
      {"event", "log"}, {"message", cat(dropped, " lines were dropped here, because this log is read too slowly")}});
}

}  // namespace

struct LogQueue::State {
  explicit State(std::function<void(const std::string&)> its_write) : write(std::move(its_write)) {}

  const std::function<void(const std::string&)> write;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<std::string()>> lines;
  std::size_t bytes = 0;  // of lines
  std::uint64_t dropped = 0, told = 0;
  bool closed = false, ended = false;
};

LogQueue::LogQueue(std::function<void(const std::string&)> write) : state_(std::make_shared<State>(std::move(write))) {
  if (state_->write) thread_ = std::thread([state = state_] { work(*state); });
}

LogQueue::~LogQueue() {
  if (!on()) return;
  std::unique_lock lock(state_->mutex);
  state_->closed = true;
  state_->changed.notify_all();
  const bool ended = state_->changed.wait_for(lock, kStuck, [&] { return state_->ended; });
  lock.unlock();
  ended ? thread_.join() : thread_.detach();
}

void LogQueue::add(std::string line) {
  const std::size_t bytes = line.size();
  add(bytes, [its = std::move(line)] { return its; });
}

void LogQueue::add(std::size_t bytes, std::function<std::string()> make) {
  if (!on()) return;
  const std::lock_guard lock(state_->mutex);
  if (bytes + kPerLine > kMostBytes - state_->bytes) {
    ++state_->dropped;
    return;
  }
  state_->lines.push_back(std::move(make));
  state_->bytes += bytes + kPerLine;
  if (state_->lines.size() == 1) state_->changed.notify_all();
}

std::uint64_t LogQueue::dropped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->dropped;
}

void LogQueue::work(State& state) {
  const auto write = [&](const std::function<std::string()>& make) {
    try {
      state.write(make());
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): there is no other place to tell
    }
  };
  std::unique_lock lock(state.mutex);
  while (!state.ended) {
    state.changed.wait(lock, [&] { return state.closed || !state.lines.empty(); });
    auto lines = std::exchange(state.lines, {});
    state.bytes = 0;
    const std::uint64_t dropped = state.dropped - std::exchange(state.told, state.dropped);
    lock.unlock();
    for (; !lines.empty(); lines.pop_front()) write(lines.front());
    if (dropped > 0) write([&] { return note_of(dropped); });
    lock.lock();
    state.ended = state.closed && state.lines.empty() && state.told == state.dropped;
  }
  state.changed.notify_all();
}

}  // namespace hexapla::serve
