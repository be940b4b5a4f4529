#pragma once
// Server statistics in Prometheus's text format 0.0.4.
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace hexapla::serve {

class Metrics {
 public:
  struct Value {
    std::string name, help;
    std::uint64_t value;
  };

  void answered(const std::string& endpoint, int status, double seconds);
  void translated(std::uint64_t lines, std::uint64_t tokens);
  // Adds `counters`, whose names end with _total, and `gauges`, current values.
  std::string text(const std::vector<Value>& counters, const std::vector<Value>& gauges) const;

 private:
  static constexpr std::array kBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                      0.25,  0.5,    1.0,   2.5,  5.0,   10.0, 30.0};
  struct Histogram {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};  // per interval; the last one is above all bounds
    double sum = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  std::map<std::string, Histogram> durations_;
  std::uint64_t lines_ = 0, tokens_ = 0;
};

}  // namespace hexapla::serve
