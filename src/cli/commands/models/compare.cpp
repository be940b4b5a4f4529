// hexapla compare: compares two models, of any formats, on the same text.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "cli/any_model.h"
#include "cli/command.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "data/files/lines.h"
#include "decode/options/named/search_defaults.h"
#include "evaluate/metrics/make_metric.h"
#include "evaluate/tokenization/choose_tokenizer.h"
#include "inspect/report/comparison.h"

namespace hexapla::cli {
namespace {

struct Compare {
  std::vector<std::string> models;
  std::string text;
  std::vector<std::string> references;
  int64_t lines = 100, beam_size = 0;
  decode::BeamOptions asked;
  std::function<bool(const std::string& option)> given;
  uint64_t seed = 1;
  int threads = 0;
  bool json = false;

  int run() const {
    if (text.empty() && !references.empty())
      throw UsageError("--references are translations of --text; give it, too", "references", references.front());
    use_threads(threads);
    const evaluate::Sentences sources = text.empty() ? evaluate::Sentences{} : read_text(text);
    std::vector<evaluate::Sentences> all;
    for (const std::string& path : references) all.push_back(read_text(path));
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].size() != sources.size())
        throw DataError(cat(text, " has ", sources.size(), " lines, but ", references[i], " has ", all[i].size(),
                            "; line i of one must belong to line i of the other"));
    const decode::OpenModel first = open_any_model(models[0]), second = open_any_model(models[1]);
    Progress progress(make_terminal(parse_color("auto"), false));
    LineNotes notes(progress);
    inspect::Comparison c =
        inspect::compare({models[0], first, search_of(first)}, {models[1], second, search_of(second)},
                         text.empty() ? inspect::lines_of_pieces(first.source, lines, seed) : sources,
                         [&](const std::string& model, size_t line, const std::string& what) {
                           notes.add(cat(model, ", line ", line + 1), what);
                         });
    notes.finish();
    if (!all.empty()) add_scores(c, all);
    inspect::print_comparison(std::cout, c, json);
    return 0;
  }

  static evaluate::Sentences read_text(const std::string& path) {
    evaluate::Sentences all = data::read_lines(path);
    if (all.empty()) throw DataError(cat(path, " is empty; give one sentence per line"));
    return all;
  }

  // Search options that apply to both models.
  static const std::vector<std::string>& searched() {
    static const std::vector<std::string> names{"length-penalty", "length-normalization", "stop-when"};
    return names;
  }

  // The model's own search defaults, overridden by given options.
  decode::TranslateOptions search_of(const decode::OpenModel& m) const {
    decode::BeamOptions options = asked;
    decode::take_search_defaults(
        m.file.usage,
        [&](const std::string& name) {
          return std::find(searched().begin(), searched().end(), name) != searched().end() && given(name);
        },
        options);
    if (beam_size > 0) options.beam_size = beam_size;
    options.protect = "none";  // both models see the whole text
    return options.translate_options();
  }

  static void add_scores(inspect::Comparison& c, const std::vector<evaluate::Sentences>& references) {
    evaluate::Sentences lines;
    for (const evaluate::Sentences& one : references) lines.insert(lines.end(), one.begin(), one.end());
    const auto bleu = evaluate::make_metric("bleu", {.tokenize = evaluate::tokenizer_for(lines).name});
    for (const evaluate::Sentences& translated : c.translated)
      c.scores.push_back(evaluate::corpus_score(*bleu, translated, references));
    c.signature = evaluate::signature(*bleu, references.size());
  }
};

}  // namespace

void add_compare(Command& app, Action& chosen) {
  auto compare = std::make_shared<Compare>();
  Command* c = app.add_command("compare", "compare two models, of any formats, on the same text");
  c->add_option("models", compare->models,
                "A B: model files, training folders, or models of other systems, as import reads them")
      ->expected(2)
      ->required()
      ->type_name("MODEL MODEL");
  c->add_option("--text", compare->text, "lines to translate; default: made-up lines of the first model's pieces")
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("--references", compare->references, "translations of the text, for BLEU; may be repeated")
      ->repeated()
      ->check(text_input())
      ->type_name("FILE");
  const auto made_up = [compare = compare.get()] {
    return When{compare->text.empty(), "is for made-up lines, but `text` has others: leave one of them out"};
  };
  c->add_option("--lines", compare->lines, Range<int64_t>{1, 1'000'000}, "number of made-up lines")
      ->default_str("100")
      ->when(made_up);
  c->add_option("--seed", compare->seed, ranges::seed, "random seed of the made-up lines")
      ->default_str("1")
      ->when(made_up);
  c->add_option("-b,--beam-size", compare->beam_size,
                Range<int64_t>{.least = ranges::beam.least, .most = ranges::beam.most, .zero = "own"},
                "hypotheses kept at each step, in both searches; own: each model's default")
      ->default_str("own");
  bind_options(*c, compare->asked, Compare::searched());
  compare->given = given_in(*c);
  c->add_option("--threads", compare->threads, ranges::threads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->add_flag("--json", compare->json, "JSON, with the lines that are translated otherwise");
  c->footer(
      "Both compute in f32. A model of another system is imported to a temporary file (below TMPDIR) first; what "
      "needs\n"
      "options of import is to be imported before. Numbers are compared where the target pieces are the same, while\n"
      "both are fed the first model's translation.\n"
      "Examples:\n"
      "  hexapla compare opus-mt-en-de ct2-en-de --text test.en --references test.de\n"
      "  hexapla compare run run-hf --text test.en --length-normalization power --length-penalty 0.45\n"
      "  hexapla compare run run8.safetensors --text test.en --json");
  c->callback([compare, &chosen] { chosen = [compare] { return compare->run(); }; });
}

}  // namespace hexapla::cli
