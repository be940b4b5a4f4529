#include "train/test_runs.h"

#include "backend/cpu/cpu.h"

namespace hexapla {

std::unique_ptr<Backend> Training::make_backend() { return make_cpu_backend(); }

}  // namespace hexapla
