#include "backend/opencl/opencl.h"

#include <string_view>

#include "backend/opencl/plugin/plugin.h"
#include "base/plugin.h"

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

}  // namespace

std::unique_ptr<Backend> make_opencl_backend(int device) {
  std::string why;
  const opencl::Plugin* const opened = plugin(why);
  if (opened == nullptr) throw UsageError(cat(why, "; or give `device` cpu"));
  return std::unique_ptr<Backend>(opened->open(device));
}

std::vector<std::string> opencl_devices(std::string& why) {
  const opencl::Plugin* const opened = plugin(why);
  if (opened == nullptr) return {};
  std::vector<std::string> devices = opened->devices();
  if (devices.empty()) why = "no OpenCL driver is installed, or it finds no device";
  return devices;
}

}  // namespace hexapla
