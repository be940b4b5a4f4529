// hexapla evaluate: BLEU, chrF and TER of translations, or of a model on a test set.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/shell_word.h"
#include "cli/command/command.h"
#include "cli/options/conflicts.h"
#include "cli/options/declare_option.h"
#include "cli/options/language_options.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"
#include "cli/text/evaluate_report.h"
#include "hexapla/hexapla.h"

namespace hexapla::cli {
namespace {

constexpr auto kWholeSets = "`compare` is about whole test sets; leave out `sentence-level`, `best` and `worst`";
constexpr auto kOneRun =
    "sentences are those of one file; leave out the others, or `best`, `worst` and `sentence-level`";
constexpr auto kEverySentence = "`sentence-level` lists every sentence; leave out `best`, `worst` and `confidence`";
constexpr Conflict kEvaluateConflicts[] = {
    {"source", "model", "with -m, the first file is the source; leave out `source`"},
    {"compare", "sentence-level", kWholeSets},
    {"compare", "best", kWholeSets},
    {"compare", "worst", kWholeSets},
    {"several runs", "sentence-level", kOneRun},
    {"several runs", "best", kOneRun},
    {"several runs", "worst", kOneRun},
    {"sentence-level", "best", kEverySentence},
    {"sentence-level", "worst", kEverySentence},
    {"sentence-level", "confidence", kEverySentence},
};

// Files have one sentence per line.
struct Evaluate {
  std::vector<std::string> files;    // hypotheses (with a model, the source), references
  std::vector<std::string> compare;  // hypotheses of other systems
  std::string source;                // shown with the best and worst sentences; "": none
  EvaluatorOptions metrics;          // all but its resamples:
  int resamples = 1000;
  ReportOptions report;
  std::vector<std::string> models;  // translate the source first, as an ensemble; none: the hypotheses are given
  ModelOptions how;
  decode::DecodingOptions search;
  std::string glossary, color = "auto";
  const Command* command = nullptr;
  bool quiet = false;

  int run() {
    use_threads(how.threads);
    const Options options = given_search(*command, search, how);
    JobTerminal terminal(color, quiet);
    check();
    const Glossary terms = glossary.empty() ? Glossary() : Glossary::read(glossary);
    if (report.confidence || !compare.empty()) metrics.resamples = resamples;
    const Evaluator evaluator(metrics);  // before reading text
    Evaluation e = read();
    const std::vector<std::string> of_references = evaluator.notes({}, e.references);
    for (const std::string& note : of_references) terminal.say(note);
    if (!models.empty()) translate(e, options, terms, terminal);
    const std::vector<std::string> notes = evaluator.notes(e.systems[0].lines(), e.references);
    for (size_t i = of_references.size(); i < notes.size(); ++i) terminal.say(cat(e.systems[0].name, ": ", notes[i]));
    std::vector<std::vector<MetricScore>> scores;
    for (const System& system : e.systems) scores.push_back(scores_of(system, e.references, evaluator));
    print_report(std::cout, e, scores, report);
    terminal.finish();
    return 0;
  }

