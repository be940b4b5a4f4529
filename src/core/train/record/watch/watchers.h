#pragma once
#include <optional>
#include <string>
#include <vector>

#include "train/record/watch/tensorboard.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {

// Forwards every event to several watchers. They must outlive it.
class Watchers : public TrainWatcher {
 public:
  explicit Watchers(std::vector<TrainWatcher*> all) : all_(std::move(all)) {}
  void note(const std::string& text) override { each(&TrainWatcher::note, text); }
  void started(const TrainStart& s) override { each(&TrainWatcher::started, s); }
  void running(const TrainReport& r) override { each(&TrainWatcher::running, r); }
  void updated(const TrainReport& r) override { each(&TrainWatcher::updated, r); }
  void validated(const Validation& v) override { each(&TrainWatcher::validated, v); }
  void saved(int64_t update, const std::string& path) override { each(&TrainWatcher::saved, update, path); }

 private:
  template <class Method, class... Arguments>
  void each(Method method, const Arguments&... arguments) {
    for (TrainWatcher* w : all_) (w->*method)(arguments...);
  }
  std::vector<TrainWatcher*> all_;
};

// Writes the run's reports to its folder as TensorBoard events. If writing fails, it says so once,
// to `notes`, and training continues without them.
class TensorBoardWatcher : public TrainWatcher {
 public:
  TensorBoardWatcher(std::string folder, TrainWatcher& notes) : folder_(std::move(folder)), notes_(notes) {}
  void started(const TrainStart& s) override;
  void updated(const TrainReport& r) override;
  void validated(const Validation& v) override;
  bool failed() const { return failed_; }

 private:
  void add(Event event);
  std::string folder_;
  TrainWatcher& notes_;
  std::optional<EventFile> file_;  // none after a failure
  bool failed_ = false;
};

}  // namespace hexapla::train
