// Training on a device whose memory the host cannot access, stopped and resumed: the same bits as on the processor.
#include <gtest/gtest.h>

#include "backend/cpu/cpu.h"
#include "backend/guarded/guarded.h"
#include "model/weights/model_file.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

std::unique_ptr<Backend> make_guarded() { return make_guarded_backend(make_cpu_backend()); }

class DeviceMemoryTest : public Training {
 protected:
  TrainResult run_guarded(const TrainOptions& o, TrainWatcher& watcher, const std::atomic<bool>& stop) const {
    const auto guarded = make_guarded();
    return train::train(o, prepare_data(o), *guarded, watcher, stop);
  }
  // The run on the device, stopped once and resumed, equals the run on the processor.
  void expect_same(const std::string& name, const std::function<void(TrainOptions&)>& change) const {
    TrainOptions here = options(name), there = options(name + "_device");
    here.max_updates = there.max_updates = 24;
    change(here), change(there);
    run(here);
    StopAt watcher(13);
    EXPECT_EQ(run_guarded(there, watcher, watcher.stop).end, TrainEnd::interrupted) << name;
    TrainWatcher silent;
    EXPECT_EQ(run_guarded(there, silent, false).end, TrainEnd::finished) << name;
    EXPECT_EQ(log_of(there), log_of(here)) << name;
    EXPECT_EQ(validations_of(there), validations_of(here)) << name;
    EXPECT_EQ(bytes_of_tensors(there), bytes_of_tensors(here)) << name;
  }
  static std::string bytes_of_tensors(const TrainOptions& o) {
    const model::LoadedModel m = model::load_model(o.model + "/model.safetensors");
    const Tensor v = m.parameters->values();
    return {reinterpret_cast<const char*>(v.bytes), static_cast<size_t>(v.size()) * sizeof(float)};
  }
};

TEST_F(DeviceMemoryTest, TrainingGivesTheSameModel) {
  expect_same("plain", [](TrainOptions&) {});
  expect_same("averaged", [](TrainOptions& o) { o.ema = 0.99, o.accumulate = 2, o.average_last = 2; });
  expect_same("pre", [](TrainOptions& o) {
    o.architecture.norm_position = "pre", o.architecture.gated = true, o.architecture.activation = "swish";
    o.architecture.positions = "learned", o.architecture.attention_dropout = 0.1, o.average_best = 2;
  });
  expect_same("batch_norm", [](TrainOptions& o) { o.architecture.norm = "batch", o.ema = 0.9; });
  expect_same("recurrent", [](TrainOptions& o) { o.architecture.decoder_mixing = "ssru"; });
}

TEST_F(DeviceMemoryTest, RefusesWhatHostCodeComputes) {
  TrainOptions o = options("gru");
  o.architecture.encoder_mixing = "gru";
  TrainWatcher silent;
  try {
    run_guarded(o, silent, false);
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("`encoder-mixing` gru does not run on"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace hexapla::train
