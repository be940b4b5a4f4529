// hexapla evaluate: BLEU, chrF and TER of translations, or of a model on a test set.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/compute/parallel.h"
#include "cli/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/language_options.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/terminal.h"
#include "data/files/lines.h"
#include "decode/constraints/glossary.h"
#include "decode/opened/alignment_head.h"
#include "decode/opened/open_model.h"
#include "evaluate/metrics/make_metric.h"
#include "evaluate/tokenization/choose_tokenizer.h"
#include "inspect/report/evaluate_report.h"

namespace hexapla::cli {
namespace {

constexpr int64_t kTokenizedLines = 100;  // this many lines that end in " ." are no coincidence

// One file each: hypotheses (with a model, the source), references, other systems to compare.
struct Evaluate {
  std::vector<std::string> files, metrics{"bleu", "chrf"}, compare;
  std::string model, source, glossary, color = "auto";
  evaluate::MetricOptions metric_options;
  inspect::ReportOptions report;
  decode::BeamOptions search;
  std::function<bool(const std::string& option)> given;
  const Command* command = nullptr;
  LanguageFlags languages;
  int threads = 0;
  bool quiet = false;

  int run() {
    check();
    const std::shared_ptr<const decode::Glossary> terms = read_glossary(glossary);
    evaluate::MetricOptions options = metric_options;
    if (options.tokenize == "auto") options.tokenize = "13a";
    std::vector<std::unique_ptr<evaluate::Metric>> chosen = make_metrics(options);
    inspect::Evaluation e = read();
    if (metric_options.tokenize == "auto") {
      options.tokenize = choose_tokenizer(e);
      chosen = make_metrics(options);
    }
    if (!model.empty()) {
      e.source = std::move(e.systems[0].lines);
      e.systems[0] = {model, translate(e.source, terms)};
    }
    use_threads(threads);
    if (!quiet) warn_of_tokenized_text(e.systems[0]);
    inspect::print_report(std::cout, e, chosen, report);
    return 0;
  }

  std::vector<std::unique_ptr<evaluate::Metric>> make_metrics(const evaluate::MetricOptions& options) const {
    std::vector<std::unique_ptr<evaluate::Metric>> all;
    for (const std::string& name : metrics) all.push_back(evaluate::make_metric(name, options));
    return all;
  }

  bool computes(const char* metric) const { return std::find(metrics.begin(), metrics.end(), metric) != metrics.end(); }

  // Reports a choice that is not sacreBLEU's default.
  std::string choose_tokenizer(const inspect::Evaluation& e) const {
    evaluate::Sentences lines;
    for (const evaluate::Sentences& reference : e.references)
      lines.insert(lines.end(), reference.begin(), reference.end());
    const evaluate::TokenizerChoice choice = evaluate::tokenizer_for(lines);
    const std::string what = evaluate::text_of(choice);
    if (quiet || what.empty()) return choice.name;
    Progress progress(make_terminal(parse_color(color), quiet));
    if (computes("bleu")) progress.say(what + " (--tokenize 13a is sacreBLEU's default)");
    if (computes("ter") && choice.name != "13a" && !(metric_options.ter_normalized && metric_options.ter_asian_support))
      progress.say(cat("the references are ", choice.language, ", and TER takes everything between spaces for a word; ",
                       "--ter-normalized --ter-asian-support separate Chinese and Japanese characters"));
    return choice.name;
  }

  void check() const {
    if (!source.empty() && !model.empty())
      throw UsageError("with -m, the first file is the source; leave out --source");
    if (!compare.empty() && (report.sentence_level || report.best > 0 || report.worst > 0))
      throw UsageError("--compare is about whole test sets; leave out --sentence-level, --best and --worst");
    if (report.sentence_level && (report.best > 0 || report.worst > 0 || report.confidence))
      throw UsageError("--sentence-level lists every sentence; leave out --best, --worst and --confidence");
  }

