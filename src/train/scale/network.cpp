#include "train/scale/network.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/range.h"

namespace hexapla::train::scale {
namespace {

using Numbers = std::array<double, 3>;

std::vector<double> seconds_of_all(cluster::Processes& p, double own) {
  std::vector<double> all;
  for (const std::string& seconds : cluster::gather(p, cat(own))) all.push_back(parse_number<double>(seconds).value());
  return all;
}

// Least squares for the wanted ones of the three numbers, by Gaussian elimination with pivoting;
// the others are 0.
Numbers fit_wanted(std::span<const MeasuredExchange> measured, const std::array<bool, 3>& wanted) {
  std::array<std::array<double, 4>, 3> a{};
  for (const MeasuredExchange& m : measured) {
    const Numbers x{1 / m.seconds, m.messages / m.seconds, m.bytes / m.seconds};
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) a[i][j] += x[i] * x[j];
      a[i][3] += x[i];
    }
  }
  for (size_t i = 0; i < 3; ++i)
    if (!wanted[i]) a[i] = {}, a[i][i] = 1;
  for (size_t j = 0; j < 3; ++j)
    for (size_t i = 0; i < 3; ++i)
      if (!wanted[j] && i != j) a[i][j] = 0;
  // Bytes number millions and messages ones: scales rows, so that pivots are comparable.
  for (auto& row : a) {
    const double most = std::max({std::fabs(row[0]), std::fabs(row[1]), std::fabs(row[2])});
    for (double& v : row) v /= most > 0 ? most : 1;
  }
  for (size_t i = 0; i < 3; ++i) {
    size_t best = i;
    for (size_t r = i + 1; r < 3; ++r)
      if (std::fabs(a[r][i]) > std::fabs(a[best][i])) best = r;
    std::swap(a[i], a[best]);
    if (a[i][i] == 0) continue;
    for (size_t r = 0; r < 3; ++r) {
      if (r == i) continue;
      const double factor = a[r][i] / a[i][i];
      for (size_t c = i; c < 4; ++c) a[r][c] -= factor * a[i][c];
    }
  }
  Numbers found{};
  for (size_t i = 0; i < 3; ++i) found[i] = wanted[i] && a[i][i] != 0 ? a[i][3] / a[i][i] : 0;
  return found;
}

double squares(std::span<const MeasuredExchange> measured, const Numbers& n) {
  double sum = 0;
  for (const MeasuredExchange& m : measured) {
    const double error = (n[0] + n[1] * m.messages + n[2] * m.bytes) / m.seconds - 1;
    sum += error * error;
  }
  return sum;
}

// Median time of `times` exchanges, each with `messages` messages of `bytes` bytes to every other
// process.
double seconds_of(cluster::Processes& p, int messages, size_t bytes, int times) {
  std::vector<char> from(bytes + 1), to(static_cast<size_t>(p.count() * messages) * bytes + 1);
  std::vector<cluster::Outgoing> out;
  std::vector<cluster::Incoming> in;
  for (int other = 0; other < p.count(); ++other)
    for (int m = 0; other != p.number() && m < messages; ++m) {
      out.push_back({other, from.data(), bytes});
      in.push_back({other, to.data() + static_cast<size_t>(other * messages + m) * bytes, bytes});
    }
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    cluster::wait_for_all(p);
    const auto start = std::chrono::steady_clock::now();
    p.exchange(out, in);
    const double own = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    double last = own;  // the slowest counts: others need not have waited for all
    for (const double other : seconds_of_all(p, own)) last = std::max(last, other);
    if (i > 0) all.push_back(last);
  }
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return std::max(all[all.size() / 2], 1e-9);
}

}  // namespace

Network fit(std::span<const MeasuredExchange> measured) {
  HEXAPLA_CHECK(measured.size() >= 3, measured.size(), " exchanges tell nothing of three numbers");
  for (const MeasuredExchange& m : measured) HEXAPLA_CHECK(m.seconds > 0, "an exchange took ", m.seconds, " s");
  Numbers best{};
  double least = squares(measured, best);
  for (unsigned which = 1; which < 8; ++which) {
    const Numbers n = fit_wanted(measured, {(which & 1) != 0, (which & 2) != 0, (which & 4) != 0});
    if (*std::min_element(n.begin(), n.end()) < 0) continue;
    if (const double s = squares(measured, n); s < least) least = s, best = n;
  }
  return {best[0], best[1], best[2]};
}

std::vector<MeasuredExchange> measure_exchanges(cluster::Processes& p) {
  struct Size {
    int messages;
    size_t bytes;
    int times;
  };
  // Small messages determine latency and cost per message, large ones (up to the largest of an
  // update) cost per byte.
  constexpr Size sizes[] = {{1, 8, 64},      {8, 8, 32},      {32, 8, 16},     {1, 16384, 32},
                            {1, 131072, 16}, {1, 262144, 16}, {1, 524288, 12}, {1, 1048576, 12}};
  std::vector<MeasuredExchange> all;
  for (const Size& s : sizes) {
    const double messages = static_cast<double>(s.messages) * (p.count() - 1);
    all.push_back({messages, messages * static_cast<double>(s.bytes), seconds_of(p, s.messages, s.bytes, s.times)});
  }
  return all;
}

double measure_processor_per_byte(cluster::Processes& p) {
  constexpr size_t bytes = size_t{1} << 19;  // the size in which sums arrive
  constexpr int times = 16;
  const auto processor_seconds = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  std::vector<char> from(bytes), to(static_cast<size_t>(p.count()) * bytes);
  std::vector<cluster::Outgoing> out;
  std::vector<cluster::Incoming> in;
  for (int other = 0; other < p.count(); ++other) {
    if (other == p.number()) continue;
    out.push_back({other, from.data(), bytes});
    in.push_back({other, to.data() + static_cast<size_t>(other) * bytes, bytes});
  }
  p.exchange_beside(out, in);
  const double start = processor_seconds();
  for (int i = 0; i < times; ++i) p.exchange_beside(out, in);
  const double own = processor_seconds() - start;
  double sum = 0;
  for (const double seconds : seconds_of_all(p, own)) sum += seconds;
  return sum / (p.count() * static_cast<double>(times) * static_cast<double>(bytes) * (p.count() - 1));
}

}  // namespace hexapla::train::scale
