#include "scale/network.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"

namespace hexapla::scale {
namespace {

using Numbers = std::array<double, 3>;

constexpr double shortest = 1e-9;  // seconds

double predicted(const Numbers& n, const MeasuredExchange& m) { return n[0] + n[1] * m.messages + n[2] * m.bytes; }

// The least squares, with these weights, of those of the three numbers that are wanted, by Gauss' elimination with
// pivots; the others are 0.
Numbers least_squares(std::span<const MeasuredExchange> measured, const std::vector<double>& weights,
                      const std::array<bool, 3>& wanted) {
  std::array<std::array<double, 4>, 3> a{};
  for (size_t e = 0; e < measured.size(); ++e) {
    const Numbers x{1, measured[e].messages, measured[e].bytes};
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) a[i][j] += weights[e] * x[i] * x[j];
      a[i][3] += weights[e] * x[i] * measured[e].seconds;
    }
  }
  for (size_t i = 0; i < 3; ++i)
    if (!wanted[i]) a[i] = {}, a[i][i] = 1;
  for (size_t j = 0; j < 3; ++j)
    for (size_t i = 0; i < 3; ++i)
      if (!wanted[j] && i != j) a[i][j] = 0;
  // Bytes count in millions and messages in ones: rows are scaled so that pivots can be compared.
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

// (p - m)^2 / (p m): twice as long counts as much as half as long, as in the squares of logarithms. A link that lets
// small messages pass faster than its rate would otherwise hide that rate.
double squares(std::span<const MeasuredExchange> measured, const Numbers& n) {
  double sum = 0;
  for (const MeasuredExchange& m : measured) {
    const double p = std::max(predicted(n, m), shortest), error = p - m.seconds;
    sum += error * error / (p * m.seconds);
  }
  return sum;
}

// The smallest squares, by weights that follow what the step before predicts.
Numbers nearest(std::span<const MeasuredExchange> measured, const std::array<bool, 3>& wanted) {
  constexpr int steps = 50;
  std::vector<double> weights(measured.size());
  for (size_t e = 0; e < measured.size(); ++e) weights[e] = 1 / (measured[e].seconds * measured[e].seconds);
  Numbers n{};
  for (int step = 0; step < steps; ++step) {
    n = least_squares(measured, weights, wanted);
    for (size_t e = 0; e < measured.size(); ++e)
      weights[e] = 1 / (measured[e].seconds * std::max(predicted(n, measured[e]), shortest));
  }
  return n;
}

// Median of so many exchanges of `messages` messages with every other process, each of so many bytes.
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
    double last = own;  // who is ready first waits for nobody else's bytes
    for (const std::string& other : cluster::gather(p, std::to_string(own))) last = std::max(last, std::stod(other));
    if (i > 0) all.push_back(last);
  }
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return std::max(all[all.size() / 2], shortest);
}

}  // namespace

Network fit(std::span<const MeasuredExchange> measured) {
  HEXAPLA_CHECK(measured.size() >= 3, measured.size(), " exchanges tell nothing of three numbers");
  for (const MeasuredExchange& m : measured) HEXAPLA_CHECK(m.seconds > 0, "an exchange took ", m.seconds, " s");
  Numbers best{};
  double least = squares(measured, best);
  for (unsigned which = 1; which < 8; ++which) {
    const Numbers n = nearest(measured, {(which & 1) != 0, (which & 2) != 0, (which & 4) != 0});
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
  // Small ones tell of latency and messages, large ones of bytes: about what an update sends.
  constexpr Size sizes[] = {{1, 8, 64},      {8, 8, 32},      {32, 8, 16},     {1, 16384, 32},
                            {1, 131072, 16}, {1, 524288, 12}, {1, 2097152, 8}, {1, 8388608, 4}};
  std::vector<MeasuredExchange> all;
  for (const Size& s : sizes) {
    const double messages = static_cast<double>(s.messages) * (p.count() - 1);
    all.push_back({messages, messages * static_cast<double>(s.bytes), seconds_of(p, s.messages, s.bytes, s.times)});
  }
  return all;
}

}  // namespace hexapla::scale
