// hexapla document: translates the text of a file into another file.
#include <fmt/format.h>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "cli/command/command.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/terminal/job_terminal.h"
#include "lib/jobs/text/document.h"

namespace hexapla::cli {
namespace {

struct DocumentCommand {
  api::DocumentJob job;
  decode::DecodingOptions search;
  std::string color = "auto";
  bool quiet = false;
  const Command* command = nullptr;

  int run() {
    if (job.output.empty()) throw UsageError("--output is missing: give the file to write");
    use_threads(job.how.threads);
    JobTerminal terminal(color, quiet);
    if (command->was_given("--precision")) job.how.precision = search.precision;
    job.search = given_options(*command, without(rows_of(search), {"precision"}));
    api::JobWatch watch = terminal.watch([](const api::JobProgress& p) {
      return fmt::format("{} of {} lines : {:.1f} lines/s", text::grouped(p.done), text::grouped(p.all),
                         p.per_second());
    });
    return terminal.run(watch, [&] { api::translate_document(job, watch); });
  }
};

}  // namespace

void add_document(Command& app, Action& chosen) {
  auto d = std::make_shared<DocumentCommand>();
  Command* c = app.add_command("document", "translate a file: a page, subtitles, an office document");
  bind_models(*c, d->job.models, "model file or training folder; give several for an ensemble")->required();
  c->add_option("-i,--input", d->job.input, "the file; its name ends in " + text::document::format_list())
      ->type_name("DOCUMENT")
      ->required();
  c->add_option("-o,--output", d->job.output, "the file to write, of the same format")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->add_flag("--attributes", d->job.attributes,
              "translate alt, title, placeholder and the description of a page (.html), too");
  bind_languages(*c, d->job.how.source_language, d->job.how.target_language);
  bind_options(*c, d->search.rows_of_search(), d->search);
  bind_device(*c, d->job.how.device)->group("Speed");
  bind_glossary(*c, d->job.glossary);
  c->add_option("--threads", d->job.how.threads, ranges::kThreads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->add_option("--color", d->color, "auto, always or never")->default_str("auto");
  c->add_flag("-q,--quiet", d->quiet, "print only errors");
  c->footer(
      "Examples:\n"
      "  hexapla document -m run --input page.html --output seite.html\n"
      "  hexapla document -m run --input page.html --output seite.html --attributes\n"
      "  hexapla document -m run --input film.srt --output film.de.srt --beam-size 2\n"
      "Everything but text stays byte-identical. Bold, links and other markup follow their words, as the model's\n"
      "attention aligns them (docs/alignment.md); models trained with --guided-alignment place them best.");
  d->command = c;
  c->callback([d, &chosen] { chosen = [d] { return d->run(); }; });
}

}  // namespace hexapla::cli
