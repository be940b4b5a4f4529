#pragma once
// The first few of several processes, acting as if there were no others: for example two of four.
#include "train/cluster/processes.h"

namespace hexapla::train::scale {

class FirstProcesses final : public cluster::Processes {
 public:
  // count: at most that of `all`. Only the first `count` processes may use it.
  FirstProcesses(cluster::Processes& all, int count) : all_(all), count_(count) {}
  int number() const override { return all_.number(); }
  int count() const override { return count_; }
  std::string host() const override { return all_.host(); }
  void exchange(std::span<const cluster::Outgoing> out, std::span<const cluster::Incoming> in) override {
    all_.exchange(out, in);
  }
  void exchange_beside(std::span<const cluster::Outgoing> out, std::span<const cluster::Incoming> in) override {
    all_.exchange_beside(out, in);
  }
  bool by_any_thread() const override { return all_.by_any_thread(); }

 private:
  cluster::Processes& all_;
  int count_;
};

}  // namespace hexapla::train::scale
