#include "train/loop/trainer.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/compute/parallel.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/system/running_clock.h"
#include "base/system/subprocess.h"
#include "train/loop/freeze.h"
#include "train/loop/optimizer.h"
#include "train/memory/memory_budget.h"
#include "train/outcome/best_files.h"
#include "train/outcome/ending.h"
#include "train/provenance/replay.h"
#include "train/provenance/resume_fingerprint.h"
#include "train/run/checkpoint.h"
#include "train/run/init_from.h"
#include "train/run/resume.h"
#include "train/run/run_state.h"
#include "train/run/run_vocabularies.h"
#include "train/run/train_log.h"
#include "train/validation/valid_tokenizer.h"
#include "train/validation/validation.h"

namespace hexapla {
namespace {

constexpr int64_t jump_memory = 100;  // updates that a jump of the loss is measured against

std::shared_ptr<const RunLock> lock_of(const TrainOptions& o, const TrainingData& data) {
  if (!data.lock) return std::make_shared<const RunLock>(o.model);
  HEXAPLA_CHECK(data.lock->folder() == o.model, "what was prepared for ", data.lock->folder(), " is trained in ",
                o.model);
  return data.lock;
}

class Run {
 public:
  Run(const TrainOptions& options, const TrainingData& data, Backend& backend, TrainWatcher& watcher)
      : options_(options),
        data_(data),
        watcher_(watcher),
        lock_(lock_of(options, data)),
        model_(with_vocabularies(options.architecture, data.pairs)),
        parameters_(model_, DType::f32, Parameters::Use::training),
        optimizer_(model_, parameters_, options),
        average_(parameters_, optimizer_.parts(), options.ema),
        stream_(open_batches(data.pairs, {options.batch_tokens, options.max_length, options.seed}, data.space)),
        plan_(plan_memory(model_, parameters_, data, options, *stream_)),
        arena_(arena_room(model_, parameters_, data, options, plan_)),
        cx_{backend, arena_} {
    cx_.seed = options.seed;
    freeze_statistics(model_, frozen_parameters(model_, options.freeze));
    if (!options.init_from.empty()) initial_ = InitialModel::load(options.init_from);
    identity_ = resume_fingerprint(options, model_.config, data, initial_ ? initial_->checksum() : "");
    changeable_ = noted_options(options, data);
  }

  TrainResult go(const std::atomic<bool>& stop);

 private:
  std::string checkpoints() const { return options_.model + "/checkpoints"; }
  std::string failure() const { return options_.model + "/failure"; }

  void start();
  TrainStart announcement();
  void initialise_model();
  bool resume();
  void resume_statistics(const LoadedCheckpoint& checkpoint);
  std::vector<Batch> draw();
  // Of the next update; each of its batches has one of its own.
  uint32_t first_dropout_step() const { return static_cast<uint32_t>(state_.update * options_.accumulate + 1); }
  LossSums accumulate_gradient(const std::vector<Batch>& batches);
  void update();
  int64_t epoch() const { return state_.epoch + !stream_->epoch_ended(); }  // of the last update, from 1
  [[noreturn]] void fail_step(const std::string& what, const std::vector<Batch>& batches);
  std::string remedy() const;  // of a loss or weights that are no numbers
  TrainReport current() const;
  void report();
  Validation measure();
  void validate();
  void judge(Validation& v);
  void keep_if_best(const Validation& v);
  void save();
  void save_off_schedule();
  CheckpointContent content(const char* schedule) const;
  bool write_checkpoint(const char* schedule);
  bool weights_are_finite() { return std::isfinite(cx_.backend.sum_of_squares(parameters_.values())); }
  void lost_checkpoint();
  bool written(const char* otherwise, const std::function<void()>& write);
  bool finished() const;
  double progress() const;
  double seconds_since(double then) const { return clock_.seconds() - then; }
  double elapsed() const { return state_.seconds + seconds_since(started_); }
  Trained trained() { return {model_, data_, options_, cx_.backend}; }
  TrainResult finish();

  const TrainOptions& options_;
  const TrainingData& data_;
  TrainWatcher& watcher_;
  std::shared_ptr<const RunLock> lock_;
  Transformer model_;
  Parameters parameters_;
  Optimizer optimizer_;
  MovingAverage average_;
  std::unique_ptr<BatchStream> stream_;
  MemoryPlan plan_;
  Arena arena_;
  Context cx_;
  std::optional<InitialModel> initial_;  // until training starts
  std::string identity_, changeable_;

