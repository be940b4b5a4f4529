#include "train/loop/trainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/compute/parallel.h"
#include "base/files/file.h"
#include "base/system/subprocess.h"
#include "train/loop/learner.h"
#include "train/loop/pace.h"
#include "train/memory/memory_budget.h"
#include "train/outcome/best_files.h"
#include "train/outcome/ending.h"
#include "train/provenance/replay.h"
#include "train/provenance/resume_fingerprint.h"
#include "train/run/run_folder.h"
#include "train/run/run_vocabularies.h"
#include "train/validation/valid_tokenizer.h"
#include "train/validation/validation.h"

namespace hexapla::train {
namespace {

constexpr int64_t jump_memory = 100;  // updates that a jump of the loss is measured against

std::shared_ptr<const RunLock> lock_of(const TrainOptions& o, const TrainingData& data) {
  if (!data.lock) return std::make_shared<const RunLock>(o.model);
  HEXAPLA_CHECK(data.lock->folder() == o.model, "data prepared for ", data.lock->folder(), " is used in ", o.model);
  return data.lock;
}

class Run {
 public:
  Run(const TrainOptions& options, const TrainingData& data, Backend& backend, TrainWatcher& watcher)
      : options_(options),
        data_(data),
        watcher_(watcher),
        folder_(options, lock_of(options, data), watcher),
        learner_(options, data, backend, communicator_),
        pace_(options, state_, learner_.stream()),
        fingerprint_(resume_fingerprint(options, learner_.model().config, data, learner_.initial_checksum())),
        noted_(noted_options(options, data)) {}

  TrainResult go(const std::atomic<bool>& stop);

 private:
  void start();
  TrainStart announcement();
  bool resume();
  std::vector<data::Batch> draw();
  // Of the next update; each of its batches has one of its own.
  uint32_t first_dropout_step() const { return static_cast<uint32_t>(state_.update * options_.accumulate + 1); }
  void update();
  void count(const model::LossSums& sums);
  int64_t epoch() const { return state_.epoch + !learner_.stream().epoch_ended(); }  // of the last update, from 1
  [[noreturn]] void fail_step(const std::string& what, const std::vector<data::Batch>& batches);
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
  Trained trained() { return {learner_.model(), data_, options_, learner_.context().backend}; }
  TrainResult finish();

