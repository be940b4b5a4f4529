#pragma once
// Alternatives to the softmax of attention scores, each with its derivative. For experiments, not
// for speed: one query at a time, in f64, on the host.
//
// For a query that sees n keys, with s_u = q . k_u / sqrt(d_k) (the kernel: phi(q) . phi(k_u)):
//   prepare:  q or k -> factor of the products, in place, once each
//   prepare_backward: d of that factor -> d of q or k
//   factor:   factor of the products, where others use `scale`
//   weigh:    scores -> weights, in place
//   backward: d of the weights -> d of the scores, in place
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace hexapla::weighing {

// s_u = scale * q . k_u.
struct ScaledProduct {
  static void prepare(std::span<double>) {}
  static void prepare_backward(std::span<const double>, std::span<double>) {}
  static double factor(double scale) { return scale; }
};

// 1 / (1 + exp(log n - s)): each key on its own; about 1 / n where s is 0 (Ramapuram et al. 2024).
struct Sigmoid : ScaledProduct {
  static void weigh(std::span<double> s) {
    const double bias = std::log(static_cast<double>(s.size()));
    for (double& x : s) x = 1 / (1 + std::exp(bias - x));
  }
  static void backward(std::span<const double>, std::span<const double> w, std::span<double> d) {
    for (size_t u = 0; u < d.size(); ++u) d[u] *= w[u] * (1 - w[u]);
  }
};

// max(0, s) / n (Wortsman et al. 2023).
struct Relu : ScaledProduct {
  static void weigh(std::span<double> s) {
    for (double& x : s) x = std::max(0.0, x) / static_cast<double>(s.size());
  }
  static void backward(std::span<const double> s, std::span<const double>, std::span<double> d) {
    for (size_t u = 0; u < d.size(); ++u) d[u] = s[u] > 0 ? d[u] / static_cast<double>(d.size()) : 0;
  }
};

// s / n: no normalization, and weights of either sign.
struct Unnormalized : ScaledProduct {
  static void weigh(std::span<double> s) {
    for (double& x : s) x /= static_cast<double>(s.size());
  }
  static void backward(std::span<const double>, std::span<const double>, std::span<double> d) {
    for (double& x : d) x /= static_cast<double>(d.size());
  }
};

// The softmax of the four highest scores; the other keys get weight 0. Ties go to the earlier key.
struct TopFour : ScaledProduct {
  static constexpr size_t kKept = 4;
  static void weigh(std::span<double> s) {
    std::vector<size_t> order(s.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return s[a] > s[b]; });
    const double top = s[order.front()];
    double sum = 0;
    for (size_t i = 0; i < order.size(); ++i) sum += s[order[i]] = i < kKept ? std::exp(s[order[i]] - top) : 0;
    for (double& x : s) x /= sum;
  }
  static void backward(std::span<const double>, std::span<const double> w, std::span<double> d) {
    const double mean = std::inner_product(w.begin(), w.end(), d.begin(), 0.0);
    for (size_t u = 0; u < d.size(); ++u) d[u] = w[u] * (d[u] - mean);
  }
};

// phi(q) . phi(k_u) / sum over the keys, phi(x) = elu(x) + 1: the kernel of linear attention
// (Katharopoulos et al. 2020). Here it is computed like the others, in quadratic time.
struct LinearKernel {
  static void prepare(std::span<double> row) {
    for (double& x : row) x = x > 0 ? x + 1 : std::exp(x);
  }
  // The slope of phi is 1 where x > 0 (phi(x) > 1), else it is phi(x) itself.
  static void prepare_backward(std::span<const double> phi, std::span<double> d) {
    for (size_t i = 0; i < d.size(); ++i) d[i] *= std::min(1.0, phi[i]);
  }
  static double factor(double) { return 1; }
  static void weigh(std::span<double> s) {
    const double sum = std::accumulate(s.begin(), s.end(), 0.0);
    for (double& x : s) x /= sum;
  }
  static void backward(std::span<const double> s, std::span<const double> w, std::span<double> d) {
    const double sum = std::accumulate(s.begin(), s.end(), 0.0);
    const double mean = std::inner_product(w.begin(), w.end(), d.begin(), 0.0);
    for (double& x : d) x = (x - mean) / sum;
  }
};

}  // namespace hexapla::weighing
