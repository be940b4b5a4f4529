// hexapla document: translates the text of a file into another file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/compute/parallel.h"
#include "base/compute/timing.h"
#include "base/error.h"
#include "base/files/file.h"
#include "cli/command/command.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/terminal/job_terminal.h"
#include "hexapla/hexapla.h"

namespace hexapla::cli {
namespace {

struct DocumentCommand {
  std::vector<std::string> models;
  ModelOptions how;
  decode::DecodingOptions search;
  DocumentOptions parts;
  std::string input, output, glossary;
  std::string color = "auto";
  bool quiet = false;
  const Command* command = nullptr;

  int run() {
    if (output.empty()) throw UsageError("--output is missing: give the file to write");
    use_threads(how.threads);
    JobTerminal terminal(color, quiet);
    const Options given = given_search(*command, search, how);
    return terminal.run([&](const std::atomic<bool>& stop) { translate(given, stop, terminal); });
  }

 private:
  void translate(const Options& given, const std::atomic<bool>& stop, JobTerminal& terminal) const {
    check_formats();
    const std::string content = read_file(input);
    const std::vector<std::string> lines = lines_of(content);
    const Glossary terms = glossary.empty() ? Glossary() : Glossary::read(glossary);
    { const AtomicFile writable(output); }  // fails now, not after translating
    if (lines.empty()) terminal.say(cat("`input` ", input, " has no text to translate; the output is a copy"));
    const Translator translator(models, how);
    TranslatorOptions options = TranslatorOptions::from(given);
    options.glossary = terms;
    options.warn = [&](size_t line, const std::string& what) {
      terminal.note(cat("'", text::document::beginning(lines[line - 1]), "'"), what);
    };
    options.stop = &stop;
    if (terminal.progress().terminal().live)
      options.on_progress = [&, start = std::chrono::steady_clock::now()](size_t done) {
        terminal.progress().show(fmt::format("{} of {} lines : {:.1f} lines/s",
                                             text::grouped(static_cast<int64_t>(done)),
                                             text::grouped(std::ssize(lines)),

                                             static_cast<double>(done) / seconds_since(start)));
      };
    write_file_atomically(output, translator.translate_document(content, input, options, parts));
  }
  void check_formats() const {
    const DocumentFormat format = document_format(input), other = document_format(output);
    if (format.ending.empty())
      throw UsageError(cat("`input` ", input, ": no supported document format: ", format.advice));
    if (!other.ending.empty() && other.type != format.type)
      throw UsageError(cat("`output` ", output, ": the format stays; give it a name that ends in ", format.ending));
  }
  std::vector<std::string> lines_of(const std::string& content) const {
    try {
      return document_lines(content, input, parts);
    } catch (const DataError& e) {
      throw DataError(cat(input, ": ", e.what()));
    }
  }
};

}  // namespace

void add_document(Command& app, Action& chosen) {
  auto d = std::make_shared<DocumentCommand>();
  Command* c = app.add_command("document", "translate a file: a page, subtitles, an office document");
  bind_models(*c, d->models, d->how, "model file or training folder; give several for an ensemble")->required();
  c->add_option("-i,--input", d->input,
                fmt::format("the file; its name ends in {}", fmt::join(document_formats(), ", ")))
      ->type_name("DOCUMENT")
      ->required();
  c->add_option("-o,--output", d->output, "the file to write, of the same format")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->add_flag("--attributes", d->parts.attributes,
              "translate alt, title, placeholder and the description of a page (.html), too");
  bind_languages(*c, d->how.source_language, d->how.target_language);
  bind_options(*c, d->search.rows_of_search(), d->search);
  bind_device(*c, d->how.device)->group("Speed");
  bind_glossary(*c, d->glossary);
  c->add_option("--threads", d->how.threads, ranges::kThreads,
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
