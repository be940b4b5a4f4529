#include "data/batches/batch_stream.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "data/batches/window.h"

namespace hexapla::data {
namespace {

constexpr size_t kWindowsAhead = 2;  // ready, or one ready and one in progress, besides the current one

// Makes windows in its own thread, a few ahead of those taken.
class Prefetch {
 public:
  explicit Prefetch(WindowMaker maker) : maker_(std::move(maker)) {}

  const WindowMaker& maker() const { return maker_; }  // only for its const members
  void seek(int64_t epoch, const WindowPosition& window) {
    thread_ = {};  // ends the running one
    ready_.clear();
    failure_ = nullptr;
    maker_.seek(epoch, window);
  }
  std::shared_ptr<const Window> take() {
    if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || failure_; });
    if (ready_.empty()) std::rethrow_exception(failure_);
    auto window = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
    return window;
  }

 private:
  void run(std::stop_token stop) {
    try {
      while (!stop.stop_requested()) {
        auto window = std::make_shared<const Window>(maker_.next(stop));
        std::unique_lock lock(mutex_);
        ready_.push_back(std::move(window));
        changed_.notify_all();
        changed_.wait(lock, stop, [&] { return ready_.size() < windows_ahead(); });
      }
    } catch (const Stopped&) {
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }
  size_t windows_ahead() const { return maker_.whole() ? 1 : kWindowsAhead; }

  WindowMaker maker_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<const Window>> ready_;
  std::exception_ptr failure_;
  std::jthread thread_;  // declared last: ends before the members it uses are destroyed
};

size_t beyond(size_t bytes, size_t counted) { return bytes - std::min(bytes, counted); }

// Memory for finding and planning the pairs if an epoch is one window: the place and length of each
// pair, the current plan, and the next one while it is made, including its order and half as much
// for sorting.
size_t planning(size_t pairs, size_t drawn, size_t batches) {
  constexpr size_t allocation = 16;  // allocator overhead
  return pairs * (sizeof(uint64_t) + sizeof(PairSize)) + drawn * sizeof(int32_t) * 7 / 2 +
         2 * batches * (sizeof(Plan::value_type) + allocation);
}

class WindowedStream : public BatchStream {
 public:
  WindowedStream(const TrainingPairs& pairs, const Batching& options, const ShuffleSpace& space)
      : source_(pairs.source), target_(pairs.target), options_(options), windows_(WindowMaker(pairs, options, space)) {
    if (options.batch_tokens < 1)
      throw UsageError(cat("`batch-tokens` ", options.batch_tokens, " is too small: use 1 or more"));
  }

  void seek(int64_t epoch, const BatchPosition& position) override {
    if (!window_ || window_->epoch != epoch || window_->position != position.window) {
      windows_.seek(epoch, position.window);
      window_.reset();
      sought_ = position.window;
    }
    at_ = static_cast<size_t>(position.batch);
    ended_ = false;
  }
  const Batch& next() override {
    while (window().plan.size() <= at_) take();
    batch_ = window_->batch(target_, at_++);
    ended_ = window_->last && at_ == window_->plan.size();
    return batch_;
  }
  bool epoch_ended() const override { return ended_; }
  BatchPosition position() const override {
    if (!window_) return {sought_, static_cast<int64_t>(at_)};
    if (at_ < window_->plan.size()) return {window_->position, static_cast<int64_t>(at_)};
    if (window_->last) return {};
    return {{window_->position.part, window_->position.number + 1}, 0};
  }
  double epochs() const override {
    const Window& w = window();
    int64_t given = w.before;
    for (size_t i = 0; i < at_; ++i) given += std::ssize(w.plan[i]);
    return double(w.epoch) + double(given) / double(w.epoch_pairs);
  }
  int64_t batches() const override {
    const Window& w = window();
    const auto planned = std::ssize(w.plan);
    return maker().whole() ? planned : (w.epoch_pairs * planned + w.pairs() - 1) / w.pairs();
  }
  int64_t pairs() const override { return window().epoch_pairs; }

  size_t memory() const override {
    const auto pairs = static_cast<size_t>(maker().pairs()), drawn = static_cast<size_t>(maker().pairs_of_epoch());
    if (maker().whole()) return beyond(planning(pairs, drawn, window().plan.size()), pairs * PairStore::kBytesBesides);
    // The order of the whole epoch is in memory, too, but no other while it is made.
    const size_t order = maker().in_memory() ? drawn * sizeof(int32_t) : 0;
    return order +
           static_cast<size_t>((kWindowsAhead + 1) * static_cast<double>(maker().most_pairs()) * maker().means().bytes);
  }
  Batch largest() override { return maker().whole() ? largest_planned() : largest_possible(); }

 private:
  const WindowMaker& maker() const { return windows_.maker(); }
  const Window& window() const {
    if (!window_) window_ = windows_.take();
    return *window_;
  }
  void take() {
    window_ = windows_.take();
    at_ = 0;
  }
  Batch largest_planned() const {
    int64_t most = -1;
    size_t best = 0;
    for (size_t i = 0; i < window().plan.size(); ++i) {
      int64_t tokens = 0;
      for (const int32_t index : window_->plan[i]) {
        const PackedPair pair = (*window_->table)[index];
        tokens += count_ids(pair.source) + 2 * count_ids(pair.target);
      }
      if (tokens > most) most = tokens, best = i;
    }
    return window_->batch(target_, best);
  }
  // Windows are not known ahead: as large as the limits allow, but no larger than roughly the
  // available text.
  Batch largest_possible() const {
    const PairMeans means = maker().means();
    const int64_t longest = options_.max_length;
    auto most = [&](int64_t limit, double mean) {
      constexpr double more_than_mean = 1.25;  // tokens in an epoch, relative to the mean
      const double upper = more_than_mean * mean * static_cast<double>(maker().most_pairs());
      return std::min(std::max(limit, longest), static_cast<int64_t>(std::ceil(upper)));
    };
    const int64_t targets = most(options_.batch_tokens, means.target);
    const int64_t sources = most(options_.batch_tokens * 3 / 2, means.source);
    const int64_t sequences = (std::max(sources, targets) + longest - 1) / longest;
    auto length = [&](int64_t tokens, int64_t i) {
      return static_cast<size_t>(tokens * (i + 1) / sequences - tokens * i / sequences);
    };
    std::vector<Example> all;
    std::vector<int32_t> indices;
    for (int64_t i = 0; i < sequences; ++i) {
      all.push_back({text::Ids(std::max<size_t>(length(sources, i), 1), source_.eos()),
                     text::Ids(std::max<size_t>(length(targets, i), 2) - 1, target_.eos())});
      indices.push_back(static_cast<int32_t>(i));
    }
    return make_batch(target_, all, indices);
  }

  text::Vocabulary source_, target_;
  Batching options_;
  mutable Prefetch windows_;
  mutable std::shared_ptr<const Window> window_;  // of the last batch, or of the next before the first
  WindowPosition sought_;                         // of the next window, while window_ is empty
  size_t at_ = 0;                                 // of the next batch
  bool ended_ = false;
  Batch batch_;
};

}  // namespace

std::unique_ptr<BatchStream> open_batches(const TrainingPairs& pairs, const Batching& options,
                                          const ShuffleSpace& space) {
  return std::make_unique<WindowedStream>(pairs, options, space);
}

}  // namespace hexapla::data
