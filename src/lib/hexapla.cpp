#include "hexapla/hexapla.h"

#include "backend/cpu/cpu.h"
#include "base/compute/parallel.h"
#include "lib/guard.h"

namespace hexapla {

std::string version() { return HEXAPLA_VERSION; }

std::string instruction_set() {
  return api::guarded([] { return std::string(name_of(best_isa())); });
}

void set_threads(int n) {
  api::guarded([&] { use_threads(n); });
}

}  // namespace hexapla
