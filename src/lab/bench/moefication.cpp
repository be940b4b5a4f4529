#include "lab/bench/moefication.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "lab/bench/training.h"

namespace hexapla::lab {
namespace {

constexpr int kRounds = 50;
constexpr double kRidge = 1e-6;  // relative to the mean of the diagonal

double squared_distance(const double* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Assigns rows to groups: repeatedly takes the nearest pair of a free row and a group with room.
std::vector<int64_t> assigned(const Rows& rows, const Rows& centers) {
  struct Pair {
    double distance;
    int64_t row, center;
    auto operator<=>(const Pair&) const = default;
  };
  std::vector<Pair> pairs;
  for (int64_t i = 0; i < rows.count(); ++i)
    for (int64_t c = 0; c < centers.count(); ++c)
      pairs.push_back({squared_distance(rows.row(i), centers.row(c), rows.width), i, c});
  std::sort(pairs.begin(), pairs.end());
  std::vector<int64_t> group(static_cast<size_t>(rows.count()), -1),
      room(static_cast<size_t>(centers.count()), rows.count() / centers.count());
  for (const Pair& p : pairs) {
    if (group[p.row] >= 0 || room[p.center] == 0) continue;
    group[p.row] = p.center;
    --room[p.center];
  }
  return group;
}

Rows means(const Rows& rows, const std::vector<int64_t>& group, int64_t groups) {
  Rows m{rows.width, std::vector<double>(static_cast<size_t>(groups * rows.width), 0)};
  const auto share = static_cast<double>(groups) / static_cast<double>(rows.count());
  for (int64_t i = 0; i < rows.count(); ++i)
    for (int64_t x = 0; x < rows.width; ++x)
      m.numbers[group[static_cast<size_t>(i)] * rows.width + x] += share * rows.row(i)[x];
  return m;
}

// A symmetric matrix [n, n] and right-hand sides [n, outputs].
struct Equations {
  Rows matrix, right;

  double& at(int64_t i, int64_t j) { return matrix.numbers[i * matrix.width + j]; }
  double* right_of(int64_t i) { return right.numbers.data() + i * right.width; }
};

Equations normal_equations(const Rows& x, const Rows& y) {
  const int64_t n = x.width + 1;
  Equations e{{n, std::vector<double>(static_cast<size_t>(n * n), 0)},
              {y.width, std::vector<double>(static_cast<size_t>(n * y.width), 0)}};
  for (int64_t t = 0; t < x.count(); ++t) {
    const auto of = [&](int64_t i) { return i < x.width ? x.row(t)[i] : 1; };
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) e.at(i, j) += of(i) * of(j);
      for (int64_t o = 0; o < y.width; ++o) e.right_of(i)[o] += of(i) * y.row(t)[o];
    }
  }
  double diagonal = 0;
  for (int64_t i = 0; i < n; ++i) diagonal += e.at(i, i) / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) e.at(i, i) += kRidge * diagonal;
  return e;
}

// Cholesky: the lower half of the matrix becomes L in L L^T.
void factor(Equations& e) {
  for (int64_t i = 0; i < e.matrix.width; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double sum = e.at(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= e.at(i, k) * e.at(j, k);
      e.at(i, j) = i == j ? std::sqrt(sum) : sum / e.at(j, j);
    }
}

void solve(Equations& e) {
  const int64_t n = e.matrix.width;
  for (int64_t o = 0; o < e.right.width; ++o) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < i; ++k) e.right_of(i)[o] -= e.at(i, k) * e.right_of(k)[o];
      e.right_of(i)[o] /= e.at(i, i);
    }
    for (int64_t i = n; i-- > 0;) {
      for (int64_t k = i + 1; k < n; ++k) e.right_of(i)[o] -= e.at(k, i) * e.right_of(k)[o];
      e.right_of(i)[o] /= e.at(i, i);
    }
  }
}

// Calls f(scope, name of its input, network) for every layer, encoder first.
template <class F>
void each_network(model::Transformer& net, F&& f) {
  const auto each = [&](const std::string& stack, auto& layers, const auto& sublayer_before) {
    for (size_t i = 0; i < layers.size(); ++i) {
      const std::string layer = cat(stack, ".layers.", i, ".");
      f(layer + "feed_forward", cat(layer, sublayer_before(layers[i]), ".norm"), layers[i].feed_forward);
    }
  };
  std::visit([&](auto& layers) { each("encoder", layers, [](const auto& l) { return model::name_of(l.mixing); }); },
             net.encoder.layers);
  std::visit([&](auto& layers) { each("decoder", layers, [](const auto&) { return "cross_attention"; }); },
             net.decoder.layers);
}

// The columns of W1.
Rows units_of(const model::FeedForward& network) {
  const Tensor w = network.inner.weight.value;
  Rows units{w.shape[0], {}};
  for (int64_t unit = 0; unit < w.shape[1]; ++unit)
    for (int64_t i = 0; i < w.shape[0]; ++i) units.numbers.push_back(w.data<float>()[i * w.shape[1] + unit]);
  return units;
}

