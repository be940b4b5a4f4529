#include "train/loop/optimizer.h"

#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <numeric>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "base/compute/random.h"
#include "base/files/test_folder.h"
#include "tensor/test_values.h"

namespace hexapla::train {
namespace {

// A context for a backend, with a small arena: these calls allocate nothing in it.
struct On {
  Arena arena{4096};
  Context own, &cx;
  explicit On(Backend& backend) : own{backend, arena}, cx(own) {}
};

using testing::Each;
using testing::FloatNear;

OneProcess one;

double norm_of(Optimizer& optimizer, Backend& backend) { return optimizer.gradient_norm(On(backend).cx, one); }

// A model in training whose gradient is 1 everywhere.
struct Bench {
  TrainOptions options;
  model::Transformer model;
  model::Parameters parameters;
  std::unique_ptr<Backend> backend = make_cpu_backend();

  explicit Bench(const TrainOptions& o = {})
      : options(o), model(config()), parameters(model, DType::f32, model::Parameters::Use::training) {
    model::initialize(model, 3);
    model::for_each<model::Parameter>(model,
                                      [&](const std::string&, model::Parameter& p) { backend->fill(p.grad, 1); });
    options.lr = 0.01;
    options.warmup = 1;
  }
  static model::Config config() {
    model::Config c;
    c.source_vocab = c.target_vocab = 9;
    c.enc_layers = c.dec_layers = 1;
    c.d_model = c.d_ff = 12;  // not a multiple of 16: there are gaps between the parameters
    c.heads = 2;
    c.positions = "learned";
    c.max_positions = 5;
    c.resolve();
    return c;
  }
  std::map<std::string, std::vector<float>> values() {
    std::map<std::string, std::vector<float>> all;
    model::for_each<model::Parameter>(model, [&](const std::string& name, const model::Parameter& p) {
      const auto v = p.value.values<float>();
      all[name].assign(v.begin(), v.end());
    });
    return all;
  }
};

TEST(Parts, AreTheWholeSlabInOrder) {
  Bench b;
  for (const bool with_decay : {false, true}) {
    int64_t at = 0;
    for (const Part& p : parts_of(b.model, b.parameters, {"encoder.layers.0.feed_forward.inner.bias"}, with_decay)) {
      EXPECT_EQ(p.from, at);
      at += p.count;
    }
    EXPECT_EQ(at, b.parameters.values().size());
  }
  EXPECT_EQ(parts_of(b.model, b.parameters, {}, false).size(), 1u) << "neighbors that are treated alike are one part";
}

TEST(Optimizer, WeightDecayIsForMatricesAlone) {
  TrainOptions o;
  o.weight_decay = 0.5;
  Bench plain, decayed(o);
  for (Bench* b : {&plain, &decayed}) {
    Optimizer optimizer(b->model, b->parameters, b->options);
    optimizer.update(On(*b->backend).cx, 1, 1, norm_of(optimizer, *b->backend));
  }
  const auto before = Bench().values(), without = plain.values(), with = decayed.values();
  int matrices = 0;
  for (const auto& [name, start] : before) {
    const bool matrix = name.ends_with("weight");
    matrices += matrix;
    for (size_t i = 0; i < start.size(); ++i)
      EXPECT_NEAR(with.at(name)[i], without.at(name)[i] - (matrix ? 0.01 * 0.5 * double(start[i]) : 0), 1e-7) << name;
  }
  EXPECT_GT(matrices, 8);
  EXPECT_LT(matrices, static_cast<int>(before.size()) / 2);
}

// 1 - 1e-8 is 1 in f32. But as part of a step larger than the spacing of the weights, the decay
// takes effect on average.
TEST(Optimizer, ASmallWeightDecayIsNotNone) {
  const auto mean_after = [](const std::function<std::unique_ptr<Backend>()>& make, double decay) {
    const auto backend = make();
    constexpr int64_t n = 100'000;
    std::vector<float> p(n), g(n), m(n), v(n);
    Random random(3);
    for (float& x : p) x = static_cast<float>(0.5 + 0.5 * random.uniform());
    for (float& x : v) x = static_cast<float>(random.uniform());
    const auto of = [](std::vector<float>& x) { return Tensor::of(x.data(), {n}); };
    for (int64_t step = 1; step <= 10; ++step) {
      for (float& x : g) x = static_cast<float>(random.normal());
      backend->adam(of(p), of(g), of(m), of(v), {1e-4, 0.9, 0.98, 1e-9, step, 1, decay});
    }
    return std::accumulate(p.begin(), p.end(), 0.0) / n;
  };
  for (const auto& make : {std::function<std::unique_ptr<Backend>()>([] { return make_cpu_backend(); }),
                           std::function<std::unique_ptr<Backend>()>(make_reference_backend)}) {
    const double lost = mean_after(make, 0) - mean_after(make, 1e-4);  // lr * decay = 1e-8, ten times, of 0.75
    EXPECT_NEAR(lost, 7.5e-8, 1.5e-8);
  }
}

TEST(Optimizer, WhatIsFrozenIsNotTouched) {
  TrainOptions o;
  o.weight_decay = 0.5;
  o.freeze = "encoder,embeddings";
  Bench b(o);
  const auto before = b.values();
  Optimizer optimizer(b.model, b.parameters, b.options);
  double trained = 0;
  for (const auto& [name, v] : before) trained += name.starts_with("decoder") ? double(v.size()) : 0;
  for (int64_t step : {1, 2, 3}) {
    EXPECT_NEAR(norm_of(optimizer, *b.backend), std::sqrt(trained), 1e-3) << "of what is trained alone";
    optimizer.update(On(*b.backend).cx, step, 1, 1);
  }
  for (const auto& [name, v] : b.values()) {
    if (name.starts_with("decoder"))
      EXPECT_NE(v, before.at(name)) << name;
    else
      EXPECT_EQ(v, before.at(name)) << name;
  }
  for (const Part& part : optimizer.parts()) {
    if (part.trained) continue;
    for (const Tensor& moments : {optimizer.first_moments(), optimizer.second_moments()})
      EXPECT_THAT(values_of(moments.slice(part.from, part.count)), Each(0.f));
  }
}

TEST(Optimizer, LearningRateOfAPlateauHasAFloor) {
  Bench b;
  b.options.schedule = "plateau";
  b.options.valid_sets = {"a", "b"};
  b.options.warmup = 4;
  b.options.min_lr = 0.004;
  const Optimizer optimizer(b.model, b.parameters, b.options);
  EXPECT_DOUBLE_EQ(optimizer.learning_rate(1, 1), 0.0025);
  EXPECT_DOUBLE_EQ(optimizer.learning_rate(4, 1), 0.01);
  EXPECT_DOUBLE_EQ(optimizer.learning_rate(9, 0.5), 0.005);
  EXPECT_DOUBLE_EQ(optimizer.learning_rate(9, 0.25), 0.004);
}

// decay_1 = 2 / 11, decay_2 = 3 / 12, then the given 0.26.
TEST(MovingAverage, ByHand) {
  Bench b;
  const std::vector<Part> all = parts_of(b.model, b.parameters, {}, false);
  MovingAverage average(b.parameters, all, 0.26);
  b.backend->fill(b.parameters.values(), 1);
  average.start();
  double expected = 1;
  for (const auto& [step, decay, value] : {std::tuple{1, 2.0 / 11, 3.0}, {2, 0.25, -2.0}, {3, 0.26, 5.0}}) {
    b.backend->fill(b.parameters.values(), value);
    average.update(On(*b.backend).cx, step);
    expected = decay * expected + (1 - decay) * value;
    EXPECT_THAT(values_of(average.slab()), Each(FloatNear(static_cast<float>(expected), 1e-6f)));
  }
  {
    const UseAverage use(average, b.parameters, one);
    EXPECT_FLOAT_EQ(b.parameters.values().values<float>()[7], static_cast<float>(expected));
  }
  EXPECT_THAT(values_of(b.parameters.values()), Each(5.f));
}

TEST(MovingAverage, OfWhatIsFrozenIsTheValueItself) {
  Bench b;
  const auto before = b.values();
  MovingAverage average(b.parameters, parts_of(b.model, b.parameters, {"embeddings.0.table"}, false), 0.999);
  average.start();
  for (int64_t step = 1; step < 50; ++step) average.update(On(*b.backend).cx, step);
  average.swap();
  EXPECT_EQ(b.values().at("embeddings.0.table"), before.at("embeddings.0.table"));
}

// In f32 the factors 0.9999 and 0.0001 add up to less than 1.
TEST(MovingAverage, IsNotSmallerThanWhatItIsOf) {
  Bench b;
  MovingAverage average(b.parameters, parts_of(b.model, b.parameters, {}, false), 0.9999);
  average.start();
  const auto values = b.parameters.values().values<float>();
  const std::vector<float> start(values.begin(), values.end());
  Random random(5);
  for (int64_t step = 100'000; step < 115'000; ++step) {
    const auto noise = static_cast<float>(0.01 * (random.uniform() - 0.5));
    for (size_t i = 0; i < start.size(); ++i) values[i] = start[i] * (1 + (i % 2 == 0 ? noise : -noise));
    average.update(On(*b.backend).cx, step);
  }
  const auto found = average.slab().values<float>();
  double ratio = 0, of = 0;
  for (size_t i = 0; i < start.size(); ++i)
    if (start[i] != 0) ratio += double(found[i]) / double(start[i]), ++of;
  EXPECT_NEAR(ratio / of, 1, 3e-5);
}

TEST(MovingAverage, HasTheStatisticsOfItsWeights) {
  model::Config c = Bench::config();
  c.norm = "batch";
  model::Transformer model(c);
  model::Parameters parameters(model, DType::f32, model::Parameters::Use::training);
  model::initialize(model, 3);
  const auto backend = make_cpu_backend();
  MovingAverage average(parameters, parts_of(model, parameters, {}, false), 0.25);
  average.start();
  double expected = parameters.buffers().values<float>()[0];
  for (const auto& [step, decay, value] : {std::tuple{1, 2.0 / 11, 3.0}, {2, 0.25, -2.0}, {3, 0.25, 5.0}}) {
    backend->fill(parameters.buffers(), value);
    average.update(On(*backend).cx, step);
    expected = decay * expected + (1 - decay) * value;
  }
  EXPECT_NEAR(average.buffers().values<float>()[0], expected, 1e-6);
  {
    const UseAverage use(average, parameters, one);
    EXPECT_NEAR(parameters.buffers().values<float>()[0], expected, 1e-6);
  }
  EXPECT_EQ(parameters.buffers().values<float>()[0], 5.f);
}

TEST(MovingAverage, WithoutDecayIsNothing) {
  Bench b;
  MovingAverage none(b.parameters, {}, 0);
  EXPECT_FALSE(none);
  EXPECT_FALSE(none.slab());
  const auto before = b.values();
  none.start();
  none.update(On(*b.backend).cx, 1);
  const UseAverage use(none, b.parameters, one);
  EXPECT_EQ(b.values(), before);
}

}  // namespace
}  // namespace hexapla::train
