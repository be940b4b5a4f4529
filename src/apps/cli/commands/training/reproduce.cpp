// hexapla reproduce: trains a model again from the provenance in its file, and compares the bytes.
#include <fmt/format.h>

#include <iostream>

#include "cli/command/command.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/train_progress.h"
#include "lib/display.h"
#include "lib/training/reproduce.h"

namespace hexapla::cli {
namespace {

struct Reproduce {
  api::ReproduceOptions options;
  std::string color = "auto";
  bool quiet = false;

  int run() const {
    ProgressWatcher watcher(make_log_terminal(parse_color(color), quiet));
    const api::Reproduction r = api::reproduce(options, watcher, stop_on_signals);
    if (r.end == train::TrainEnd::interrupted) {
      watcher.progress().say("stopped; the same command resumes from there");
      return 128 + caught_signal();
    }
    return report(r);
  }

 private:
  // 0: the weights agree bit by bit.
  static int report(const api::Reproduction& r) {
    if (r.same_bytes) {
      std::cout << fmt::format("reproduced: {} and {} are identical, byte for byte\n", text::printable(r.original),
                               text::printable(r.again));
      return 0;
    }
    std::cout << (r.same_weights ? "reproduced: the weights are identical, bit for bit; only the record differs\n"
                                 : "not reproduced: the weights differ\n");
    for (const auto& [key, now, was] : r.record)
      std::cout << text::printable(
          fmt::format("  {}: {}\n    was {}\n", key, now.value_or("not there"), was.value_or("not there")));
    if (r.same_weights) return 0;
    std::cout << "likely because:\n";
    for (const std::string& reason : r.likely) std::cout << "  " << text::printable(reason) << "\n";
    if (r.likely.empty()) std::cout << "  nothing that was recorded: please report this as a bug in hexapla\n";
    return 1;
  }
};

}  // namespace

void add_reproduce(Command& app, Action& chosen) {
  auto r = std::make_shared<Reproduce>();
  Command* c = app.add_command("reproduce", "train a model again from its own record and compare the results");
  c->add_option("MODEL", r->options.model, "model file or training folder")->required();
  c->add_option("--train-sets", r->options.train_sets, "new location of the training text")
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_option("--valid-sets", r->options.valid_sets, "new location of the validation text")
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_option("--vocab", r->options.vocab, "new location of the SentencePiece model, if the training was given one");
  c->add_option("--vocabs", r->options.vocabs, "the same of the models of source and target")
      ->expected(2)
      ->type_name("SOURCE TARGET");
  c->add_option("--guided-alignment", r->options.guided_alignment,
                "new location of the links, if the training had them")
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("--init-from", r->options.init_from, "new location of the model that the training started from")
      ->type_name("MODEL");
  c->add_option("--valid-script", r->options.valid_script, "the scoring program, if the training had one")
      ->type_name("PROGRAM");
  c->add_option("-o,--out", r->options.out, "folder of the new run; default: the folder reproduced next to the model")
      ->type_name("DIR");
  bind_device(*c, r->options.device);
  c->add_option("--threads", r->options.threads, ranges::kThreads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->add_option("--memory", r->options.memory, ranges::kMebibytes, "MiB that training may use; 0: as for train")
      ->default_str("0");
  c->add_flag("-q,--quiet", r->quiet, "print only errors and the result");
  c->add_option("--color", r->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla reproduce run\n"
      "  hexapla reproduce model.safetensors --train-sets a.en a.de --valid-sets b.en b.de -o again\n"
      "Exit code 0: identical weights. 1: different weights; differences in build and machine are listed. 3: the data\n"
      "differs from that of the training; this is checked before training starts.");
  c->callback([r, &chosen] { chosen = [r] { return r->run(); }; });
}

}  // namespace hexapla::cli
