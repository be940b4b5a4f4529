#include "lib/training/replay.h"

#include <algorithm>

#include "backend/device/device.h"
#include "train/measure/memory_budget.h"

namespace hexapla::api {

Replayed replay(const std::string& path, const std::string& precision, const std::string& device) {
  train::SavedStep saved = train::load_step(path);
  const auto backend =
      make_backend(parse_precision(precision.empty() ? saved.step.precision : precision, device), device);
  size_t most = 0;
  for (const data::Batch& b : saved.step.batches)
    most = std::max(most, train::step_memory(*saved.model, b, saved.step.objective));
  Arena arena = make_arena(*backend, train::capacity_for(most));
  saved.parameters->move_to(*backend);
  Context cx{*backend, arena};
  return {saved.step.reason, train::lines_of(saved.step),
          train::check_step(cx, *saved.model, *saved.parameters, saved.step)};
}

}  // namespace hexapla::api
