#pragma once
// GPUs of any vendor, by OpenCL: f32, and f64 where the device has it. The code is a plugin, hexapla_opencl.so.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace hexapla {

// "opencl:N": device N of opencl_devices(); "opencl": the first one, a GPU if there is any. UsageError: another name,
// the plugin or the device is missing, or the device is unsuitable; the message gives the reason.
std::unique_ptr<Backend> make_opencl_backend(const std::string& device = "opencl");

// Whether a device's name is one for make_opencl_backend(): it begins with "opencl".
inline bool is_opencl(std::string_view device) { return device.starts_with("opencl"); }

// The name, platform, driver, memory and types of every device, by number. Empty, with the reason: no device, or no
// plugin.
std::vector<std::string> opencl_devices(std::string& why);

}  // namespace hexapla
