// hexapla quantize: converts a model to 8-bit integers and measures the loss in BLEU.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/terminal.h"
#include "data/files/corpus.h"
#include "decode/opened/open_model.h"
#include "decode/options/named/search_defaults.h"
#include "evaluate/metrics/bleu.h"
#include "evaluate/tokenization/choose_tokenizer.h"
#include "model/weights/mixed_precision.h"
#include "model/weights/quantize.h"

namespace hexapla::cli {
namespace {

constexpr double kMaxDrop = 0.3;

struct Quantize {
  std::string model, output, tokenize = "auto", color = "auto";
  std::vector<std::string> valid_sets, keep;
  std::optional<double> max_drop;
  decode::BeamOptions search;
  std::function<bool(const std::string& option)> given;
  int threads = 0;
  bool quiet = false;

  int run() const {
    if (!valid_sets.empty() && valid_sets.size() != 2)
      throw UsageError("--valid-sets takes two files, the source and the target text");
    if (tokenize != "auto") evaluate::bleu_tokenizer(tokenize);
    use_threads(threads);
    Progress progress(make_terminal(parse_color(color), quiet));
    const std::string file = model::model_file(model);
    if (decode::integers_in(file) > 0)
      throw DataError(cat(file, " is already quantized; give the model that it was made from"));
    model::LoadedModel m = model::load_model(file);
    model::check_kept(*m.net, keep);
    std::vector<std::string> kept = keep;
    if (valid_sets.empty()) {
      save(m, kept);
      progress.say("the loss in BLEU was not measured; give --valid-sets SOURCE TARGET");
    } else {
      kept = within_limit(m, kept, progress);
    }
    const auto size = [](const std::string& path) {
      return static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    };
    progress.say(fmt::format("{}: {:.1f} MB, before {:.1f} MB{}", output, size(output), size(model::model_file(model)),
                             kept.empty() ? "" : fmt::format("; in f32: {}", fmt::join(kept, ", "))));
    return 0;
  }

  void save(model::LoadedModel& m, const std::vector<std::string>& kept) const {
    model::save_quantized(output, *m.net, m.text(), m.history, kept);
  }

  evaluate::BleuScore bleu(const std::string& path, const data::Corpus& valid, const evaluate::BleuOptions& by,
                           const decode::LineWarning& warn = {}) const {
    const decode::OpenModel m = decode::open_translator(path, {});
    decode::BeamOptions of_model = search;
    decode::take_search_defaults(m.file.usage, given, of_model);
    const decode::TranslateOptions how = of_model.translate_options();
    std::vector<std::string> best;
    for (const auto& found : m.translator().translate(valid.source, how, warn)) best.push_back(found.front().text);
    return evaluate::corpus_bleu(best, valid.target, by);
  }

  // Reverts parts to f32, the most sensitive first, until the loss is within the limit. -> the
  // parts in f32
  std::vector<std::string> within_limit(model::LoadedModel& m, std::vector<std::string> kept,
                                        Progress& progress) const {
    const data::Corpus valid = data::read_parallel(valid_sets[0], valid_sets[1]);
    const evaluate::TokenizerChoice choice =
        tokenize == "auto" ? evaluate::tokenizer_for(valid.target) : evaluate::TokenizerChoice{tokenize, "", ""};
    if (const std::string what = evaluate::text_of(choice); !what.empty()) progress.say(what);
    const evaluate::BleuOptions by{.tokenize = choice.name};
    LineNotes notes(progress);
    const evaluate::BleuScore before =
        bleu(model::model_file(model), valid, by,
             [&](size_t line, const std::string& what) { notes.add(valid.lines[line] - 1, what); });
    notes.finish();
    const double whole = before.score;
    progress.say(fmt::format("{}\nf32: BLEU {:.2f}", before.signature, whole));
    const auto measure = [&](const std::vector<std::string>& parts) {
      save(m, parts);
      return bleu(output, valid, by).score;
    };
    const double now = measure(kept);
    progress.say(fmt::format("int8: BLEU {:.2f}, a change of {:+.2f}", now, now - whole));
    const auto watch = [&](const std::string& part, double score, bool stays) {
      progress.say(stays
                       ? fmt::format("keeping {} in f32: BLEU {:.2f}, a change of {:+.2f}", part, score, score - whole)
                       : fmt::format("  {} in f32: BLEU {:.2f}", part, score));
    };
    kept = model::parts_to_keep({whole, max_drop.value_or(kMaxDrop), measure, watch}, model::quantizable_parts(*m.net),
                                kept, now);
    measure(kept);
    return kept;
  }
};

}  // namespace

void add_quantize(Command& app, Action& chosen) {
  auto q = std::make_shared<Quantize>();
  Command* c = app.add_command("quantize", "a model in 8-bit integers: a quarter of the size, faster to translate");
  c->add_option("-m,--model", q->model, "model file or training folder")->type_name("MODEL")->required();
  c->add_option("-o,--output", q->output, "file to write the quantized model to")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->add_option("--valid-sets", q->valid_sets, "measure the loss in BLEU on this text")
      ->expected(2)
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  const auto measured = [q = q.get()] {
    return When{!q->valid_sets.empty(),
                "is for measuring the loss in BLEU: give `valid-sets` SOURCE TARGET, or leave it out"};
  };
  c->add_option("--max-bleu-drop", q->max_drop, Range<double>{0, 100},
                "keep parts in f32 until the loss is at most this; needs --valid-sets")
      ->default_str("0.3")
      ->when(measured);
  c->add_option("--tokenize,--tok", q->tokenize,
                "tokenizer of BLEU: 13a, none, intl, char, zh, ja-mecab or ko-mecab; auto: by the script of TARGET")
      ->default_str("auto")
      ->when(measured);
  c->add_option("--keep", q->keep, "parts that stay in f32, by the beginning of their names, as in encoder.layers.0.")
      ->type_name("NAME");
  c->add_option("-b,--beam-size", q->search.beam_size, ranges::beam, "beam size of the measurement")
      ->default_str("4")
      ->when(measured);
  c->add_option("--threads", q->threads, ranges::threads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->add_flag("-q,--quiet", q->quiet, "print only errors");
  c->add_option("--color", q->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla quantize -m run -o run8.safetensors --valid-sets val.en val.de\n"
      "  hexapla translate -m run8.safetensors < test.en\n"
      "Weights and embeddings become integers with one scale per column; sums, norms and softmax stay f32. On\n"
      "processors without AVX512_VNNI the model is computed in f32, with the rounded weights.");
  c->callback([q, c, &chosen] {
    q->given = given_in(*c);
    chosen = [q] { return q->run(); };
  });
}

}  // namespace hexapla::cli
