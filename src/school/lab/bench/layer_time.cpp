#include "lab/bench/layer_time.h"

#include <algorithm>
#include <functional>

#include "backend/cpu/cpu.h"
#include "base/compute/random.h"
#include "base/compute/timing.h"
#include "lab/seconds.h"
#include "model/encoder.h"
#include "model/parameters/parameters.h"

namespace hexapla::lab {
namespace {

constexpr int64_t kHeads = 4;

using Numbers = std::vector<float>;
Numbers normal(int64_t n) {
  Random random(1);
  Numbers all(static_cast<size_t>(n));
  for (float& x : all) x = static_cast<float>(random.normal());
  return all;
}

// Input and workspace shared by all passes.
struct Stage {
  int64_t d_model;
  std::vector<int32_t> rows{0};
  Numbers numbers;  // a batch, three times as wide for the heads alone
  std::unique_ptr<Backend> backend = make_cpu_backend(Precision::f32);
  Arena arena{size_t{2} << 30};
  Context cx{*backend, arena, DType::f32, true};

  Stage(int64_t d, int64_t length, int64_t sentences) : d_model(d), numbers(normal(length * sentences * 3 * d)) {
    for (int64_t b = 1; b <= sentences; ++b) rows.push_back(static_cast<int32_t>(b * length));
  }
  Tensor input(int64_t width) { return Tensor::of(numbers.data(), {rows.back(), width}); }
};

struct Sublayer {
  model::Mixing mixing;
  void visit(auto&& f) { f("mixing", mixing); }
};

class WholeSublayer {
 public:
  WholeSublayer(Stage& stage, const std::string& kind)
      : stage_(stage),
        layer_{model::make_mixing(config(stage.d_model, kind))},
        parameters_(layer_, DType::f32, model::Parameters::Use::training) {
    model::initialize(layer_, 1);
  }
  void pass() {
    Context& cx = stage_.cx;
    const Tensor x = stage_.input(stage_.d_model), d = cx.scratch(x.shape);
    const Tensor y = model::forward(layer_.mixing, cx, x, stage_.rows, saved_);
    fill(cx, d, 0);
    model::backward(layer_.mixing, cx, saved_, y, d);
  }

 private:
  static model::Config config(int64_t d_model, const std::string& kind) {
    model::Config c;
    c.source_vocab = c.target_vocab = 1;
    c.d_model = d_model;
    c.heads = kHeads;
    c.encoder_mixing = c.encoder_mixing.parse("encoder-mixing", kind);
    c.resolve();
    return c;
  }
  Stage& stage_;
  Sublayer layer_;
  model::Parameters parameters_;
  model::MixingSaved saved_;
};

void heads_pass(Stage& stage) {
  const int64_t d = stage.d_model;
  const auto parts = [&](Tensor t) {
    return AttentionInput{.q = t.columns(0, d).heads(kHeads),
                          .k = t.columns(d, d).heads(kHeads),
                          .v = t.columns(2 * d, d).heads(kHeads),
                          .queries = stage.rows,
                          .keys = stage.rows};
  };
  const auto heads = model::Heads::scaled_dot(kHeads, d / kHeads, d / kHeads);
  const AttentionInput in = parts(stage.input(3 * d)), g = parts(stage.cx.scratch({stage.rows.back(), 3 * d}));
  const Attention a = heads.forward(stage.cx, in);
  heads.backward(stage.cx, in, a, a.out, {g.q, g.k, g.v});
}

}  // namespace

LayerTime time_layers(int64_t d_model, int64_t length, int64_t sentences, int64_t repeats) {
  Stage stage(d_model, length, sentences);
  WholeSublayer attention(stage, "attention"), gru(stage, "gru"), convolution(stage, "convolution");
  const std::array<std::function<void()>, kTimed.size()> passes{[&] { attention.pass(); }, [&] { heads_pass(stage); },
                                                                [&] { gru.pass(); }, [&] { convolution.pass(); }};
  std::array<std::vector<double>, kTimed.size()> seconds, ratios;
  for (int64_t repeat = 0; repeat <= repeats; ++repeat)
    for (size_t i = 0; i < passes.size(); ++i) {
      stage.arena.clear();
      const double taken = seconds_of(passes[i]);
      if (repeat == 0) continue;
      seconds[i].push_back(taken);
      ratios[i].push_back(seconds[i].back() / seconds[0].back());
    }
  LayerTime time;
  for (size_t i = 0; i < passes.size(); ++i) time.seconds[i] = median(seconds[i]), time.ratios[i] = median(ratios[i]);
  return time;
}

}  // namespace hexapla::lab
