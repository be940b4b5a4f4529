#include "api/training/replay.h"

#include <algorithm>

#include "backend/cpu/cpu.h"
#include "train/measure/memory_budget.h"

namespace hexapla::api {

Replayed replay(const std::string& path, const std::string& precision) {
  const train::SavedStep saved = train::load_step(path);
  const auto backend = make_cpu_backend(parse_precision(precision.empty() ? saved.step.precision : precision));
  size_t most = 0;
  for (const data::Batch& b : saved.step.batches)
    most = std::max(most, train::step_memory(*saved.model, b, saved.step.objective));
  Arena arena(train::capacity_for(most));
  Context cx{*backend, arena};
  return {saved.step.reason, train::lines_of(saved.step),
          train::check_step(cx, *saved.model, *saved.parameters, saved.step)};
}

}  // namespace hexapla::api
