#include "lib/tune/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "backend/device/device.h"
#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/system/running_clock.h"
#include "evaluate/tokenization/choose_tokenizer.h"
#include "lib/tune/trial.h"
#include "lib/tune/tuning_report.h"
#include "lib/tune/tuning_text.h"
#include "text/quantities.h"
#include "train/feed/run_files.h"
#include "train/feed/training_data.h"
#include "train/plan/resolve/recipes.h"
#include "train/plan/resolve/resolve.h"
#include "train/record/checkpoint.h"
#include "train/record/provenance.h"

namespace hexapla::train::tune {
namespace {

namespace fs = std::filesystem;

constexpr double kSharePlanned = 0.97;            // of the time; the rest covers slowdowns
constexpr const char* kCompared = "compared at";  // older tunings lack this key and compared at equal minutes

// Uses declared names, so that two spellings mean the same option.
std::vector<GivenOption> with_declared_names(std::vector<GivenOption> given) {
  const std::vector<std::string> names = train::names_of_options();
  for (GivenOption& g : given)
    if (const auto name = declared_name(g.name, names)) g.name = *name;
  return given;
}

std::string value_of(const std::vector<GivenOption>& given, const std::string& name, const std::string& otherwise) {
  std::string value = otherwise;
  for (const GivenOption& g : given)
    if (g.name == name && !g.values.empty()) value = g.values.back();
  return value;
}

const std::set<std::string> kOptionsOfFiles{"train-sets", "valid-sets",       "vocab",
                                            "vocabs",     "guided-alignment", "init-from"};

void refuse_own_inputs(const std::string& folder, const std::vector<GivenOption>& given, const std::string& config) {
  constexpr const char* files[] = {"tune.json", "best.yml", "report.html", "LOCK"};
  constexpr const char* folders[] = {"trials", "held-out"};
  std::vector<std::string> inputs{config};
  for (const GivenOption& g : given)
    if (kOptionsOfFiles.contains(g.name)) inputs.insert(inputs.end(), g.values.begin(), g.values.end());
  for (const std::string& input : inputs) train::refuse_written(input, folder, {files, folders});
}

// Options that affect the result, and hashes of the files that they name.
nlohmann::ordered_json settings_that_count(const std::vector<GivenOption>& given, double minutes) {
  const std::set<std::string> free{"model", "threads", "memory", "temp-dir"};
  std::map<std::string, std::vector<std::string>> sorted;
  for (const GivenOption& g : given)
    if (!free.contains(g.name)) sorted[g.name] = g.values;
  nlohmann::ordered_json j{{"minutes", minutes}, {kCompared, "equal updates"}};
  for (const auto& [name, values] : sorted) {
    j[name] = values;
    if (!kOptionsOfFiles.contains(name)) continue;
    for (const train::DataFile& file : train::describe_files(values)) j[name + ": bytes"].push_back(file.hash);
  }
  return j;
}

std::string metric_name(const std::vector<GivenOption>& given) {
  std::string metric = value_of(given, "best-by", "chrf");
  if (metric == "auto") metric = "chrf";
  if (metric != "chrf" && metric != "bleu")
    throw UsageError(cat("`best-by` is ", metric,
                         ", but the trials have different vocabularies, over which only chrf and bleu of the "
                         "translations can be compared"),
                     "best-by", metric);
  return metric;
}

class Tuning {
 public:
  Tuning(const TuneSettings& settings, TuneWatcher& watcher);
  Tuned run();

 private:
  std::string trial_folder(size_t i) const { return fmt::format("{}/trials/{:02}", folder_, i + 1); }
  double spent() const { return spent_before_ + clock_.seconds(); }
  double left() const { return settings_.minutes * 60 - spent(); }
  void save();