  const TrainOptions& options_;
  const TrainingData& data_;
  TrainWatcher& watcher_;
  OneProcess communicator_;
  RunFolder folder_;
  RunState state_;
  Learner learner_;
  Pace pace_;
  std::string fingerprint_, noted_;
  double norm_ = 0, alignment_loss_ = 0, divergence_ = 0, balancing_ = 0;  // of the last update
  SilentBleu silent_bleu_;
};

TrainStart Run::announcement() {
  TrainStart info;
  info.memory = learner_.plan();
  info.memory_limit = memory_limit(options_.memory);
  info.parts = parameters_by_part(learner_.model());
  info.parameters = learner_.parameters().count();
  info.examples = learner_.stream().pairs();
  info.batches = learner_.stream().batches();
  info.batch_tokens = options_.batch_tokens;
  info.valid_examples = static_cast<int64_t>(data_.valid.size());
  info.backend = machine_text(learner_.context().backend.name(), options_.precision);
  return info;
}

bool Run::resume() {
  const auto found = resume_run(options_, fingerprint_, noted_, [&](const std::string& n) { watcher_.note(n); });
  if (!found) return false;
  if (!learner_.read(found->checkpoint))
    watcher_.note(
        "this run was started by a version that did not average running statistics (`ema` with `norm` batch): "
        "their average starts now");
  state_ = found->state;
  folder_.resumed_from(*found);
  return true;
}

void Run::start() {
  folder_.tidy();
  TrainStart info = announcement();
  if (resume()) {
    info.resumed_at = state_.update;
  } else {
    if (const std::string carried = learner_.initialize(); !carried.empty()) watcher_.note(carried);
    state_.measure = measure_of(noted_, options_.best_by);
  }
  keep_vocabularies(options_.model, data_.pairs.source, data_.pairs.target, options_.text.separate());
  learner_.forget_initial_model();
  learner_.stream().seek(state_.epoch, state_.position);
  folder_.open_logs(state_.update);
  for (const auto& n : data_.notes) watcher_.note(n);
  const int64_t updates_an_epoch = (info.batches + options_.accumulate - 1) / options_.accumulate;
  if (!data_.valid.empty() && !state_.best_score)
    if (const std::string n = warning_of_no_validation(options_, updates_an_epoch); !n.empty()) watcher_.note(n);
  watcher_.started(info);
  pace_.start();
}

// The batches of the next update: an epoch ends with an update, which may have fewer than the others.
std::vector<data::Batch> Run::draw() {
  std::vector<data::Batch> batches;
  do batches.push_back(learner_.stream().next());
  while (static_cast<int64_t>(batches.size()) < options_.accumulate && !learner_.stream().epoch_ended());
  return batches;
}

void Run::update() {
  const std::vector<data::Batch> batches = draw();
  const model::LossSums sums = learner_.accumulate_gradient(batches, first_dropout_step());
  norm_ = learner_.gradient_norm();
  const double mean = state_.update < jump_memory ? 0 : state_.mean_loss;
  if (const std::string what = trouble(sums, norm_, options_.clip_norm, mean, options_.max_loss_jump); !what.empty())
    fail_step(what, batches);
  alignment_loss_ = sums.alignment / static_cast<double>(std::max<int64_t>(sums.linked, 1));
  divergence_ = sums.divergence / static_cast<double>(sums.tokens);
  balancing_ = sums.balancing / static_cast<double>(sums.tokens);
  learner_.update(state_.update + 1, state_.plateau.scale, norm_);
  count(sums);
  if (pace_.due_to_be_shown()) watcher_.running(current());
}

void Run::count(const model::LossSums& sums) {
  ++state_.update;
  state_.position = learner_.stream().position();
  if (learner_.stream().epoch_ended()) ++state_.epoch, state_.position = {};
  state_.loss_sum += sums.loss;
  state_.loss_tokens += sums.tokens;
  state_.target_tokens += sums.tokens;
  state_.mean_loss +=
      (sums.loss / double(sums.tokens) - state_.mean_loss) / double(std::min(state_.update, jump_memory));
}

// The step's lines, state and first bad value go to DIR/failure; nothing of it was taken over.
void Run::fail_step(const std::string& what, const std::vector<data::Batch>& batches) {
  const std::string folder = folder_.failure();
  const Step step{state_.update + 1,
                  first_dropout_step(),
                  options_.seed,
                  objective_of(options_),
                  options_.precision,
                  cat(what, " at update ", state_.update + 1),
                  batches};
  const std::string found = check_step(learner_.context(), learner_.model(), learner_.parameters(), step).text();
  std::string where =
      cat("Its pairs and state are in ", folder, "; `hexapla replay ", options_.model, "` reruns the step");
  try {
    save_step(folder, step, learner_.model().config, content("off"), data_.pairs.source, data_.pairs.target);
    write_file_atomically(folder + "/report.txt", cat(step.reason, "\n", found, "\n"));
  } catch (const RunError& e) {
    where = cat("Its pairs and state could not be written: ", e.what());
  }
  throw RunError(cat(step.reason, "; the batch holds ",
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
  r.lr = learner_.learning_rate(state_.update, state_.plateau.scale);
  r.gradient_norm = norm_;
  if (!options_.guided_alignment.empty()) r.alignment_loss = alignment_loss_;
  if (options_.r_drop > 0) r.divergence = divergence_;
  if (options_.architecture.experts > 0) r.load_balancing = balancing_;
  r.target_tokens = state_.target_tokens;
  pace_.fill_in(r);
  return r;
}

void Run::report() {
  const TrainReport r = current();
  state_.loss_sum = 0;
  state_.loss_tokens = 0;
  pace_.reported();
  folder_.log(r);
  watcher_.updated(r);
}

// Of the weights that the model holds now.
Validation Run::measure() {
  Context& cx = learner_.context();
  cx.training = false;
  Validation v = train::validate(cx, learner_.model(), data_, options_, memory_to_translate(learner_.plan()));
  cx.arena.clear();
  v.update = state_.update;
  v.epoch = epoch();
  return v;
}

void Run::validate() {
  const UseAverage averaged(learner_.average());
  Validation v = measure();
  judge(v);
  keep_if_best(v);
  folder_.log(v);
  watcher_.validated(v);
  pace_.reported();  // the rate of a report is that of training alone
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

// As best.safetensors, and as one of the best `average-best`. One that cannot be written is among them all the same:
// the end of the run says that it is missing.
void Run::keep_if_best(const Validation& v) {
  const std::optional<double> score = score_of(v, options_.best_by);
  const bool among = score && state_.best_models.accepts(*score, options_.average_best, options_.best_by);
  if (!v.best && !among) return;
  if (among) state_.best_models.add(v.update, *score, options_.average_best, options_.best_by);
  folder_.written("the best model was not saved", [&] {
    save_run_model(best_model_path(options_.model, v.update), trained(), state_,
                   {Weights::Kind::best, {v.update}, score});
    if (v.best) call_best(options_.model, v.update);
  });
  prune_best(options_.model, state_);
}

void Run::save() {
  if (learner_.weights_are_finite())  // else the next update, or the end of the run, says so
    folder_.save(state_, [&](const char* schedule) { return content(schedule); });
  else
    folder_.lost(state_);
}

void Run::save_off_schedule() {
  if (folder_.saved_update() != state_.update && learner_.weights_are_finite())
    folder_.save_off_schedule(state_, [&](const char* schedule) { return content(schedule); });
}

CheckpointContent Run::content(const char* schedule) const {
  RunState state = state_;
  state.seconds = pace_.seconds();
  CheckpointContent content;
  content.state = state.to_strings();
  content.state["identity"] = fingerprint_;
  content.state["changeable"] = noted_;
  content.state["schedule"] = schedule;
  content.tensors = learner_.tensors();
  return content;
}

TrainResult Run::finish() {
  if (!learner_.weights_are_finite())
    throw RunError(
        cat("update ", state_.update, " produced weights that are not finite; no model is written. ", remedy()));
  save_off_schedule();
  std::vector<std::string> missing = folder_.missing(state_.update);
  learner_.end_updates();
  const UseAverage averaged(learner_.average());
  EndOfRun end{trained(),
               learner_.parameters(),
               state_,
               [&] { return measure(); },
               [&](const std::string& n) { watcher_.note(n); },
               missing};
  HandedOver handed_over = hand_over(end);
  TrainResult result{TrainEnd::finished, state_.update,   state_.epoch,           {},
                     handed_over.path,   learner_.peak(), handed_over.contenders, missing};
  result.best_score = state_.best_score;
  return result;
}

TrainResult Run::go(const std::atomic<bool>& stop) {
  start();
  const Interval valid = Interval::parse("valid-every", options_.valid_every);
  const Interval saving = Interval::parse("save-every", options_.save_every);
  const Interval reports = Interval::parse("report-every", options_.report_every);
  while (!pace_.finished()) {
    if (stop) {
      save_off_schedule();
      return {TrainEnd::interrupted, state_.update, state_.epoch, {}, "", learner_.peak()};
    }
    update();
    const auto due = [&](const Interval& i) {
      return i.due(state_.update, state_.epoch, learner_.stream().epoch_ended());
    };
    if (due(reports)) report();
    if (!data_.valid.empty() && due(valid)) validate();
    if (due(saving)) save();
  }
  const TrainResult result = finish();
  folder_.forget_failure();
  return result;
}

}  // namespace

TrainResult train(const TrainOptions& asked, const TrainingData& data, Backend& backend, TrainWatcher& watcher,
                  const std::atomic<bool>& stop) {
  const TrainOptions options = with_decay_of_run(asked, watcher);  // which `max-updates` need not fit any more
  options.check();
  use_threads(static_cast<int>(options.threads));
  if (!options.valid_script.empty()) find_program(options.valid_script, "`valid-script`");
  const TrainOptions resolved = with_valid_tokenizer(with_batch_tokens(options, data), data, watcher);
  return Run(resolved, data, backend, watcher).go(stop);
}

}  // namespace hexapla::train