  inspect::Evaluation read() const {
    inspect::Evaluation e;
    e.systems.push_back({files[0], read_text(files[0])});
    for (size_t i = 1; i < files.size(); ++i) e.references.push_back(read_like_first(e, files[i]));
    const bool silent = std::all_of(e.references.begin(), e.references.end(), [](const evaluate::Sentences& lines) {
      return std::all_of(lines.begin(), lines.end(), [](const std::string& line) { return line.empty(); });
    });
    if (silent) throw DataError(cat(files[1], " has no text in any line; give the translations to compare with"));
    for (const std::string& path : compare) e.systems.push_back({path, read_like_first(e, path)});
    if (!source.empty()) e.source = read_like_first(e, source);
    return e;
  }

  static evaluate::Sentences read_text(const std::string& path) {
    evaluate::Sentences lines = data::read_lines(path);
    if (lines.empty()) throw DataError(cat(path, " is empty; give one sentence per line"));
    return lines;
  }

  evaluate::Sentences read_like_first(const inspect::Evaluation& e, const std::string& path) const {
    evaluate::Sentences lines = read_text(path);
    const size_t first = e.systems[0].lines.size();
    if (lines.size() != first)
      throw DataError(cat(files[0], " has ", first, " lines, but ", path, " has ", lines.size(),
                          "; line i of one must belong to line i of the other"));
    return lines;
  }

  evaluate::Sentences translate(const evaluate::Sentences& lines,
                                const std::shared_ptr<const decode::Glossary>& terms) {
    use_threads(threads);
    decode::OpenModel m = decode::open_translator(model, decode::asked_precision(given("precision"), search.precision));
    languages.choose(m);
    Progress progress(make_terminal(parse_color(color), quiet));
    take_search(*command, m.file.usage, search);
    decode::TranslateOptions how = search.translate_options();
    how.attention = decode::alignment_head(m);
    how.everywhere.glossary = terms;
    evaluate::Sentences out;
    LineNotes notes(progress);
    for (auto& best : m.translator().translate(lines, how, [&](size_t line, const std::string&what) {
           notes.add(fmt::format("{}:{}", files[0], line + 1), what);
         }))
      out.push_back(std::move(best.front().text));
    notes.finish();
    return out;
  }

