// hexapla bench cluster: measures an update on the available processes and predicts it for more.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <optional>
#include <thread>

#include "backend/cpu/cpu.h"
#include "base/compute/parallel.h"
#include "base/files/file.h"
#include "base/json.h"
#include "cli/commands/bench.h"
#include "cli/options/output_files.h"
#include "cli/terminal/terminal.h"
#include "inspect/drawing/chart.h"
#include "train/cluster/mpi/launched_processes.h"
#include "train/scale/measurement.h"
#include "train/scale/some_processes.h"

namespace hexapla::cli {
namespace {

using nlohmann::ordered_json;

constexpr double wanted = 0.9;
// Assumed if not measured: TCP between hosts in one room.
constexpr train::scale::Network usual_tcp{25e-6, 5e-6, 0};
constexpr int most_processes = 1024;

// Measurements with the first `processes` processes.
struct Measured {
  int processes = 1;
  train::scale::Work work;
  std::vector<train::scale::MeasuredExchange> exchanges;
  train::scale::Network network;
  train::scale::MeasuredUpdates updates;
  std::optional<train::scale::MeasuredUpdates> beside;  // with overlap, if requested
  train::scale::Predicted predicted(train::scale::Sums sums = train::scale::Sums::behind_step) const {
    return train::scale::simulate(work, network, processes, sums);
  }
};

std::string milliseconds(double seconds) { return fmt::format("{:.1f}", seconds * 1e3); }
std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }
double bytes_of(double gigabits) { return gigabits * 1e9 / 8; }
std::string gigabits_text(double rate) { return fmt::format("{:.{}f} Gbit/s", rate, rate < 9.95 ? 1 : 0); }

struct BenchCluster {
  train::scale::Workload load;
  std::string precision = "auto", svg;
  std::vector<double> rates{1, 10, 25, 100};  // Gbit/s
  int threads = 1;
  bool json = false, overlap = false;

  int run() {
    const auto processes = train::cluster::launched_processes();
    use_threads(threads);
    const Precision p = parse_precision(precision);
    load.precision = name_of(p);
    const auto backend = make_cpu_backend(p);
    std::vector<Measured> measured;
    for (int n = 1; n <= processes->count(); n *= 2) measured.push_back(measure(*processes, n, *backend));
    if (!processes->first()) return 0;
    const std::string on =
        cat(load.preset, ", ", text::grouped(measured[0].work.numbers), " parameters, batches of ",
            text::grouped(load.tokens), " tokens, ", name_of(p), ", ", product_implementation(*backend), ", ",
            text::counted(hexapla::threads(), "thread"), " a process");
    std::cout << (json ? as_json(on, measured) : as_text(on, measured));
    if (!svg.empty()) write_file_atomically(svg, drawn(measured.front().work, link_of(measured)));
    return 0;
  }

  // The other processes wait; after a second they stop using their cores.
  Measured measure(train::cluster::Processes& all, int n, Backend& backend) const {
    train::cluster::wait_for_all(all);
    std::string result;
    Measured m;
    m.processes = n;
    if (all.number() < n) {
      train::scale::FirstProcesses some(all, n);
      if (n < all.count()) std::this_thread::sleep_for(std::chrono::milliseconds(1200));
      m.work = train::scale::measure_work(load, backend, some);
      if (n > 1) m.exchanges = train::scale::measure_exchanges(some), m.network = train::scale::fit(m.exchanges);
      if (n > 1 && overlap) m.network.processor_per_byte = train::scale::measure_processor_per_byte(some);
      m.updates = train::scale::measure_updates(load, train::scale::Sums::behind_step, backend, some);
      if (n > 1 && overlap)
        m.beside = train::scale::measure_updates(load, train::scale::Sums::beside_step, backend, some);
    }
    return m;
  }

  train::scale::Sums sums() const {
    return overlap ? train::scale::Sums::beside_step : train::scale::Sums::behind_step;
  }

