#pragma once
// How processes that train one model together add up gradients and divide the parameters.
#include <functional>
#include <span>
#include <vector>

#include "model/transformer.h"
#include "ops/ops.h"
#include "train/cluster/processes.h"

namespace hexapla::train {

inline void add_to(model::LossSums& sums, const model::LossSums& more) {
  sums.loss += more.loss;
  sums.nll += more.nll;
  sums.tokens += more.tokens;
  sums.alignment += more.alignment;
  sums.linked += more.linked;
  sums.balancing += more.balancing;
}

class Communicator {
 public:
  virtual ~Communicator() = default;

  // Called before the backward pass of the last batch of this process's last shard. Returns the
  // listener to notify of final gradients, which are then added up during the pass; nullptr: none.
  // The gradients outlive this object, even after an error.
  virtual GradientListener* last_backward(Tensor gradients) = 0;
  // Adds the gradient and losses of this process's next shard.
  virtual void add(Tensor gradients, const model::LossSums& losses) = 0;
  // Called after the last add(): leaves the sum over all shards of all processes in this process's
  // slice of the gradients. -> the summed losses, the same bits in each process.
  virtual model::LossSums sum(Tensor gradients) = 0;

  // This process's part of slabs of this size, to update and hold moments of: ascending, disjoint.
  virtual std::vector<cluster::Share> slice(int64_t numbers) const = 0;
  // For a slab of which each process has its slice; the same bits in each.
  virtual double sum_of_squares(Context& cx, Tensor slab) = 0;
  // Gives every process the slices of all others.
  virtual void complete(Tensor slab) = 0;
  // The same, but the others' values in `rounded` (ascending and disjoint) are sent as bf16.
  virtual void complete_rounded(Tensor slab, std::span<const cluster::Share> rounded) = 0;

  // Assembles a slab from all slices; valid on the writing process until forget_whole().
  virtual Tensor whole(Tensor own) = 0;
  virtual void forget_whole() = 0;
  // Distributes a slab read by `read` on the writing process: whole, or each process's slice.
  using Read = std::function<void(Tensor to)>;
  virtual void read(Tensor whole, const Read& read) = 0;
  virtual void read_slice(Tensor own, Tensor room, const Read& read) = 0;
};

// Siblings: a single process with one slab has nothing to share.
class OneProcess final : public Communicator {
 public:
  GradientListener* last_backward(Tensor) override { return nullptr; }
  void add(Tensor, const model::LossSums& losses) override { losses_ = losses; }
  model::LossSums sum(Tensor) override { return losses_; }
  std::vector<cluster::Share> slice(int64_t numbers) const override { return {{0, numbers}}; }
  double sum_of_squares(Context& cx, Tensor slab) override { return hexapla::sum_of_squares(cx, slab); }
  void complete(Tensor) override {}
  void complete_rounded(Tensor, std::span<const cluster::Share>) override {}
  Tensor whole(Tensor own) override { return own; }
  void forget_whole() override {}
  void read(Tensor whole, const Read& read) override { read(whole); }
  void read_slice(Tensor own, Tensor, const Read& read) override { read(own); }

 private:
  model::LossSums losses_;
};

}  // namespace hexapla::train
