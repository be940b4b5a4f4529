// hexapla shortlist: lists the pieces that a translation may use for each source piece.
#include <fmt/format.h>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "cli/command/command.h"
#include "cli/options/output_files.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"
#include "lib/jobs/text/shortlist.h"

namespace hexapla::cli {
namespace {

constexpr Range<int64_t> kListed{0, 100000};

struct MakeShortlist {
  api::ShortlistJob job;
  std::vector<std::string> files;
  std::string color = "auto";
  int threads = 0;
  bool quiet = false;

  int run() {
    if (job.lexicon.empty() ? files.size() != 2 : !files.empty())
      throw UsageError("give two files, SOURCE and TARGET, for the model to align, or one table: --lexicon FILE");
    if (!files.empty()) job.source = files[0], job.target = files[1];
    use_threads(threads);
    JobTerminal terminal(color, quiet);
    const auto made = api::make_shortlist(
        job, terminal.watch([](const auto& p) { return fmt::format("{} pairs aligned", text::grouped(p.done)); }));
    terminal.finish();
    terminal.progress().say(fmt::format("{} of {} have a list, {:.1f} on average; {} for every line",
                                        text::counted(made.source_pieces, "source piece"),
                                        text::grouped(made.vocabulary), made.average, job.first));
    return 0;
  }
};

}  // namespace

void add_shortlist(Command& app, Action& chosen) {
  auto make = std::make_shared<MakeShortlist>();
  Command* c = app.add_command("shortlist", "list the pieces that translations may use, for translate --shortlist");
  c->add_option("files", make->files, "pairs that the model aligns: two files, SOURCE and TARGET")
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_option("-m,--model", make->job.model, "model file or training folder, whose pieces are listed")
      ->type_name("MODEL")
      ->required();
  c->add_option(
       "--lexicon", make->job.lexicon,
       "instead of pairs: a table of probabilities, TARGET SOURCE PROBABILITY per line, as Marian's tools write it")
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("--first", make->job.first, kListed,
                "number of the most frequent pieces (lowest ids), which every line may use")
      ->default_str("100");
  c->add_option("--best", make->job.best, kListed, "maximum number of pieces listed for a source piece")
      ->default_str("100");
  c->add_option("-o,--output", make->job.output, "file to write, in Marian's binary format")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->add_option("--threads", make->threads, ranges::kThreads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->add_flag("-q,--quiet", make->quiet, "print only errors");
  c->add_option("--color", make->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla shortlist -m run train.en train.de -o lex.bin\n"
      "  hexapla translate -m run --shortlist lex.bin < test.en\n"
      "The output layer is then computed only for the listed pieces, and a translation cannot use others: a shorter\n"
      "list is faster, but changes more translations.");
  c->callback([make, &chosen] { chosen = [make] { return make->run(); }; });
}

}  // namespace hexapla::cli
