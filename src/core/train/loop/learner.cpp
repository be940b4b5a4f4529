#include "train/loop/learner.h"

#include <cmath>
#include <set>

#include "base/files/hash.h"
#include "train/plan/device_check.h"
#include "train/plan/freeze.h"
#include "train/shards/sharded.h"

namespace hexapla::train {

namespace {

// On one host, exchange over shared memory competes with computation for cores and has no latency
// to hide: overlap gains nothing. All processes must call this, whatever their option says.
Overlap overlap_of(const TrainOptions& options, cluster::Processes& processes) {
  const std::vector<std::string> hosts = cluster::gather(processes, processes.host());
  if (options.overlap != "auto") return options.overlap == "on" ? Overlap::on : Overlap::off;
  return std::set(hosts.begin(), hosts.end()).size() > 1 ? Overlap::on : Overlap::off;
}

std::unique_ptr<Communicator> make_communicator(const TrainOptions& options, const TrainingData& data,
                                                const model::Transformer& model, const model::Parameters& parameters) {
  if (options.shards == 1) return std::make_unique<OneProcess>();
  if (parameters.device()) check_shards(*parameters.device(), options.shards);
  return std::make_unique<Sharded>(*data.processes, options.shards, parameters.values().size(),
                                   layer_segments(model, parameters), overlap_of(options, *data.processes));
}

// Matrices of layers that use plain products: in bf16 these round them first, so rounding them
// earlier, in transit, changes nothing.
std::vector<cluster::Share> rounded_by_products(model::Transformer& model, const model::Parameters& parameters,
                                                const TrainOptions& options) {
  const model::Config& c = model.config;
  std::vector<cluster::Share> rounded;
  if (options.precision != "bf16" || c.experts > 0) return rounded;
  model::for_each<model::Parameter>(model, [&](const std::string& name, const model::Parameter& p) {
    const std::string layer = name.substr(0, name.rfind('.'));
    const bool linear = layer.find("self_attention.") != layer.npos || layer.find("cross_attention.") != layer.npos ||
                        layer.find("feed_forward.") != layer.npos;
    if (!linear || layer.ends_with("score") || p.init.kind != model::Init::Kind::xavier) return;
    const int64_t from = parameters.offset(p), to = from + model::Parameters::padded(p.shape.size());
    if (!rounded.empty() && rounded.back().to == from)
      rounded.back().to = to;
    else
      rounded.push_back({from, to});
  });
  return rounded;
}

}  // namespace

Learner::Learner(const TrainOptions& options, const TrainingData& data, Backend& backend)
    : options_(options),
      data_(data),
      model_(with_vocabularies(options.architecture, data.pairs)),
      parameters_(model_, DType::f32, model::Parameters::Use::training, &backend),
      communicator_(make_communicator(options, data, model_, parameters_)),
      rounded_(rounded_by_products(model_, parameters_, options)),
      optimizer_(model_, parameters_, options, communicator_->slice(parameters_.values().size())),
      average_(parameters_, optimizer_.parts(), options.ema, communicator_->slice(parameters_.values().size())),
      stream_(data, options),
      plan_(plan_memory(model_, parameters_, data, options, stream_)),
      arena_(make_arena(backend, arena_bytes(model_, parameters_, data, options, plan_))),
      cx_{backend, arena_} {
  cx_.seed = options.seed;
  freeze_statistics(model_, frozen_parameters(model_, options.freeze));
  if (!options.init_from.empty()) initial_ = InitialModel::load(options.init_from);
}

std::string Learner::initialize() {
  std::string carried;
  parameters_.on_host([&] {
    model::initialize(model_, options_.seed, options_.init_gain);
    if (initial_) carried = start_from(*initial_, model_, data_.pairs.source, data_.pairs.target);
  });
  average_.start();
  return carried;
}

model::LossSums Learner::accumulate_gradient(const UpdateBatches& batches, uint32_t step) {
  cx_.training = true;
  const double scale = 1.0 / static_cast<double>(batches.tokens);
  for (const ShardBatches& shard : batches.shards) {
    cx_.step = step + static_cast<uint32_t>(shard.first);
    fill(cx_, parameters_.gradients(), 0);
    model::LossSums all;
    for (const data::Batch& batch : shard.batches) {
      const bool last = &shard == &batches.shards.back() && &batch == &shard.batches.back();
      cx_.listener = last ? communicator_->last_backward(parameters_.gradients()) : nullptr;
      add_to(all, loss_and_gradient(cx_, model_, batch, objective_of(options_), scale, saved_));
      arena_.clear();
      ++cx_.step;
    }
    communicator_->add(parameters_.gradients(), all);
  }
  cx_.listener = nullptr;
  return communicator_->sum(parameters_.gradients());
}

void Learner::update(int64_t update, double scale, double norm) {
  optimizer_.update(cx_, update, scale, norm);
  average_.update(cx_, update);
  whole_ = rounded_.empty();
  if (whole_)
    communicator_->complete(parameters_.values());
  else
    communicator_->complete_rounded(parameters_.values(), rounded_);
}

void Learner::make_whole() {
  if (!whole_) communicator_->complete(parameters_.values());
  whole_ = true;
}

bool Learner::weights_are_finite() {
  make_whole();
  return std::isfinite(sum_of_squares(cx_, parameters_.values()));
}

// The arena is empty between updates; its memory is released while extra slabs exist.
std::vector<NamedTensor> Learner::gather_tensors() {
  make_whole();
  if (data_.processes->several()) arena_.release();
  const auto here = [&](const Tensor& t) -> Tensor { return tensors_.emplace_back(cx_.backend, t); };
  std::vector<NamedTensor> all{{"values", here(parameters_.values())},
                               {"first_moments", here(communicator_->whole(optimizer_.first_moments()))},
                               {"second_moments", here(communicator_->whole(optimizer_.second_moments()))}};
  if (average_) all.push_back({"average", here(communicator_->whole(average_.slab()))});
  if (parameters_.buffers()) all.push_back({"buffers", here(parameters_.buffers())});
  if (average_.buffers()) all.push_back({"average_buffers", average_.buffers()});
  return all;
}

bool Learner::read(const LoadedCheckpoint* checkpoint) {
  const auto of = [&](const char* name) {
    return [=, &backend = cx_.backend](Tensor to) {
      const OnHost here = set_on_host(backend, to);
      checkpoint->read(name, here);
      here.write_back();
    };
  };
  const auto read_slice = [&](const char* name, Tensor own) {
    communicator_->read_slice(own, parameters_.gradients(), of(name));
  };
  communicator_->read(parameters_.values(), of("values"));
  read_slice("first_moments", optimizer_.first_moments());
  read_slice("second_moments", optimizer_.second_moments());
  if (parameters_.buffers()) of("buffers")(parameters_.buffers());  // only with one shard: TrainOptions
  if (average_) read_slice("average", average_.slab());
  if (!average_.buffers()) return true;
  if (checkpoint->tensors.find("average_buffers")) {
    checkpoint->read("average_buffers", average_.buffers());
    return true;
  }
  average_.start_statistics();
  return false;
}

std::string Learner::hash_of_weights() {
  make_whole();
  const OnHost here(cx_.backend, parameters_.values());
  const Tensor values = here;
  return hash_hex({reinterpret_cast<const char*>(values.bytes), static_cast<size_t>(values.size()) * sizeof(float)});
}

void Learner::end_updates() {
  arena_.release();  // makes room for the means
  optimizer_.forget_moments();
}

}  // namespace hexapla::train
