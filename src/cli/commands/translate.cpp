// hexapla translate: translates lines from stdin to stdout.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

#include "base/compute/parallel.h"
#include "base/files/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/options/alignment_options.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/shard_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/portions.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/translate_input.h"
#include "decode/lines/opened_line.h"
#include "decode/opened/open_model.h"
#include "decode/options/option_ranges.h"
#include "decode/steps/shortlist.h"
#include "decode/trace/beam_trace.h"
#include "inspect/report/beam_report.h"
#include "inspect/text_pair.h"
#include "text/document/formats/formats.h"

namespace hexapla::cli {
namespace {

// Lines not translated yet.
struct InputLines {
  std::vector<std::string> text;
  std::vector<decode::LineConstraints> requests;  // one per line

  // Adds the next line. -> its bytes; nothing after the last
  std::optional<size_t> add(TranslateInput& from) {
    std::string line;
    decode::LineConstraints request;
    if (!from.next(line, request)) return {};
    text.push_back(std::move(line));
    requests.push_back(std::move(request));
    return text.back().size();
  }
  void keep(size_t lines) {
    text.resize(lines);
    requests.resize(lines);
  }
};

struct Translate {
  std::vector<std::string> models;
  std::string mixture = "linear", prefix_file, glossary, shortlist, trace, color = "auto";
  LanguageFlags languages;
  std::vector<double> weights;
  decode::LineConstraints everywhere;
  decode::DecodingOptions search;
  AlignmentFlags alignment;
  ShardFlags shard;
  std::string input = "-";
  int threads = 0;
  bool jsonl = false, json = false, strict = false, quiet = false;
  bool model_known = false;  // the model is open, its search defaults taken
  std::ostream* out = &std::cout;
  std::function<bool(const std::string& option)> given;
  const Command* command = nullptr;

  decode::TranslateOptions options() const {
    decode::DecodingOptions asked = search;
    // The model's record may have a wider beam.
    if (!model_known && !given("beam-size")) asked.beam_size = std::max(asked.beam_size, asked.n_best);
    decode::TranslateOptions how = asked.translate_options();
    how.search.token_scores = json;
    how.everywhere = everywhere;
    decode::check(how);
    return how;
  }

  int run() {
    check_shortlist();
    everywhere.glossary = read_glossary(glossary);
    check_trace(options());  // rejects bad options before reading a model
    check_shard(options());
    use_threads(threads);
    Progress progress(make_terminal(parse_color(color), quiet));
    say_of_documents(progress);
    const ShardWork work = shard.open(input, models);
    if (!work.note.empty() && !quiet) progress.say(work.note);
    if (!work.answers) {
      progress.say(cat(shard.output, " is complete already"));
      return 0;
    }
    out = &work.answers->out();
    decode::OpenEnsemble m =
        decode::open_ensemble(models, decode::asked_precision(given("precision"), search.precision));
    languages.choose(m.members[0]);  // an ensemble uses the vocabularies of its first model
    model_known = true;
    take_search(*command, m.members[0].file.usage, search);
    decode::TranslateOptions how = options();
    const std::optional<decode::Shortlist> allowed = read_shortlist(m.members[0]);
    if (allowed) how.search.shortlist = &*allowed;
    const decode::TextTranslator translator = m.translator(decode::make_mixture(mixture), weights);
    how.attention = alignment.attention(m.members[0]);
    if (alignment) alignment.options(m.members[0]);  // rejects bad options before translating
    decode::TranslateOptions aligning = how;         // by the first model, with the ensemble's limit
    aligning.max_length = std::min(how.max_length, decode::positions(m.ensemble({}, {})));
    const bool typed = input == "-" && isatty(STDIN_FILENO), prompt = typed && !quiet;
    const auto start = std::chrono::steady_clock::now();
    int64_t first = 0, without = 0;
    LineNotes notes(progress);
    const auto translate = [&](const InputLines& in) {
      if (!trace.empty() && first + static_cast<int64_t>(in.text.size()) > 1)
        throw UsageError("--trace shows the search for one sentence; give one line");
      const auto found =
          translator.translate(decode::Lines{in.text, in.requests, static_cast<uint64_t>(first)}, how,
                               [&](size_t line, const std::string& what) { notes.add(first + int64_t(line), what); });
      write(first, in.text, found, alignment.texts(m.members[0], in.text, found, aligning));
      if (!*out) throw OutputGone();
      if (!trace.empty()) draw_trace(m.members[0], in.text.front(), how.search);
      without += std::count_if(found.begin(), found.end(), [](const auto& all) { return !all.front().whole(); });
      first += static_cast<int64_t>(in.text.size());
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (!typed)
        progress.show(fmt::format("{} lines : {:.1f} lines/s", text::grouped(first), double(first) / seconds));
    };
    InputLines read;
    Portions portions([&] { before_a_wrong_line(std::exchange(read, {}), translate); });
    try {
      const auto lines = open_input(work.part, [&] {
        portions.answer();
        if (prompt) std::cerr << "> " << std::flush;
      });
      portions.read_all([&] { return read.add(*lines); });
    } catch (const OutputGone&) {
      return 1;
    }
    if (prompt) std::cerr << "\n";
    notes.finish();
    work.answers->finish(first);
    if (strict && without > 0)
      throw DataError(fmt::format("--strict: {} without a translation that satisfies the constraints; relax them",
                                  text::counted(without, "line")));
    return 0;
  }

