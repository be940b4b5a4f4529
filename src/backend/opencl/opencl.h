#pragma once
// GPUs of any vendor, by OpenCL: f32, and f64 where the device has it. The code is a plugin, hexapla_opencl.so.
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace hexapla {

// Device 0 is the first GPU. UsageError: the plugin or the device is missing, or the device is unsuitable; the message
// gives the reason.
std::unique_ptr<Backend> make_opencl_backend(int device = 0);

// Of every device, by number, its name, platform and memory. Empty, with the reason: there is none, or no plugin.
std::vector<std::string> opencl_devices(std::string& why);

}  // namespace hexapla
