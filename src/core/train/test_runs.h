#pragma once
// Tests that train: a small corpus, and options of a run on it that takes a second.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/files/file.h"
#include "base/files/test_toy_corpus.h"
#include "base/json.h"
#include "train/loop/trainer.h"

namespace hexapla::train {

struct StopAt : TrainWatcher {
  explicit StopAt(int64_t u) : update(u) {}
  void updated(const TrainReport& r) override {
    if (r.update == update) stop = true;
  }
  int64_t update;
  std::atomic<bool> stop{false};
};

class Training : public testing::Test {
 protected:
  Training() : folder_(testing::TempDir() + "hexapla_trainer_" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    write_corpus(60);
  }
  ~Training() override { std::filesystem::remove_all(folder_); }

  // The first pairs are for validation, which takes longer than the training: an untrained model ends no translation.
  void write_corpus(int pairs) const {
    write_toy_corpus(folder_ + "/a", folder_ + "/b", pairs);
    write_toy_corpus(folder_ + "/few_a", folder_ + "/few_b", std::min(pairs, 12));
  }
  TrainOptions options(const std::string& run) const {
    TrainOptions o;
    o.train_sets = {folder_ + "/a", folder_ + "/b"};
    o.valid_sets = {folder_ + "/few_a", folder_ + "/few_b"};
    o.model = folder_ + "/" + run;
    o.vocab_size = 60;
    o.batch_tokens = 64;
    o.max_updates = 30;
    o.warmup = 20;
    o.lr = 3e-3;
    o.save_every = "5";
    o.report_every = "1";
    o.valid_every = "10";
    o.best_by = "bleu";
    o.architecture.enc_layers = o.architecture.dec_layers = 1;
    o.architecture.d_model = 32;
    o.architecture.d_ff = 64;
    o.architecture.heads = 2;
    return o;
  }
  static std::unique_ptr<Backend> make_backend();  // in test_runs_test.cpp: this folder depends on no device
  TrainResult run(const TrainOptions& o, TrainWatcher& watcher, const std::atomic<bool>& stop) const {
    auto backend = make_backend();
    return train(o, prepare_data(o), *backend, watcher, stop);
  }
  TrainResult run(const TrainOptions& o) const {
    TrainWatcher silent;
    return run(o, silent, false);
  }
  // The log without rates and times, which depend on the clock.
  static std::string log_of(const TrainOptions& o) {
    return std::regex_replace(read_file(o.model + "/train.jsonl"), std::regex(", \"tokens_per_second\": [^}]*"), "");
  }
  static std::vector<nlohmann::json> reports_of(const TrainOptions& o) {
    std::vector<nlohmann::json> reports;
    std::istringstream in(read_file(o.model + "/train.jsonl"));
    for (std::string line; std::getline(in, line);) reports.push_back(nlohmann::json::parse(line));
    return reports;
  }
  // The mean over the last ten reports.
  static double at_the_end(const TrainOptions& o, const char* key) {
    const auto reports = reports_of(o);
    double sum = 0;
    for (size_t i = reports.size() - 10; i < reports.size(); ++i) sum += reports[i][key].get<double>();
    return sum / 10;
  }
  static std::string validations_of(const TrainOptions& o) {
    return std::regex_replace(read_file(o.model + "/valid.jsonl"), std::regex(", \"time\": \"[^\"]*\""), "");
  }
  static bool same_model(const TrainOptions& a, const TrainOptions& b) {
    return read_file(a.model + "/model.safetensors") == read_file(b.model + "/model.safetensors");
  }
  // Stopped three times, on one thread and two, a run ends byte-identical to unbroken `whole`.
  void expect_resumes_exactly(TrainOptions whole) const;

  std::string folder_;
};

}  // namespace hexapla::train
