#include "train/test_runs.h"

#include "backend/device/device.h"

namespace hexapla::train {

std::unique_ptr<Backend> Training::make_backend() { return hexapla::make_backend(); }

void Training::expect_resumes_exactly(TrainOptions whole) const {
  whole.threads = 1;
  run(whole);
  for (int64_t threads : {1, 2}) {
    TrainOptions broken = whole;
    broken.model = folder_ + "/broken" + std::to_string(threads);
    broken.threads = threads;
    for (int64_t update : {3, 11, 23}) {
      StopAt watcher(update);
      EXPECT_EQ(run(broken, watcher, watcher.stop).end, TrainEnd::interrupted);
    }
    EXPECT_EQ(run(broken).end, TrainEnd::finished);
    EXPECT_EQ(log_of(broken), log_of(whole));
    EXPECT_EQ(validations_of(broken), validations_of(whole));
    EXPECT_TRUE(same_model(broken, whole)) << threads << " threads";
  }
}

}  // namespace hexapla::train
