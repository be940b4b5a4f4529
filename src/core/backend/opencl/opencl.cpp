#include "backend/opencl/opencl.h"

#include <optional>

#include "backend/opencl/plugin.h"
#include "base/plugin.h"
#include "base/range.h"

namespace hexapla {
namespace {

// Null, with the reason: it cannot be used.
const opencl::Plugin* plugin(std::string& why) {
  const auto* const found =
      static_cast<const opencl::Plugin*>(plugin_symbol(opencl::kPluginFile, opencl::kPluginSymbol, false, why));
  if (found == nullptr && why.empty())
    why = cat(opencl::kPluginFile,
              ", the OpenCL plugin, is not installed (Debian package hexapla-opencl; in a build, run "
              "scripts/install_dependencies.sh --opencl and build again)");
  if (found == nullptr || std::string_view(found->version) == HEXAPLA_VERSION) return found;
  why = cat(opencl::kPluginFile, " is of version ", found->version, ", not ", HEXAPLA_VERSION, " as this program");
  return nullptr;
}

constexpr int64_t kMostDevices = 1000;

// The number after "opencl:", 0 without one.
int device_number(const std::string& device) {
  const std::string kind = "opencl:";
  if (device + ":" == kind) return 0;
  const std::optional<int64_t> number =
      device.starts_with(kind) ? parse_number<int64_t>(device.substr(kind.size())) : std::nullopt;
  if (number && *number >= 0 && *number <= kMostDevices) return static_cast<int>(*number);
  throw UsageError(cat("`device` is '", device, "', but must be cpu, opencl or opencl:N, with the number of a device"),
                   "device", device);
}

}  // namespace

std::unique_ptr<Backend> make_opencl_backend(const std::string& device) {
  const int number = device_number(device);
  std::string why;
  const opencl::Plugin* const opened = plugin(why);
  if (opened == nullptr) throw UsageError(cat(why, "; or give `device` cpu"));
  return std::unique_ptr<Backend>(opened->open(number));
}

std::vector<std::string> opencl_devices(std::string& why) {
  const opencl::Plugin* const opened = plugin(why);
  if (opened == nullptr) return {};
  std::vector<std::string> devices = opened->devices();
  if (devices.empty()) try {
      delete opened->open(0);
    } catch (const UsageError& e) {
      why = e.what();
    }
  return devices;
}

}  // namespace hexapla