  static train::scale::Network link_of(const std::vector<Measured>& measured) {
    return measured.size() > 1 ? measured[1].network : usual_tcp;
  }
  static train::scale::Network with_rate(train::scale::Network network, double gigabits) {
    network.per_byte = 1 / bytes_of(gigabits);
    return network;
  }

  std::string as_text(const std::string& on, const std::vector<Measured>& measured) const {
    std::string text = on + "\n\n";
    text += measured.size() > 1 ? "Measured here, in milliseconds; predicted from step, sums and links alone:\n"
                                : "Measured here, in milliseconds:\n";
    text += fmt::format("{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10} {:>7}\n", "processes", "step", "wait", "sum",
                        "Adam", "gather", "predicted", "measured", "error");
    for (const Measured& m : measured) {
      const train::scale::Predicted t = m.predicted();
      text += fmt::format("{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10} {:>6.1f}%\n", m.processes,
                          milliseconds(t.step), milliseconds(t.wait), milliseconds(t.sum), milliseconds(t.optimize),
                          milliseconds(t.gather), milliseconds(t.total()), milliseconds(m.updates.all),
                          (t.total() / m.updates.all - 1) * 100);
    }
    for (size_t i = 1; i < measured.size(); ++i) text += link_text(measured[i]) + overlap_text(measured[i]);
    return text + curves_text(measured);
  }

  static std::string link_text(const Measured& m) {
    const train::scale::Network& n = m.network;
    return fmt::format("{}links among {}: {:.1f} us, {:.2f} us a message, {}\n", m.processes == 2 ? "\n" : "",
                       m.processes, n.latency * 1e6, n.per_message * 1e6,
                       n.per_byte > 0 ? fmt::format("{:.2f} Gbit/s", 8e-9 / n.per_byte) : "no time for bytes");
  }

  static std::string overlap_text(const Measured& m) {
    if (!m.beside) return "";
    const double predicted = m.predicted(train::scale::Sums::beside_step).total();
    return fmt::format("the sum beside the backward pass: predicted {} ms, measured {} ms, error {:.1f}%\n",
                       milliseconds(predicted), milliseconds(m.beside->all), (predicted / m.beside->all - 1) * 100);
  }

  std::string curves_text(const std::vector<Measured>& measured) const {
    const train::scale::Work& work = measured.front().work;
    const train::scale::Network link = link_of(measured);
    std::string text = fmt::format(
        "\nComputed: one process on each host, {} of links {} ({:.1f} us, {:.2f} us a message); {}.\n"
        "Efficiency, and tokens of a process's batch for {}; last, the link that reaches it with {} tokens:\n{:>9}",
        "latencies", measured.size() > 1 ? "measured" : "assumed", link.latency * 1e6, link.per_message * 1e6,
        overlap ? "sums overlap with the backward pass" : "sums begin when the step is over", percent(wanted),
        text::grouped(load.tokens), "processes");
    for (const double rate : rates) text += fmt::format(" {:>20}", fmt::format("{:g} Gbit/s", rate));
    text += fmt::format(" {:>14}\n", percent(wanted));
    for (int n = 2; n <= most_processes; n *= 2) {
      text += fmt::format("{:>9}", text::grouped(n));
      for (const double rate : rates) {
        const train::scale::Network network = with_rate(link, rate);
        const double tokens = train::scale::tokens_for(wanted, work, network, n, sums());
        text +=
            fmt::format(" {:>20}", fmt::format("{} {:>12}", percent(train::scale::efficiency(work, network, n, sums())),
                                               tokens > 0 ? text::grouped(std::llround(tokens)) : "never"));
      }
      const double bandwidth = train::scale::bandwidth_for(wanted, work, link, n, sums());
      text += fmt::format(" {:>14}\n", bandwidth > 0 ? gigabits_text(bandwidth * 8e-9) : "none");
    }
    return text;
  }