 private:
  void check() const {
    refuse_conflicts(kEvaluateConflicts,
                     {{"source", !source.empty()},
                      {"model", !models.empty()},
                      {"compare", !compare.empty()},
                      {"several runs", models.empty() && joined_paths(files[0], "files").size() > 1},
                      {"sentence-level", report.sentence_level},
                      {"best", report.best > 0},
                      {"worst", report.worst > 0},
                      {"confidence", report.confidence}});
  }
  static std::vector<MetricScore> scores_of(const System& system, const std::vector<Evaluator::Lines>& references,
                                            const Evaluator& evaluator) {
    std::vector<std::vector<MetricScore>> by_metric;
    for (const Evaluator::Lines& lines : system.runs) {
      const std::vector<MetricScore> of_run = evaluator.score(lines, references);
      by_metric.resize(of_run.size());
      for (size_t i = 0; i < of_run.size(); ++i) by_metric[i].push_back(of_run[i]);
    }
    std::vector<MetricScore> scores;
    for (const std::vector<MetricScore>& runs : by_metric) scores.push_back(Evaluator::of_runs(runs));
    return scores;
  }
  Evaluator::Lines read_like_first(const Evaluation& e, const std::string& path) const {
    Evaluator::Lines lines = read_lines(path);
    const size_t first = e.systems[0].lines().size();
    if (lines.size() != first)
      throw DataError(cat(files[0], " has ", first, " lines, but ", path, " has ", lines.size(),
                          "; line i of one must belong to line i of the other"));
    return lines;
  }
  Evaluation read() const {
    Evaluation e;
    const std::vector<std::string> first = models.empty() ? joined_paths(files[0], "files") : std::vector{files[0]};
    e.systems.push_back({files[0], {read_lines(first[0])}});
    for (size_t i = 1; i < first.size(); ++i) e.systems[0].runs.push_back(read_like_first(e, first[i]));
    for (size_t i = 1; i < files.size(); ++i) e.references.push_back(read_like_first(e, files[i]));
    const auto silent = [](const Evaluator::Lines& lines) {
      return std::all_of(lines.begin(), lines.end(), [](const std::string& line) { return line.empty(); });
    };
    if (std::all_of(e.references.begin(), e.references.end(), silent))
      throw DataError(cat(files[1], " has no text in any line; give the translations to compare with"));
    for (const std::string& paths : compare) {
      System system{paths, {}};
      for (const std::string& path : joined_paths(paths, "compare")) system.runs.push_back(read_like_first(e, path));
      e.systems.push_back(std::move(system));
    }
    if (!source.empty()) e.source = read_like_first(e, source);
    return e;
  }
  // Replaces the source by its translations.
  void translate(Evaluation& e, const Options& given, const Glossary& terms, JobTerminal& terminal) const {
    const Translator translator(models, how);
    TranslatorOptions options = TranslatorOptions::from(given);
    options.glossary = terms;
    options.warn = [&](size_t line, const std::string& what) { terminal.note(cat(files[0], ":", line), what); };
    e.source = std::move(e.systems[0].runs[0]);
    e.systems[0] = {fmt::format("{}", fmt::join(models, " + ")), {translator.translate(e.source, options)}};
  }
};

// The condition that a metric whose name begins with `metric` is computed.
std::function<When()> of_metric(const Evaluate& e, const std::string& metric) {
  return [&e, metric] {
    const auto& all = e.metrics.metrics;
    const bool there =
        std::any_of(all.begin(), all.end(), [&](const std::string& name) { return name.starts_with(metric); });
    return When{there, "is for " + metric + ", which `metrics` does not name: add it, or leave this option out"};
  };
}

void add_metric_options(Command& c, Evaluate& e) {
  EvaluatorOptions& o = e.metrics;
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
  ReportOptions& o = e.report;
  const auto resampling = [&e] {
    return When{e.report.confidence || !e.compare.empty(),
                "is for resampling: give `confidence` or `compare`, or leave it out"};
  };
  c.add_flag("--confidence,--ci", o.confidence, "mean and 95 % confidence interval, by bootstrap resampling");
  c.add_option("--resamples", e.resamples, Range<int64_t>{2, 1'000'000},
               "number of resamples for --compare and --confidence")
      ->default_str("1000")
      ->when(resampling);
  c.add_option("--resample-seed", e.metrics.resample_seed, ranges::kSeed,
               "random seed; draws the same sentences as sacreBLEU with that seed")
      ->default_str("12345")
      ->when(resampling);
  c.add_flag("--sentence-level", o.sentence_level, "print a tab-separated table with one line of scores per sentence");
  c.add_option("--worst", o.worst, ranges::kCount, "list the N sentences with the worst scores in the first metric")
      ->type_name("N");
  c.add_option("--best", o.best, ranges::kCount, "list the N sentences with the best scores in the first metric")
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
  bind_models(*c, e->models, e->how, "translate SOURCE with this model first; give several for an ensemble");
  c->add_option("--metrics", e->metrics.metrics, "any of bleu,chrf,chrf++,ter")
      ->delimiter(',')
      ->default_str("bleu,chrf");
  add_metric_options(*c, *e);
  c->add_option(
       "--compare", e->compare,
       "translations of another system, tested against the first by paired bootstrap resampling; may be repeated; "
       "runs of one system with several seeds, of the first, too, are joined: a-1.de+a-2.de")
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
  for (const OptionRow& row : e->search.rows_of_search())
    declare_option(*c, row)->when([e = e.get(), declared = condition_of(e->search, row.name)] {
      return e->models.empty() ? When{false, "is for translating: give a `model`, or leave it out"} : declared();
    });
  const auto translating = [e = e.get()] {
    return When{!e->models.empty(), "is for translating: give a `model`, or leave it out"};
  };
  bind_device(*c, e->how.device)->group("Speed")->when(translating);
  bind_glossary(*c, e->glossary)->when(translating);
  bind_languages(*c, e->how.source_language, e->how.target_language, translating);
  c->add_option("--threads", e->how.threads, ranges::kThreads, "compute threads; 0: one per available core")
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
    e->command = c;
    chosen = [e] { return e->run(); };
  });
}

}  // namespace hexapla::cli
