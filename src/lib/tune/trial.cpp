#include "lib/tune/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backend/device/device.h"
#include "base/files/file.h"
#include "base/system/running_clock.h"
#include "data/files/lines.h"
#include "decode/opened/open_model.h"
#include "evaluate/metrics/bootstrap.h"
#include "evaluate/metrics/make_metric.h"
#include "train/loop/trainer.h"
#include "train/plan/resolve/resolve.h"
#include "train/record/checkpoint.h"
#include "train/record/run_state.h"

namespace hexapla::train::tune {
namespace {

// State of a run's newest checkpoint; the initial state if there is none.
train::RunState state_of(const std::string& run) {
  std::vector<std::string> notes;  // about damaged ones; the training reports them itself
  const auto newest = train::load_newest(run + "/checkpoints", notes);
  return newest ? train::RunState::from_strings(newest->state, newest->path) : train::RunState();
}

// Forwards the training's events and the stop flag; stops the training when its time is up.
class Tally : public train::TrainWatcher {
 public:
  Tally(train::TrainWatcher& to, const std::atomic<bool>& stop, double seconds_left)
      : stop_(stop), to_(to), left_(seconds_left) {}
  void note(const std::string& text) override { to_.note(text); }
  void started(const train::TrainStart& s) override {
    parameters = s.parameters;
    began_ = clock_.seconds();
    to_.started(s);
  }
  void running(const train::TrainReport& r) override {
    to_.running(r);
    if (stop_ || clock_.seconds() - began_ >= left_) ends = true;
  }

  std::atomic<bool> ends = false;
  int64_t parameters = 0;

 private:
  const std::atomic<bool>& stop_;
  train::TrainWatcher& to_;
  double left_, began_ = 0;
  RunningClock clock_;
};

int64_t characters(const std::vector<std::string>& lines) {
  return std::accumulate(lines.begin(), lines.end(), int64_t{0}, [](int64_t n, const std::string& line) {
    return n + std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
  });
}

double bits_per_character(const decode::OpenModel& m, const data::Corpus& valid, const std::atomic<bool>& stop) {
  decode::TranslateOptions how;
  how.stop = &stop;
  double nats = 0;
  for (const decode::TextScore& s : m.scorer().score(valid.source, valid.target, how)) nats -= s.score;
  return nats / std::log(2) / static_cast<double>(characters(valid.target));
}

std::unique_ptr<evaluate::Metric> validation_metric(const Measuring& how) {
  return evaluate::make_metric(how.metric, {.tokenize = how.tokenize});
}

double quality_of_translations(const decode::OpenModel& m, const Measuring& how, int64_t beam, const std::string& file,
                               const std::atomic<bool>& stop) {
  decode::TranslateOptions search;
  search.stop = &stop;
  search.search.beam_size = static_cast<int>(beam);
  std::vector<std::string> lines;
  for (auto& found : m.translator().translate(how.valid.source, search)) lines.push_back(std::move(found.front().text));
  data::LineWriter out(file);
  for (const std::string& line : lines) out.write(line);
  out.commit();
  return evaluate::corpus_score(*validation_metric(how), lines, {&how.valid.target, 1});
}

// Resolves "auto" to the backend's choice, which the options record.
Precision resolve_precision(train::TrainOptions& o) {
  const Precision precision = parse_precision(o.precision, o.device);
  o.precision = name_of(precision);
  return precision;
}

train::TrainResult train_on(const train::TrainOptions& asked, Tally& tally, const std::atomic<bool>& stop) {
  train::TrainOptions o = asked;
  const auto backend = make_backend(resolve_precision(o), o.device);
  const auto reading = [&](const char*, int64_t) {
    if (stop) throw Canceled("stopped");
  };
  const train::TrainingData data = train::prepare_data(o, reading);
  try {
    train::TrainResult result = train::train(o, data, *backend, tally, tally.ends);
    if (result.end == train::TrainEnd::interrupted && !stop) {  // its time is up: end at this update
      o.max_updates = result.updates;
      result = train::train(o, data, *backend, tally, stop);
    }
    if (result.end == train::TrainEnd::interrupted) throw Canceled("stopped");
    train::require_whole(result);
    return result;
  } catch (const train::FailedStep& e) {
    throw Diverged(std::string(e.what()).substr(0, std::string(e.what()).find('\n')));
  }
}

}  // namespace

train::TrainOptions full_training(std::vector<GivenOption> given, const Candidate& candidate,
                                  const std::string& folder) {
  given.insert(given.end(), candidate.changes.begin(), candidate.changes.end());
  given.push_back({"model", {folder}});
  return train::resolve_options(std::move(given)).options;
}

train::TrainOptions short_training(train::TrainOptions o) {
  const int64_t full = std::max<int64_t>(o.batch_tokens, 1) * o.accumulate;
  o.batch_tokens = o.batch_tokens > 0 ? std::max<int64_t>(full / 8, std::min<int64_t>(full, 256)) : 1024;
  o.max_updates = o.max_updates * ((full + o.batch_tokens - 1) / o.batch_tokens);
  o.accumulate = 1;
  const auto of_paper = [&] {
    return o.lr_factor / std::sqrt(static_cast<double>(o.architecture.d_model) * static_cast<double>(o.warmup));
  };
  o.lr = 0.4 * (o.lr > 0 ? o.lr : of_paper());
  o.warmup = std::max<int64_t>(1, o.warmup / 10);
  o.schedule = "inverse-sqrt";
  o.decay_updates = 0;
  o.ema = 0.99;
  o.average_last = o.average_best = 0;
  o.final_model = "better";
  o.valid_sets.clear();
  o.valid_script.clear();
  o.patience = 0;
  o.save_every = "500";
  o.report_every = "50";
  o.keep = 1;
  return o;
}

train::TrainOptions until(train::TrainOptions o, const Measurement* first) {
  o.max_minutes = 0;
  if (first) o.max_updates = first->updates;
  if (o.max_updates == 0 && o.max_epochs == 0) o.max_updates = std::numeric_limits<int32_t>::max();
  return o;
}

Measured run_trial(const train::TrainOptions& options, std::optional<double> seconds, const Measuring& how,
                   train::TrainWatcher& watcher, const std::atomic<bool>& stop) {
  const double left = seconds ? *seconds - state_of(options.model).seconds : std::numeric_limits<double>::infinity();
  Tally tally(watcher, stop, left);
  const train::TrainResult result = train_on(options, tally, stop);
  const decode::OpenModel m = decode::open_model(options.model, options.device);
  Measured found;
  found.parameters = tally.parameters;
  found.updates = result.updates;
  const train::RunState end = state_of(options.model);
  found.seconds = end.seconds;
  found.tokens = end.target_tokens;
  found.bits = bits_per_character(m, how.valid, stop);
  if (how.translates)
    found.quality = quality_of_translations(m, how, options.valid_beam, options.model + "/translations.txt", stop);
  return found;
}

double p_value(const std::string& baseline_file, const std::string& file, const Measuring& how) {
  const auto metric = validation_metric(how);
  const auto resampled = [&](const std::string& path, double& score) {
    const auto statistics = evaluate::sentence_statistics(*metric, data::read_lines(path), {&how.valid.target, 1});
    score = metric->score(evaluate::sum(statistics));
    return evaluate::resampled_scores(*metric, statistics, {});
  };
  double before = 0, now = 0;
  const std::vector<double> baseline = resampled(baseline_file, before), other = resampled(file, now);
  return baseline == other ? 1 : evaluate::paired_p_value(baseline, other, now - before);
}

}  // namespace hexapla::train::tune