  void warn_of_tokenized_text(const inspect::System& system) const {
    if (!computes("bleu") || metric_options.tokenize == "none") return;
    const auto ends = std::count_if(system.lines.begin(), system.lines.end(),
                                    [](const std::string& line) { return line.ends_with(" ."); });
    if (ends < kTokenizedLines) return;
    Progress(make_terminal(parse_color(color), quiet))
        .say(fmt::format("{}: {} lines end in ' .'; if the text is tokenized, detokenize it before it is scored",
                         system.name, ends));
  }
};

// The condition that a metric whose name begins with `metric` is computed.
std::function<When()> of_metric(const Evaluate& e, const std::string& metric) {
  return [&e, metric] {
    const bool there = std::any_of(e.metrics.begin(), e.metrics.end(),
                                   [&](const std::string& name) { return name.starts_with(metric); });
    return When{there, "is for " + metric + ", which `metrics` does not name: add it, or leave the other out"};
  };
}

void add_metric_options(Command& c, Evaluate& e) {
  evaluate::MetricOptions& o = e.metric_options;
  o.tokenize = "auto";
  c.add_option(
       "--tokenize,--tok", o.tokenize,
       "tokenizer of BLEU: 13a, none, intl, char, zh, ja-mecab or ko-mecab; auto: by the references' script, 13a if "
       "it writes spaces between words")
      ->default_str("auto")
      ->when(of_metric(e, "bleu"));
  c.add_flag("-l,--lowercase,--lc", o.lowercase, "lowercase for BLEU, sacreBLEU's -lc")->when(of_metric(e, "bleu"));
  c.add_flag("--chrf-lowercase", o.chrf_lowercase, "lowercase for chrF and chrF++")->when(of_metric(e, "chrf"));
  c.add_flag("--ter-case-sensitive", o.ter_case_sensitive, "TER: case-sensitive")->when(of_metric(e, "ter"));
  c.add_flag("--ter-normalized", o.ter_normalized, "TER: separate punctuation from words")->when(of_metric(e, "ter"));
  c.add_flag("--ter-no-punct", o.ter_no_punct, "TER: ignore punctuation")->when(of_metric(e, "ter"));
  c.add_flag("--ter-asian-support", o.ter_asian_support, "TER: apply the two above to Chinese and Japanese, too")
      ->when(of_metric(e, "ter"));
}

void add_report_options(Command& c, Evaluate& e) {
  inspect::ReportOptions& o = e.report;
  const auto resampling = [&e] {
    return When{e.report.confidence || !e.compare.empty(),
                "is for resampling: give `confidence` or `compare`, or leave it out"};
  };
  c.add_flag("--confidence,--ci", o.confidence, "mean and 95 % confidence interval, by bootstrap resampling");
  c.add_option("--resamples", o.resample.samples, Range<int64_t>{2, 1'000'000},
               "number of resamples for --compare and --confidence")
      ->default_str("1000")
      ->when(resampling);
  c.add_option("--resample-seed", o.resample.seed, ranges::seed,
               "random seed; draws the same sentences as sacreBLEU with that seed")
      ->default_str("12345")
      ->when(resampling);
  c.add_flag("--sentence-level", o.sentence_level, "print a tab-separated table with one line of scores per sentence");
  c.add_option("--worst", o.worst, ranges::count, "list the N sentences with the worst scores in the first metric")
      ->type_name("N");
  c.add_option("--best", o.best, ranges::count, "list the N sentences with the best scores in the first metric")
      ->type_name("N");
  c.add_flag("--json", o.json, "JSON with sacreBLEU's keys");
}

}  // namespace

void add_evaluate(Command& app, Action& chosen) {
  auto e = std::make_shared<Evaluate>();
  Command* c = app.add_command("evaluate", "BLEU, chrF and TER, equal to sacreBLEU's");
  c->add_option("files", e->files, "HYPOTHESES REFERENCES..., or with -m SOURCE REFERENCES... (plain, .gz, .zst, .xz)")
      ->expected(-2)
      ->required()
      ->check(text_input())
      ->type_name("FILE FILE...");
  c->add_option("-m,--model", e->model, "translate SOURCE with this model first")->type_name("MODEL");
  c->add_option("--metrics", e->metrics, "any of bleu,chrf,chrf++,ter")->delimiter(',')->default_str("bleu,chrf");
  add_metric_options(*c, *e);
  c->add_option(
       "--compare", e->compare,
       "translations of another system, tested against the first by paired bootstrap resampling; may be repeated")
      ->repeated()
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("--source", e->source, "source text to show with --worst and --best")
      ->check(text_input())
      ->type_name("FILE")
      ->when([e = e.get()] {
        return When{e->report.worst > 0 || e->report.best > 0,
                    "is shown with `worst` and `best`: give one of them, or leave it out"};
      });
  add_report_options(*c, *e);
  bind_options(*c, e->search);
  decode::BeamOptions::visit(e->search, [&](const std::string& name, const auto&...) {
    c->get_option("--" + name)->when([e = e.get(), declared = condition_of(e->search, name)] {
      return e->model.empty() ? When{false, "is for translating: give a `model`, or leave it out"} : declared();
    });
  });
  const auto translating = [e = e.get()] {
    return When{!e->model.empty(), "is for translating: give a `model`, or leave it out"};
  };
  bind_glossary(*c, e->glossary)->when(translating);
  e->languages.bind(*c, translating);
  c->add_option("--threads", e->threads, ranges::threads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->add_flag("-q,--quiet", e->quiet, "print only errors");
  c->add_option("--color", e->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla evaluate test.hyp.de test.de --lowercase\n"
      "  hexapla evaluate hyp ref1 ref2 --metrics bleu,chrf++,ter --confidence\n"
      "  hexapla evaluate baseline.de test.de --compare better.de --compare other.de\n"
      "  hexapla evaluate -m run test.en test.de --beam-size 5 --metrics bleu --json --worst 10");
  c->callback([e, c, &chosen] {
    e->given = given_in(*c);
    e->command = c;
    chosen = [e] { return e->run(); };
  });
}

}  // namespace hexapla::cli
