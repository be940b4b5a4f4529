#include "train/fit.h"

#include <nlohmann/json.hpp>

#include "train/checkpoint.h"
#include "train/schedule.h"

namespace hexapla {
namespace {

constexpr int64_t papers_batch = 25'000;  // section 5.1
constexpr int64_t grain = 64;             // batch sizes that are proposed are multiples of it

std::unique_ptr<BatchStream> stream_of(const TrainingData& data, const TrainOptions& o, int64_t batch_tokens) {
  return open_batches(data.pairs, {batch_tokens, o.max_length, o.seed}, data.space);
}

size_t bytes_of(Tensor t) { return t ? static_cast<size_t>(t.size()) * size_of(t.dtype) : 0; }

size_t bytes_of(const std::vector<Example>& examples) {
  size_t bytes = examples.capacity() * sizeof(Example);
  for (const Example& e : examples) bytes += (e.source.capacity() + e.target.capacity()) * sizeof(int32_t);
  return bytes;
}

size_t bytes_of(const std::vector<std::string>& lines) {
  size_t bytes = lines.capacity() * sizeof(std::string);
  for (const std::string& line : lines) bytes += line.capacity() + 1;
  return bytes;
}

size_t working_memory(const Transformer& model, const TrainingData& data, const TrainOptions& o, BatchStream& stream) {
  size_t most = step_memory(model, stream.largest(), guidance_of(o));
  if (data.valid.empty()) return most;
  for (const auto& places : plan_epoch(data.valid, {o.batch_tokens, o.max_length, o.seed}, 0))
    most = std::max(most, loss_memory(model, make_batch(data.pairs.target, data.valid, places)));
  return most;
}

// The largest batch size, a multiple of the grain, whose training takes no more than `limit`; 0: none.
int64_t largest_batch(const Transformer& model, const Parameters& parameters, const TrainingData& data, TrainOptions o,
                      size_t limit) {
  return grain * largest_that_fits(papers_batch / grain, limit, [&](int64_t n) {
           o.batch_tokens = n * grain;
           return plan_memory(model, parameters, data, o, *stream_of(data, o, o.batch_tokens)).total();
         });
}

// Of the run that the folder holds (train/identity.h); an empty object: there is none.
nlohmann::json earlier_identity(const std::string& folder) {
  std::vector<std::string> notes;
  const auto found = load_newest(folder + "/checkpoints", notes);
  if (!found || !found->state.count("identity")) return nlohmann::json::object();
  auto identity = nlohmann::json::parse(found->state.at("identity"), nullptr, false);
  return identity.is_object() ? identity : nlohmann::json::object();
}

std::string what_else(const TrainOptions& o) {
  return cat("raise --memory ", memory_limit(o.memory) >> 20, ", or take a smaller model (--preset, --vocab-size)");
}

}  // namespace

Config with_vocabularies(Config c, const TrainingPairs& pairs) {
  c.source_vocab = pairs.source.size();
  c.target_vocab = pairs.target.size();
  if (c.tied == "all" && pairs.source.bytes() != pairs.target.bytes()) c.tied = "decoder";
  c.resolve();
  return c;
}

MemoryPlan plan_memory(const Transformer& model, const Parameters& parameters, const TrainingData& data,
                       const TrainOptions& options, BatchStream& stream) {
  const size_t slab = bytes_of(parameters.values());
  const size_t text = bytes_of(data.valid_source) + bytes_of(data.valid_reference) + data.pairs.source.bytes().size() +
                      data.pairs.target.bytes().size();
  const PairStore& store = *data.pairs.store;
  MemoryPlan plan{{{"weights", slab + bytes_of(parameters.buffers())},
                   {"gradients", bytes_of(parameters.gradients())},
                   {"moments", 2 * slab},
                   {"working memory", working_memory(model, data, options, stream)},
                   {"data", (store.in_memory() ? store.bytes() : data.space.memory) + bytes_of(data.valid) + text}}};
  if (options.ema > 0) plan.parts.emplace_back("moving average", slab);
  return plan;
}

void check_memory(const Transformer& model, const Parameters& parameters, const TrainingData& data,
                  const TrainOptions& options, const MemoryPlan& plan) {
  const size_t limit = memory_limit(options.memory);
  if (plan.total() <= limit) return;
  const int64_t fits = largest_batch(model, parameters, data, options, limit);
  const std::string remedy = fits > 0 && fits < options.batch_tokens
                                 ? cat("lower --batch-tokens from ", options.batch_tokens, " to ", fits, ", or ")
                                 : cat("no batch is small enough: ");
  throw UsageError(cat("training needs ", mebibytes(plan.total()), " MiB (", plan.text(), "), but may take ",
                       limit >> 20, " MiB; ", remedy, what_else(options)));
}

TrainOptions with_batch_tokens(const TrainOptions& options, const TrainingData& data) {
  TrainOptions o = options;
  if (o.batch_tokens != 0) return o;
  o.batch_tokens = earlier_identity(o.model).value("batch-tokens", int64_t{0});
  if (o.batch_tokens != 0) return o;
  Transformer model(with_vocabularies(o.architecture, data.pairs));
  const Parameters parameters(model, DType::f32, Parameters::Use::training);
  o.batch_tokens = largest_batch(model, parameters, data, o, memory_limit(o.memory));
  if (o.batch_tokens == 0)
    throw UsageError(cat("--batch-tokens auto: not even ", grain, " tokens fit into ", memory_limit(o.memory) >> 20,
                         " MiB; ", what_else(o)));
  return o;
}

TrainOptions with_decay_of_run(const TrainOptions& options) {
  TrainOptions o = options;
  if (o.decay_updates > 0 || (o.schedule != "linear" && o.schedule != "cosine")) return o;
  const int64_t end = earlier_identity(o.model).value("decay-updates", end_of_decay(o));
  if (end != end_of_decay(o)) o.decay_updates = end;
  return o;
}

}  // namespace hexapla
