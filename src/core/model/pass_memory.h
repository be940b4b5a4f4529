#pragma once
// The memory that a pass through a model needs, known before it runs.
#include <functional>
#include <optional>

#include "backend/context.h"

namespace hexapla::model {

// Exact arena peak of pass(context), found by executing everything but its arithmetic; none if no arena is large
// enough to measure it (ulimit -v).
std::optional<size_t> measured_peak(const std::function<void(Context&)>& pass);
[[noreturn]] void throw_no_room_to_measure();  // RunError

// The peak of pass(context, batch). half(batch): the same sequences at half length; none if they cannot be shorter.
// Apart from a constant, arena use is proportional to the rows of a batch. So if there is no room to measure a batch,
// twice the need of its half is a close upper bound.
template <class Batch, class Half, class Pass>
size_t pass_memory(const Batch& batch, const Half& half, const Pass& pass) {
  if (const std::optional<size_t> bytes = measured_peak([&](Context& cx) { pass(cx, batch); })) return *bytes;
  const std::optional<Batch> smaller = half(batch);
  if (!smaller) throw_no_room_to_measure();
  return 2 * pass_memory(*smaller, half, pass);
}

}  // namespace hexapla::model