  std::optional<decode::Shortlist> read_shortlist(const decode::OpenModel& m) const {
    if (shortlist.empty()) return {};
    return decode::Shortlist(decode::ShortlistTable::read(shortlist), m.source, m.target, shortlist);
  }

  // Warns of a document in a text format, refuses others: they would be read as lines of text.
  void say_of_documents(Progress& progress) const {
    const text::document::Format* const format = text::document::format_of(input);
    if (format == nullptr || format->ending == ".txt") return;
    if (!format->text) throw UsageError(cat("--input ", input, " is a document: translate it with hexapla document"));
    if (!quiet)
      progress.say(
          cat(input, " is translated line by line, markup included; hexapla document translates its text alone"));
  }

  // Rejects options that may require pieces outside of the shortlist.
  void check_shortlist() const {
    if (shortlist.empty()) return;
    if (jsonl || !prefix_file.empty() || !everywhere.require.empty() || !glossary.empty())
      throw UsageError(
          "--shortlist leaves out what --prefix, --require, --glossary and --jsonl may ask for; leave one of them out");
    if (!languages.target.empty())
      throw UsageError("--shortlist knows no languages; leave out --target-language, or --shortlist");
    if (models.size() > 1) throw UsageError("--shortlist is for one model; give one --model, or leave it out");
    if (!trace.empty()) throw UsageError("--trace shows the search among all pieces; leave out --shortlist");
  }

  void check_trace(const decode::TranslateOptions& how) const {
    if (trace.empty()) return;
    if (jsonl || !prefix_file.empty() || !everywhere.require.empty() || !everywhere.forbid.empty() ||
        !glossary.empty() || how.coverage_penalty != 0)
      throw UsageError(
          "--trace shows plain beam search; leave out --prefix, --require, --forbid, --glossary, --jsonl and "
          "--coverage-penalty");
    if (!trace.ends_with(".svg")) throw UsageError(cat("--trace ", trace, ": the name must end in .svg"));
    decode::check_traceable(how.search);
    if (models.size() > 1) throw UsageError("--trace shows the search of one model; give one --model");
  }

