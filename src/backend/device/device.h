#pragma once
#include <memory>
#include <string>

#include "backend/cpu/cpu.h"

namespace hexapla {

// The backend of a device, the one place that chooses it. "cpu": this processor, with products in that precision; for
// tests, the environment variable HEXAPLA_DEVICE=guarded makes it a guarded one (backend/guarded). UsageError: another
// name, or a precision that is not supported().
std::unique_ptr<Backend> make_backend(Precision precision = Precision::f32, const std::string& device = "cpu");

}  // namespace hexapla