  RunState state_;
  std::optional<JsonLines> log_, valid_log_;
  Transformer::Saved saved_;
  double norm_ = 0, alignment_loss_ = 0;  // of the last update
  SilentBleu silent_bleu_;
  int64_t saved_update_ = 0;
  std::optional<int64_t> extra_checkpoint_;  // one that an unbroken run would not have: removed once passed
  std::vector<std::string> missing_;         // what could not be written and will not be
  int64_t lost_lines_ = 0;                   // of the logs
  RunningClock clock_;
  double started_ = 0, reported_ = 0, shown_ = 0;  // by the clock
  int64_t reported_tokens_ = 0;
  double progress_at_start_ = 0;
};

TrainStart Run::announcement() {
  TrainStart info;
  info.memory = plan_;
  info.memory_limit = memory_limit(options_.memory);
  info.parts = parameters_by_part(model_);
  info.parameters = parameters_.count();
  info.examples = stream_->pairs();
  info.batches = stream_->batches();
  info.batch_tokens = options_.batch_tokens;
  info.valid_examples = static_cast<int64_t>(data_.valid.size());
  info.backend = machine_text(cx_.backend.name(), options_.precision);
  return info;
}

void Run::initialise_model() {
  initialise(model_, options_.seed, options_.init_gain);
  if (initial_) watcher_.note(start_from(*initial_, model_, data_.pairs.source, data_.pairs.target));
  average_.start();
}

bool Run::resume() {
  const auto found = resume_run(options_, identity_, changeable_, [&](const std::string& n) { watcher_.note(n); });
  if (!found) return false;
  const LoadedCheckpoint& checkpoint = found->checkpoint;
  checkpoint.read("values", parameters_.values());
  checkpoint.read("first_moments", optimizer_.first_moments());
  checkpoint.read("second_moments", optimizer_.second_moments());
  if (parameters_.buffers()) checkpoint.read("buffers", parameters_.buffers());
  if (average_) checkpoint.read("average", average_.slab());
  if (average_.buffers()) resume_statistics(checkpoint);
  state_ = found->state;
  saved_update_ = state_.update;
  const auto schedule = checkpoint.state.find("schedule");
  if (schedule != checkpoint.state.end() && schedule->second == "off") extra_checkpoint_ = state_.update;
  return true;
}

void Run::resume_statistics(const LoadedCheckpoint& checkpoint) {
  if (checkpoint.tensors.find("average_buffers")) return checkpoint.read("average_buffers", average_.buffers());
  average_.start_statistics();
  watcher_.note(
      "this run was begun by a version that did not average running statistics (`ema` with `norm` batch): "
      "their average begins now");
}

void Run::start() {
  for (const char* part : {"", "/best", "/failure"}) remove_abandoned_files(options_.model + part);
  remove_unfinished(checkpoints());
  TrainStart info = announcement();
  if (resume()) {
    info.resumed_at = state_.update;
  } else {
    initialise_model();
    state_.measure = measure_of(changeable_, options_.best_by);
  }
  keep_vocabularies(options_.model, data_.pairs.source, data_.pairs.target, options_.text.separate());
  initial_.reset();
  stream_->seek(state_.epoch, state_.place);
  log_.emplace(options_.model + "/train.jsonl", state_.update);
  valid_log_.emplace(options_.model + "/valid.jsonl", state_.update);
  for (const auto& n : data_.notes) watcher_.note(n);
  const int64_t updates_an_epoch = (info.batches + options_.accumulate - 1) / options_.accumulate;
  if (!data_.valid.empty() && !state_.best_score)
    if (const std::string n = says_nothing_is_validated(options_, updates_an_epoch); !n.empty()) watcher_.note(n);
  watcher_.started(info);
  started_ = reported_ = shown_ = clock_.seconds();
  reported_tokens_ = state_.target_tokens;
  progress_at_start_ = progress();
}

// The batches of the next update: an epoch ends with an update, which may have fewer than the others.
std::vector<Batch> Run::draw() {
  std::vector<Batch> batches;
  do batches.push_back(stream_->next());
  while (static_cast<int64_t>(batches.size()) < options_.accumulate && !stream_->epoch_ended());
  return batches;
}

// Of the mean over the target tokens of all batches. Dropout draws anew for each of them.
LossSums Run::accumulate_gradient(const std::vector<Batch>& batches) {
  int64_t tokens = 0;
  for (const Batch& batch : batches) tokens += batch.target_tokens();
  cx_.training = true;
  cx_.step = first_dropout_step();
  cx_.backend.fill(parameters_.gradients(), 0);
  LossSums all;
  const double scale = 1.0 / static_cast<double>(tokens);
  for (const Batch& batch : batches) {
    const LossSums sums = model_.loss_and_gradient(cx_, view(batch, guidance_of(options_), scale),
                                                   options_.label_smoothing, scale, saved_);
    arena_.clear();
    ++cx_.step;
    all.loss += sums.loss;
    all.nll += sums.nll;
    all.tokens += sums.tokens;
    all.alignment += sums.alignment;
    all.linked += sums.linked;
  }
  return all;
}

void Run::update() {
  const std::vector<Batch> batches = draw();
  const LossSums sums = accumulate_gradient(batches);
  norm_ = optimizer_.gradient_norm(cx_.backend);
  const double mean = state_.update < jump_memory ? 0 : state_.mean_loss;
  if (const std::string what = trouble(sums, norm_, options_.clip_norm, mean, options_.max_loss_jump); !what.empty())
    fail_step(what, batches);
  alignment_loss_ = sums.alignment / static_cast<double>(std::max<int64_t>(sums.linked, 1));
  ++state_.update;
  optimizer_.update(cx_.backend, state_.update, state_.plateau.scale, norm_);
  average_.update(cx_.backend, state_.update);
  state_.place = stream_->place();
  if (stream_->epoch_ended()) ++state_.epoch, state_.place = 0;
  state_.loss_sum += sums.loss;
  state_.loss_tokens += sums.tokens;
  state_.target_tokens += sums.tokens;
  state_.mean_loss +=
      (sums.loss / double(sums.tokens) - state_.mean_loss) / double(std::min(state_.update, jump_memory));
  if (seconds_since(shown_) < 0.2) return;
  shown_ = clock_.seconds();
  watcher_.running(current());
}

// The step's lines, state and first bad value go to DIR/failure; nothing of it was taken over.
void Run::fail_step(const std::string& what, const std::vector<Batch>& batches) {
  const std::string folder = failure();
  const Step step{state_.update + 1,     first_dropout_step(),
                  options_.seed,         options_.label_smoothing,
                  options_.precision,    cat(what, " at update ", state_.update + 1),
                  guidance_of(options_), batches};
  const std::string found = check_step(cx_, model_, parameters_, step).text();
  std::string where =
      cat("Its pairs and its state are in ", folder, "; `hexapla replay ", options_.model, "` runs the step again");
  try {
    save_step(folder, step, model_.config, content("off"), data_.pairs.source, data_.pairs.target);
    write_file_atomically(folder + "/report.txt", cat(step.reason, "\n", found, "\n"));
  } catch (const RunError& e) {
    where = cat("Its pairs and its state could not be written: ", e.what());
  }
  throw RunError(cat(step.reason, "; the batch holds ",
                     data_.sets.size() > 1 ? name_lines(batches, data_.sets) : lines_of(step),
                     " of the training sets.\n", found, ".\n", where, ".\n", remedy()));
}

std::string Run::remedy() const {
  const char* const gentler = "lower `lr`, raise `warmup` or set `clip-norm` 1, and ";
  if (saved_update_ > 0) return cat("The last checkpoint is from before: ", gentler, "give the same command again");
  return cat("Nothing was saved yet: ", gentler, "the same command starts anew");
}

double Run::progress() const {
  double done = 0;
  auto limit = [&](double now, double most) {
    if (most > 0) done = std::max(done, now / most);
  };
  limit(double(state_.update), double(options_.max_updates));
  limit(stream_->epochs(), double(options_.max_epochs));
  limit(elapsed(), options_.max_minutes * 60);
  return std::min(done, 1.0);
}

bool Run::finished() const {
  const TrainOptions& o = options_;
  return (o.max_updates > 0 && state_.update >= o.max_updates) || (o.max_epochs > 0 && state_.epoch >= o.max_epochs) ||
         (o.max_minutes > 0 && elapsed() >= o.max_minutes * 60) ||
         (o.patience > 0 && state_.worse_validations >= o.patience);
}

TrainReport Run::current() const {
  TrainReport r;
  r.update = state_.update;
  r.epoch = epoch();
  r.loss = state_.loss_sum / double(std::max<int64_t>(state_.loss_tokens, 1));
  r.lr = optimizer_.learning_rate(state_.update, state_.plateau.scale);
  r.gradient_norm = norm_;
  if (!options_.guided_alignment.empty()) r.alignment_loss = alignment_loss_;
  r.target_tokens = state_.target_tokens;
  r.tokens_per_second = double(state_.target_tokens - reported_tokens_) / std::max(seconds_since(reported_), 1e-9);
  r.progress = progress();
  const double gained = r.progress - progress_at_start_;  // in this session: an earlier one may have been slower
  if (gained > 0) r.seconds_left = seconds_since(started_) / gained * (1 - r.progress);
  return r;
}

void Run::report() {
  const TrainReport r = current();
  state_.loss_sum = 0;
  state_.loss_tokens = 0;
  reported_ = shown_ = clock_.seconds();
  reported_tokens_ = state_.target_tokens;
  lost_lines_ += !written("the report was not logged", [&] { log_->append(to_json(r)); });
  watcher_.updated(r);
}

// Of the weights that the model holds now.
Validation Run::measure() {
  cx_.training = false;
  Validation v = hexapla::validate(cx_, model_, data_, options_, memory_to_translate(plan_));
  arena_.clear();
  v.update = state_.update;
  v.epoch = epoch();
  return v;
}

void Run::validate() {
  const UseAverage averaged(average_);
  Validation v = measure();
  judge(v);
  keep_if_best(v);
  lost_lines_ += !written("the validation was not logged", [&] { valid_log_->append(to_json(v)); });
  watcher_.validated(v);
  reported_ = clock_.seconds();  // the rate of a report is that of training alone
  reported_tokens_ = state_.target_tokens;
}

// Without a score, because a script failed, it is neither better nor worse than others.
void Run::judge(Validation& v) {
  if (!v.script_problem.empty())
    watcher_.note(cat("update ", v.update, ": `valid-script` ", options_.valid_script, " ", v.script_problem,
                      "; training goes on without its score"));
  if (const std::string n = silent_bleu_.seen(*v.bleu, *v.chrf, v.characters_a_word, options_.valid_tokenize);
      !n.empty())
    watcher_.note(n);
  v.stalled = state_.worse_validations;
  const std::optional<double> score = score_of(v, options_.best_by);
  if (!score) return;
  v.best = !state_.best_score || is_better(options_.best_by, *score, *state_.best_score);
  if (v.best) state_.best_score = score, state_.best_update = v.update;
  state_.worse_validations = v.stalled = v.best ? 0 : state_.worse_validations + 1;
  if (options_.schedule == "plateau" && state_.update >= options_.warmup)
    state_.plateau.validated(v.best, options_.plateau_patience, options_.plateau_factor);
}

// As best.safetensors, and as one of the best --average-best. One that cannot be written is among them all the same:
// the end of the run says that it is missing.
void Run::keep_if_best(const Validation& v) {
  const std::optional<double> score = score_of(v, options_.best_by);
  const bool among = score && state_.best_models.accepts(*score, options_.average_best, options_.best_by);
  if (!v.best && !among) return;
  if (among) state_.best_models.add(v.update, *score, options_.average_best, options_.best_by);
  written("the best model was not saved", [&] {
    save_run_model(best_model_path(options_.model, v.update), trained(), state_,
                   {Weights::Kind::best, {v.update}, score});
    if (v.best) call_best(options_.model, v.update);
  });
  prune_best(options_.model, state_);
}

// A failure (full disk, say) costs what was to be written, not the run.
bool Run::written(const char* otherwise, const std::function<void()>& write) {
  try {
    write();
    return true;
  } catch (const RunError& e) {
    watcher_.note(cat(otherwise, ": ", e.what()));
    return false;
  }
}

void Run::save() {
  if (!write_checkpoint("on")) return lost_checkpoint();
  written("an old checkpoint was not removed", [&] {
    if (extra_checkpoint_) remove_checkpoint(checkpoints(), *extra_checkpoint_);
    extra_checkpoint_.reset();
    prune(checkpoints(), std::max(options_.keep, options_.average_last));
    prune_best(options_.model, state_);
  });
}

// A mean of the last ones will know that one is missing.
void Run::lost_checkpoint() {
  std::vector<int64_t>& lost = state_.lost_checkpoints;
  lost.push_back(state_.update);
  if (static_cast<int64_t>(lost.size()) > options_.average_last) lost.erase(lost.begin());
}

// Because the run is stopped, or has reached its limit. A run that goes on from here forgets this checkpoint at its
// next one, so that the mean of the last ones is over the same checkpoints as if it had never stopped.
void Run::save_off_schedule() {
  if (saved_update_ == state_.update || !write_checkpoint("off")) return;
  if (extra_checkpoint_) remove_checkpoint(checkpoints(), *extra_checkpoint_);
  extra_checkpoint_ = state_.update;
}

CheckpointContent Run::content(const char* schedule) const {
  RunState state = state_;
  state.seconds = elapsed();
  CheckpointContent content;
  content.state = state.to_strings();
  content.state["identity"] = identity_;
  content.state["changeable"] = changeable_;
  content.state["schedule"] = schedule;
  content.tensors = {{"values", parameters_.values()},
                     {"first_moments", optimizer_.first_moments()},
                     {"second_moments", optimizer_.second_moments()}};
  if (average_) content.tensors.push_back({"average", average_.slab()});
  if (parameters_.buffers()) content.tensors.push_back({"buffers", parameters_.buffers()});
  if (average_.buffers()) content.tensors.push_back({"average_buffers", average_.buffers()});
  return content;
}

// Where it fails the last good one stays and the next is tried.
bool Run::write_checkpoint(const char* schedule) {
  if (!weights_are_finite()) return false;  // the next update, or the end of the run, says so
  if (!written("no checkpoint was written, training goes on",
               [&] { save_making_room(checkpoints(), state_.update, content(schedule), options_.average_last > 0); }))
    return false;
  saved_update_ = state_.update;
  watcher_.saved(state_.update, checkpoints());
  return true;
}

TrainResult Run::finish() {
  if (!weights_are_finite())
    throw RunError(cat("update ", state_.update, " made weights that are not finite; no model is written. ", remedy()));
  save_off_schedule();
  if (saved_update_ != state_.update)
    missing_.push_back(cat("the checkpoint of the last update: the run can go on from ",
                           saved_update_ > 0 ? cat("update ", saved_update_) : "its beginning", " only"));
  if (lost_lines_ > 0) missing_.push_back(cat(lost_lines_, " lines of train.jsonl and valid.jsonl"));
  arena_.release();  // the means have room in what updates took
  optimizer_.forget_moments();
  const UseAverage averaged(average_);
  EndOfRun end{
      trained(), parameters_, state_, [&] { return measure(); }, [&](const std::string& n) { watcher_.note(n); },
      missing_};
  HandedOver handed_over = hand_over(end);
  TrainResult result{TrainEnd::finished, state_.update, state_.epoch,           {},
                     handed_over.path,   arena_.peak(), handed_over.contenders, missing_};
  result.best_score = state_.best_score;
  return result;
}

TrainResult Run::go(const std::atomic<bool>& stop) {
  start();
  const Interval valid = Interval::parse("valid-every", options_.valid_every);
  const Interval saving = Interval::parse("save-every", options_.save_every);
  const Interval reports = Interval::parse("report-every", options_.report_every);
  while (!finished()) {
    if (stop) {
      save_off_schedule();
      return {TrainEnd::interrupted, state_.update, state_.epoch, {}, "", arena_.peak()};
    }
    update();
    const auto due = [&](const Interval& i) { return i.due(state_.update, state_.epoch, stream_->epoch_ended()); };
    if (due(reports)) report();
    if (!data_.valid.empty() && due(valid)) validate();
    if (due(saving)) save();
  }
  const TrainResult result = finish();
  std::error_code none;  // an earlier failure was mended: replaying it would mislead
  std::filesystem::remove_all(failure(), none);
  return result;
}

}  // namespace

TrainResult train(const TrainOptions& asked, const TrainingData& data, Backend& backend, TrainWatcher& watcher,
                  const std::atomic<bool>& stop) {
  const TrainOptions options = with_decay_of_run(asked, watcher);  // which --max-updates need not fit any more
  options.check();
  set_threads(static_cast<int>(options.threads));
  if (!options.valid_script.empty()) find_program(options.valid_script, "`valid-script`");
  const TrainOptions resolved = with_valid_tokenizer(with_batch_tokens(options, data), data, watcher);
  return Run(resolved, data, backend, watcher).go(stop);
}

}  // namespace hexapla
