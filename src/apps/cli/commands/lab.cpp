// hexapla lab: experiments that answer questions about the Transformer.
#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "base/compute/parallel.h"
#include "base/compute/timing.h"
#include "base/error.h"
#include "cli/command/command.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/terminal.h"
#include "lib/program/lab.h"

namespace hexapla::cli {
namespace {

using Clock = std::chrono::steady_clock;

class ProgressOfLab : public lab::Watcher {
 public:
  explicit ProgressOfLab(const Terminal& terminal) : progress_(terminal), began_(Clock::now()) {}

  void begins(int64_t done, int64_t all, const std::string& what) override {
    if (stop().load()) throw Canceled("stopped");
    const double seconds = seconds_since(began_);
    std::string line = fmt::format("{} of {}: {}", done + 1, all, what);
    if (done > 0)
      line += fmt::format("   {}, about {} left", text::duration(seconds),
                          text::duration(seconds / static_cast<double>(done) * static_cast<double>(all - done)));
    if (progress_.terminal().live)
      progress_.show(line);
    else
      progress_.say(line);
  }
  const std::atomic<bool>& stop() const override { return stop_on_signals(); }
  Progress& progress() { return progress_; }

 private:
  Progress progress_;
  Clock::time_point began_;
};

struct Lab {
  api::LabOptions options;
  std::string color = "auto";
  int threads = 0;
  bool quiet = false;

  int run() const {
    if (options.name.empty()) {
      std::cout << api::list_experiments();
      return 0;
    }
    use_threads(threads);
    ProgressOfLab watcher(make_terminal(parse_color(color), quiet));
    try {
      const api::LabResult result = api::run_lab(options, watcher);
      watcher.progress().clear();
      for (const std::string& finding : result.findings) std::cout << "- " << finding << "\n";
      std::cout << std::flush;
      watcher.progress().say(fmt::format("the report: {}", result.page));
      return 0;
    } catch (const Canceled&) {
      watcher.progress().say("stopped; the same command goes on from there");
      return 128 + caught_signal();
    }
  }
};

}  // namespace

void add_lab(Command& app, Action& chosen) {
  auto lab = std::make_shared<Lab>();
  Command* c = app.add_command("lab", "experiments that answer questions about the Transformer with a run");
  c->add_option("name", lab->options.name, "the experiment; without a name they are listed")->type_name("NAME");
  c->add_option("-o,--output", lab->options.output, "folder for the report; the models go to DIR/runs/NAME")
      ->type_name("DIR")
      ->default_str("lab");
  c->add_option("--seeds", lab->options.seeds, ranges::kCount, "trainings of each kind; 0: as the experiment declares")
      ->default_str("0");
  c->add_option("--updates", lab->options.updates, ranges::kCount,
                "updates of each training; 0: as the experiment declares")
      ->default_str("0");
  c->add_option("--minutes", lab->options.minutes, ranges::kFrom0,
                "choose the updates so that the whole takes about this long (table3, softmax); 0: --updates")
      ->default_str("0");
  c->add_option("--train-sets", lab->options.train_sets,
                "parallel text to train on instead of made-up text (table3, softmax)")
      ->type_name("SOURCE TARGET")
      ->check(text_input());
  c->add_option("--valid-sets", lab->options.valid_sets, "the text that perplexity and BLEU are measured on")
      ->type_name("SOURCE TARGET")
      ->check(text_input());
  c->add_option("--preset", lab->options.preset, "the model and recipe that all trainings on such text differ from")
      ->default_str("tiny")
      ->when([lab = lab.get()] {
        return When{!lab->options.train_sets.empty(), "is for text of your own: give `train-sets`, or leave it out"};
      });
  c->add_option("--threads", lab->threads, ranges::kThreads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->add_option("--color", lab->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  for (const char* name :
       {"--output", "--seeds", "--updates", "--minutes", "--train-sets", "--valid-sets", "--threads"})
    c->get_option(name)->when([lab = lab.get()] {
      return When{!lab->options.name.empty(), "is for an experiment: name one, or leave it out"};
    });
  c->add_flag("-q,--quiet", lab->quiet, "no progress");
  c->footer(
      "An experiment trains small models on made-up dates, measures them, and writes a page of text, pictures and the\n"
      "figures: DIR/NAME.md, DIR/NAME-1.svg .. and DIR/NAME.json. Its findings go to stdout. If stopped, the same\n"
      "command resumes and does not repeat finished trainings. hexapla inspect shows every model in DIR/runs.\n"
      "Examples:\n"
      "  hexapla lab\n"
      "  hexapla lab scale\n"
      "  hexapla lab scale --seeds 1 --updates 50 -o first-look\n"
      "  hexapla lab table3 --preset tiny --minutes 240 --train-sets train.en train.de --valid-sets dev.en dev.de\n"
      "  hexapla lab softmax --minutes 60 --train-sets train.en train.de --valid-sets dev.en dev.de");
  c->callback([lab, &chosen] { chosen = [lab] { return lab->run(); }; });
}

}  // namespace hexapla::cli
