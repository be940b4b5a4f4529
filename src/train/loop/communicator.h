#pragma once
// Where several processes that train one model differ from one: how gradients are added up, who updates which
// parameters.
#include <functional>
#include <span>
#include <vector>

#include "cluster/processes.h"
#include "model/transformer.h"
#include "ops/ops.h"

namespace hexapla::train {

inline void add_to(model::LossSums& sums, const model::LossSums& more) {
  sums.loss += more.loss;
  sums.nll += more.nll;
  sums.tokens += more.tokens;
  sums.alignment += more.alignment;
  sums.linked += more.linked;
  sums.divergence += more.divergence;
  sums.balancing += more.balancing;
}

class Communicator {
 public:
  virtual ~Communicator() = default;

  // Before the backward pass of the last batch of this process's last shard: whom it is to tell which gradients are
  // final, so that they are added up meanwhile; nullptr: nobody. The gradients outlive this
  // object, also after an error.
  virtual GradientListener* last_backward(Tensor gradients) = 0;
  // The gradient of the next shard of this process, and its losses.
  virtual void add(Tensor gradients, const model::LossSums& losses) = 0;
  // After the last one: the sum over all shards of all processes, in this process's slice of the gradients, and the
  // sums of the losses, which are the same bits in each process.
  virtual model::LossSums sum(Tensor gradients) = 0;

  // What this process updates of slabs of so many numbers, and holds the moments of: ascending, apart from each other.
  virtual std::vector<cluster::Share> slice(int64_t numbers) const = 0;
  // Of a slab of which each process has its slice; the same bits in each.
  virtual double sum_of_squares(Context& cx, Tensor slab) = 0;
  // Every process gets the slices of all others.
  virtual void complete(Tensor slab) = 0;
  // The same, but the others' numbers of `rounded` (ascending, apart from each other) as bf16 has them.
  virtual void complete_rounded(Tensor slab, std::span<const cluster::Share> rounded) = 0;

  // A slab of which this process has the slice `own`: the whole, on the process that writes, until forget_whole().
  virtual Tensor whole(Tensor own) = 0;
  virtual void forget_whole() = 0;
  // The slab that `read` reads on the process that writes: the whole of it, or what is this process's.
  using Read = std::function<void(Tensor to)>;
  virtual void read(Tensor whole, const Read& read) = 0;
  virtual void read_slice(Tensor own, Tensor room, const Read& read) = 0;
};

// Siblings: one process that adds up in one slab has nothing to share.
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
