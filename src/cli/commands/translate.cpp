// hexapla translate: translates lines from stdin to stdout.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "api/guard.h"
#include "api/jobs/text/translate.h"
#include "base/compute/parallel.h"
#include "base/error.h"
#include "cli/command/command.h"
#include "cli/options/alignment_options.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/shard_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"

namespace hexapla::cli {
namespace {

struct Translate {
  api::TranslateJob job;
  decode::DecodingOptions search;
  std::string color = "auto";
  bool strict = false, quiet = false;
  const Command* command = nullptr;

  int run() {
    use_threads(job.how.threads);
    if (command->was_given("--precision")) job.how.precision = search.precision;
    job.search = given_options(*command, without(rows_of(search), {"precision"}));
    const api::SpelledAsFlags flags;
    job.shard.made_by = determining_options(*command);
    JobTerminal terminal(color, quiet);
    const bool typed = job.input == "-" && isatty(STDIN_FILENO), prompt = typed && !quiet;
    api::JobWatch watch = terminal.watch();
    if (!typed)
      watch.progress = [&](const api::JobProgress& p) {
        terminal.progress().show(fmt::format("{} lines : {:.1f} lines/s", text::grouped(p.done), p.per_second()));
      };
    if (prompt) watch.before_waiting = [] { std::cerr << "> " << std::flush; };
    const api::TranslatedLines found = api::translate_lines(job, std::cout, watch);
    if (!found.taken) return 1;
    if (prompt) std::cerr << "\n";
    terminal.finish();
    if (strict && found.without > 0)
      throw DataError(fmt::format("--strict: {} without a translation that satisfies the constraints; relax them",
                                  text::counted(found.without, "line")));
    return 0;
  }
};

void bind_requests(Translate& t, Command& c) {
  c.add_option(
       "--prefix", t.job.prefixes,
       "forced beginning of each translation, one per line; it may end inside a word, a space at its end ends the word")
      ->check(text_input_beside_stdin())
      ->type_name("FILE")
      ->group("Constraints");
  c.add_option("--require", t.job.require, "words that every translation must contain; may be repeated")
      ->type_name("WORDS")
      ->expected(1)
      ->take_all()
      ->group("Constraints");
  c.add_option("--forbid", t.job.forbid, "words that no translation may contain; may be repeated")
      ->type_name("WORDS")
      ->expected(1)
      ->take_all()
      ->group("Constraints");
  bind_glossary(c, t.job.glossary);
  c.add_flag("--jsonl", t.job.jsonl, "stdin has JSON objects: {\"text\", \"prefix\", \"require\": [], \"forbid\": []}")
      ->group("Constraints");
}

}  // namespace

void add_translate(Command& app, Action& chosen) {
  auto t = std::make_shared<Translate>();
  Command* c = app.add_command("translate", "translate lines from stdin to stdout");
  bind_models(*c, t->job.models, "model file or training folder; give several for an ensemble")->list()->required();
  const auto of_several = [t = t.get()] {
    return When{t->job.models.size() > 1, "is for several models: name them with `model`, or leave it out"};
  };
  c->add_option("--ensemble", t->job.how.ensemble,
                "how an ensemble combines its models: linear (mean of probabilities) or log-linear")
      ->default_str("linear")
      ->group("Model")
      ->when(of_several);
  c->add_option("--weights", t->job.how.weights, ranges::kModelWeight,
                "weight of each model of an ensemble, as in --weights 2,1")
      ->delimiter(',')
      ->group("Model")
      ->when(of_several);
  bind_languages(*c, t->job.how.source_language, t->job.how.target_language);
  bind_options(*c, t->search.rows(), t->search);
  bind_device(*c, t->job.how.device);
  bind_requests(*t, *c);
  c->add_option("--shortlist", t->job.how.shortlist,
                "compute the output layer only for the pieces that this file allows for a source: of Marian's and "
                "Firefox's (lex.s2t.bin), or made by hexapla shortlist")
      ->type_name("FILE")
      ->group("Speed");
  bind_alignment(*c, t->job.alignment, true);
  c->add_flag("--json", t->job.json, "one JSON object per line: translations, their scores and those of their tokens")
      ->group("Output");
  c->add_option("--trace", t->job.trace,
                "draw the beam search for one line, step by step: an image (.svg) here, a table on stderr")
      ->check(output_file())
      ->type_name("FILE")
      ->group("Output");
  c->add_option("--input", t->job.input, "translate the lines of this file instead of stdin")
      ->check(text_input())
      ->type_name("FILE");
  bind_shard(*c, t->job.shard, "--input");
  c->add_flag("--strict", t->strict, "exit with code 3 if any line has no translation that satisfies the constraints");
  c->add_option("--threads", t->job.how.threads, ranges::kThreads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0")
      ->group("Speed");
  c->add_flag("-q,--quiet", t->quiet, "print only errors");
  c->add_option("--color", t->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla translate -m run < test.en > test.de\n"
      "  echo 'A dog runs.' | hexapla translate -m model.safetensors --beam-size 5 --n-best 5\n"
      "  hexapla translate -m run --alignment hard < test.en      # text ||| 0-0 1-2 ...\n"
      "  hexapla translate -m run --sample --top-p 0.9 --seed 7 --n-best 3 < test.en\n"
      "  echo 'A dog runs.' | hexapla translate -m run --beam-size 3 --trace search.svg\n"
      "  hexapla translate -m run --input test.en --shard 3/8 --output part-3.de\n"
      "  hexapla translate -m run-1 -m run-2 --require Hund --forbid 'der Katze' < test.en\n"
      "With --n-best, a line gives: N ||| text ||| F0= log-probability ||| normalized score. Else\n"
      "every input line gives one output line, in order; an empty line gives an empty line. Lines from a pipe or a\n"
      "terminal are translated as soon as no more input is waiting; Ctrl-D ends. Compressed text (.gz, .zst,\n"
      ".xz) is unpacked.");
  c->callback([t, c, &chosen] {
    t->command = c;
    chosen = [t] { return t->run(); };
  });
}

}  // namespace hexapla::cli