  // Repeats the search for this line step by step, drawn to the file and printed on the terminal.
  void draw_trace(const decode::OpenModel& m, const std::string& line, const decode::SearchOptions& how) const {
    const text::Ids source = inspect::read_source({*m.backend, *m.file.net, m.source, m.target}, line, {});
    const std::vector<text::Ids> sources{source};
    const DType dtype = m.file.net->target_embedding().table.value.dtype;
    Arena arena(decode::search_memory(*m.file.net, sources, how, dtype));
    Context cx{*m.backend, arena, dtype};
    const decode::Trace found = decode::trace_search(cx, *m.file.net, source, how, decode::special_ids(m.target),
                                                     decode::opened_line(m.target, line).opening);
    write_file_atomically(trace, inspect::trace_svg(found, m.target, how.beam_size));
    if (!quiet) say_on_stderr(inspect::trace_text(found, m.target, how.beam_size));
  }

  // Answers the lines before one that cannot be translated as requested, then passes on the error.
  template <class Answer>
  static void before_a_wrong_line(InputLines lines, Answer&& answer) {
    try {
      answer(lines);
    } catch (const decode::LineError& e) {
      lines.keep(e.line);
      if (e.line > 0) answer(lines);
      throw;
    }
  }

  // Rejects options that depend on line numbers: the number of lines before a part is unknown.
  void check_shard(const decode::TranslateOptions& how) const {
    if (input == "-" && (!shard.shard.empty() || !shard.output.empty()))
      throw UsageError(cat(shard.shard.empty() ? "--output" : "--shard", " needs a file: give --input FILE"));
    if (shard.shard.empty()) return;
    const char* const numbered = !prefix_file.empty()             ? "--prefix"
                                 : search.sample                  ? "--sample"
                                 : how.search.n_best > 1 && !json ? "--n-best"
                                 : !trace.empty()                 ? "--trace"
                                                                  : nullptr;
    if (numbered)
      throw UsageError(cat(numbered, " depends on line numbers, which are unknown in a part of a file; leave out ",
                           "--shard",
                           numbered == std::string("--prefix")   ? ", or put the prefixes into --jsonl"
                           : numbered == std::string("--n-best") ? ", or give --json"
                                                                 : ""));
  }

  std::unique_ptr<TranslateInput> open_input(const std::shared_ptr<data::RangeReader>& part,
                                             const data::BeforeWaiting& before_waiting) const {
    if (jsonl && !prefix_file.empty())
      throw UsageError("--jsonl and --prefix both set prefixes; put \"prefix\" into the JSON");
    LinesToTranslate lines = part ? LinesToTranslate{[part](std::string& line) { return part->next(line); }, input}
                                  : lines_of(input, before_waiting);
    if (jsonl) return json_input(std::move(lines));
    if (prefix_file.empty()) return plain_input(std::move(lines));
    return input_with_prefixes(std::move(lines), prefix_file, before_waiting);
  }

  void write(int64_t first, const std::vector<std::string>& sources,
             const std::vector<std::vector<decode::Translation>>& all,
             const std::vector<std::vector<std::string>>& alignments) const {
    for (size_t i = 0; i < all.size(); ++i) {
      if (json) {
        write_json(sources[i], all[i], alignment ? alignments[i] : std::vector<std::string>());
        continue;
      }
      for (size_t j = 0; j < all[i].size(); ++j) {
        const decode::Translation& t = all[i][j];
        const std::string aligned = alignment ? " ||| " + alignments[i][j] : "";
        if (search.n_best == 1)
          *out << t.text << aligned << "\n";
        else
          *out << fmt::format("{} ||| {}{} ||| F0= {:.6f} ||| {:.6f}\n", first + static_cast<int64_t>(i), t.text,
                              aligned, t.score, t.normalized);
      }
    }
    out->flush();
  }

