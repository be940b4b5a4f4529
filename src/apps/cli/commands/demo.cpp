// hexapla demo: a corpus made on the spot, a small Transformer trained on it, and a look inside.
#include <fmt/format.h>

#include <iostream>

#include "base/files/shell_word.h"
#include "cli/command/command.h"
#include "cli/terminal/train_progress.h"
#include "lib/training/demo.h"

namespace hexapla::cli {
namespace {

struct Demo {
  api::DemoOptions options;
  std::string color = "auto";
  bool quiet = false;

  int run() {
    ProgressWatcher watcher(make_terminal(parse_color(color), quiet));
    options.width = stdout_width();
    options.color = stdout_color(parse_color(color));
    const auto say = [&](const std::string& what) { watcher.progress().say(what); };
    const api::Demonstrated demo = api::demonstrate(options, watcher, say, stop_on_signals);
    if (demo.end == train::TrainEnd::interrupted) {
      say(fmt::format("stopped after update {}; the same command resumes from there", text::grouped(demo.updates)));
      return 128 + caught_signal();
    }
    std::cout << demo.shown << std::flush;
    if (!options.text) say(hint(demo));
    return 0;
  }

  std::string hint(const api::Demonstrated& demo) const {
    const std::string folder = shell_word(demo.model);
    return fmt::format(
        "\nAsk it:       hexapla demo{} --text 'Sat 4 Nov 1999'\n"
        "Look inside:  hexapla inspect -m {} --src {} --head all\n"
        "Train yours:  hexapla train --help",
        options.model.empty() ? "" : " --model " + folder, folder, shell_word(demo.example));
  }
};

}  // namespace

void add_demo(Command& app, Action& chosen) {
  auto d = std::make_shared<Demo>();
  Command* c = app.add_command("demo", "train a small Transformer on dates and look inside it");
  c->add_option("-m,--model", d->options.model,
                "folder of the model; default: hexapla/demo in $XDG_CACHE_HOME or ~/.cache")
      ->type_name("DIR");
  c->add_option("--text", d->options.text, "convert this date to ISO 8601 and print only that");
  c->add_option("--max-updates", d->options.max_updates, ranges::kCountFrom1, "number of training updates")
      ->default_str(cat(api::kDemoUpdates));
  c->add_option("--seed", d->options.seed, ranges::kSeed, "random seed for the dates and the training; default: 1");
  c->add_flag("--retrain", d->options.retrain, "train again even if there is a trained model");
  c->add_option("--threads", d->options.threads, ranges::kThreads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->add_flag("-q,--quiet", d->quiet, "print only errors and the result");
  c->add_option("--color", d->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla demo\n"
      "  hexapla demo --text 'Friday, the 3rd of March 2023'\n"
      "Dates are from 1950 to 2049; two-digit years 50 to 99 mean 19xx, 00 to 49 mean 20xx. 03/04/23 is month, day,\n"
      "year; 03.04.23 is day, month, year. The test dates never occur in training, in any form.\n"
      "Ctrl-C saves and stops; the same command resumes.");
  c->callback([d, &chosen] { chosen = [d] { return d->run(); }; });
}

}  // namespace hexapla::cli
