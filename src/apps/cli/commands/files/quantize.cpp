// hexapla quantize: converts a model to 8-bit integers and measures the loss in BLEU.
#include <fmt/format.h>

#include "base/compute/parallel.h"
#include "cli/command/command.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/terminal.h"
#include "lib/files/quantize.h"

namespace hexapla::cli {
namespace {

struct Quantize {
  api::QuantizeOptions options;
  std::string color = "auto";
  int threads = 0;
  bool quiet = false;

  int run() const {
    use_threads(threads);
    Progress progress(make_terminal(parse_color(color), quiet));
    LineNotes notes(progress);
    const auto say = [&](const std::string& what) {
      notes.finish();
      progress.say(what);
    };
    const auto warn = [&](int64_t line, const std::string& what) { notes.add(line, what); };
    const api::Quantized done = api::quantize(options, {say, warn});
    if (options.valid_sets.empty()) progress.say("the loss in BLEU was not measured; give --valid-sets SOURCE TARGET");
    progress.say(fmt::format("{}: {:.1f} MB, before {:.1f} MB{}", options.output, done.megabytes, done.megabytes_before,
                             done.kept.empty() ? "" : fmt::format("; in f32: {}", fmt::join(done.kept, ", "))));
    return 0;
  }
};

}  // namespace

void add_quantize(Command& app, Action& chosen) {
  auto q = std::make_shared<Quantize>();
  Command* c = app.add_command("quantize", "a model in 8-bit integers: a quarter of the size, faster to translate");
  c->add_option("-m,--model", q->options.model, "model file or training folder")->type_name("MODEL")->required();
  c->add_option("-o,--output", q->options.output, "file to write the quantized model to")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->add_option("--valid-sets", q->options.valid_sets, "measure the loss in BLEU on this text")
      ->expected(2)
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  const auto measured = [q = q.get()] {
    return When{!q->options.valid_sets.empty(),
                "is for measuring the loss in BLEU: give `valid-sets` SOURCE TARGET, or leave it out"};
  };
  c->add_option("--max-bleu-drop", q->options.max_drop, Range<double>{0, 100},
                "keep parts in f32 until the loss is at most this; needs --valid-sets")
      ->default_str("0.3")
      ->when(measured);
  c->add_option("--tokenize,--tok", q->options.tokenize,
                "tokenizer of BLEU: 13a, none, intl, char, zh, ja-mecab or ko-mecab; auto: by the script of TARGET")
      ->default_str("auto")
      ->when(measured);
  c->add_option("--keep", q->options.keep,
                "parts that stay in f32, by the beginning of their names, as in encoder.layers.0.")
      ->type_name("NAME");
  c->add_option("-b,--beam-size", q->options.search.beam_size, ranges::kBeam, "beam size of the measurement")
      ->default_str("4")
      ->when(measured);
  c->add_option("--threads", q->threads, ranges::kThreads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->add_flag("-q,--quiet", q->quiet, "print only errors");
  c->add_option("--color", q->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla quantize -m run -o run8.safetensors --valid-sets val.en val.de\n"
      "  hexapla translate -m run8.safetensors < test.en\n"
      "Weights and embeddings become integers with one scale per column; sums, norms and softmax stay f32.");
  c->callback([q, c, &chosen] {
    q->options.given = given_in(*c);
    chosen = [q] { return q->run(); };
  });
}

}  // namespace hexapla::cli
