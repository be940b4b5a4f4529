// hexapla train: trains a model on parallel text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <iostream>
#include <map>
#include <numeric>

#include "base/options/word_format.h"
#include "cli/command/command.h"
#include "cli/options/train_options.h"
#include "cli/terminal/train_progress.h"
#include "lib/program/processes.h"

namespace hexapla::cli {
namespace {

struct Train : BoundTrainOptions {
  bool quiet = false, dump = false;
  int seeds = 1;
  std::string color = "auto";
  Command* command = nullptr;

  int run() {
    const auto processes = api::launched_processes();
    return api::in_name_of(*processes, [&] { return run(*processes); });
  }

  int run(train::cluster::Processes& processes) {
    train::TrainOptions o = resolve_train_options(*command, *this);
    if (dump && !processes.first()) return 0;
    if (dump) {
      std::cout << api::dump_training(o) << "\n";
      return 0;
    }
    ProgressWatcher watcher(make_log_terminal(parse_color(color), quiet || !processes.first()));
    std::map<std::string, std::vector<double>> scores;  // by the metric that chose the model
    for (int i = 0; i < seeds; ++i) {
      if (seeds > 1) o = options_of_seed(i);
      const train::TrainResult result = api::run_training(o, watcher, stop_on_signals(), {}, processes);
      if (processes.first()) say_result(watcher.progress(), o, result);
      if (result.end == train::TrainEnd::interrupted) return 128 + (caught_signal() > 0 ? caught_signal() : SIGTERM);
      train::require_whole(result);
      if (const train::Contender& kept = result.contenders.front(); kept.score)
        scores[kept.metric].push_back(*kept.score);
    }
    if (seeds > 1 && processes.first() && scores.empty())
      watcher.progress().say("no model has a validation score to compare: give `valid-sets` or `hold-out`");
    if (seeds > 1 && processes.first())
      for (const auto& [metric, of_metric] : scores) watcher.progress().say(spread(of_metric, metric));
    return 0;
  }

 private:
  // The same training with another seed, in a folder of its own.
  train::TrainOptions options_of_seed(int i) {
    std::vector<GivenOption> given = given_train_options(*command, *this);
    const train::TrainOptions asked = train::resolve_options(given).options;
    const uint64_t seed = asked.seed + static_cast<uint64_t>(i);
    given.push_back({"seed", {cat(seed)}});
    given.push_back({"model", {cat(asked.model, "/seed-", seed)}});
    return train::resolve_options(given).options;
  }

  static std::string spread(const std::vector<double>& scores, const std::string& metric) {
    if (scores.size() < 2) return fmt::format("validation {} of one seed: {:.2f}", metric, scores.front());
    const auto n = static_cast<double>(scores.size());
    const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / n;
    double squares = 0;
    for (const double x : scores) squares += (x - mean) * (x - mean);
    return fmt::format("validation {} of {} seeds: mean {:.2f}, standard deviation {:.2f}, {:.2f} to {:.2f}", metric,
                       scores.size(), mean, std::sqrt(squares / (n - 1)), std::ranges::min(scores),
                       std::ranges::max(scores));
  }
};

}  // namespace

void add_train(Command& app, Action& chosen) {
  auto train = std::make_shared<Train>();
  Command* c = app.add_command("train", "train a model on parallel text");
  train->command = c;
  bind_train_options(*c, *train);
  c->add_option("--seeds", train->seeds, Range<int64_t>{1, 1000},
                "train so many models, with --seed, the next one, .., in DIR/seed-N, and report mean and spread")
      ->default_str("1")
      ->when([t = train.get()] {
        const auto& sets = t->options.train_sets;
        const bool once = std::find(sets.begin(), sets.end(), "-") != sets.end();
        return When{!t->dump && !once, "is for several trainings, but `dump-config` and a text on stdin are for one"};
      });
  c->add_flag("--dump-config", train->dump, "print the resolved options as a config file and stop");
  c->add_flag("-q,--quiet", train->quiet, "print only errors");
  c->add_option("--color", train->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Presets, and the values that they set unless you do:\n" + train::describe_presets() +
      "Examples:\n"
      "  hexapla train --train-sets train.en train.de --valid-sets val.en val.de --model run --preset small\n"
      "  hexapla train -c config.yml --max-minutes 30\n"
      "  hexapla train --train-sets news.tsv.zst web.en.gz web.de.gz --train-weights 2 0.5 --subword-alpha 0.2 "
      "--model run\n"
      "  hexapla train --train-sets train.en train.de --valid-sets val.en val.de --model runs --seeds 3\n"
      "The same command in the same folder resumes where it stopped (Ctrl-C saves and stops).\n"
      "DIR/model.safetensors is the result, DIR/train.jsonl the log, DIR/valid.jsonl the validations, DIR/report.html\n"
      "the curves; tensorboard --logdir DIR reads the run, too.");
  c->callback([train, &chosen] { chosen = [train] { return train->run(); }; });
}

}  // namespace hexapla::cli
