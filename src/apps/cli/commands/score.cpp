// hexapla score: scores given translations.
#include <fmt/format.h>

#include <iostream>

#include "base/compute/parallel.h"
#include "cli/command/command.h"
#include "cli/options/alignment_options.h"
#include "cli/options/language_options.h"
#include "cli/options/search_options.h"
#include "cli/options/shard_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"
#include "lib/jobs/text/score.h"

namespace hexapla::cli {
namespace {

struct Score {
  api::ScoreJob job;
  decode::DecodingOptions search;
  std::string color = "auto";
  const Command* command = nullptr;
  bool quiet = false;

  int run() {
    use_threads(job.how.threads);
    give_search(*command, search, job);
    job.shard.made_by = determining_options(*command);
    JobTerminal terminal(color, quiet);
    const bool all = api::score_files(job, std::cout, terminal.watch([](const api::JobProgress& p) {
      return fmt::format("{} pairs : {:.1f} pairs/s", text::grouped(p.done), p.per_second());
    }));
    return all ? 0 : 1;
  }
};

}  // namespace

void add_score(Command& app, Action& chosen) {
  auto s = std::make_shared<Score>();
  Command* c = app.add_command("score", "log-probabilities of given translations and of each of their words");
  c->add_option("files", s->job.files, "SOURCE TARGET: line i of TARGET translates line i of SOURCE; - is stdin")
      ->expected(0, 2)
      ->check(text_input())
      ->type_name("FILE FILE");
  c->add_option("--tsv", s->job.tsv, "one file with SOURCE<TAB>TARGET lines instead")
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("-m,--model", s->job.model, "model file or training folder")->type_name("MODEL")->required();
  c->add_flag("--word-scores", s->job.words, "add a column: log-probabilities of the words of TARGET and of </s>");
  c->add_flag("--token-scores", s->job.tokens, "add a column: log-probabilities of the tokens of TARGET and of </s>");
  c->add_flag("--json", s->job.json, "one JSON object per line, with words and tokens");
  bind_languages(*c, s->job.how.source_language, s->job.how.target_language);
  bind_alignment(*c, s->job.alignment);
  bind_options(*c, s->search.rows_of_scoring(), s->search);
  bind_device(*c, s->job.how.device)->group("Speed");
  s->command = c;
  bind_shard(*c, s->job.shard, "--tsv");
  c->add_option("--threads", s->job.how.threads, ranges::kThreads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->add_flag("-q,--quiet", s->quiet, "print only errors");
  c->add_option("--color", s->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla score -m run test.en test.de > scores\n"
      "  hexapla translate -m run < test.en | hexapla score -m run test.en - --word-scores\n"
      "  hexapla score -m run --tsv test.tsv --shard 3/8 --output scores-3\n"
      "  hexapla score -m run test.en test.de --alignment hard | cut -f3 > test.en-de.align\n"
      "Each pair gives one line, in order: the log-probability of the translation including </s>, a tab, and the same\n"
      "with the penalties that the model records for its searches, divided by the length penalty; then the requested\n"
      "columns. Pairs from a pipe are answered as soon as no more input is waiting. Words are separated by\n"
      "whitespace; in scripts without spaces (Chinese, Japanese, Thai, ...) every character is a word; --json lists\n"
      "them. The score of a word is the sum over its tokens; words within one token share its score evenly. The\n"
      "perplexity of all pairs goes to stderr.\n"
      "A pair is never split: of a line longer than --max-length only the beginning is scored, with a warning; the\n"
      "remaining words score 0 and do not count.");
  c->callback([s, &chosen] { chosen = [s] { return s->run(); }; });
}

}  // namespace hexapla::cli
