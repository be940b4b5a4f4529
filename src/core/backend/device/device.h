#pragma once
#include <memory>
#include <string>

#include "backend/cpu/cpu.h"

namespace hexapla {

// The backend of a device, the one place that chooses it. "cpu": this processor, with products in that precision; in
// tests, the environment variable HEXAPLA_DEVICE=guarded gives it memory of its own (backend/guarded). "opencl",
// "opencl:N": backend/opencl, in f32. UsageError: another name, a device that is missing or unsuitable, or a precision
// that it does not have.
std::unique_ptr<Backend> make_backend(Precision precision = Precision::f32, const std::string& device = "cpu");

// parse_precision(name) for that device, which alone decides: what OpenCL lacks does not depend on the processor.
Precision parse_precision(const std::string& name, const std::string& device);

}  // namespace hexapla
