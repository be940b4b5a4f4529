#include "backend/device/device.h"

#include <cstdlib>

#include "backend/guarded/guarded.h"

namespace hexapla {
namespace {

// Whether a test asked for the guarded backend. UsageError: another value of the variable.
bool guarded() {
  const char* wish = std::getenv("HEXAPLA_DEVICE");
  const std::string name = wish ? wish : "cpu";
  if (name != "cpu" && name != "guarded")
    throw UsageError(cat("HEXAPLA_DEVICE is \"", name, "\"; it must be \"cpu\" or \"guarded\""));
  return name == "guarded";
}

}  // namespace

std::unique_ptr<Backend> make_backend(Precision precision, const std::string& device) {
  if (device != "cpu")
    throw UsageError(cat("`device` ", device, " is unknown: this build has no OpenCL, so it computes on cpu alone"),
                     "device", device);
  auto backend = make_cpu_backend(precision);
  return guarded() ? make_guarded_backend(std::move(backend)) : std::move(backend);
}

}  // namespace hexapla
