// hexapla bench: the speed of training and translation, on made-up ids and untrained weights.
#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "base/classic.h"
#include "base/compute/parallel.h"
#include "base/json.h"
#include "cli/command/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "lib/program/bench.h"

namespace hexapla::cli {
namespace {

constexpr Range<int64_t> kVocabulary{8, model::Config::kVocabulary.most};

// Not getrusage(), which includes the process that started this one.
int64_t peak_mib() {
  Classic<std::ifstream> status("/proc/self/status");
  for (std::string key; status >> key;)
    if (int64_t kib = 0; key == "VmHWM:" && status >> kib) return kib / 1024;
  return 0;
}

// Every kind of op at training shapes, compared with arithmetic or memory limits.
struct BenchOps {
  api::OpsBench options;
  int threads = 0;

  int run() const {
    use_threads(threads);
    api::bench_ops(options, [](const std::string& lines) { std::cout << lines << std::flush; });
    return 0;
  }
};

struct BenchTrain {
  api::TrainBench options;
  int threads = 0;
  bool json = false;

  int run() const {
    use_threads(threads);
    const api::MeasuredTraining m = api::bench_train(options);
    if (json) {
      std::cout << nlohmann::ordered_json{{"tokens_per_second", m.tokens_per_second},
                                          {"products_fraction", m.products_share},
                                          {"steps", m.steps},
                                          {"peak_mib", peak_mib()}}
                << "\n";
      return 0;
    }
    const api::TrainBench& o = options;
    std::cout << fmt::format(
        "{} {} V={} tokens={} dropout={} {} {} threads={}: {:.0f} target tokens/s, {:.0f} % of it products, {} steps, "
        "peak {} MiB\n",
        o.preset, o.lengths, o.vocabulary, o.tokens, o.dropout, m.precision, m.products, hexapla::threads(),
        m.tokens_per_second, 100 * m.products_share, m.steps, peak_mib());
    return 0;
  }
};

struct BenchTranslate {
  std::string new_model;  // if given, only writes an untrained model here
  api::TranslateBench options;
  int threads = 1;
  bool json = false;

  int run() const {
    if (!new_model.empty()) {
      api::write_untrained(options, new_model);
      return 0;
    }
    use_threads(threads);
    Progress progress(make_terminal(parse_color("auto"), false));
    LineNotes notes(progress);
    const api::MeasuredTranslation m = api::bench_translate(
        options, [&](size_t line, const std::string& what) { notes.add(static_cast<int64_t>(line), what); });
    notes.finish();
    if (options.text.empty())
      print_ids(m);
    else
      print_text(m);
    return 0;
  }

  void print_text(const api::MeasuredTranslation& m) const {
    if (json)
      std::cout << nlohmann::ordered_json{{"seconds", m.seconds},
                                          {"lines_per_second", m.rate},
                                          {"peak_mib", peak_mib()}}
                << "\n";
    else
      std::cout << fmt::format("beam={} batch={} {} threads={}: {:.1f} lines/s, {:.2f} s, peak {} MiB\n", options.beam,
                               options.batch, m.products, hexapla::threads(), m.rate, m.seconds, peak_mib());
  }

