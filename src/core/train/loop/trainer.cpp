#include "train/loop/trainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/files/shell_word.h"
#include "base/json.h"
#include "base/system/cancellation.h"
#include "base/system/machine.h"
#include "base/system/subprocess.h"
#include "train/cluster/gathered.h"
#include "train/loop/due.h"
#include "train/loop/judge.h"
#include "train/loop/learner.h"
#include "train/loop/pace.h"
#include "train/loop/replay.h"
#include "train/loop/run/ending.h"
#include "train/loop/run/resume_fingerprint.h"
#include "train/loop/run/run_folder.h"
#include "train/loop/run/same_training.h"
#include "train/loop/time_plan.h"
#include "train/measure/memory_budget.h"
#include "train/measure/valid_tokenizer.h"
#include "train/measure/validation.h"
#include "train/record/best_files.h"
#include "train/record/provenance.h"
#include "train/record/run_vocabularies.h"

namespace hexapla::train {
namespace {

constexpr int64_t kJumpMemory = 100;            // updates of history for detecting a loss jump
constexpr int64_t kWeightsComparedEvery = 100;  // updates

class Run {
 public:
  Run(const TrainOptions& options, const TrainingData& data, Backend& backend, TrainWatcher& watcher)
      : options_(options),
        data_(data),
        processes_(*data.processes),
        watcher_(watcher),
        folder_(options_, lock_of(options_, data), watcher),
        learner_(options_, data, backend),
        pace_(options_, state_, learner_.stream()),
        due_(options_),
        judge_(options_, data.valid_reference, [&](const std::string& n) { note(n); }),
        fingerprint_(resume_fingerprint(options, learner_.model().config, data, learner_.initial_checksum())),
        noted_(noted_options(options, data, backend.name())) {}

  TrainResult go(const std::atomic<bool>& stop);

 private:
  void start();
  TrainStart announcement();
  bool resume();
  void begin(int64_t updates_an_epoch);
  void fit_warmup(int64_t updates_an_epoch);
  void note(const std::string& text) {
    if (!text.empty()) watcher_.note(text);
  }
  void keep_vocabularies();
  const UpdateBatches& draw();
  void share_state(bool& resumed);
  // For the next update; each of its batches has its own step.
  uint32_t first_dropout_step() const { return static_cast<uint32_t>(state_.update * options_.accumulate + 1); }
  void update();
  void count(const model::LossSums& sums);
  bool epoch_ended() const { return state_.update > 0 && state_.epoch_begins(); }  // with the last update
  int64_t epoch() const { return state_.epoch + !epoch_ended(); }                  // of the last update, from 1
  [[noreturn]] void fail_step(const std::string& what, const std::vector<data::Batch>& batches);
  std::string remedy() const;  // for a loss or weights that are not finite
  TrainReport current() const;
  void report();
  Validation measure(cluster::Processes& among);
  void validate();
  void keep_if_best(const Validation& v);
  void save();
  void save_off_schedule();
  CheckpointContent content(const char* schedule) const;
  template <class Write>
  void write_with_tensors(Write&& write);
  struct Next {
    bool finished = false, stops = false;
    bool saves = false, waits = false;  // with a checkpoint: besides `save-every`, or longer than it says
    Cooldown cooldown;                  // begins now
  };
  Next next(const std::atomic<bool>& stop);
  void compare_weights() {
    if (processes_.several()) require_same_weights(processes_, state_.update, learner_.hash_of_weights());
  }
  Trained trained() { return {learner_.model(), learner_.parameters(), data_, options_, learner_.context().backend}; }
  TrainResult finish();
  TrainResult interrupted() {
    TrainResult result{TrainEnd::interrupted, state_.update, state_.epoch, {}, "", learner_.peak()};
    if (processes_.first()) result.missing = folder_.missing(state_.update);
    return result;
  }

  double scale() const { return state_.plateau.scale * cooldown().at(state_.update + 1); }  // of the next update's rate
  // Is this the last update of a cooldown, judging by the state? If so, validate before saving.
  bool cools_out() const { return cooldown() && (state_.update >= cooldown().end || at_limit()); }
  bool at_limit() const {  // other than the clock and `patience`
    return state_.update == options_.max_updates || (options_.max_epochs > 0 && state_.epoch >= options_.max_epochs);
  }
  Cooldown cooldown() const { return state_.cooldown ? state_.cooldown : given_cooldown(options_); }

