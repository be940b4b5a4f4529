// hexapla train: trains a model on parallel text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <iostream>

#include "base/files/shell_word.h"
#include "base/options/word_format.h"
#include "cli/command/command.h"
#include "cli/options/train_options.h"
#include "cli/terminal/train_progress.h"
#include "lib/program/processes.h"

namespace hexapla::cli {
namespace {

struct Train : BoundTrainOptions {
  bool quiet = false, dump = false;
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
    const train::TrainResult result = api::run_training(o, watcher, stop_on_signals(), {}, processes);
    if (processes.first()) report(watcher.progress(), o, result);
    if (result.end == train::TrainEnd::interrupted) return 128 + (caught_signal() > 0 ? caught_signal() : SIGTERM);
    train::require_whole(result);
    return 0;
  }

  static void report(Progress& progress, const train::TrainOptions& o, const train::TrainResult& r) {
    if (r.end == train::TrainEnd::interrupted && !r.missing.empty()) {
      progress.say(fmt::format("stopped after update {}, but not everything could be written. Missing:\n  {}",
                               text::grouped(r.updates), fmt::join(r.missing, "\n  ")));
      return;
    }
    if (r.end == train::TrainEnd::interrupted) {
      progress.say(
          fmt::format("stopped after update {}; the same command resumes from there", text::grouped(r.updates)));
      return;
    }
    std::string others;
    for (size_t i = 1; i < r.contenders.size(); ++i) others += cat("\nnot taken: ", told(r.contenders[i]));
    progress.say(
        fmt::format("done: {}, {}\nmodel: {}, {}{}\nreport: {}/report.html\n"
                    "translate with: hexapla translate -m {} < TEXT",
                    text::counted(r.updates, "update"), text::counted(r.epochs, "epoch"), r.model,
                    told(r.contenders.front()), others, o.model, shell_word(o.model)));
  }

  static std::string told(const train::Contender& c) {
    return "the " + c.what + (c.score ? fmt::format(" (validation {} {:.2f})", c.metric, *c.score) : "");
  }
};

}  // namespace

void add_train(Command& app, Action& chosen) {
  auto train = std::make_shared<Train>();
  Command* c = app.add_command("train", "train a model on parallel text");
  train->command = c;
  bind_train_options(*c, *train);
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
      "The same command in the same folder resumes where it stopped (Ctrl-C saves and stops).\n"
      "DIR/model.safetensors is the result, DIR/train.jsonl the log, DIR/valid.jsonl the validations, DIR/report.html\n"
      "the curves; tensorboard --logdir DIR reads the run, too.");
  c->callback([train, &chosen] { chosen = [train] { return train->run(); }; });
}

}  // namespace hexapla::cli
