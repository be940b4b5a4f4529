#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>

#include "backend/cpu/cpu.h"
#include "base/compute/parallel.h"
#include "base/compute/random.h"
#include "base/compute/timing.h"
#include "lib/program/bench.h"

namespace hexapla::api {
namespace {

using Clock = std::chrono::steady_clock;

// The fastest of several runs, the one least disturbed by other programs.
template <class Call>
double seconds_of(Call&& call) {
  double best = 1e9;
  const auto begin = Clock::now();
  call();
  for (int i = 0; i < 50 && (i < 3 || seconds_since(begin) < 0.3); ++i) {
    const auto start = Clock::now();
    call();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

// Bytes per second that all threads together read and write with a working set of `bytes`.
double copy_limit(int64_t bytes) {
  const int64_t n = bytes / 2, parts = threads();
  std::vector<char> from(static_cast<size_t>(n), 1), to(static_cast<size_t>(n));
  const double seconds = seconds_of([&] {
    parallel_for(parts, [&](int64_t i) {
      const int64_t begin = n * i / parts, end = n * (i + 1) / parts;
      std::memcpy(to.data() + begin, from.data() + begin, static_cast<size_t>(end - begin));
    });
  });
  return static_cast<double>(2 * n) / seconds;
}

class Table {
 public:
  Table(Backend& backend, const model::Config& c, const OpsBench& o, const Tell& tell)
      : b_(backend),
        rows_(o.rows),
        d_(c.d_model),
        d_ff_(c.d_ff),
        heads_(c.heads),
        vocabulary_(o.vocabulary),
        tell_(tell) {
    arithmetic_ = arithmetic_limit(backend) * threads();
  }

  void fill() {
    tell_(fmt::format("{}, {} threads: {:.0f} billion operations/s; copying 64 MiB: {:.1f} GB/s\n",
                      product_implementation(b_), threads(), arithmetic_ / 1e9, copy_limit(64 << 20) / 1e9));
    products();
    rows();
    attention();
  }

 private:
  Tensor normal(Shape s) {
    auto& v = memory_.emplace_back(static_cast<size_t>(s.size()));
    for (float& x : v) x = static_cast<float>(random_.normal());
    return Tensor::of(v.data(), s);
  }

  void arithmetic(const std::string& name, double operations, double seconds) const {
    line(name, seconds, fmt::format("{:7.0f} Gop/s", operations / seconds / 1e9), operations / seconds / arithmetic_);
  }
  // numbers: f32 values read and written, once each.
  void traffic(const std::string& name, double numbers, double seconds) const {
    const double bytes = 4 * numbers, rate = bytes / seconds;
    line(name, seconds, fmt::format("{:7.1f} GB/s ", rate / 1e9), rate / copy_limit(static_cast<int64_t>(bytes)));
  }
  void line(const std::string& name, double seconds, const std::string& rate, double share) const {
    tell_(fmt::format("  {:<44} {:9.1f} us  {}  {:4.0f} %\n", name, seconds * 1e6, rate, 100 * share));
  }

  void product(int64_t in, int64_t out) {
    const Tensor x = normal({rows_, in}), w = normal({in, out}), y = normal({rows_, out}), dx = normal({rows_, in});
    const Tensor dw = normal({in, out});
    const double operations = 2.0 * static_cast<double>(rows_ * in * out);
    const std::string shape = fmt::format("{}x{}x{}", rows_, in, out);
    arithmetic("linear " + shape, operations, seconds_of([&] { b_.linear(x, w, {}, y); }));
    arithmetic("linear_backward_input " + shape, operations,
               seconds_of([&] { b_.linear_backward_input(y, w, dx, Write::set); }));
    arithmetic("linear_backward_weight " + shape, operations,
               seconds_of([&] { b_.linear_backward_weight(x, y, dw, {}); }));
  }

  void products() {
    product(d_, 3 * d_);
    product(d_, d_ff_);
    product(d_ff_, d_);
    const Tensor x = normal({rows_, d_}), w = normal({vocabulary_, d_}), dw = normal({vocabulary_, d_});
    const Tensor tile = normal({128, vocabulary_}), loss = normal({rows_}), nll = normal({rows_}),
                 dx = normal({rows_, d_});
    std::vector<int32_t> labels(static_cast<size_t>(rows_));
    for (int32_t& l : labels) l = static_cast<int32_t>(random_.below(static_cast<uint32_t>(vocabulary_)));
    const LossInput in{x, w.transposed(), {}, Tensor::of(labels.data(), {rows_}), 0.1, 1.0};
    arithmetic(fmt::format("cross_entropy_with_gradient {}x{}x{}", rows_, d_, vocabulary_),
               6.0 * static_cast<double>(rows_ * d_ * vocabulary_),
               seconds_of([&] { b_.cross_entropy_with_gradient(in, tile, loss, nll, dx, dw.transposed(), {}); }));
  }

  void rows() {
    const auto n = static_cast<double>(rows_ * d_);
    const Tensor x = normal({rows_, d_}), r = normal({rows_, d_}), gain = normal({d_}), bias = normal({d_});
    const Tensor y = normal({rows_, d_}), h = normal({rows_, d_}), rstd = normal({rows_}), dg = normal({d_});
    const Tensor wide = normal({rows_, d_ff_}), wider = normal({rows_, d_ff_}), logits = normal({128, vocabulary_});
    const std::string shape = fmt::format("{}x{}", rows_, d_);
    traffic("add_norm " + shape, 4 * n, seconds_of([&] { b_.add_norm(x, r, gain, bias, 1e-6, y, h, rstd); }));
    traffic("add_norm_backward " + shape, 3 * n, seconds_of([&] { b_.add_norm_backward(h, rstd, gain, y, dg, dg); }));
    traffic("dropout " + shape, 2 * n, seconds_of([&] { b_.dropout(x, {1, 2, 3, 0.1f}, y); }));
    traffic(fmt::format("relu {}x{}", rows_, d_ff_), 2.0 * static_cast<double>(wide.size()),
            seconds_of([&] { b_.activate(Activation::relu, wide, wider); }));
    const int64_t p = 12 * d_ * d_ * 4;
    const Tensor values = normal({p}), gradients = normal({p}), first = normal({p}), second = normal({p});
    traffic(fmt::format("adam {}", p), 7.0 * static_cast<double>(p), seconds_of([&] {
              b_.adam(values, gradients, first, second, {1e-4, 0.9, 0.98, 1e-9, 10, 1});
            }));
    std::vector<int32_t> ids(128 * 10);
    const Tensor scores = normal({128, 10}), indices = Tensor::of(ids.data(), {128, 10});
    traffic(fmt::format("log_softmax_top 10 of 128x{}", vocabulary_), static_cast<double>(logits.size()),
            seconds_of([&] { b_.log_softmax_top(logits, 10, scores, indices); }));
  }

  // Sentences of 32 tokens: scores and weighted sums, forward 4 n^2 d, backward 10 n^2 d operations
  // per sentence.
  void attention() {
    constexpr int64_t length = 32;
    std::vector<int32_t> offsets;
    for (int64_t at = 0; at <= rows_; at += length) offsets.push_back(static_cast<int32_t>(at));
    const int64_t n = offsets.back();
    const auto part = [&] { return normal({n, d_}).heads(heads_); };
    AttentionInput in{part(), part(), part(), offsets, offsets};
    in.scale = 1 / std::sqrt(static_cast<double>(d_ / heads_));
    const Tensor out = normal({n, d_}), lse = normal({n, heads_}), d_out = normal({n, d_});
    const Tensor dq = part(), dk = part(), dv = part();
    const auto one = static_cast<double>(n * length * d_);
    const std::string shape = fmt::format("{} sentences of {}, {} heads", offsets.size() - 1, length, heads_);
    arithmetic("attention " + shape, 4 * one, seconds_of([&] { b_.attention(in, out, lse); }));
    arithmetic("attention_backward " + shape, 10 * one,
               seconds_of([&] { b_.attention_backward(in, out, lse, d_out, dq, dk, dv); }));
  }

  Backend& b_;
  int64_t rows_, d_, d_ff_, heads_, vocabulary_;
  const Tell& tell_;
  double arithmetic_ = 0;
  Random random_{1};
  std::deque<std::vector<float>> memory_;
};

}  // namespace

void bench_ops(const OpsBench& options, const Tell& tell) {
  const model::Config c = model::Config::preset(options.preset);
  const auto backend = make_cpu_backend(parse_precision(options.precision));
  Table(*backend, c, options, tell).fill();
}

}  // namespace hexapla::api
