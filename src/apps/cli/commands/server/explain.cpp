// hexapla explain: writes the tour of the Transformer for one sentence as one web page.
#include <fmt/format.h>

#include "base/compute/parallel.h"
#include "cli/command/command.h"
#include "cli/options/output_files.h"
#include "cli/terminal/terminal.h"
#include "serve/job/explain_job.h"

namespace hexapla::cli {
namespace {

struct Explain {
  serve::ExplainJob job;
  int threads = 0;

  int run() {
    use_threads(threads);
    const auto [bytes, layers, all, warnings] = serve::explain(job);
    for (const std::string& warning : warnings) say_on_stderr(warning + "\n");
    say_on_stderr(fmt::format("{}: {} kB, with {} of {} layers\n", job.out, (bytes + 999) / 1000, layers, all));
    return 0;
  }
};

}  // namespace

void add_explain(Command& app, Action& chosen) {
  auto e = std::make_shared<Explain>();
  Command* c = app.add_command("explain", "write the tour of the Transformer for one sentence as one web page");
  c->add_option("-m,--model", e->job.model, "model file or training folder")->type_name("MODEL")->required();
  c->add_option("--src", e->job.source, "the source sentence")->type_name("TEXT")->required();
  c->add_option("--tgt", e->job.target, "its translation; if absent, the source is translated")->type_name("TEXT");
  c->add_option("--out", e->job.out, "the page to write")->check(output_file())->type_name("FILE")->required();
  c->add_option("--lang", e->job.language, "language of the page: en or zh; default: the browser's")
      ->type_name("LANGUAGE")
      ->choices({"en", "zh"});
  c->add_option("--threads", e->threads, ranges::kThreads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->footer(
      "Examples:\n"
      "  hexapla explain -m run --src 'A dog runs.' --out tour.html\n"
      "  hexapla explain -m run --src 'A dog runs.' --tgt 'Ein Hund rennt.' --lang zh --out tour.html\n"
      "The page is that of hexapla serve with its Tour alone. It is one file that needs neither a server nor a\n"
      "network: open it in a browser, on slides or as homework. It contains the server's answers about the sentence.\n"
      "If all layers would make it larger than 2 MB, it has only the first ones. Experiments need the server.");
  c->callback([e, &chosen] { chosen = [e] { return e->run(); }; });
}

}  // namespace hexapla::cli
