#include "model/pass_memory.h"

#include "backend/decorators/no_work.h"
#include "base/system/machine.h"

namespace hexapla::model {
namespace {

// As large as the machine's memory, or as address space allows: untouched addresses cost no memory.
Arena large_arena() {
  for (size_t bytes = physical_memory();; bytes /= 2) try {
      return Arena(bytes);
    } catch (const RunError&) {
      if (bytes < size_t{1} << 20) throw;
    }
}

}  // namespace

std::optional<size_t> measured_peak(const std::function<void(Context&)>& pass) {
  NoWork nothing;
  Arena arena = large_arena();
  Context cx{nothing, arena};
  try {
    pass(cx);
  } catch (const RunError&) {  // the arena is full
    return {};
  }
  return arena.peak();
}

void throw_no_room_to_measure() {
  throw RunError(cat("there is not enough memory to find out how much training needs: ",
                     why_memory_was_refused(physical_memory()), "; a smaller model or smaller batches take less"));
}

}  // namespace hexapla::model
