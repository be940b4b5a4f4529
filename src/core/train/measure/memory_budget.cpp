#include "train/measure/memory_budget.h"

#include <cmath>

#include "base/error.h"
#include "base/system/machine.h"
#include "train/measure/validation.h"
#include "train/plan/options/schedule.h"
#include "train/shards/sharded.h"

namespace hexapla::train {
namespace {

constexpr int64_t kPapersBatch = 25'000;  // section 5.1
constexpr const char* kWorking = "working memory";
constexpr const char* kTranslating = "translating";
// The program, its libraries and their buffers, and its threads, measured in a toy training.
constexpr size_t kProgram = size_t{6} << 20;
constexpr int64_t kGrain = 64;  // proposed batch sizes are multiples of it

// Size of the i-th of `of` nearly equal parts of n.
int64_t length_of_part(int64_t n, int64_t i, int64_t of) { return n * (i + 1) / of - n * i / of; }

size_t memory_of(Tensor t) { return t ? static_cast<size_t>(t.size()) * size_of(t.dtype) : 0; }

size_t memory_of(const std::vector<data::Example>& examples) {
  size_t bytes = examples.capacity() * sizeof(data::Example);
  for (const data::Example& e : examples) bytes += (e.source.capacity() + e.target.capacity()) * sizeof(int32_t);
  return bytes;
}

size_t memory_of(const std::vector<std::string>& lines) {
  size_t bytes = lines.capacity() * sizeof(std::string);
  for (const std::string& line : lines) bytes += line.capacity() + 1;
  return bytes;
}

size_t working_memory(const model::Transformer& model, const TrainingData& data, const TrainOptions& o,
                      UpdateStream& stream) {
  size_t most = step_memory(model, stream.largest(), objective_of(o));
  if (data.valid.empty()) return most;
  for (const data::Plan& set : plan_validation(data, o))
    for (const auto& indices : set)
      most = std::max(most, loss_memory(model, data::make_batch(data.pairs.target, data.valid, indices)));
  return most;
}

// Least memory for translating the validation sets, with the smallest batches.
size_t translating_memory(const model::Transformer& model, const TrainingData& data, const TrainOptions& o) {
  return data.valid.empty() ? 0 : decode::least_memory(model, data.pairs.source, data.valid_source, translation_of(o));
}

size_t bytes_beyond(size_t bytes, size_t available) { return bytes - std::min(bytes, available); }

// Text and, per line, the memory of its translation and of BLEU and chrF statistics.
size_t validation_memory(const TrainingData& data) {
  constexpr size_t statistics = 400;
  const size_t lines = 2 * memory_of(data.valid_source) + memory_of(data.valid_reference);
  return memory_of(data.valid) + lines + data.valid_source.size() * statistics;
}

size_t data_memory(const TrainingData& data, const UpdateStream& stream) {
  size_t pairs = 0;
  for (size_t i = 0; i < std::max<size_t>(1, data.shards.size()); ++i) {
    const data::TrainingPairs shard = pairs_of_shard(data, i);
    pairs += shard.store->in_memory() ? shard.store->bytes() : data.space.memory;
  }
  return pairs + stream.memory() + validation_memory(data) + data.pairs.source.bytes().size() +
         data.pairs.target.bytes().size();
}

// The most rows, in the longest sequences, that plan_batches() can put into a batch of these pairs.
// The arena's peak grows with both, and with nothing else.
data::Batch fullest_batch(const model::Config& model, const TrainingData& data, const TrainOptions& o) {
  int64_t longest = o.max_length;
  if (model.positions == "learned") longest = std::min(longest, model.max_positions);
  const auto& weights = data.pairs.weights;
  const double copies = std::ceil(*std::max_element(weights.begin(), weights.end()));  // of a pair per epoch
  // A token takes at least one byte. If subwords are sampled, text is stored, and a byte may be a
  // token.
  size_t bytes = 0;  // of the largest shard
  for (size_t i = 0; i < std::max<size_t>(1, data.shards.size()); ++i)
    bytes = std::max<size_t>(bytes, pairs_of_shard(data, i).store->bytes());
  const double all = copies * static_cast<double>(bytes);
  const auto rows = [&](int64_t limit) {
    return static_cast<int64_t>(std::min<double>(static_cast<double>(std::max(limit, longest)), all));
  };
  const int64_t sources = rows(o.batch_tokens * 3 / 2), targets = rows(o.batch_tokens);
  const int64_t sequences = (std::max(sources, targets) + longest - 1) / longest;
  std::vector<std::pair<int64_t, int64_t>> lengths;
  for (int64_t i = 0; i < sequences; ++i)
    lengths.emplace_back(std::max<int64_t>(length_of_part(sources, i, sequences), 1),
                         std::max<int64_t>(length_of_part(targets, i, sequences), 1));
  data::Batch batch = made_up(lengths);
  if (!o.guided_alignment.empty()) batch.link_offsets.assign(batch.target_out.size() + 1, 0);
  return batch;
}

// Largest batch size, a multiple of the grain, whose training fits into `limit`; 0: none.
int64_t largest_batch(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                      TrainOptions o, size_t limit) {
  return kGrain * largest_that_fits(kPapersBatch / kGrain, limit, [&](int64_t n) {
           o.batch_tokens = n * kGrain;
           UpdateStream stream(data, o);
           return plan_memory(model, parameters, data, o, stream).total();
         });
}

// The option's value in the identity of the earlier run; `otherwise` if there is none.
int64_t value_in(const std::optional<EarlierRun>& earlier, const char* option, int64_t otherwise) {
  return earlier ? earlier->number(option).value_or(otherwise) : otherwise;
}

// Remedies other than a smaller batch, if training needs `needed` bytes.
std::string what_else(const TrainOptions& o, size_t needed) {
  const std::string smaller = "or take a smaller model (`preset`, `vocab-size`)", limit = what_limits_memory();
  if (o.memory > 0 || limit.empty()) return cat("raise `memory` ", memory_limit(o.memory) >> 20, ", ", smaller);
  if (limit == "a control group") return cat("give the container or job more memory, ", smaller);
  return cat("raise the limit of this process (", limit, ") to ", needed / 4 * 5 >> 10, " KiB or more, ", smaller);
}

// A limit set by the user is a usage error, a limit of the machine is not.
[[noreturn]] void refuse(const TrainOptions& o, const std::string& what) {
  if (o.memory > 0) throw UsageError(what);
  throw RunError(what);
}

}  // namespace

model::Config with_vocabularies(model::Config c, const data::TrainingPairs& pairs) {
  c.source_vocab = pairs.source.size();
  c.target_vocab = pairs.target.size();
  if (c.tied == "all" && !text::same_pieces(pairs.source, pairs.target)) c.tied = "decoder";
  c.resolve();
  return c;
}

MemoryPlan plan_memory(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                       const TrainOptions& options, UpdateStream& stream) {
  const size_t slab = memory_of(parameters.values()), step = working_memory(model, data, options, stream);
  const cluster::Processes& processes = *data.processes;
  const cluster::Slices slices(parameters.values().size(), processes.count(), layer_segments(model, parameters).starts);
  const ShardMemory shards = shard_memory(slices, options.shards, processes.number());
  MemoryPlan plan{{{"weights", slab + memory_of(parameters.buffers())},
                   {"gradients", memory_of(parameters.gradients())},
                   {"moments", shards.moments},
                   {kWorking, step},
                   {"data", data_memory(data, stream)},
                   {"program", kProgram}}};
  if (options.ema > 0) plan.parts.emplace_back("moving average", shards.average);
  if (shards.sums + shards.exchange > 0) plan.parts.emplace_back("sums of shards", shards.sums + shards.exchange);
  // Uses the memory of the arena, which is released meanwhile.
  const size_t translation = bytes_beyond(translating_memory(model, data, options), step);
  if (translation > 0) plan.parts.emplace_back(kTranslating, translation);
  // f64 sums and a model of `average-best` use the memory of arena and moments.
  const size_t means = options.average_best > 0 ? bytes_beyond(slab, step + translation) : 0;
  if (means > 0) plan.parts.emplace_back("means", means);
  // While a checkpoint is written, the arena's memory is free for data from other processes.
  if (processes.several() && processes.first()) {
    const size_t gathered = bytes_beyond((options.ema > 0 ? 3 : 2) * slab, step + translation + means);
    if (gathered > 0) plan.parts.emplace_back("checkpoints", gathered);
  }
  return plan;
}

size_t memory_to_translate(const MemoryPlan& plan) { return plan.of(kWorking) + plan.of(kTranslating); }

void check_memory(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                  const TrainOptions& options, const MemoryPlan& plan) {
  const size_t limit = memory_limit(options.memory);
  if (plan.total() <= limit) return;
  const int64_t fits = largest_batch(model, parameters, data, options, limit);
  const std::string remedy = fits > 0 && fits < options.batch_tokens
                                 ? cat("lower `batch-tokens` from ", options.batch_tokens, " to ", fits, ", or ")
                                 : cat("no batch is small enough: ");
  refuse(options, cat("training needs ", mebibytes(plan.total()), " MiB (", plan.text(), "), but may use ", limit >> 20,
                      " MiB; ", remedy, what_else(options, plan.total())));
}

size_t arena_bytes(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                   const TrainOptions& options, const MemoryPlan& plan) {
  check_memory(model, parameters, data, options, plan);
  size_t most = step_memory(model, fullest_batch(model.config, data, options), objective_of(options));
  return capacity_for(std::max(most, plan.of(kWorking)));
}

TrainOptions with_batch_tokens(const TrainOptions& options, const std::optional<EarlierRun>& earlier,
                               const TrainingData& data) {
  TrainOptions o = options;
  if (o.batch_tokens != 0) return o;
  cluster::Processes& processes = *data.processes;
  o.batch_tokens = processes.first() ? value_in(earlier, "batch-tokens", 0) : 0;
  o.batch_tokens = cluster::of_first(processes, o.batch_tokens);
  if (o.batch_tokens != 0) return o;
  model::Transformer model(with_vocabularies(o.architecture, data.pairs));
  const model::Parameters parameters(model, DType::f32, model::Parameters::Use::training);
  o.batch_tokens = largest_batch(model, parameters, data, o, memory_limit(o.memory));
  if (o.batch_tokens == 0) {
    o.batch_tokens = kGrain;
    UpdateStream stream(data, o);
    const size_t needed = plan_memory(model, parameters, data, o, stream).total();
    refuse(o, cat("`batch-tokens` auto: not even ", kGrain, " tokens fit into ", memory_limit(o.memory) >> 20, " MiB; ",
                  what_else(o, needed)));
  }
  for (const std::string& others : cluster::gather(processes, cat(o.batch_tokens)))
    o.batch_tokens = std::min<int64_t>(o.batch_tokens, std::stoll(others));
  return o;
}

TrainOptions with_decay_of_run(const TrainOptions& options, const std::optional<EarlierRun>& earlier,
                               TrainWatcher& watcher) {
  TrainOptions o = options;
  if (o.model.empty() || o.decay_updates > 0 || !decays(o)) return o;
  const int64_t end = value_in(earlier, "decay-updates", end_of_decay(o));
  if (end == end_of_decay(o)) return o;
  o.decay_updates = end;
  watcher.note(cat("the learning rate still decays until update ", end, ", as when the run started"));
  return o;
}

std::vector<std::pair<std::string, int64_t>> parameters_by_part(model::Transformer& model) {
  std::vector<std::pair<std::string, int64_t>> parts;
  model::for_each<model::Parameter>(model, [&](const std::string& name, model::Parameter& p) {
    const std::string part = name.substr(0, name.find('.'));
    if (parts.empty() || parts.back().first != part) parts.emplace_back(part, 0);
    parts.back().second += p.shape.size();
  });
  return parts;
}

}  // namespace hexapla::train