  // alignments: one per translation, or none.
  void write_json(const std::string& source, const std::vector<decode::Translation>& found,
                  const std::vector<std::string>& alignments) const {
    const bool numbers_words = !alignments.empty() && alignment.units != "pieces";
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const decode::Translation& t : found) {
      list.push_back({{"text", t.text},
                      {"score", t.score},
                      {"normalized", t.normalized},
                      {"ids", t.ids},
                      {"token_scores", t.token_scores}});
      if (t.coverage != 0) list.back()["coverage"] = t.coverage;
      if (!alignments.empty()) list.back()["alignment"] = alignments[list.size() - 1];
      if (numbers_words) list.back()["target_words"] = alignment.words_in(t.text);
    }
    nlohmann::ordered_json line{{"translations", std::move(list)}};
    if (numbers_words) line["source_words"] = alignment.words_in(source);
    *out << json_text(line) << "\n";
  }
};

void bind_requests(Translate& t, Command& c) {
  c.add_option(
       "--prefix", t.prefix_file,
       "forced beginning of each translation, one per line; it may end inside a word, a space at its end ends the word")
      ->check(text_input_beside_stdin())
      ->type_name("FILE");
  c.add_option("--require", t.everywhere.require, "words that every translation must contain; may be repeated")
      ->type_name("WORDS")
      ->expected(1)
      ->take_all();
  c.add_option("--forbid", t.everywhere.forbid, "words that no translation may contain; may be repeated")
      ->type_name("WORDS")
      ->expected(1)
      ->take_all();
  bind_glossary(c, t.glossary);
  c.add_flag("--jsonl", t.jsonl, "stdin has JSON objects: {\"text\", \"prefix\", \"require\": [], \"forbid\": []}");
}

}  // namespace

void add_translate(Command& app, Action& chosen) {
  auto t = std::make_shared<Translate>();
  Command* c = app.add_command("translate", "translate lines from stdin to stdout");
  c->add_option("-m,--model", t->models, "model file or training folder; give several for an ensemble")
      ->type_name("MODEL")
      ->expected(1)
      ->take_all();
  const auto of_several = [t = t.get()] {
    return When{t->models.size() > 1, "is for several models: name them with `model`, or leave it out"};
  };
  c->add_option("--ensemble", t->mixture,
                "how an ensemble combines its models: linear (mean of probabilities) or log-linear")
      ->default_str("linear")
      ->when(of_several);
  c->add_option("--weights", t->weights, ranges::model_weight,
                "weight of each model of an ensemble, as in --weights 2,1")
      ->delimiter(',')
      ->when(of_several);
  t->languages.bind(*c);
  bind_options(*c, t->search);
  bind_requests(*t, *c);
  bind_n_best(*c, t->search);
  c->add_option("--shortlist", t->shortlist,
                "compute the output layer only for the pieces that this file allows for a source: of Marian's and "
                "Firefox's (lex.s2t.bin), or made by hexapla shortlist")
      ->type_name("FILE");
  t->alignment.bind(
      *c, [t = t.get()] { return !t->model_known || t->search.unk == "copy" || t->search.coverage_penalty > 0; });
  c->add_flag("--json", t->json, "one JSON object per line: translations, their scores and those of their tokens");
  c->add_option("--trace", t->trace,
                "draw the beam search for one line, step by step: an image (.svg) here, a table on stderr")
      ->check(output_file())
      ->type_name("FILE");
  c->add_option("--input", t->input, "translate the lines of this file instead of stdin")
      ->check(text_input())
      ->type_name("FILE");
  t->shard.bind(*c, "--input");
  c->add_flag("--strict", t->strict, "exit with code 3 if any line has no translation that satisfies the constraints");
  c->add_option("--threads", t->threads, ranges::threads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
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
      "Every input line gives one output line, in order; an empty line gives an empty line. Lines from a pipe or a\n"
      "terminal are translated as soon as no more input is waiting; Ctrl-D ends. Compressed text (.gz, .zst,\n"
      ".xz) is unpacked.");
  c->callback([t, c, &chosen] {
    t->given = given_in(*c);
    t->command = c;
    chosen = [t] { return t->run(); };
  });
}

}  // namespace hexapla::cli