// Permutes columns: column i becomes the former column order[i].
void reorder_columns(Tensor w, const std::vector<int64_t>& order) {
  const int64_t columns = w.shape[-1];
  std::vector<float> before(order.size());
  for (int64_t r = 0; r < w.size() / columns; ++r) {
    float* row = w.data<float>() + r * columns;
    std::copy_n(row, columns, before.begin());
    for (size_t i = 0; i < order.size(); ++i) row[i] = before[order[i]];
  }
}

void reorder_rows(Tensor w, const std::vector<int64_t>& order) {
  const int64_t columns = w.shape[1];
  const std::vector<float> before(w.data<float>(), w.data<float>() + w.size());
  for (size_t i = 0; i < order.size(); ++i)
    std::copy_n(before.begin() + order[i] * columns, columns, w.data<float>() + static_cast<int64_t>(i) * columns);
}

void reorder_units(const model::FeedForward& network, const std::vector<int64_t>& order) {
  reorder_columns(network.inner.weight.value, order);
  reorder_columns(network.inner.bias->value, order);
  reorder_rows(network.outer.weight.value, order);
}

void append_sums(const inspect::Recorded& hidden, int64_t experts, Rows& to) {
  const int64_t width = hidden.shape[1] / experts;
  for (auto at = hidden.values.begin(); at != hidden.values.end(); at += width)
    to.numbers.push_back(std::accumulate(at, at + width, 0.0));
}

}  // namespace

std::vector<int64_t> alike(const Rows& rows, int64_t groups) {
  const int64_t n = rows.count();
  HEXAPLA_CHECK(groups > 0 && n % groups == 0, n, " rows cannot be divided into ", groups, " groups of equal size");
  Rows centers{rows.width, {}};
  for (int64_t g = 0; g < groups; ++g)
    centers.numbers.insert(centers.numbers.end(), rows.row(g * n / groups), rows.row(g * n / groups) + rows.width);
  std::vector<int64_t> group;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int64_t> now = assigned(rows, centers);
    if (now == group) break;
    group = std::move(now);
    centers = means(rows, group, groups);
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return group[a] < group[b]; });
  return order;
}

Rows least_squares(const Rows& x, const Rows& y) {
  Equations e = normal_equations(x, y);
  factor(e);
  solve(e);
  return e.right;
}

SplitModel::SplitModel(decode::OpenModel model, int64_t experts, Grouping grouping, const data::Corpus& pairs)
    : model_(std::move(model)), experts_(experts) {
  const model::Config& c = model_.file.config;
  HEXAPLA_CHECK(c.norm_position == "post" && c.d_ff % experts == 0, "a model with norm ", c.norm_position, " and d_ff ",
                c.d_ff, " cannot be split into ", experts, " experts");
  each_network(*model_.file.net, [&](const std::string&, const std::string&, const model::AnyFeedForward& any) {
    networks_.push_back(std::get<model::FeedForward>(any));
    if (grouping == Grouping::alike) reorder_units(networks_.back(), alike(units_of(networks_.back()), experts));
  });
  fit(pairs);
}

void SplitModel::fit(const data::Corpus& pairs) {
  std::vector<Rows> inputs(networks_.size(), {model_.file.config.d_model, {}}), sums(networks_.size(), {experts_, {}});
  for (size_t i = 0; i < pairs.source.size(); ++i) {
    const auto seen = Bench::look(model_, pairs, i);
    size_t next = 0;
    each_network(*model_.file.net, [&](const std::string& scope, const std::string& input, const auto&) {
      const std::vector<double>& x = seen.seen.get(input).values;
      inputs[next].numbers.insert(inputs[next].numbers.end(), x.begin(), x.end());
      append_sums(seen.seen.get(scope + ".hidden"), experts_, sums[next++]);
    });
  }
  for (size_t i = 0; i < networks_.size(); ++i) {
    const Rows w = least_squares(inputs[i], sums[i]);
    const auto bias = w.numbers.end() - experts_;
    weights_.emplace_back(w.numbers.begin(), bias);
    biases_.emplace_back(bias, w.numbers.end());
  }
}

model::ByRouter SplitModel::router(size_t network) const {
  model::ByRouter by{model::Linear(model_.file.config.d_model, experts_, true)};
  by.router.weight.value = Tensor::of(weights_[network].data(), by.router.weight.shape);
  by.router.bias->value = Tensor::of(biases_[network].data(), by.router.bias->shape);
  return by;
}

const decode::OpenModel& SplitModel::by_activation(int64_t active) {
  size_t next = 0;
  each_network(*model_.file.net, [&](const std::string&, const std::string&, model::AnyFeedForward& any) {
    const model::FeedForward& n = networks_[next++];
    any = model::SplitFeedForward{n.activation, n.inner, n.outer, model::ByActivation{experts_}, active};
  });
  return model_;
}

const decode::OpenModel& SplitModel::by_routers(int64_t active) {
  size_t next = 0;
  each_network(*model_.file.net, [&](const std::string&, const std::string&, model::AnyFeedForward& any) {
    const model::FeedForward& n = networks_[next];
    any = model::SplitFeedForward{n.activation, n.inner, n.outer, router(next++), active};
  });
  return model_;
}

}  // namespace hexapla::lab
