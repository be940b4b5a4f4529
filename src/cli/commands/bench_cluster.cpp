// hexapla bench cluster: measures an update on the available processes and predicts it for more.
#include <iostream>

#include "api/program/bench.h"
#include "base/compute/parallel.h"
#include "base/files/file.h"
#include "cli/commands/bench.h"
#include "cli/options/output_files.h"

namespace hexapla::cli {
namespace {

struct BenchCluster {
  api::ClusterBench options;
  std::string svg;
  int threads = 1;

  int run() const {
    use_threads(threads);
    const api::MeasuredCluster measured = api::bench_cluster(options);
    std::cout << measured.report;
    if (!svg.empty() && !measured.svg.empty()) write_file_atomically(svg, measured.svg);
    return 0;
  }
};

}  // namespace

void add_bench_cluster(Command& bench, Action& chosen) {
  auto b = std::make_shared<BenchCluster>();
  Command* c = bench.add_command("cluster", "an update by several processes: measured, and computed for up to 1,024");
  c->add_option("--preset", b->options.load.preset, "tiny, small, base or big")->default_str("tiny");
  c->add_option("--vocab-size", b->options.load.vocabulary, Range<int64_t>{8, model::Config::kVocabulary.most},
                "pieces")
      ->default_str("10000");
  c->add_option("--batch-tokens", b->options.load.tokens, Range<int64_t>{128, 1'000'000},
                "target tokens of a process's batch")
      ->default_str("2048");
  c->add_option("--precision", b->options.precision, "auto, f32 or bf16")->default_str("auto");
  c->add_option("--seconds", b->options.load.seconds, Range<double>{0, 1e6}, "seconds of each measurement")
      ->default_str("10");
  c->add_option("--gbit", b->options.rates, Range<double>{.least = 0, .most = 1e6, .open_least = true},
                "rates of links to compute for, in Gbit/s")
      ->delimiter(',')
      ->default_str("1,10,25,100");
  c->add_flag("--overlap", b->options.overlap, "overlap the sums with the backward pass, computed and measured");
  c->add_option("--threads", b->threads, ranges::kThreads, "compute threads of each process; 0: one per available core")
      ->default_str("1");
  c->add_flag("--json", b->options.json, "as JSON, in seconds");
  c->add_option("--svg", b->svg, "draw the efficiency at the first three rates into this file")
      ->check(output_file())
      ->type_name("FILE");
  c->footer(
      "Started by mpirun, it measures 1, 2, 4, ... of the processes, their exchanges, and whole updates, and compares\n"
      "these with the prediction from the parts. Started alone, it measures the step and assumes latencies.\n"
      "Examples:\n"
      "  hexapla bench cluster --preset tiny --seconds 2\n"
      "  hexapla bench cluster --preset base --batch-tokens 4096 --gbit 10,25 --svg base.svg\n"
      "  mpirun -n 4 hexapla bench cluster --preset tiny");
  c->callback([b, &chosen] { chosen = [b] { return b->run(); }; });
}

}  // namespace hexapla::cli
