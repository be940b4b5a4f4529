#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "api/program/bench.h"
#include "api/program/processes.h"
#include "backend/cpu/cpu.h"
#include "base/compute/parallel.h"
#include "base/json.h"
#include "inspect/drawing/chart.h"
#include "text/quantities.h"
#include "train/scale/some_processes.h"

namespace hexapla::api {
namespace {

using nlohmann::ordered_json;

constexpr double kWanted = 0.9;
// Used if not measured: TCP between hosts in one room.
constexpr train::scale::Network kUsualTcp{25e-6, 5e-6, 0};
constexpr int kMostProcesses = 1024;

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

class ClusterBenching {
 public:
  ClusterBenching(const ClusterBench& options, const std::string& precision) : o_(options), load_(options.load) {
    load_.precision = precision;
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
      m.work = train::scale::measure_work(load_, backend, some);
      if (n > 1) m.exchanges = train::scale::measure_exchanges(some), m.network = train::scale::fit(m.exchanges);
      if (n > 1 && o_.overlap) m.network.processor_per_byte = train::scale::measure_processor_per_byte(some);
      m.updates = train::scale::measure_updates(load_, train::scale::Sums::behind_step, backend, some);
      if (n > 1 && o_.overlap)
        m.beside = train::scale::measure_updates(load_, train::scale::Sums::beside_step, backend, some);
    }
    return m;
  }

  train::scale::Sums sums() const {
    return o_.overlap ? train::scale::Sums::beside_step : train::scale::Sums::behind_step;
  }

  static train::scale::Network link_of(const std::vector<Measured>& measured) {
    return measured.size() > 1 ? measured[1].network : kUsualTcp;
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
        o_.overlap ? "sums overlap with the backward pass" : "sums begin when the step is over", percent(kWanted),
        text::grouped(load_.tokens), "processes");
    for (const double rate : o_.rates) text += fmt::format(" {:>20}", fmt::format("{:g} Gbit/s", rate));
    text += fmt::format(" {:>14}\n", percent(kWanted));
    for (int n = 2; n <= kMostProcesses; n *= 2) {
      text += fmt::format("{:>9}", text::grouped(n));
      for (const double rate : o_.rates) {
        const train::scale::Network network = with_rate(link, rate);
        const double tokens = train::scale::tokens_for(kWanted, work, network, n, sums());
        text +=
            fmt::format(" {:>20}", fmt::format("{} {:>12}", percent(train::scale::efficiency(work, network, n, sums())),
                                               tokens > 0 ? text::grouped(std::llround(tokens)) : "never"));
      }
      const double bandwidth = train::scale::bandwidth_for(kWanted, work, link, n, sums());
      text += fmt::format(" {:>14}\n", bandwidth > 0 ? gigabits_text(bandwidth * 8e-9) : "none");
    }
    return text;
  }

  std::string as_json(const std::string& on, const std::vector<Measured>& measured) const {
    ordered_json j{{"on", on}, {"numbers", measured[0].work.numbers}, {"tokens", load_.tokens}};
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
    for (const double rate : o_.rates)
      for (int n = 1; n <= kMostProcesses; n *= 2) {
        const train::scale::Network network = with_rate(link, rate);
        const train::scale::Predicted t = train::scale::simulate(measured[0].work, network, n, sums());
        j["computed"].push_back(
            {{"gigabits_per_second", rate},
             {"processes", n},
             {"seconds", t.total()},
             {"efficiency", train::scale::efficiency(measured[0].work, network, n, sums())},
             {"tokens_for_90_percent", train::scale::tokens_for(kWanted, measured[0].work, network, n, sums())}});
      }
    return json_text(j) + "\n";
  }

  // Draws the first three rates, the most that a chart takes.
  std::string drawn(const train::scale::Work& work, const train::scale::Network& link) const {
    inspect::Chart chart{cat("Efficiency of ", load_.preset, ", ", text::grouped(load_.tokens), " tokens a process"),
                         "processes, as powers of two (10: 1,024)",
                         {}};
    for (size_t i = 0; i < o_.rates.size() && i < 3; ++i) {
      inspect::Series series{fmt::format("{:g} Gbit/s", o_.rates[i]), {}, true};
      for (int n = 1; n <= kMostProcesses; n *= 2)
        series.points.emplace_back(std::log2(n),
                                   train::scale::efficiency(work, with_rate(link, o_.rates[i]), n, sums()));
      chart.series.push_back(std::move(series));
    }
    return inspect::draw_chart_document(chart);
  }

 private:
  const ClusterBench& o_;
  train::scale::Workload load_;
};

}  // namespace

MeasuredCluster bench_cluster(const ClusterBench& options) {
  const auto processes = launched_processes();
  const Precision p = parse_precision(options.precision);
  const ClusterBenching bench(options, name_of(p));
  const auto backend = make_cpu_backend(p);
  std::vector<Measured> measured;
  for (int n = 1; n <= processes->count(); n *= 2) measured.push_back(bench.measure(*processes, n, *backend));
  if (!processes->first()) return {};
  const std::string on =
      cat(options.load.preset, ", ", text::grouped(measured[0].work.numbers), " parameters, batches of ",
          text::grouped(options.load.tokens), " tokens, ", name_of(p), ", ", product_implementation(*backend), ", ",
          text::counted(threads(), "thread"), " a process");
  return {options.json ? bench.as_json(on, measured) : bench.as_text(on, measured),
          bench.drawn(measured.front().work, bench.link_of(measured))};
}

}  // namespace hexapla::api