  TrainOptions options_;  // as given, but with a warm-up that fits into the time
  const TrainingData& data_;
  cluster::Processes& processes_;  // only the first one writes and calls the watcher
  TrainWatcher& watcher_;
  RunFolder folder_;
  RunState state_;
  Learner learner_;
  Pace pace_;
  Due due_;
  Judge judge_;
  std::string fingerprint_, noted_;
  int64_t begun_ = 0, validated_ = 0;  // update before this session's first; update of its last validation
  std::vector<NamedTensor> tensors_;   // of all processes, during writing
  double updates_in_time_ = 0;         // about how many `max-minutes` allow; 0: not known
  double norm_ = 0, alignment_loss_ = 0, balancing_ = 0;  // of the last update
  cluster::Gathered<Next> nexts_{processes_, [](int) { return 1; }};
};

TrainStart Run::announcement() {
  TrainStart info;
  info.memory = learner_.plan();
  info.memory_limit = memory_limit(options_.memory);
  info.parts = parameters_by_part(learner_.model());
  info.parameters = learner_.parameters().count();
  info.examples = sum_of_all(processes_, learner_.stream().pairs());
  info.batches = sum_of_all(processes_, learner_.stream().batches());
  info.batch_tokens = options_.batch_tokens;
  info.valid_examples = std::ssize(data_.valid_reference);
  info.unknown = data_.unknown;
  info.backend = machine_text(learner_.context().backend.name(), options_.precision);
  return info;
}

bool Run::resume() {
  bool resumed = false;
  std::optional<Resumed> found;
  if (processes_.first())
    found = resume_run(options_, fingerprint_, noted_, [&](const std::string& n) { watcher_.note(n); });
  if (found) {
    state_ = found->state;
    state_.name_metric(options_.best_by);
    fingerprint_ = found->identity;
    noted_ = found->changeable;
    resumed = true;
  }
  share_state(resumed);
  if (!resumed) return false;
  if (!learner_.read(found ? &found->checkpoint : nullptr))
    watcher_.note(
        "this run was started by a version that did not average running statistics (`ema` with `norm` batch): "
        "their average starts now");
  if (found) folder_.resumed_from(*found);
  return true;
}

void Run::share_state(bool& resumed) {
  if (!processes_.several()) return;
  const std::string own = resumed ? json_text(nlohmann::json(state_.to_strings())) : "";
  const std::string firsts = cluster::of_first(processes_, own);
  resumed = !firsts.empty();
  if (resumed && !processes_.first())
    state_ = RunState::from_strings(
        parse_json(firsts, "the state of the first process").get<std::map<std::string, std::string>>(),
        "the state of the first process");
}

void Run::start() {
  if (processes_.first()) folder_.tidy();
  for (const std::string& n :
       require_same_training(processes_, learner_.context().backend.name(), fingerprint_, noted_))
    watcher_.note(n);
  TrainStart info = announcement();
  const int64_t updates_an_epoch = (info.batches + options_.accumulate - 1) / options_.accumulate;
  if (resume())
    info.resumed_at = state_.update;
  else
    begin(updates_an_epoch);
  note(take_warmup(state_, options_));
  learner_.reschedule();
  compare_weights();
  if (processes_.first()) {
    keep_vocabularies();
    folder_.open_logs(state_);
  }
  learner_.forget_initial_model();
  learner_.stream().seek(state_);
  for (const auto& n : data_.notes) watcher_.note(n);
  if (!data_.valid.empty() && !state_.best)
    note(warning_of_no_validation(options_, updates_an_epoch, updates_in_time_));
  if (!data_.valid.empty()) judge_.explain();
  note(warning_of_warmup(options_, updates_an_epoch));
  watcher_.started(info);
  begun_ = state_.update;
  pace_.start();
  note(forget_early_cooldown(state_, cluster::of_first(processes_, int64_t{pace_.time_passed() < kCooldownBegins})));
}

void Run::begin(int64_t updates_an_epoch) {
  if (options_.max_minutes > 0) fit_warmup(updates_an_epoch);
  note(learner_.initialize());
  state_.measure = measure_of(noted_, options_.best_by);
  if (options_.valid_every == "auto" && !data_.valid.empty()) state_.validation_cost = validation_cost(data_, options_);
}

// The weights do not matter for timing: they are initialized afterwards.
void Run::fit_warmup(int64_t updates_an_epoch) {
  learner_.stream().seek(state_);
  updates_in_time_ = updates_within_limits(learner_, options_, processes_, updates_an_epoch);
  state_.warmup = cluster::of_first(processes_, warmup_within(options_.warmup, updates_in_time_));
  state_.asked_warmup = options_.warmup;
}

void Run::keep_vocabularies() {
  const std::string replaced =
      train::keep_vocabularies(options_.model, {data_.pairs.source, data_.pairs.target}, options_.text.separate());
  if (!replaced.empty())
    watcher_.note(cat(replaced, ": left by an earlier start that no checkpoint is of, and not used: replaced"));
}

// If pairs cannot be read any more, for example on a full disk used for shuffling, saves the run.
const UpdateBatches& Run::draw() {
  try {
    return learner_.stream().draw();
  } catch (const RunError& e) {
    if (processes_.several()) throw;  // the others wait for this one in the middle of an update
    save_off_schedule();
    const int64_t saved = folder_.saved_update();
    throw RunError(cat(e.what(), ". The run has ended after update ", state_.update,
                       saved == state_.update ? ", and is saved"
                       : saved > 0            ? cat(", and the last checkpoint is of update ", saved)
                                              : ", and nothing could be saved",
                       "; once that is fixed, the same command resumes from there"));
  }
}

void Run::update() {
  const model::LossSums sums = learner_.accumulate_gradient(draw(), first_dropout_step());
  norm_ = learner_.gradient_norm();
  const double mean = state_.update + 1 < kJumpMemory ? 0 : state_.mean_loss;  // checked from the 100th update on
  if (const std::string what = trouble(sums, norm_, options_.clip_norm, mean, options_.max_loss_jump); !what.empty())
    fail_step(what, learner_.stream().all_batches());
  alignment_loss_ = sums.alignment / static_cast<double>(std::max<int64_t>(sums.linked, 1));
  balancing_ = sums.balancing / static_cast<double>(sums.tokens);
  learner_.update(state_.update + 1, scale(), norm_);
  count(sums);
  if (state_.update % kWeightsComparedEvery == 0) compare_weights();
  if (pace_.due_to_be_shown()) watcher_.running(current());
}

void Run::count(const model::LossSums& sums) {
  ++state_.update;
  learner_.stream().record(state_);
  state_.loss_sum += sums.loss;
  state_.loss_tokens += sums.tokens;
  state_.target_tokens += sums.tokens;
  state_.mean_loss +=
      (sums.loss / double(sums.tokens) - state_.mean_loss) / double(std::min(state_.update, kJumpMemory));
}

// Writes the step's lines, state and first bad value to DIR/failure; the step has no effect.
void Run::fail_step(const std::string& what, const std::vector<data::Batch>& batches) {
  const std::string folder = folder_.failure();
  tensors_ = learner_.gather_tensors();
  if (!processes_.first()) {  // which diagnoses the failure and reports it
    cluster::wait_for_all(processes_);
    throw FailedStep(cat(what, " at update ", state_.update + 1));
  }
  const Step step{state_.update + 1,
                  first_dropout_step(),
                  options_.seed,
                  objective_of(options_),
                  options_.precision,
                  cat(what, " at update ", state_.update + 1),
                  batches};
  const std::string found = check_step(learner_.context(), learner_.model(), learner_.parameters(), step).text();
  std::string where = cat("Its pairs and state are in ", folder, "`{; rerun the step with: hexapla replay ",
                          shell_word(options_.model), "}`");
  try {
    save_step(folder, step, learner_.model().config, content("off"), data_.pairs.source, data_.pairs.target);
    write_file_atomically(folder + "/report.txt", cat(step.reason, "\n", found, "\n"));
  } catch (const RunError& e) {
    where = cat("Its pairs and state could not be written: ", e.what());
  }
  throw FailedStep(cat(step.reason, "; the batch holds ",
                       data_.sets.size() > 1 ? data::name_lines(batches, data_.sets) : lines_of(step),
                       " of the training sets.\n", found, ".\n", where, ".\n", remedy()));
}

std::string Run::remedy() const {
  const char* const gentler = "lower `lr`, raise `warmup` or set `clip-norm` 1, and ";
  if (folder_.saved_update() > 0)
    return cat("The last checkpoint is intact: ", gentler, "the same command resumes from it");
  return cat("Nothing has been saved yet: ", gentler, "the same command starts over");
}

TrainReport Run::current() const {
  TrainReport r;
  r.update = state_.update;
  r.epoch = epoch();
  r.loss = state_.loss_sum / double(std::max<int64_t>(state_.loss_tokens, 1));
  r.lr = learner_.learning_rate(state_.update, state_.plateau.scale * cooldown().at(state_.update));
  r.gradient_norm = norm_;
  if (!options_.guided_alignment.empty()) r.alignment_loss = alignment_loss_;
  if (options_.architecture.experts > 0) r.load_balancing = balancing_;
  r.target_tokens = state_.target_tokens;
  pace_.fill_in(r);
  return r;
}

void Run::report() {
  const TrainReport r = current();
  state_.loss_sum = 0;
  state_.loss_tokens = 0;
  due_.reported(state_);
  pace_.reported();
  if (processes_.first()) folder_.log(r);
  watcher_.updated(r);
}

// Validates the model's current weights.
Validation Run::measure(cluster::Processes& among) {
  Context& cx = learner_.context();
  cx.training = false;
  // Processes that share the work wait for each other, so a single one must not cancel.
  const CancelScope scope(among.several() ? nullptr : cancel_flag());
  Validation v = train::validate(cx, learner_.model(), data_, options_, memory_to_translate(learner_.plan()), among);
  cx.arena.clear();
  v.update = state_.update;
  v.epoch = epoch();
  judge_.standing(v);
  return v;
}

void Run::validate() {
  const UseAverage averaged = learner_.use_average();
  Validation v = measure(processes_);
  state_.validation_due = false;
  due_.validated(state_, v.cost);
  judge_.judge(v, state_);
  keep_if_best(v);
  if (processes_.first()) folder_.log(v);
  watcher_.validated(v);
  validated_ = state_.update;
  pace_.reported();  // exclude validation from the training rate
}

// Saves the model as best.safetensors and as one of the best `average-best`. One that cannot be
// written still counts among them: the end of the run reports it missing.
void Run::keep_if_best(const Validation& v) {
  const std::optional<Standing> standing = standing_of(v, v.compared_by);
  const bool among = standing && state_.best_models.accepts(*standing, options_.average_best);
  if (!v.best && !among) return;
  if (among) state_.best_models.add(v.update, *standing, options_.average_best);
  if (!processes_.first()) return;
  folder_.written("the best model was not saved", [&] {
    save_run_model(best_model_path(options_.model, v.update), trained(), state_,
                   {Weights::Kind::best, {v.update}, standing});
    if (v.best) call_best(options_.model, v.update);
  });
  prune_best(options_.model, state_);
}

// All processes contribute to a checkpoint; the first one writes it.
template <class Write>
void Run::write_with_tensors(Write&& write) {
  tensors_ = learner_.gather_tensors();
  if (processes_.first()) write([&](const char* schedule) { return content(schedule); });
  tensors_.clear();
  learner_.forget_tensors();
}

void Run::save() {
  compare_weights();
  due_.saved(state_);
  if (learner_.weights_are_finite())  // otherwise the next update, or the end of the run, reports it
    write_with_tensors([&](const RunFolder::Content& content) { folder_.save(state_, content); });
  else
    folder_.lost(state_);
}

void Run::save_off_schedule() {
  const bool saved = cluster::of_first(processes_, folder_.saved_update()) == state_.update;
  if (!saved && learner_.weights_are_finite())
    write_with_tensors([&](const RunFolder::Content& content) { folder_.save_off_schedule(state_, content); });
}

CheckpointContent Run::content(const char* schedule) const {
  RunState state = state_;
  state.seconds = pace_.seconds();
  CheckpointContent content;
  content.state = state.to_strings();
  content.state["identity"] = fingerprint_;
  content.state["changeable"] = noted_;
  content.state["usage"] = usage_of_run(data_, options_).to_json();
  content.state["schedule"] = schedule;
  content.tensors = tensors_;
  return content;
}

TrainResult Run::finish() {
  compare_weights();
  if (!learner_.weights_are_finite())
    throw RunError(
        cat("update ", state_.update, " produced weights that are not finite; no model is written. ", remedy()));
  save_off_schedule();
  std::vector<std::string> missing = folder_.missing(state_.update);
  learner_.end_updates();
  const UseAverage averaged = learner_.use_average();
  if (processes_.first()) folder_.check_place();
  if (!processes_.first()) return {TrainEnd::finished, state_.update, state_.epoch, {}, "", learner_.peak()};
  EndOfRun end{trained(),
               learner_.parameters(),
               state_,
               [&] { return measure(cluster::alone()); },
               [&](const std::string& n) { watcher_.note(n); },
               missing};
  HandedOver handed_over = hand_over(end);
  TrainResult result{TrainEnd::finished, state_.update,   state_.epoch,           {},
                     handed_over.path,   learner_.peak(), handed_over.contenders, missing};
  if (state_.best) result.best_score = state_.best->score;
  return result;
}

// Does the run continue? All processes stop if any was told to; the first one's clock decides.
Run::Next Run::next(const std::atomic<bool>& stop) {
  Next own{pace_.finished(), stop, folder_.save_is_due(state_.update), folder_.writing_was_slow(),
           cooldown_from(options_, state_, pace_.time_passed())};
  nexts_.own().front() = own;
  const std::span<const Next> all = nexts_.exchange(processes_);
  own.finished = all.front().finished;
  own.saves = all.front().saves;
  own.waits = all.front().waits && options_.save_every == "auto" && options_.average_last == 0;  // not of a mean
  if (all.front().cooldown) state_.cooldown = all.front().cooldown;
  own.stops = std::any_of(all.begin(), all.end(), [](const Next& one) { return one.stops; });
  return own;
}

TrainResult Run::go(const std::atomic<bool>& stop) {
  start();
  state_.validation_due = state_.validation_due && !data_.valid.empty();
  for (Next now = next(stop); state_.validation_due || !now.finished; now = next(stop)) {
    if (now.stops) return save_off_schedule(), interrupted();
    if (now.saves) save_off_schedule();
    if (!state_.validation_due) {
      update();
      if (due_.report(state_, epoch_ended()) || (at_limit() && due_.last_report(state_))) report();
      state_.validation_due = !data_.valid.empty() && (due_.validation(state_, epoch_ended()) || cools_out() ||
                                                       (at_limit() && due_.last_validation(state_)));
    }
    if (state_.validation_due) unless_stopped(stop, [&] { validate(); });
    if (!state_.validation_due && !now.waits && due_.checkpoint(state_, epoch_ended())) save();
  }
  if (begun_ < state_.update && due_.last_report(state_)) report();
  const bool unvalidated = std::max(validated_, begun_) < state_.update;
  if (!data_.valid.empty() && unvalidated && (cooldown() || due_.last_validation(state_))) {
    state_.validation_due = true;
    unless_stopped(stop, [&] { validate(); });
    if (state_.validation_due) return save_off_schedule(), interrupted();
  }
  TrainResult result = interrupted();
  unless_stopped(stop, [&] {
    result = finish();
    if (processes_.first()) folder_.forget_failure();
  });
  return result.end == TrainEnd::interrupted ? interrupted() : result;
}

}  // namespace

TrainResult train(const TrainOptions& asked, const TrainingData& data, Backend& backend, TrainWatcher& watcher,
                  const std::atomic<bool>& stop) {
  const CancelScope scope(&stop);
  // A changed `max-updates` may not fit the run's decay
  const std::optional<EarlierRun> earlier = EarlierRun::in(asked.model);
  const TrainOptions options =
      with_choices_of_first(with_defaults_of_run(with_decay_of_run(asked, earlier, watcher), earlier), *data.processes);
  options.check();
  use_threads(static_cast<int>(options.threads));
  if (!options.valid_script.empty()) find_program(options.valid_script, "`valid-script`");
  const TrainOptions resolved = with_choices_of_first(
      with_valid_tokenizer(with_batch_tokens(options, earlier, data), earlier, data, watcher), *data.processes);
  return Run(resolved, data, backend, watcher).go(stop);
}

}  // namespace hexapla::train
