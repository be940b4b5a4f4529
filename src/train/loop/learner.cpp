#include "train/loop/learner.h"

#include <cmath>

#include "train/loop/freeze.h"

namespace hexapla::train {

Learner::Learner(const TrainOptions& options, const TrainingData& data, Backend& backend, Communicator& communicator)
    : options_(options),
      data_(data),
      communicator_(communicator),
      model_(with_vocabularies(options.architecture, data.pairs)),
      parameters_(model_, DType::f32, model::Parameters::Use::training),
      optimizer_(model_, parameters_, options),
      average_(parameters_, optimizer_.parts(), options.ema),
      stream_(data::open_batches(data.pairs, {options.batch_tokens, options.max_length, options.seed}, data.space)),
      plan_(plan_memory(model_, parameters_, data, options, *stream_)),
      arena_(arena_bytes(model_, parameters_, data, options, plan_)),
      cx_{backend, arena_} {
  cx_.seed = options.seed;
  freeze_statistics(model_, frozen_parameters(model_, options.freeze));
  if (!options.init_from.empty()) initial_ = InitialModel::load(options.init_from);
}

std::string Learner::initialize() {
  model::initialize(model_, options_.seed, options_.init_gain);
  std::string carried;
  if (initial_) carried = start_from(*initial_, model_, data_.pairs.source, data_.pairs.target);
  average_.start();
  return carried;
}

model::LossSums Learner::accumulate_gradient(const std::vector<data::Batch>& batches, uint32_t step) {
  int64_t tokens = 0;
  for (const data::Batch& batch : batches) tokens += batch.target_tokens();
  cx_.training = true;
  cx_.step = step;
  fill(cx_, parameters_.gradients(), 0);
  model::LossSums all;
  const double scale = 1.0 / static_cast<double>(tokens);
  for (const data::Batch& batch : communicator_.mine(batches)) {
    const model::LossSums sums = loss_and_gradient(cx_, model_, batch, objective_of(options_), scale, saved_);
    arena_.clear();
    ++cx_.step;
    all.loss += sums.loss;
    all.nll += sums.nll;
    all.tokens += sums.tokens;
    all.alignment += sums.alignment;
    all.linked += sums.linked;
    all.divergence += sums.divergence;
    all.balancing += sums.balancing;
  }
  communicator_.sum(parameters_.gradients(), all);
  return all;
}

void Learner::update(int64_t update, double scale, double norm) {
  optimizer_.update(cx_, update, scale, norm);
  average_.update(cx_, update);
}

bool Learner::weights_are_finite() { return std::isfinite(sum_of_squares(cx_, parameters_.values())); }

std::vector<NamedTensor> Learner::tensors() const {
  std::vector<NamedTensor> all{{"values", parameters_.values()},
                               {"first_moments", optimizer_.first_moments()},
                               {"second_moments", optimizer_.second_moments()}};
  if (average_) all.push_back({"average", average_.slab()});
  if (parameters_.buffers()) all.push_back({"buffers", parameters_.buffers()});
  if (average_.buffers()) all.push_back({"average_buffers", average_.buffers()});
  return all;
}

bool Learner::read(const LoadedCheckpoint& checkpoint) {
  checkpoint.read("values", parameters_.values());
  checkpoint.read("first_moments", optimizer_.first_moments());
  checkpoint.read("second_moments", optimizer_.second_moments());
  if (parameters_.buffers()) checkpoint.read("buffers", parameters_.buffers());
  if (average_) checkpoint.read("average", average_.slab());
  if (!average_.buffers()) return true;
  if (checkpoint.tensors.find("average_buffers")) {
    checkpoint.read("average_buffers", average_.buffers());
    return true;
  }
  average_.start_statistics();
  return false;
}

void Learner::end_updates() {
  arena_.release();  // the means have room in what updates took
  optimizer_.forget_moments();
}

}  // namespace hexapla::train
