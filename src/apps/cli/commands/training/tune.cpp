// hexapla tune: finds a configuration for a corpus.
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <map>
#include <set>

#include "base/error.h"
#include "base/files/shell_word.h"
#include "base/options/option_names.h"
#include "cli/command/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/terminal.h"
#include "lib/program/tune.h"
#include "lib/training/options.h"

namespace hexapla::cli {
namespace {

class TuneProgress : public train::tune::TuneWatcher {
 public:
  explicit TuneProgress(const Terminal& terminal) : progress_(terminal) {}

  void note(const std::string& text) override { progress_.say(text); }
  void reading(const char* what, int64_t pairs) override {
    progress_.show(pairs == 0 ? fmt::format("{} ...", what)
                              : fmt::format("{}: {}", what, text::counted(pairs, "pair")));
  }
  void planned(const train::tune::Record& record, const train::tune::Ladder& ladder) override {
    const auto trials = record.trials.size();
    const size_t next = train::tune::survivors(std::vector<std::optional<double>>(trials, 0.0)).size();
    progress_.say(fmt::format("{} in {}, of which {} after the first:",
                              text::counted(std::ssize(record.trials), "trial"), text::counted(ladder.rungs, "rung"),
                              next == trials ? trials == 1 ? "it goes on" : "all go on"
                              : next == 1    ? "1 goes on"
                                             : cat(next, " go on").c_str()));
    for (size_t i = 0; i < record.trials.size(); ++i)
      progress_.say(fmt::format("{:4} {}", i + 1, record.trials[i].candidate.name));
  }
  void begins(const train::tune::Stage& s) override {
    stage_ = fmt::format("rung {} of {}, trial {} of {}: {}", s.rung + 1, s.rungs, s.place + 1, s.of,
                         s.trial.candidate.name);
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s.left));
    if (!progress_.terminal().live)
      progress_.say(fmt::format("{}, about {}, {} left", stage_, text::duration(s.seconds), text::duration(s.left)));
  }
  void running(const train::TrainReport& r) override {
    progress_.show(fmt::format("{}   loss {:.3f}, {:.0f} %   {} left in all", stage_, r.loss, r.progress * 100,
                               text::duration(std::chrono::duration<double>(end_ - Clock::now()).count())));
  }
  void measured(const train::tune::Stage& s) override {
    if (!s.trial.out.empty()) return progress_.say(fmt::format("{}: out: {}", s.trial.candidate.name, s.trial.out));
    const train::tune::Measurement& m = s.trial.rungs.back();
    progress_.say(fmt::format("rung {}: {}: {:.4f} bits per character{}", s.rung + 1, s.trial.candidate.name, m.bits,
                              m.quality ? fmt::format(", translations {:.2f}", *m.quality) : ""));
  }
  const std::atomic<bool>& stop() const override { return stop_on_signals(); }
  Progress& progress() { return progress_; }

 private:
  using Clock = std::chrono::steady_clock;

  Progress progress_;
  std::string stage_;
  Clock::time_point end_;  // of the whole tuning
};

// Help of options whose meaning differs from training.
const std::map<std::string, std::string> kHelpOfItsOwn{
    {"train-sets", "text to train on: source and target files in turn, or .tsv files"},
    {"valid-sets", "text to measure on; without it, pairs of the training sets are held out"},
    {"model", "folder of the tuning: trials, report, result"},
    {"preset", "the baseline, which the trials vary: tiny, small, base or big"},
    {"threads", "compute threads; 0: one per available core"},
    {"best-by", "metric of the translations that decides at the end: chrf (auto) or bleu"}};

bool is_flag(const std::string& name) {
  static const std::set<std::string> names{"train-sets", "valid-sets", "model",   "preset",    "seed",
                                           "threads",    "memory",     "best-by", "precision", "device"};
  return names.contains(name);
}

struct Tune {
  train::TrainOptions options;  // only those with flags here
  std::string config_file, color = "auto";
  double minutes = 60;
  bool quiet = false;
  Command* command = nullptr;

  int run() const {
    TuneProgress watcher(make_log_terminal(parse_color(color), quiet));
    try {
      return show(train::tune::tune({given(), minutes, config_file}, watcher), watcher.progress());
    } catch (const Canceled&) {
      watcher.progress().say("stopped; the same command goes on from there");
      return 128 + caught_signal();
    }
  }

  // The file's options, then the command line's, which override them.
  std::vector<GivenOption> given() const {
    std::vector<GivenOption> all;
    if (!config_file.empty()) all = train::read_options_file(config_file);
    for (const OptionRow& row : rows_of(options))
      if (is_flag(row.name) && command->was_given(as_flag(row.name))) all.push_back({row.name, row.words()});
    return all;
  }

  static int show(const train::tune::Tuned& tuned, Progress& progress) {
    progress.clear();
    progress.say(train::tune::why_chosen(tuned));
    if (const std::string doubt = train::tune::doubt_of(tuned); !doubt.empty()) progress.say(doubt);
    if (!tuned.held_out.empty()) progress.say(tuned.held_out);
    if (tuned.minutes_in_full)
      progress.say(fmt::format("training it in full takes about {} here", text::duration(*tuned.minutes_in_full * 60)));
    std::cout << "hexapla train -c " << shell_word(tuned.options_file) << "\n" << std::flush;
    return 0;
  }
};

}  // namespace

void add_tune(Command& app, Action& chosen) {
  auto tune = std::make_shared<Tune>();
  Command* c = app.add_command("tune", "find model size, dropout, vocabulary and learning rate for a corpus");
  tune->command = c;
  tune->options.preset = "tiny";
  tune->options.best_by = "chrf";
  c->add_option(
       "--minutes", tune->minutes, Range<double>{.least = 0, .most = 1e5, .open_least = true},
       "time for everything, about, earlier starts included; trials are compared at equal updates, not at equal time")
      ->default_str("60");
  c->add_option("-c,--config", tune->config_file,
                "YAML file with options of hexapla train; those that it gives are not varied")
      ->type_name("FILE");
  for (const OptionRow& row : tune->options.rows()) {
    if (!is_flag(row.name)) continue;
    const auto own = kHelpOfItsOwn.find(row.name);
    const std::string name = row.name;
    Option* option = declare_option(*c, row, own == kHelpOfItsOwn.end() ? "" : own->second);
    if (name == "model") option->type_name("DIR");
    if (name == "train-sets" || name == "valid-sets") option->type_name("SOURCE TARGET")->check(text_input());
  }
  c->add_option("--color", tune->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->add_flag("-q,--quiet", tune->quiet, "print only errors");
  c->footer(
      "Trials are short trainings. All are trained a little, then the better third a little more, and so on until\n"
      "the minutes are over; all trials of a rung make the same number of updates. The best configuration replaces\n"
      "the preset only if it needs fewer bits and translates better with p < 0.05. The last line, on stdout, is the\n"
      "command that trains it in full. If stopped, the same command resumes.\n"
      "Without --valid-sets, some pairs of the training sets are held out.\n"
      "Examples:\n"
      "  hexapla tune --train-sets train.en train.de --valid-sets val.en val.de --model tuning --minutes 60\n"
      "  hexapla train -c tuning/best.yml --model run\n"
      "DIR/report.html shows all trials, DIR/best.yml has the options, DIR/tune.json the figures.");
  c->callback([tune, &chosen] { chosen = [tune] { return tune->run(); }; });
}

}  // namespace hexapla::cli
