#include "hexapla/hexapla.h"

#include "api/guard.h"
#include "base/compute/parallel.h"

namespace hexapla {

std::string version() { return HEXAPLA_VERSION; }

void set_threads(int n) {
  api::guarded([&] { use_threads(n); });
}

}  // namespace hexapla
