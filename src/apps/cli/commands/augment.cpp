// hexapla augment: makes more training pairs from existing text.
#include <fmt/format.h>

#include "base/compute/parallel.h"
#include "base/compute/timing.h"
#include "base/error.h"
#include "base/files/shell_word.h"
#include "cli/command/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"
#include "hexapla/augment.h"

namespace hexapla::cli {
namespace {

struct Augment {
  bool distill = false, both = false;  // or text to translate back
  AugmentOptions options;
  std::vector<std::string> output;  // SOURCE TARGET
  decode::DecodingOptions search;
  std::string color = "auto";
  const Command* command = nullptr;
  bool quiet = false;

  bool translates() const { return distill || !options.text.empty(); }
  int run() {
    use_threads(options.how.threads);
    const Options given = given_search(*command, search, options.how);
    JobTerminal terminal(color, quiet);
    if (distill + both + !options.text.empty() != 1)
      throw UsageError("give one of `distill`, `back-translate` FILE and `both-directions`");
    if (output.empty()) throw UsageError("`output` is missing: give the files to write, SOURCE and TARGET");
    options.kind = both ? "both-directions" : distill ? "distill" : "back-translate";
    options.search = TranslatorOptions::from(given);
    options.warn = [&](const std::string& where, const std::string& what) { terminal.note(where, what); };
    options.on_progress = [&, start = std::chrono::steady_clock::now()](int64_t lines, double share) {
      terminal.progress().show(fmt::format("{} : {:.1f} lines/s{}", text::counted(lines, "line"),
                                           static_cast<double>(lines) / seconds_since(start),
                                           share > 0 ? fmt::format(" : {:.0f} %", share * 100) : ""));
    };
    AugmentCounts found;
    const int code = terminal.run([&](const std::atomic<bool>& stop) {
      options.search.stop = &stop;
      found = augment(options, output[0], output[1]);
    });
    if (code == 0) report(found, terminal.progress());
    return code;
  }

 private:
  void report(const AugmentCounts& found, Progress& progress) const {
    for (const std::string& note : found.notes) progress.say(note);
    if (found.without > 0)
      progress.say(fmt::format(
          "left out: {} without a translation; where an empty one scores best, --min-length 1 finds another",
          text::counted(found.without, "line")));
    if (found.unknown > 0)
      progress.say(
          fmt::format("{} most of whose letters the model does not know {} written with made-up translations: give "
                      "--model one that "
                      "translates from this language, or take such lines out of the text",
                      text::counted(found.unknown, "line"), found.unknown == 1 ? "was" : "were"));
    progress.say(fmt::format("{}, {} of them new: {} {}", text::counted(found.pairs, "pair"), text::grouped(found.made),
                             output[0], output[1]));
    if (!options.text.empty() && !options.tag.empty())
      progress.say(
          fmt::format("train on them with --user-symbols {}, so that the tag is one piece", shell_word(options.tag)));
  }
};

}  // namespace

void add_augment(Command& app, Action& chosen) {
  auto a = std::make_shared<Augment>();
  Command* c = app.add_command("augment", "make more training pairs: distillation, back-translation, both directions");
  c->add_flag("--distill", a->distill, "the sources with the model's translations instead of the targets");
  c->add_option("--back-translate", a->options.text,
                "the pairs and, for each line of this text in the target language, its translation by a model of the "
                "other direction as the source")
      ->check(text_input())
      ->type_name("FILE");
  c->add_flag("--both-directions", a->both, "every pair, and the same pair with its sides exchanged");
  c->add_option("--train-sets", a->options.train_sets,
                "the pairs to start from: source and target files in turn, or .tsv files")
      ->list()
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_flag("--tsv", a->options.tsv, "every set is one file of SOURCE<TAB>TARGET lines, with any name")
      ->when([a = a.get()] {
        return When{!a->options.train_sets.empty(), "is for `train-sets`: give them, or leave it out"};
      });
  c->add_option("-o,--output", a->output, "files to write; .gz, .zst and .xz are compressed")
      ->expected(2)
      ->check(output_file())
      ->type_name("SOURCE TARGET");
  bind_models(*c, a->options.models, a->options.how,
              "model that translates: the teacher, or that of the other direction; several are an ensemble");
  c->add_option("--tag", a->options.tag, "first word of back-translated sources; '': none")
      ->default_str("<BT>")
      ->when([a = a.get()] {
        return When{!a->options.text.empty(), "is for `back-translate`: give text for that, or leave it out"};
      });
  for (const OptionRow& row : without(a->search.rows(), {"n-best", "distinct"}))
    declare_option(*c, row)->when([a = a.get(), declared = condition_of(a->search, row.name)] {
      return a->translates() ? declared()
                             : When{false, "is for translating, but `both-directions` does not: leave it out"};
    });
  const auto translating = [a = a.get()] {
    return When{a->translates(), "is for translating, but `both-directions` does not: leave it out"};
  };
  bind_device(*c, a->options.how.device)->group("Speed")->when(translating);
  bind_languages(*c, a->options.how.source_language, a->options.how.target_language, translating);
  c->add_option("--threads", a->options.how.threads, ranges::kThreads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->add_option("--color", a->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->add_flag("-q,--quiet", a->quiet, "print only errors");
  c->footer(
      "Examples:\n"
      "  hexapla augment --distill -m teacher --train-sets train.en train.de -o kd.en kd.de\n"
      "  hexapla augment --back-translate mono.de -m run-de-en --train-sets train.en train.de -o bt.en.gz bt.de.gz\n"
      "  hexapla train --train-sets bt.en.gz bt.de.gz --user-symbols '<BT>' --model run\n"
      "  hexapla augment --both-directions --train-sets train.en train.de -o both.source both.target\n"
      "  hexapla train --train-sets both.source both.target --model both --max-epochs 20\n"
      "  hexapla train --train-sets train.en train.de --init-from both --model run\n"
      "The files appear when they are complete; if stopped, nothing is written.");
  c->callback([a, c, &chosen] {
    a->command = c;
    chosen = [a] { return a->run(); };
  });
}

}  // namespace hexapla::cli