  void read_record();
  void make_trials();
  // Training seconds of the first trial in a rung that begins with these trials, which all make as
  // many updates.
  double plan_rung(int64_t rung, const std::vector<size_t>& trials) const;
  // The first trial to reach the rung, which determines its number of updates. Null: none yet.
  const Trial* first_of(size_t rung) const;
  // Time per update of this trial relative to the baseline.
  double cost(size_t i) const;
  std::vector<size_t> of_rung(int64_t rung) const;
  void climb(int64_t rung);
  [[noreturn]] void fail_for_time() const;
  void measure(const Stage& stage, size_t i);
  void leave_out(size_t i, const std::string& why);
  Tuned choose();

  const TuneSettings& settings_;
  TuneWatcher& watcher_;
  std::vector<GivenOption> given_;
  std::string folder_, metric_;
  std::optional<train::RunLock> lock_;
  RunningClock clock_;
  double spent_before_ = 0, reading_ = 0;  // seconds
  Ladder ladder_;
  TuningText text_;
  data::Corpus valid_;
  std::string tokenize_;
  Record record_;
};

Tuning::Tuning(const TuneSettings& settings, TuneWatcher& watcher)
    : settings_(settings), watcher_(watcher), given_(with_declared_names(settings.given)) {
  folder_ = value_of(given_, "model", "");
  if (folder_.empty()) throw UsageError("`model` is missing: give the folder of the tuning");
  std::erase_if(given_, [](const GivenOption& g) { return g.name == "model"; });
  refuse_own_inputs(folder_, given_, settings.config);
  if (value_of(given_, "preset", "") == train::kAutomatic)
    throw UsageError("`preset` auto chooses for itself, without trials: give tiny, small, base or big, or leave it out",
                     "preset", train::kAutomatic);
  if (value_of(given_, "preset", "").empty()) given_.push_back({"preset", {"tiny"}});
  metric_ = metric_name(given_);
  const std::string device = value_of(given_, "device", "cpu");  // refused before anything is written
  make_backend(parse_precision(value_of(given_, "precision", "auto"), device), device);
  ladder_ = make_ladder(settings.minutes);
}

void Tuning::save() {
  record_.spent = spent();
  write_record(folder_ + "/tune.json", record_);
}

void Tuning::read_record() {
  const nlohmann::ordered_json now = settings_that_count(given_, settings_.minutes);
  lock_.emplace(folder_);
  if (auto found = train::tune::read_record(folder_ + "/tune.json")) {
    if (!found->settings.contains(kCompared))
      throw UsageError(cat("`model` ", folder_, " holds a tuning of an earlier version, whose trials were compared at ",
                           "equal minutes; what it chose is in best.yml there. Give a new folder"));
    if (found->settings != now)
      throw UsageError(cat("`model` ", folder_, " holds a tuning with other settings (", json_text(found->settings),
                           "); give these, or another folder"));
    record_ = std::move(*found);
    spent_before_ = record_.spent;
  } else if (fs::exists(folder_ + "/checkpoints") || fs::exists(folder_ + "/model.safetensors")) {
    throw UsageError(cat("`model` ", folder_, " holds a training run; give a new folder for the tuning"));
  } else if (fs::exists(trial_folder(0) + "/checkpoints")) {
    throw UsageError(cat("`model` ", folder_, " holds trials, but not tune.json, which says of what; delete ", folder_,
                         "/trials, or give a new folder"));
  }
  record_.settings = now;
  record_.metric = metric_;
}

// Reads the baseline's text before all trials: errors in it end the tuning at once, and its number
// of pieces determines the smaller vocabularies to try.
void Tuning::make_trials() {
  const double began = clock_.seconds();
  const train::TrainOptions full = full_training(text_.given, {}, trial_folder(0));
  full.check();
  std::set<std::string> settled;
  for (const GivenOption& g : given_) settled.insert(g.name);
  const train::TrainingData data = train::prepare_data(short_training(full), [&](const char* what, int64_t pairs) {
    if (watcher_.stop()) throw Canceled("stopped");
    watcher_.reading(what, pairs);
  });
  for (const std::string& note : data.notes) watcher_.note(note);
  reading_ = clock_.seconds() - began;
  for (Candidate& c : make_candidates(full, settled, data.pairs.target.size(), ladder_.candidates())) {
    record_.trials.emplace_back();
    record_.trials.back().candidate = std::move(c);
  }
  save();
}

double Tuning::plan_rung(int64_t rung, const std::vector<size_t>& trials) const {
  const int64_t measured = record_.measured();
  const double overhead = measured > 0 ? record_.overhead / static_cast<double>(measured) : 1.5 * reading_ + 1;
  double costs = 0;
  for (const size_t i : trials) costs += cost(i);
  const double seconds = seconds_of_rung(ladder_, rung, trials.size(), kSharePlanned * left(), overhead);
  return seconds * static_cast<double>(trials.size()) / costs;
}

const Trial* Tuning::first_of(size_t rung) const {
  const auto reaches = [&](const Trial& t) { return t.rungs.size() > rung; };
  const auto first = std::find_if(record_.trials.begin(), record_.trials.end(), reaches);
  return first == record_.trials.end() ? nullptr : &*first;
}

double Tuning::cost(size_t i) const {
  const Trial &one = record_.trials[i], *first = first_of(0);
  if (!first || one.rungs.empty()) return expected_cost(one.candidate);
  const auto pace = [](const Measurement& m) { return m.seconds / static_cast<double>(m.updates); };
  return pace(one.rungs.back()) / pace(first->rungs.back());
}

std::vector<size_t> Tuning::of_rung(int64_t rung) const {
  std::vector<std::optional<double>> losses;
  for (const Trial& t : record_.trials) {
    losses.emplace_back();
    if (rung == 0) losses.back() = 0;
    if (rung > 0 && std::ssize(t.rungs) >= rung) losses.back() = t.rungs[static_cast<size_t>(rung) - 1].bits;
  }
  if (rung > 0) return survivors(losses);
  std::vector<size_t> all(losses.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

void Tuning::fail_for_time() const {
  throw UsageError(
      fmt::format("`minutes` is {:g}, too few for {}: reading the text alone takes each of them {}. Give more, "
                  "and a new folder",
                  settings_.minutes, text::counted(std::ssize(record_.trials), "trial"), text::duration(reading_)));
}

void Tuning::climb(int64_t rung) {
  const std::vector<size_t> trials = of_rung(rung);
  const auto r = static_cast<size_t>(rung);
  if (record_.seconds.size() == r) {
    const double more = plan_rung(rung, trials);
    if (more < 1 && rung == 0) fail_for_time();
    record_.seconds.push_back((r > 0 ? record_.seconds.back() : 0) + std::max(1., more));
    save();
  }
  for (size_t place = 0; place < trials.size(); ++place) {
    const Trial& t = record_.trials[trials[place]];
    if (!t.out.empty() || t.rungs.size() > r) continue;
    const double more = record_.seconds[r] - (r > 0 ? record_.seconds[r - 1] : 0);
    const Stage stage{rung, ladder_.rungs, place, trials.size(), t, more * cost(trials[place]), left()};
    watcher_.begins(stage);
    measure(stage, trials[place]);
    watcher_.measured(stage);
  }
}

void Tuning::leave_out(size_t i, const std::string& why) {
  record_.trials[i].out = why;
  save();
}

void Tuning::measure(const Stage& stage, size_t i) {
  Trial& t = record_.trials[i];
  const auto r = static_cast<size_t>(stage.rung);
  const double began = clock_.seconds();
  const Measuring how{valid_, metric_, stage.rung + 1 == stage.rungs, tokenize_};
  try {
    const Trial* first = first_of(r);
    const train::TrainOptions o = until(short_training(full_training(text_.given, t.candidate, trial_folder(i))),
                                        first ? &first->rungs[r] : nullptr);
    const std::optional<double> seconds = first ? std::nullopt : std::optional(record_.seconds[r]);
    const Measured found = run_trial(o, seconds, how, watcher_, watcher_.stop());
    const double before = t.rungs.empty() ? 0 : t.rungs.back().seconds, took = clock_.seconds() - began;
    t.parameters = found.parameters;
    t.rungs.push_back(found);
    record_.overhead += std::max(0., took - (found.seconds - before));
    save();
  } catch (const Canceled&) {
    save();
    throw;
  } catch (const Diverged& e) {
    leave_out(i, e.what());
  } catch (const RunError&) {  // the machine's fault, not the trial's
    throw;
  } catch (const UserError& e) {
    if (i == 0) throw;
    leave_out(i, e.what());
  }
}

Tuned Tuning::choose() {
  Tuned done;
  size_t highest = 0;
  for (const Trial& t : record_.trials) highest = std::max(highest, t.rungs.size());
  const auto contends = [&](const Trial& t) {
    return t.rungs.size() == highest && t.out.empty() && t.rungs.back().quality;
  };
  // Equal translations, such as those of which BLEU is 0: the fewer bits decide.
  const auto better = [](const Measurement& a, const Measurement& b) {
    return a.quality != b.quality ? *a.quality > *b.quality : a.bits < b.bits;
  };
  const Measurement* most = nullptr;
  for (size_t i = 0; i < record_.trials.size(); ++i)
    if (contends(record_.trials[i]) && (!most || better(record_.trials[i].rungs.back(), *most)))
      most = &record_.trials[i].rungs.back(), done.best = i;
  if (!most) throw RunError(cat("no trial has finished; the reasons are in ", folder_, "/tune.json"));
  done.chosen = done.best;
  if (done.best != 0 && contends(record_.trials[0])) {
    const Measuring how{valid_, metric_, true, tokenize_};
    done.p = p_value(trial_folder(0) + "/translations.txt", trial_folder(done.best) + "/translations.txt", how);
    if (!beats(record_.trials[done.best].rungs.back(), record_.trials[0].rungs.back(), *done.p)) done.chosen = 0;
  }
  return done;
}

// Duration of the full training, estimated from the trial's tokens per second.
std::optional<double> minutes_of(const train::TrainOptions& full, const Measurement& m) {
  if (full.max_minutes > 0) return full.max_minutes;
  if (full.max_updates == 0 || m.tokens == 0) return {};
  const auto tokens = static_cast<double>(full.max_updates * full.accumulate * full.batch_tokens);
  return tokens / static_cast<double>(m.tokens) * m.seconds / 60;
}

Tuned Tuning::run() {
  read_record();
  text_ = with_validation(given_, folder_ + "/held-out",
                          [&](const char* what, int64_t pairs) { watcher_.reading(what, pairs); });
  const train::TrainOptions full = full_training(text_.given, {}, folder_);
  use_threads(static_cast<int>(full.threads));
  valid_ = read_validation(full.valid_sets, full.text.tsv);
  tokenize_ = full.valid_tokenize == "auto" ? evaluate::tokenizer_for(valid_.target).name : full.valid_tokenize;
  if (record_.trials.empty()) make_trials();
  watcher_.planned(record_, ladder_);
  for (int64_t rung = 0; rung < ladder_.rungs; ++rung) climb(rung);
  Tuned done = choose();
  const train::TrainOptions chosen =
      full_training(text_.given, record_.trials[done.chosen].candidate, folder_ + "/model");
  done.options_file = folder_ + "/best.yml";
  std::set<std::string> names{"preset", "model"};
  for (const GivenOption& o : text_.given) names.insert(o.name);
  for (const GivenOption& o : record_.trials[done.chosen].candidate.changes) names.insert(o.name);
  write_file_atomically(done.options_file, train::dump_options(chosen, names) + "\n");
  done.minutes_in_full = minutes_of(chosen, record_.trials[done.chosen].rungs.back());
  done.held_out = text_.held_out;
  done.measured_on = valid_.size();
  save();
  done.record = record_;
  write_tuning_report(folder_, done, full, chosen);
  return done;
}

}  // namespace

bool beats(const Measurement& challenger, const Measurement& baseline, double p) {
  return challenger.quality > baseline.quality && challenger.bits < baseline.bits && p < kSignificant;
}

Tuned tune(const TuneSettings& settings, TuneWatcher& watcher) { return Tuning(settings, watcher).run(); }

}  // namespace hexapla::train::tune
