// hexapla document: translates the text of a file into another file.
#include <fmt/format.h>

#include <chrono>

#include "api/guard.h"
#include "api/translate/document.h"
#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/file.h"
#include "cli/command.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/terminal.h"
#include "decode/options/named/decoding_options.h"
#include "text/document/formats/formats.h"

namespace hexapla::cli {
namespace {

struct DocumentCommand {
  std::vector<std::string> models;
  LanguageFlags languages;
  std::string input, output, glossary, color = "auto";
  decode::BeamOptions search;
  int threads = 0;
  bool quiet = false, attributes = false;
  const Command* command = nullptr;

  int run() const {
    if (output.empty()) throw UsageError("--output is missing: give the file to write");
    use_threads(threads);
    const api::SpelledAsFlags flags;
    Progress progress(make_terminal(parse_color(color), quiet));
    const auto document = open();
    const Glossary terms = glossary.empty() ? Glossary() : Glossary::read(glossary);
    { const AtomicFile writable(output); }  // fails now, not after translating
    try {
      write_file_atomically(output, translate(*document, terms, progress));
      return 0;
    } catch (const Canceled&) {
      progress.say("stopped; nothing was written");
      return 128 + caught_signal();
    }
  }

 private:
  std::shared_ptr<const text::document::Document> open() const {
    const text::document::Format* const format = text::document::format_of(input);
    if (format == nullptr)
      throw UsageError(cat("--input ", input, ": no supported document format: ", text::document::advice_for(input)));
    if (const text::document::Format* const other = text::document::format_of(output);
        other && other->type != format->type)
      throw UsageError(cat("--output ", output, ": the format stays; give it a name that ends in ", format->ending));
    const std::string content = read_file(input);
    try {
      return text::document::read(*format, content, attributes);
    } catch (const DataError& e) {
      throw DataError(cat(input, ": ", e.what()));
    }
  }

  // Names a text by its first characters, because documents have no line numbers.
  static std::string beginning(const std::string& line) {
    std::size_t end = std::min<std::size_t>(line.size(), 40);
    while (end < line.size() && (line[end] & 0xC0) == 0x80) ++end;
    return fmt::format("'{}{}'", line.substr(0, end), end < line.size() ? ".." : "");
  }

  std::string translate(const text::document::Document& document, const Glossary& terms, Progress& progress) const {
    ModelOptions how;
    how.threads = threads;
    how.source_language = languages.source, how.target_language = languages.target;
    if (command->was_given("--precision")) how.precision = search.precision;
    const Translator translator(models, how);
    TranslatorOptions options = TranslatorOptions::from(given_options(*command, search, {"precision"}));
    options.glossary = terms;
    LineNotes notes(progress);
    options.warn = [&](std::size_t line, const std::string& what) {
      notes.add(beginning(document.lines()[line]), what);
    };
    options.stop = &stop_on_signals();
    const auto start = std::chrono::steady_clock::now();
    const std::string all = text::grouped(static_cast<int64_t>(document.lines().size()));
    std::string translated = api::translated(translator, document, options, [&](std::size_t done) {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      progress.show(fmt::format("{} of {} lines : {:.1f} lines/s", text::grouped(static_cast<int64_t>(done)), all,
                                static_cast<double>(done) / seconds));
    });
    notes.finish();
    return translated;
  }
};

}  // namespace

void add_document(Command& app, Action& chosen) {
  auto d = std::make_shared<DocumentCommand>();
  Command* c = app.add_command("document", "translate a file: a page, subtitles, an office document");
  c->add_option("-m,--model", d->models, "model file or training folder; give several for an ensemble")
      ->type_name("MODEL")
      ->expected(1)
      ->take_all()
      ->required();
  c->add_option("-i,--input", d->input, "the file; its name ends in " + text::document::format_list())
      ->type_name("DOCUMENT")
      ->required();
  c->add_option("-o,--output", d->output, "the file to write, of the same format")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->add_flag("--attributes", d->attributes,
              "translate alt, title, placeholder and the description of a page (.html), too");
  d->languages.bind(*c);
  bind_options(*c, d->search);
  bind_glossary(*c, d->glossary);
  c->add_option("--threads", d->threads, ranges::threads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->add_option("--color", d->color, "auto, always or never")->default_str("auto");
  c->add_flag("-q,--quiet", d->quiet, "print only warnings and errors");
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
