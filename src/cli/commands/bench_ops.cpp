// hexapla bench ops: every kind of op at training shapes, compared with arithmetic or memory
// limits.
#include <iostream>

#include "api/program/bench.h"
#include "base/compute/parallel.h"
#include "cli/commands/bench.h"

namespace hexapla::cli {
namespace {

struct BenchOps {
  api::OpsBench options;
  int threads = 0;

  int run() const {
    use_threads(threads);
    api::bench_ops(options, [](const std::string& lines) { std::cout << lines << std::flush; });
    return 0;
  }
};

}  // namespace

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

}  // namespace hexapla::cli
