#include "backend/device/device.h"

#include "backend/guarded/guarded.h"
#include "backend/opencl/opencl.h"
#include "base/options/environment.h"

namespace hexapla {
namespace {

// Whether HEXAPLA_DEVICE is "guarded". UsageError: another value.
bool guarded() {
  const char* const wish = environment("HEXAPLA_DEVICE");
  if (wish != nullptr && std::string_view(wish) != "guarded")
    throw UsageError(cat("HEXAPLA_DEVICE is \"", wish, "\", but is for tests and can only be guarded; give `device`"));
  return wish != nullptr;
}

void refuse_all_but_f32(const std::string& precision) {
  if (precision != name_of(Precision::f32))
    throw UsageError(cat("OpenCL multiplies in f32, not in ", precision, "; give `precision` f32"), "precision",
                     precision);
}

}  // namespace

std::unique_ptr<Backend> make_backend(Precision precision, const std::string& device) {
  if (is_opencl(device)) {
    refuse_all_but_f32(name_of(precision));
    return make_opencl_backend(device);
  }
  if (device != "cpu")
    throw UsageError(cat("`device` is '", device, "', but must be cpu, opencl or opencl:N"), "device", device);
  auto backend = make_cpu_backend(precision);
  return guarded() ? make_guarded_backend(std::move(backend)) : std::move(backend);
}

Precision parse_precision(const std::string& name, const std::string& device) {
  if (!is_opencl(device)) return parse_precision(name);
  if (name != "auto") refuse_all_but_f32(name);
  return Precision::f32;
}

}  // namespace hexapla