  std::string as_json(const std::string& on, const std::vector<Measured>& measured) const {
    ordered_json j{{"on", on}, {"numbers", measured[0].work.numbers}, {"tokens", load.tokens}};
    for (const Measured& m : measured) {
      const train::scale::Predicted t = m.predicted();
      j["measured"].push_back({{"processes", m.processes},
                               {"step", t.step},
                               {"wait", t.wait},
                               {"sum", t.sum},
                               {"optimize", t.optimize},
                               {"gather", t.gather},
                               {"predicted", t.total()},
                               {"measured", m.updates.all},
                               {"measured_gradient", m.updates.gradient},
                               {"measured_update", m.updates.update},
                               {"latency", m.network.latency},
                               {"per_message", m.network.per_message},
                               {"per_byte", m.network.per_byte},
                               {"processor_per_byte", m.network.processor_per_byte}});
      if (m.beside) {
        const train::scale::Predicted beside = m.predicted(train::scale::Sums::beside_step);
        j["measured"].back()["overlap"] = {{"sum", beside.sum},
                                           {"predicted", beside.total()},
                                           {"measured", m.beside->all},
                                           {"measured_gradient", m.beside->gradient},
                                           {"measured_update", m.beside->update}};
      }
      for (const train::scale::MeasuredExchange& e : m.exchanges)
        j["measured"].back()["exchanges"].push_back(
            {{"messages", e.messages}, {"bytes", e.bytes}, {"seconds", e.seconds}});
    }
    const train::scale::Network link = link_of(measured);
    for (const double rate : rates)
      for (int n = 1; n <= most_processes; n *= 2) {
        const train::scale::Network network = with_rate(link, rate);
        const train::scale::Predicted t = train::scale::simulate(measured[0].work, network, n, sums());
        j["computed"].push_back(
            {{"gigabits_per_second", rate},
             {"processes", n},
             {"seconds", t.total()},
             {"efficiency", train::scale::efficiency(measured[0].work, network, n, sums())},
             {"tokens_for_90_percent", train::scale::tokens_for(wanted, measured[0].work, network, n, sums())}});
      }
    return json_text(j) + "\n";
  }

  // Draws the first three rates, the most that a chart takes.
  std::string drawn(const train::scale::Work& work, const train::scale::Network& link) const {
    inspect::Chart chart{cat("Efficiency of ", load.preset, ", ", text::grouped(load.tokens), " tokens a process"),
                         "processes, as powers of two (10: 1,024)",
                         {}};
    for (size_t i = 0; i < rates.size() && i < 3; ++i) {
      inspect::Series series{fmt::format("{:g} Gbit/s", rates[i]), {}, true};
      for (int n = 1; n <= most_processes; n *= 2)
        series.points.emplace_back(std::log2(n), train::scale::efficiency(work, with_rate(link, rates[i]), n, sums()));
      chart.series.push_back(std::move(series));
    }
    return inspect::draw_chart_document(chart);
  }
};

}  // namespace

void add_bench_cluster(Command& bench, Action& chosen) {
  auto b = std::make_shared<BenchCluster>();
  Command* c = bench.add_command("cluster", "an update by several processes: measured, and computed for up to 1,024");
  c->add_option("--preset", b->load.preset, "tiny, small, base or big")->default_str("tiny");
  c->add_option("--vocab-size", b->load.vocabulary, Range<int64_t>{8, model::Config::kVocabulary.most}, "pieces")
      ->default_str("10000");
  c->add_option("--batch-tokens", b->load.tokens, Range<int64_t>{128, 1'000'000}, "target tokens of a process's batch")
      ->default_str("2048");
  c->add_option("--precision", b->precision, "auto, f32 or bf16")->default_str("auto");
  c->add_option("--seconds", b->load.seconds, Range<double>{0, 1e6}, "seconds of each measurement")->default_str("10");
  c->add_option("--gbit", b->rates, Range<double>{.least = 0, .most = 1e6, .open_least = true},
                "rates of links to compute for, in Gbit/s")
      ->delimiter(',')
      ->default_str("1,10,25,100");
  c->add_flag("--overlap", b->overlap, "overlap the sums with the backward pass, computed and measured");
  c->add_option("--threads", b->threads, ranges::threads, "compute threads of each process; 0: one per available core")
      ->default_str("1");
  c->add_flag("--json", b->json, "as JSON, in seconds");
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
