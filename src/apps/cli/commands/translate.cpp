// hexapla translate: translates lines from stdin to stdout.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>

#include "base/compute/parallel.h"
#include "base/compute/timing.h"
#include "base/error.h"
#include "base/files/file.h"
#include "cli/command/command.h"
#include "cli/options/alignment_options.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/shard_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"
#include "cli/text/translate_input.h"
#include "cli/text/translate_job.h"
#include "cli/text/translation_text.h"
#include "hexapla/hexapla.h"

namespace hexapla::cli {
namespace {

// Thrown if the reader of the output has exited (head).
struct OutputGone {};

// Translates lines while they are read, and writes them.
class Translating {
 public:
  Translating(const TranslateJob& job, const Glossary& terms, JobTerminal& terminal)
      : job_(job),
        terminal_(terminal),
        translator_(job.models, how_to_open(job)),
        options_(options_of(terms)),
        complete_(translator_.complete(options_)),
        format_{*complete_.n_best, job.json, job.alignment.kind, job.alignment.units != "pieces"} {
    job.alignment.refuse_idle(complete_.unk == "copy" || *complete_.coverage_penalty > 0);
    if (job.alignment) Alignment().text(job.alignment.kind);  // checks it
  }

  // file: null: stdout. typed: the lines come from a terminal, which is asked for each; else progress is shown.
  void translate(TextFile lines, ShardFile* file, bool typed, bool quiet) {
    const auto input = input_of(std::move(lines));
    LineSource source = [&](std::string& line, Constraints& asked) {
      if (typed && !quiet && !input->ready()) std::cerr << "> " << std::flush;
      return read(*input, line, asked);
    };
    source.ready = [&] { return input->ready(); };
    TranslationStream stream = translator_.stream(std::move(source), options_);
    for (const auto& found : stream) {
      write(found, file);
      if (stream.ready() > 0) continue;
      if (!file && !std::cout.flush()) throw OutputGone();
      if (!job_.trace.empty()) draw_trace();
      if (!typed) show_progress();
    }
  }

  int64_t lines() const { return lines_; }
  int64_t without() const { return without_; }

 private:
  static ModelOptions how_to_open(const TranslateJob& job) {
    ModelOptions how = job.how;
    how.alignment_layer = job.alignment.layer, how.alignment_head = job.alignment.head;
    return how;
  }
  TranslatorOptions options_of(const Glossary& terms) const {
    TranslatorOptions options = TranslatorOptions::from(job_.search);
    options.require = job_.require, options.forbid = job_.forbid;
    options.glossary = terms;
    if (job_.alignment) options.alignment = job_.alignment.units;
    options.warn = terminal_.notes_on_lines();
    return options;
  }
  std::unique_ptr<TranslateInput> input_of(TextFile lines) const {
    if (job_.jsonl) return json_input(std::move(lines));
    if (job_.prefixes.empty()) return plain_input(std::move(lines));
    return input_with_prefixes(std::move(lines), job_.prefixes);
  }
  bool read(TranslateInput& input, std::string& line, Constraints& asked) {
    if (!input.next(line, asked)) return false;
    ++read_;
    if (!job_.trace.empty()) last_ = line;
    return true;
  }
  void write(const std::vector<Translation>& found, ShardFile* file) {
    if (!job_.trace.empty() && read_ > 1) throw UsageError("`trace` shows the search for one sentence; give one line");
    const std::string text = format_.text(lines_++, found);
    without_ += std::isinf(found.front().score);
    file ? file->write(text) : static_cast<void>(std::cout << text);
  }
  // Repeats the search for the only line step by step; draws it to the file and describes it.
  void draw_trace() const {
    const SearchTrace trace = translator_.trace(last_, options_);
    write_file_atomically(job_.trace, trace.picture);
    terminal_.say(trace.table.substr(0, trace.table.find_last_not_of('\n') + 1));
  }
  void show_progress() {
    terminal_.progress().show(fmt::format("{} lines : {:.1f} lines/s", text::grouped(lines_),
                                          static_cast<double>(lines_) / seconds_since(start_)));
  }

  const TranslateJob& job_;
  JobTerminal& terminal_;
  const Translator translator_;
  const TranslatorOptions options_, complete_;
  const TranslationFormat format_;
  std::string last_;                            // line that was read, for a trace
  int64_t read_ = 0, lines_ = 0, without_ = 0;  // lines_: written
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Translate {
  TranslateJob job;
  decode::DecodingOptions search;
  std::string color = "auto";
  bool strict = false, quiet = false;
  const Command* command = nullptr;

  int run() {
    use_threads(job.how.threads);
    job.search = given_search(*command, search, job.how);
    JobTerminal terminal(color, quiet);
    const Glossary terms = job.glossary.empty() ? Glossary() : Glossary::read(job.glossary);
    check(job);
    if (const std::string note = note_of_document(job); !note.empty()) terminal.say(note);
    if (!job.shard.given()) return translate({}, nullptr, terms, terminal);
    OpenShard open(job.shard, job.input, job.models, *command, [&](const auto& note) { terminal.say(note); });
    return open.complete() ? 0 : translate(std::move(open.part), open.file ? &*open.file : nullptr, terms, terminal);
  }

 private:
  // part: none: the whole input, which is opened after the models. -> the exit code
  int translate(std::optional<TextFile> part, ShardFile* file, const Glossary& terms, JobTerminal& terminal) const {
    Translating translating(job, terms, terminal);
    const bool typed = job.input == "-" && isatty(STDIN_FILENO);
    try {
      translating.translate(part ? std::move(*part) : TextFile(job.input), file, typed, quiet);
    } catch (const OutputGone&) {
      return 1;
    } catch (const UsageError& e) {  // what a file asks for is data
      if (!job.prefixes.empty() && e.option() == "prefix") throw DataError(e.what());
      throw;
    }
    if (file) file->finish(translating.lines());
    if (typed && !quiet) std::cerr << "\n";
    terminal.finish();
    if (strict && translating.without() > 0)
      throw DataError(fmt::format("--strict: {} without a translation that satisfies the constraints; relax them",
                                  text::counted(translating.without(), "line")));
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
  bind_models(*c, t->job.models, t->job.how, "model file or training folder; give several for an ensemble")
      ->list()
      ->required();
  bind_languages(*c, t->job.how.source_language, t->job.how.target_language);
  bind_options(*c, t->search.rows(), t->search);
  bind_device(*c, t->job.how.device)->group("Speed");
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
