#include "train/plan/device_check.h"

#include "model/parameters/parameters.h"
#include "train/plan/memory_plan.h"
#include "train/plan/objective.h"

namespace hexapla::train {
namespace {

// One step of a small model of the same kind: a device refuses by name what it lacks.
void try_step(Backend& backend, model::Config c) {
  c.source_vocab = c.target_vocab = 8;
  c.enc_layers = c.dec_layers = 1;
  model::Transformer model(c);
  const model::Parameters parameters(model, DType::f32, model::Parameters::Use::training, &backend);
  const data::Batch batch = made_up({{2, 2}});
  Arena arena = make_arena(backend, capacity_for(step_memory(model, batch)));
  Context cx{backend, arena};
  cx.training = true;
  model::Transformer::Saved saved;
  loss_and_gradient(cx, model, batch, {}, 0, saved);
}

}  // namespace

void check_shards(const Backend& backend, int64_t shards) {
  if (backend.host_memory() || shards == 1) return;
  throw UsageError(cat("`shards` ", shards, " does not run on ", backend.name(),
                       ": there one process trains with one shard; use `device` cpu"),
                   "shards", cat(shards));
}

void check_device(Backend& backend, const TrainOptions& options) {
  check_shards(backend, options.shards);
  if (!backend.host_memory()) try_step(backend, options.architecture);
}

}  // namespace hexapla::train
