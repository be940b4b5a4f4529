// hexapla evaluate: BLEU, chrF and TER of translations, or of a model on a test set.
#include <algorithm>
#include <iostream>

#include "base/compute/parallel.h"
#include "cli/command/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/language_options.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"
#include "lib/jobs/text/evaluate.h"

namespace hexapla::cli {
namespace {

struct Evaluate {
  api::EvaluateJob job;
  decode::DecodingOptions search;
  std::string color = "auto";
  const Command* command = nullptr;
  bool quiet = false;

  int run() {
    use_threads(job.how.threads);
    give_search(*command, search, job);
    JobTerminal terminal(color, quiet);
    api::evaluate_files(job, std::cout, terminal.watch());
    terminal.finish();
    return 0;
  }
};

// The condition that a metric whose name begins with `metric` is computed.
std::function<When()> of_metric(const Evaluate& e, const std::string& metric) {
  return [&e, metric] {
    const auto& all = e.job.metrics.metrics;
    const bool there =
        std::any_of(all.begin(), all.end(), [&](const std::string& name) { return name.starts_with(metric); });
    return When{there, "is for " + metric + ", which `metrics` does not name: add it, or leave this option out"};
  };
}

void add_metric_options(Command& c, Evaluate& e) {
  EvaluatorOptions& o = e.job.metrics;
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
  inspect::ReportOptions& o = e.job.report;
  const auto resampling = [&e] {
    return When{e.job.report.confidence || !e.job.compare.empty(),
                "is for resampling: give `confidence` or `compare`, or leave it out"};
  };
  c.add_flag("--confidence,--ci", o.confidence, "mean and 95 % confidence interval, by bootstrap resampling");
  c.add_option("--resamples", o.resample.samples, Range<int64_t>{2, 1'000'000},
               "number of resamples for --compare and --confidence")
      ->default_str("1000")
      ->when(resampling);
  c.add_option("--resample-seed", o.resample.seed, ranges::kSeed,
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
  c->add_option("files", e->job.files,
                "HYPOTHESES REFERENCES..., or with -m SOURCE REFERENCES... (plain, .gz, .zst, .xz)")
      ->expected(-2)
      ->required()
      ->check(text_input())
      ->type_name("FILE FILE...");
  bind_models(*c, e->job.models, "translate SOURCE with this model first; give several for an ensemble");
  c->add_option("--metrics", e->job.metrics.metrics, "any of bleu,chrf,chrf++,ter")
      ->delimiter(',')
      ->default_str("bleu,chrf");
  add_metric_options(*c, *e);
  c->add_option(
       "--compare", e->job.compare,
       "translations of another system, tested against the first by paired bootstrap resampling; may be repeated")
      ->repeated()
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("--source", e->job.source, "source text to show with --worst and --best")
      ->check(text_input())
      ->type_name("FILE")
      ->when([e = e.get()] {
        return When{e->job.report.worst > 0 || e->job.report.best > 0,
                    "is shown with `worst` and `best`: give one of them, or leave it out"};
      });
  add_report_options(*c, *e);
  for (const OptionRow& row : e->search.rows_of_search())
    declare_option(*c, row)->when([e = e.get(), declared = condition_of(e->search, row.name)] {
      return e->job.models.empty() ? When{false, "is for translating: give a `model`, or leave it out"} : declared();
    });
  const auto translating = [e = e.get()] {
    return When{!e->job.models.empty(), "is for translating: give a `model`, or leave it out"};
  };
  bind_device(*c, e->job.how.device)->group("Speed")->when(translating);
  bind_glossary(*c, e->job.glossary)->when(translating);
  bind_languages(*c, e->job.how.source_language, e->job.how.target_language, translating);
  c->add_option("--threads", e->job.how.threads, ranges::kThreads, "compute threads; 0: one per available core")
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
