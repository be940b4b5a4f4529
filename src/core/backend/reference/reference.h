#pragma once
#include <memory>

#include "backend/backend.h"

namespace hexapla {

// The simplest possible f32 and f64 code, no SIMD, no threads: the definition of every op.
std::unique_ptr<Backend> make_reference_backend();

}  // namespace hexapla
