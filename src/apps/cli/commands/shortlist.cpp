// hexapla shortlist: lists the pieces that a translation may use for each source piece.
#include <fmt/format.h>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "cli/command/command.h"
#include "cli/options/output_files.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"
#include "hexapla/shortlist.h"

namespace hexapla::cli {
namespace {

constexpr Range<int64_t> kListed{0, 100000};

struct MakeShortlist {
  ShortlistOptions options;
  std::string model, lexicon, output;
  std::vector<std::string> files;
  std::string color = "auto";
  int threads = 0;
  bool quiet = false;

  int run() {
    if (lexicon.empty() ? files.size() != 2 : !files.empty())
      throw UsageError("give two files, SOURCE and TARGET, for the model to align, or one table: --lexicon FILE");
    if (!lexicon.empty()) files = {lexicon};
    use_threads(threads);
    JobTerminal terminal(color, quiet);
    options.warn = terminal.notes_on_lines();
    options.on_progress = [&](size_t pairs) {
      terminal.progress().show(fmt::format("{} pairs aligned", text::grouped(static_cast<int64_t>(pairs))));
    };
    const ShortlistSize made = make_shortlist(model, files, output, options);
    terminal.say(fmt::format("{} of {} have a list, {:.1f} on average; {} for every line",
                             text::counted(made.source_pieces, "source piece"), text::grouped(made.vocabulary),
                             made.average, options.first));
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
  c->add_option("-m,--model", make->model, "model file or training folder, whose pieces are listed")
      ->type_name("MODEL")
      ->required();
  c->add_option(
       "--lexicon", make->lexicon,
       "instead of pairs: a table of probabilities, TARGET SOURCE PROBABILITY per line, as Marian's tools write it")
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("--first", make->options.first, kListed,
                "number of the most frequent pieces (lowest ids), which every line may use")
      ->default_str("100");
  c->add_option("--best", make->options.best, kListed, "maximum number of pieces listed for a source piece")
      ->default_str("100");
  c->add_option("-o,--output", make->output, "file to write, in Marian's binary format")
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
