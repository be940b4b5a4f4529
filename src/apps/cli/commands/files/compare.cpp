// hexapla compare: compares two models, of any formats, on the same text.
#include <iostream>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "cli/command/command.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "lib/files/compare.h"

namespace hexapla::cli {
namespace {

struct Compare {
  std::vector<std::string> models;
  api::CompareOptions options;
  int threads = 0;
  bool json = false;

  int run() {
    use_threads(threads);
    options.first = models[0], options.second = models[1];
    Progress progress(make_terminal(parse_color("auto"), false));
    LineNotes notes(progress);
    const inspect::Comparison c =
        api::compare(options, [&](const std::string& model, size_t line, const std::string& what) {
          notes.add(cat(model, ", line ", line + 1), what);
        });
    notes.finish();
    inspect::print_comparison(std::cout, c, json);
    return 0;
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
  c->add_option("--text", compare->options.text,
                "lines to translate; default: made-up lines of the first model's pieces")
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("--references", compare->options.references, "translations of the text, for BLEU; may be repeated")
      ->repeated()
      ->check(text_input())
      ->type_name("FILE");
  const auto made_up = [compare = compare.get()] {
    return When{compare->options.text.empty(), "is for made-up lines, but `text` has others: leave one of them out"};
  };
  c->add_option("--lines", compare->options.lines, Range<int64_t>{1, 1'000'000}, "number of made-up lines")
      ->default_str("100")
      ->when(made_up);
  c->add_option("--seed", compare->options.seed, ranges::kSeed, "random seed of the made-up lines")
      ->default_str("1")
      ->when(made_up);
  c->add_option("-b,--beam-size", compare->options.beam_size,
                Range<int64_t>{.least = ranges::kBeam.least, .most = ranges::kBeam.most, .zero = "own"},
                "hypotheses kept at each step, in both searches; own: each model's default")
      ->default_str("own");
  decode::DecodingOptions& search = compare->options.search;
  bind_options(*c, select(search.rows(), api::CompareOptions::searched()), search);
  compare->options.given = given_in(*c);
  c->add_option("--threads", compare->threads, ranges::kThreads, "compute threads; 0: one per available core")
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
