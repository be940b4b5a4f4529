#include "serve/work/metrics.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/system/machine.h"

namespace hexapla::serve {
namespace {

// Escapes the characters that a label's value must not contain (backslash, quotation mark,
// newline).
std::string label_value(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

// With all digits: a large sum that is rounded would stop growing.
std::string number(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string header(const std::string& name, const std::string& kind, const std::string& help) {
  return cat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", kind, "\n");
}

}  // namespace

void Metrics::answered(const std::string& endpoint, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{endpoint, status}];
  Histogram& h = durations_[endpoint];
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  ++h.counts[bound - kBounds.begin()];
  h.sum += seconds;
}

void Metrics::translated(std::uint64_t lines, std::uint64_t tokens) {
  const std::lock_guard lock(mutex_);
  lines_ += lines;
  tokens_ += tokens;
}

std::string Metrics::text(const std::vector<Value>& counters, const std::vector<Value>& gauges) const {
  const std::lock_guard lock(mutex_);
  std::string all =
      header("hexapla_requests_total", "counter", "Requests that were answered; code 499: the client left first.");
  for (const auto& [key, count] : requests_)
    all += cat("hexapla_requests_total{endpoint=\"", label_value(key.first), "\",code=\"", key.second, "\"} ", count,
               "\n");
  const std::string duration = "hexapla_request_duration_seconds";
  all += header(duration, "histogram", "From the first byte of a request to the last of its answer.");
  for (const auto& [endpoint, h] : durations_) {
    const std::string label = cat("endpoint=\"", label_value(endpoint), "\"");
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i)
      all += cat(duration, "_bucket{", label, ",le=\"", number(kBounds[i]), "\"} ", count += h.counts[i], "\n");
    count += h.counts.back();
    all += cat(duration, "_bucket{", label, ",le=\"+Inf\"} ", count, "\n", duration, "_sum{", label, "} ",
               number(h.sum), "\n", duration, "_count{", label, "} ", count, "\n");
  }
  all += header("hexapla_translated_lines_total", "counter", "Lines that were translated.");
  all += cat("hexapla_translated_lines_total ", lines_, "\n");
  all += header("hexapla_target_tokens_total", "counter", "Tokens of the best translations.");
  all += cat("hexapla_target_tokens_total ", tokens_, "\n");
  for (const Value& c : counters) all += header(c.name, "counter", c.help) + cat(c.name, " ", c.value, "\n");
  for (const Value& g : gauges) all += header(g.name, "gauge", g.help) + cat(g.name, " ", g.value, "\n");
  all += header("hexapla_build_info", "gauge", "Version and commit of the program.");
  all += cat("hexapla_build_info{version=\"", build().version, "\",commit=\"", build().commit, "\"} 1\n");
  return all;
}

}  // namespace hexapla::serve
