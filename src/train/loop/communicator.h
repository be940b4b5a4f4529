#pragma once
// Where several processes that train one model differ from one: which batches are whose, who adds up, who writes.
#include <vector>

#include "data/batches/batch.h"
#include "model/transformer.h"

namespace hexapla::train {

class Communicator {
 public:
  virtual ~Communicator() = default;
  // Of the batches of an update, those that this process computes; all processes are given the same.
  virtual std::vector<data::Batch> mine(std::vector<data::Batch> batches) const = 0;
  // Gradients and losses become the sums over all processes, the same bits in each.
  virtual void sum(Tensor gradients, model::LossSums& losses) = 0;
  // Whether this process writes the run's files and speaks to its watcher.
  virtual bool writes() const = 0;
};

// Siblings: one process has nothing to share.
class OneProcess final : public Communicator {
 public:
  std::vector<data::Batch> mine(std::vector<data::Batch> batches) const override { return batches; }
  void sum(Tensor, model::LossSums&) override {}
  bool writes() const override { return true; }
};

}  // namespace hexapla::train