  void print_ids(const api::MeasuredTranslation& m) const {
    if (json)
      std::cout << nlohmann::ordered_json{{"tokens_per_second", m.rate}, {"peak_mib", peak_mib()}} << "\n";
    else
      std::cout << fmt::format(
          "{} beam={} batch={} {} threads={}: {:.0f} tokens/s, {:.1f} ms per sentence, peak {} MiB\n",
          options.model.empty() ? options.preset : options.model, options.beam, options.batch, m.products,
          hexapla::threads(), m.rate, 1e3 * static_cast<double>(options.length) / m.rate, peak_mib());
  }
};

void add_bench_ops(Command& bench, Action& chosen) {
  auto b = std::make_shared<BenchOps>();
  Command* c = bench.add_command("ops", "each op against the arithmetic or memory limit of this machine");
  c->add_option("--preset", b->options.preset, "tiny, small, base or big: the shapes")->default_str("tiny");
  c->add_option("--rows", b->options.rows, Range<int64_t>{32, 1 << 20}, "tokens per batch")->default_str("2048");
  c->add_option("--vocab-size", b->options.vocabulary, Range<int64_t>{16, model::Config::kVocabulary.most}, "pieces")
      ->default_str("10000");
  c->add_option("--precision", b->options.precision, "auto, f32 or bf16")->default_str("auto");
  c->add_option("--threads", b->threads, ranges::kThreads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->footer(
      "The last column is the share of the limit: for products and attention the inner loop of a product without\n"
      "memory access, for the others a copy of as many bytes as the op reads and writes, both measured in this run.");
  c->callback([b, &chosen] { chosen = [b] { return b->run(); }; });
}

void add_bench_train(Command& bench, Action& chosen) {
  auto b = std::make_shared<BenchTrain>();
  Command* c = bench.add_command("train", "target tokens per second in training, and the share of matrix products");
  c->add_option("--preset", b->options.preset, "tiny, small, base or big")->default_str("tiny");
  c->add_option("--lengths", b->options.lengths, "wmt or multi30k: how long sentences are")
      ->choices({"wmt", "multi30k"})
      ->default_str("wmt");
  c->add_option("--vocab-size", b->options.vocabulary, kVocabulary, "pieces")->default_str("10000");
  c->add_option("--batch-tokens", b->options.tokens, ranges::kBatchTokens, "target tokens per batch")
      ->default_str("2048");
  c->add_option("--dropout", b->options.dropout, ranges::kBelow1,
                "dropout on sublayer outputs, attention weights and hidden layers")
      ->default_str("0.1");
  c->add_option("--precision", b->options.precision, "auto, f32 or bf16")->default_str("auto");
  bind_device(*c, b->options.device);
  c->add_option("--seconds", b->options.seconds, Range<double>{0, 1e6}, "seconds to measure")->default_str("10");
  c->add_option("--threads", b->threads, ranges::kThreads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->add_option("--write-batches", b->options.batches_file,
                "write the batches to this file, as JSON, for another program to train on")
      ->check(output_file())
      ->type_name("FILE");
  c->add_flag("--json", b->json, "as JSON");
  c->callback([b, &chosen] { chosen = [b] { return b->run(); }; });
}

void add_bench_translate(Command& bench, Action& chosen) {
  auto b = std::make_shared<BenchTranslate>();
  Command* c = bench.add_command("translate", "tokens per second at a fixed length, or a model's lines per second");
  // `beside`, but never when only writing a model.
  const auto measures = [b = b.get()](const When& beside = kAlways) {
    const When writes{false, "is for a measurement, but `write-model` writes a model and stops: leave one of them out"};
    return b->new_model.empty() ? beside : writes;
  };
  const auto always = [measures] { return measures(); };
  const auto of_text = [=, b = b.get()] {
    return measures({!b->options.text.empty(), "is for `text`: give it, or leave this out"});
  };
  const auto made_up = [=, b = b.get()] {
    return measures(
        {b->options.text.empty(), "is for made-up sentences, but `text` has others: leave one of them out"});
  };
  const auto untrained = [b = b.get()] {
    return When{b->options.model.empty(),
                "is for an untrained model, but `model` names another: leave one of them out"};
  };
  c->add_option("-m,--model", b->options.model, "model to measure")->type_name("MODEL")->when(always);
  c->add_option("--write-model", b->new_model, "write an untrained model of --preset to this file, and stop")
      ->check(output_file())
      ->type_name("FILE");
  c->add_option("--text", b->options.text, "text to translate, one sentence per line")
      ->check(text_input())
      ->type_name("FILE")
      ->when(always);
  c->add_option("-o,--output", b->options.output, "file to write its translations to")
      ->check(output_file())
      ->type_name("FILE")
      ->when(of_text);
  c->add_option("--shortlist", b->options.shortlist, "of --text: only pieces that this file allows")
      ->type_name("FILE")
      ->when(of_text);
  c->add_option("--preset", b->options.preset, "tiny, small, base or big")->default_str("base")->when(untrained);
  c->add_option("--vocab-size", b->options.vocabulary, kVocabulary, "pieces")->default_str("32000")->when(untrained);
  c->add_option("--precision", b->options.precision, "f32, bf16 or int8")
      ->choices({"f32", "bf16", "int8"})
      ->default_str("f32")
      ->when(always);
  bind_device(*c, b->options.device)->when(always);
  c->add_option("-b,--beam-size", b->options.beam, ranges::kBeam, "1: greedy")->default_str("4")->when(always);
  c->add_option("--batch-size", b->options.batch, Range<int64_t>{1, 100'000}, "sentences per batch")
      ->default_str("32")
      ->when(always);
  c->add_option("--sentences", b->options.sentences, Range<int64_t>{1, 1'000'000}, "sentences in total")
      ->default_str("64")
      ->when(made_up);
  c->add_option("--length", b->options.length, Range<int64_t>{2, 10'000}, "tokens per sentence, on both sides")
      ->default_str("30")
      ->when(made_up);
  c->add_option("--rounds", b->options.rounds, Range<int64_t>{1, 1000}, "rounds; the result is their median")
      ->default_str("3")
      ->when(always);
  c->add_option("--threads", b->threads, ranges::kThreads, "compute threads; 0: one per available core")
      ->default_str("1")
      ->when(always);
  c->add_flag("--json", b->json, "as JSON")->when(always);
  c->callback([b, c, &chosen] {
    b->options.precision_given = c->was_given("--precision");
    chosen = [b] { return b->run(); };
  });
}

}  // namespace

void add_bench(Command& app, Action& chosen) {
  Command* c = app.add_command("bench", "measure the speed of training and translation on synthetic text");
  c->require_command();
  c->footer(
      "Examples:\n"
      "  hexapla bench ops --preset base\n"
      "  hexapla bench train --preset base --lengths wmt\n"
      "  hexapla bench translate --preset tiny --vocab-size 10000 --precision int8 --threads 1");
  add_bench_ops(*c, chosen);
  add_bench_train(*c, chosen);
  add_bench_translate(*c, chosen);
}

}  // namespace hexapla::cli
