// The first 60 updates on Multi30k, a real corpus, if HEXAPLA_MULTI30K names its folder.
#include <gmock/gmock.h>

#include "backend/cpu/cpu.h"
#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "train/loop/trainer.h"

namespace hexapla {
namespace {

struct Watch : train::TrainWatcher {
  void started(const train::TrainStart& s) override { start = s; }
  void updated(const train::TrainReport& r) override { reports.push_back(r); }
  train::TrainStart start;
  std::vector<train::TrainReport> reports;
};

class Multi30k : public TestFolder {};

TEST_F(Multi30k, BeginsToLearn) {
  const char* data = environment("HEXAPLA_MULTI30K");
  if (!data) GTEST_SKIP() << "HEXAPLA_MULTI30K does not name the folder of the corpus";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "too long under a sanitizer";
#endif
  train::TrainOptions o;
  o.train_sets = {cat(data, "/train.en.gz"), cat(data, "/train.de.gz")};
  o.model = at("run");
  o.batch_tokens = 512;
  o.lr = 3e-3;
  o.warmup = 200;
  o.max_updates = 60;
  o.vocab_size = 2000;
  o.text.vocab_lines = 10'000;
  o.report_every = "1";
  o.save_every = "1e";
  o.architecture = model::Config::preset("tiny");
  const train::TrainingData corpus = train::prepare_data(o);
  auto backend = make_cpu_backend();
  Watch watch;
  const train::TrainResult result = train::train(o, corpus, *backend, watch, false);
  EXPECT_EQ(result.updates, 60);
  EXPECT_EQ(watch.start.examples, 29000);
  EXPECT_EQ(corpus.pairs.target.size(), 2000);
  ASSERT_EQ(watch.reports.size(), 60);
  // An untrained model has a loss above log 2000 = 7.6; after 60 updates it is 5.8.
  EXPECT_GT(watch.reports.front().loss, 7.6);
  double last = 0;
  for (size_t i = 40; i < 60; ++i) last += watch.reports[i].loss / 20;
  EXPECT_LT(last, 6);
}

}  // namespace
}  // namespace hexapla
