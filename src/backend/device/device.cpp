#include "backend/device/device.h"

#include <cstdlib>

#include "backend/guarded/guarded.h"
#include "backend/opencl/opencl.h"

namespace hexapla {
namespace {

// HEXAPLA_DEVICE: "cpu" if unset, "guarded", or an OpenCL device. UsageError: another value.
std::string from_environment() {
  const char* wish = std::getenv("HEXAPLA_DEVICE");
  const std::string name = wish ? wish : "cpu";
  if (name != "cpu" && name != "guarded" && !is_opencl(name))
    throw UsageError(cat("HEXAPLA_DEVICE is \"", name, "\"; it must be cpu, guarded, opencl or opencl:N"));
  return name;
}

std::unique_ptr<Backend> opencl(Precision precision, const std::string& device) {
  if (precision != Precision::f32)
    throw UsageError(cat("OpenCL multiplies in f32, not in ", name_of(precision), "; give `precision` f32"),
                     "precision", name_of(precision));
  return make_opencl_backend(device);
}

}  // namespace

std::unique_ptr<Backend> make_backend(Precision precision, const std::string& device) {
  const std::string chosen = device == "cpu" ? from_environment() : device;
  if (is_opencl(chosen)) return opencl(precision, chosen);
  if (device != "cpu")
    throw UsageError(cat("`device` is '", device, "', but must be cpu, opencl or opencl:N"), "device", device);
  auto backend = make_cpu_backend(precision);
  return chosen == "guarded" ? make_guarded_backend(std::move(backend)) : std::move(backend);
}

}  // namespace hexapla
