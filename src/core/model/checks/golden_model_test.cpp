// The model equals four independent PyTorch implementations of Figure 1: every parameter,
// intermediate and gradient, and ten steps of Adam. scripts/golden/make_golden.py makes the
// fixtures.
#include <gtest/gtest.h>

#include <optional>

#include "backend/cpu/cpu.h"
#include "backend/guarded/guarded.h"
#include "backend/on_host.h"
#include "backend/opencl/opencl.h"
#include "backend/reference/reference.h"
#include "model/checks/golden_test.h"
#include "model/parameters/parameters.h"
#include "model/transformer.h"

namespace hexapla::model {
namespace {

struct Case {
  const char* fixture;
  Config config;
};

Config tiny(int64_t source_vocab, int64_t target_vocab, int64_t layers, int64_t d_ff) {
  Config c;
  c.source_vocab = source_vocab;
  c.target_vocab = target_vocab;
  c.enc_layers = c.dec_layers = layers;
  c.d_model = 8;
  c.d_ff = d_ff;
  c.heads = 2;
  c.dropout = 0;
  return c;
}

Case paper() { return {"golden_paper", tiny(23, 23, 2, 20)}; }

Case notes() {
  Case c{"golden_notes", tiny(23, 19, 2, 32)};
  c.config.tied = "none";
  c.config.generator_bias = true;
  c.config.embedding_norm = true;
  return c;
}
Case notes_heads() {
  Case c = notes();
  c.fixture = "golden_notes_heads";
  c.config.enc_layers = c.config.dec_layers = 1;
  c.config.d_k = 3;
  c.config.d_v = 5;
  return c;
}

Case torch_post_norm() {
  Case c{"golden_torch", tiny(23, 19, 1, 12)};
  c.config.tied = "decoder";
  c.config.attention_bias = true;
  c.config.norm_eps = 1e-5;
  return c;
}
Case torch_pre_norm() {
  Case c{"golden_torch_pre", tiny(23, 23, 2, 12)};
  c.config.norm_position = "pre";
  c.config.attention_bias = true;
  c.config.generator_bias = true;
  c.config.norm_eps = 1e-5;
  return c;
}

struct GoldenDevice {
  std::string name;
  std::unique_ptr<Backend> (*make)();  // null: it is not here
  DType dtype;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.fixture; }
void PrintTo(const GoldenDevice& d, std::ostream* out) { *out << d.name; }

struct Tolerances {
  double logits;    // absolute
  double relative;  // to the largest number of the tensor
  double losses;    // relative
};
// In f64 the remaining error is the fixture's rounding: intermediates and gradients are stored in
// f32.
Tolerances tolerances(DType t) {
  return t == DType::f64 ? Tolerances{1e-12, 1e-7, 1e-12} : Tolerances{1e-5, 1e-4, 1e-4};
}

void set(Tensor t, const std::vector<double>& values) {
  HEXAPLA_CHECK(t.size() == int64_t(values.size()), "the model has ", t.shape, ", the fixture ", values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (t.dtype == DType::f64)
      t.data<double>()[i] = values[i];
    else
      t.data<float>()[i] = static_cast<float>(values[i]);
}

// A model with the parameters of a fixture, and its batch.
class GoldenBench {
 public:
  GoldenBench(const Case& c, const GoldenDevice& d, Backend& on)
      : golden(c.fixture),
        within(tolerances(d.dtype)),
        model(resolved(c.config)),
        parameters(model, d.dtype, Parameters::Use::training),
        backend(on),
        arena(make_arena(on, size_t{16} << 20)),
        cx{on, arena, d.dtype, true} {
    std::set<std::string> names;
    for_each<Parameter>(model, [&](const std::string& name, Parameter& p) {
      HEXAPLA_CHECK(golden.shape("value." + name) == p.shape, name, " is ", p.shape);
      set(p.value, golden.numbers("value." + name));
      names.insert("value." + name);
    });
    EXPECT_EQ(names, golden.names({"value."}));
    parameters.move_to(backend);
    batch = {source, target_in, target_out, source_rows, target_rows};
  }
  double loss() {
    arena.clear();
    return model.loss(cx, batch, 0.1, saved).loss / double(target_out.size());
  }
  double loss_and_gradient() {  // of the mean loss
    arena.clear();
    backend.fill(parameters.gradients(), 0);
    const double n = double(target_out.size());
    return model.loss_and_gradient(cx, batch, 0.1, 1 / n, saved).loss / n;
  }

  Golden golden;
  Tolerances within;
  Transformer model;
  Parameters parameters;
  Backend& backend;
  Arena arena;
  Context cx;
  BatchView batch;
  Transformer::Saved saved;

 private:
  static Config resolved(Config c) {
    c.resolve();
    return c;
  }
  std::vector<int32_t> source = golden.ids("source"), source_rows = golden.ids("source_rows");
  std::vector<int32_t> target_in = golden.ids("target_in"), target_out = golden.ids("target_out"),
                       target_rows = golden.ids("target_rows");
};

class GoldenModel : public testing::TestWithParam<std::tuple<Case, GoldenDevice>> {
 protected:
  void SetUp() override {
    const auto& [model, device] = GetParam();
    backend_ = device.make();
    if (!backend_) GTEST_SKIP() << "there is no OpenCL device";
    if (!backend_->supports(device.dtype)) GTEST_SKIP() << backend_->name() << " has no f64";
    bench_.emplace(model, device, *backend_);
  }
  GoldenBench& bench() { return *bench_; }

 private:
  std::unique_ptr<Backend> backend_;
  std::optional<GoldenBench> bench_;
};

TEST_P(GoldenModel, EveryIntermediateAndTheLogits) {
  GoldenBench& bench = this->bench();
  Comparison comparison(bench.golden);
  ComparingObserver observer(comparison, bench.within.logits, bench.within.relative);
  bench.cx.observer = &observer;
  bench.model.log_probabilities(bench.cx, bench.batch, bench.saved);
  EXPECT_EQ(comparison.first_difference(), "");
  EXPECT_EQ(comparison.seen(), bench.golden.names({"seen.", "scores.", "weights."}));
}

TEST_P(GoldenModel, TheLossAndEveryGradient) {
  GoldenBench& bench = this->bench();
  const double expected = bench.golden.numbers("losses").front();
  EXPECT_NEAR(bench.loss(), expected, expected * bench.within.losses);
  EXPECT_NEAR(bench.loss_and_gradient(), expected, expected * bench.within.losses);
  std::vector<std::pair<std::string, Tensor>> gradients;
  for_each<Parameter>(bench.model,
                      [&](const std::string& name, Parameter& p) { gradients.emplace_back(name, p.grad); });
  // In the order of the backward pass, from the last layer to the first, because an error spreads
  // only to later gradients.
  Comparison comparison(bench.golden);
  for (auto at = gradients.rbegin(); at != gradients.rend(); ++at)
    comparison.relative("gradient." + at->first, OnHost(bench.backend, at->second), bench.within.relative);
  EXPECT_EQ(comparison.first_difference(), "");
}

TEST_P(GoldenModel, TenStepsOfAdam) {
  GoldenBench& bench = this->bench();
  const std::vector<double> rates = bench.golden.numbers("rates"), losses = bench.golden.numbers("losses");
  Tensor m = bench.parameters.slab_like_values(), v = bench.parameters.slab_like_values();
  ASSERT_EQ(rates.size(), 10u);
  for (size_t i = 0; i < rates.size(); ++i) {
    EXPECT_NEAR(bench.loss_and_gradient(), losses[i], losses[i] * bench.within.losses) << "before step " << i + 1;
    const AdamStep step{rates[i], 0.9, 0.98, 1e-9, int64_t(i) + 1, 1};
    bench.backend.adam(bench.parameters.values(), bench.parameters.gradients(), m, v, step);
  }
  EXPECT_NEAR(bench.loss(), losses.back(), losses.back() * bench.within.losses) << "after the last step";
  EXPECT_LT(losses.back(), 0.9 * losses.front());
}

template <Isa isa>
std::unique_ptr<Backend> make_golden_cpu() {
  return make_cpu_backend(isa);
}
std::unique_ptr<Backend> make_guarded() { return make_guarded_backend(make_cpu_backend()); }
std::unique_ptr<Backend> make_opencl() {
  std::string why;
  return opencl_devices(why).empty() ? nullptr : make_opencl_backend();
}
// The backends of this machine.
std::vector<GoldenDevice> golden_devices() {
  std::vector<GoldenDevice> all{{"reference_f64", make_reference_backend, DType::f64},
                                {"reference_f32", make_reference_backend, DType::f32},
                                {"guarded", make_guarded, DType::f32},
                                {"opencl_f64", make_opencl, DType::f64},
                                {"opencl_f32", make_opencl, DType::f32},
                                {"cpu_generic", make_golden_cpu<Isa::generic>, DType::f32}};
  if (available(Isa::avx2)) all.push_back({"cpu_avx2", make_golden_cpu<Isa::avx2>, DType::f32});
  if (available(Isa::avx512)) all.push_back({"cpu_avx512", make_golden_cpu<Isa::avx512>, DType::f32});
  if (available(Isa::neon)) all.push_back({"cpu_neon", make_golden_cpu<Isa::neon>, DType::f32});
  return all;
}

std::string name_of_golden(const testing::TestParamInfo<std::tuple<Case, GoldenDevice>>& info) {
  return std::get<Case>(info.param).fixture + ("_" + std::get<GoldenDevice>(info.param).name);
}
INSTANTIATE_TEST_SUITE_P(All, GoldenModel,
                         testing::Combine(testing::Values(paper(), notes(), notes_heads(), torch_post_norm(),
                                                          torch_pre_norm()),
                                          testing::ValuesIn(golden_devices())),
                         name_of_golden);

}  // namespace
}  // namespace hexapla::model
