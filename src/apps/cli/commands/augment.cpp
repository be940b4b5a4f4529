// hexapla augment: makes more training pairs from existing text.
#include <fmt/format.h>

#include "base/compute/parallel.h"
#include "base/files/shell_word.h"
#include "cli/command/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"
#include "lib/jobs/text/augment.h"

namespace hexapla::cli {
namespace {

struct Augment {
  api::AugmentJob job;
  decode::DecodingOptions search;
  std::string color = "auto";
  const Command* command = nullptr;
  bool quiet = false;

  int run() {
    use_threads(job.how.threads);
    give_search(*command, search, job);
    JobTerminal terminal(color, quiet);
    api::JobWatch watch = terminal.watch([](const api::JobProgress& p) {
      return fmt::format("{} : {:.1f} lines/s{}", text::counted(p.done, "line"), p.per_second(),
                         p.share > 0 ? fmt::format(" : {:.0f} %", p.share * 100) : "");
    });
    decode::AugmentCounts found;
    const int code = terminal.run(watch, [&] { found = api::make_pairs(job, watch); });
    if (code == 0) report(found, terminal.progress());
    return code;
  }

 private:
  void report(const decode::AugmentCounts& found, Progress& progress) const {
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
                             job.output[0], job.output[1]));
    if (!job.text.empty() && !job.tag.empty())
      progress.say(
          fmt::format("train on them with --user-symbols {}, so that the tag is one piece", shell_word(job.tag)));
  }
};

}  // namespace

void add_augment(Command& app, Action& chosen) {
  auto a = std::make_shared<Augment>();
  Command* c = app.add_command("augment", "make more training pairs: distillation, back-translation, both directions");
  c->add_flag("--distill", a->job.distill, "the sources with the model's translations instead of the targets");
  c->add_option("--back-translate", a->job.text,
                "the pairs and, for each line of this text in the target language, its translation by a model of the "
                "other direction as the source")
      ->check(text_input())
      ->type_name("FILE");
  c->add_flag("--both-directions", a->job.both, "every pair, and the same pair with its sides exchanged");
  c->add_option("--train-sets", a->job.sets, "the pairs to start from: source and target files in turn, or .tsv files")
      ->list()
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_flag("--tsv", a->job.tsv, "every set is one file of SOURCE<TAB>TARGET lines, with any name")
      ->when([a = a.get()] {
        return When{!a->job.sets.empty(), "is for `train-sets`: give them, or leave it out"};
      });
  c->add_option("-o,--output", a->job.output, "files to write; .gz, .zst and .xz are compressed")
      ->expected(2)
      ->check(output_file())
      ->type_name("SOURCE TARGET");
  bind_models(*c, a->job.models,
              "model that translates: the teacher, or that of the other direction; several are an ensemble");
  c->add_option("--tag", a->job.tag, "first word of back-translated sources; '': none")
      ->default_str("<BT>")
      ->when([a = a.get()] {
        return When{!a->job.text.empty(), "is for `back-translate`: give text for that, or leave it out"};
      });
  for (const OptionRow& row : without(a->search.rows(), {"n-best", "distinct"}))
    declare_option(*c, row)->when([a = a.get(), declared = condition_of(a->search, row.name)] {
      return a->job.translates() ? declared()
                                 : When{false, "is for translating, but `both-directions` does not: leave it out"};
    });
  const auto translating = [a = a.get()] {
    return When{a->job.translates(), "is for translating, but `both-directions` does not: leave it out"};
  };
  bind_device(*c, a->job.how.device)->group("Speed")->when(translating);
  bind_languages(*c, a->job.how.source_language, a->job.how.target_language, translating);
  c->add_option("--threads", a->job.how.threads, ranges::kThreads,
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
