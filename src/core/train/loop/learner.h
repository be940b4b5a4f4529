#pragma once
// The weights of a run and how an update changes them.
#include <list>
#include <memory>
#include <optional>

#include "backend/on_host.h"
#include "model/parameters/parameters.h"
#include "train/feed/training_data.h"
#include "train/feed/update_batches.h"
#include "train/loop/optimizer.h"
#include "train/measure/memory_budget.h"
#include "train/plan/init_from.h"
#include "train/record/checkpoint.h"
#include "train/shards/communicator.h"

namespace hexapla::train {

class Learner {
 public:
  Learner(const TrainOptions& options, const TrainingData& data, Backend& backend);

  // Sets the initial weights, from init-from if given. -> what was carried over; "" if nothing
  std::string initialize();
  // Identifies the model of init-from; "" without.
  std::string initial_checksum() const { return initial_ ? initial_->checksum() : ""; }
  void forget_initial_model() { initial_.reset(); }

  // Gradient of the mean over the target tokens of all batches in all processes. step: dropout step
  // of the first batch; each batch has its own.
  model::LossSums accumulate_gradient(const UpdateBatches& batches, uint32_t step);
  double gradient_norm() { return optimizer_.gradient_norm(cx_, *communicator_); }
  // update: 1 at the first; scale: the plateau's factor; norm: of this gradient.
  void update(int64_t update, double scale, double norm);
  double learning_rate(int64_t update, double scale) const { return optimizer_.learning_rate(update, scale); }
  void reschedule() { optimizer_.reschedule(); }  // after the options' warm-up changed
  bool weights_are_finite();

  // A checkpoint's tensors of all processes; valid on the writing one until forget_tensors().
  std::vector<NamedTensor> gather_tensors();
  void forget_tensors() {
    communicator_->forget_whole();
    tensors_.clear();
  }
  // checkpoint: on the writing process; null on others. -> false if an earlier version wrote it,
  // without averaged running statistics; their average starts now.
  bool read(const LoadedCheckpoint* checkpoint);
  // Hash of the values, to compare between processes.
  std::string hash_of_weights();

  // Called after the last update: releases the memory of gradients and moments.
  void end_updates();

  model::Transformer& model() { return model_; }
  model::Parameters& parameters() { return parameters_; }
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
  // After updates in bf16 a process has only rounded copies of the others' matrices; before any
  // other use of the weights all bits are needed. All processes must call it together.
  void make_whole();

  const TrainOptions& options_;
  const TrainingData& data_;
  model::Transformer model_;
  model::Parameters parameters_;
  std::unique_ptr<Communicator> communicator_;
  std::vector<cluster::Share> rounded_;  // values that only bf16 products read
  bool whole_ = true;
  Optimizer optimizer_;
  MovingAverage average_;
  UpdateStream stream_;
  MemoryPlan plan_;
  Arena arena_;
  Context cx_;
  std::list<OnHost> tensors_;  // of a checkpoint
  std::optional<InitialModel> initial_;
  model::Transformer::Saved saved_;
};

}  // namespace hexapla::train
