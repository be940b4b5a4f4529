#pragma once
// The weights of a run, and how one update changes them.
#include <memory>
#include <optional>

#include "model/weights/parameters.h"
#include "train/data/training_data.h"
#include "train/loop/communicator.h"
#include "train/loop/optimizer.h"
#include "train/memory/memory_budget.h"
#include "train/provenance/replay.h"
#include "train/run/checkpoint.h"
#include "train/run/init_from.h"
#include "train/shards/update_batches.h"

namespace hexapla::train {

class Learner {
 public:
  Learner(const TrainOptions& options, const TrainingData& data, Backend& backend);

  // The weights that a run begins with, of init-from where there is such a model. -> what was carried over; "": nothing
  std::string initialize();
  // What tells the model of init-from from others; "" without.
  std::string initial_checksum() const { return initial_ ? initial_->checksum() : ""; }
  void forget_initial_model() { initial_.reset(); }

  // Of the mean over the target tokens of all batches of all processes. step: of the first batch's dropout; each draws
  // anew.
  model::LossSums accumulate_gradient(const UpdateBatches& batches, uint32_t step);
  double gradient_norm() { return optimizer_.gradient_norm(cx_, *communicator_); }
  // update: 1 at the first; scale: of a plateau; norm: of this gradient.
  void update(int64_t update, double scale, double norm);
  double learning_rate(int64_t update, double scale) const { return optimizer_.learning_rate(update, scale); }
  void reschedule() { optimizer_.reschedule(); }  // the options' warm-up has changed
  bool weights_are_finite();

  // All that a checkpoint holds, of all processes; to be used on the one that writes, until forget_tensors().
  std::vector<NamedTensor> gather_tensors();
  void forget_tensors() { communicator_->forget_whole(); }
  // checkpoint: of the process that writes; the others have none. -> false: of an earlier version that did not average
  // running statistics; their average begins now.
  bool read(const LoadedCheckpoint* checkpoint);
  // Of the values, to be compared between processes.
  std::string hash_of_weights();

  // No update follows: the memory of gradients and moments is the system's.
  void end_updates();

  model::Transformer& model() { return model_; }
  model::Parameters& parameters() { return parameters_; }
  // Of the values, what update() gets from other processes as bf16 has it.
  std::span<const cluster::Share> rounded() const { return rounded_; }
  UseAverage use_average() {
    make_whole();
    return {average_, parameters_, *communicator_};
  }
  Context& context() { return cx_; }
  UpdateStream& stream() { return stream_; }
  const UpdateStream& stream() const { return stream_; }
  const MemoryPlan& plan() const { return plan_; }
  size_t peak() const { return arena_.peak(); }

 private:
  // Between updates in bf16 a process has others' matrices as products take them; whatever else looks at the weights
  // needs all of their bits. All processes call it together.
  void make_whole();

  const TrainOptions& options_;
  const TrainingData& data_;
  model::Transformer model_;
  model::Parameters parameters_;
  std::unique_ptr<Communicator> communicator_;
  std::vector<cluster::Share> rounded_;  // of the values: what only products in bf16 read
  bool whole_ = true;
  Optimizer optimizer_;
  MovingAverage average_;
  UpdateStream stream_;
  MemoryPlan plan_;
  Arena arena_;
  Context cx_;
  std::optional<InitialModel> initial_;
  model::Transformer::Saved saved_;
};

}  // namespace hexapla::train
