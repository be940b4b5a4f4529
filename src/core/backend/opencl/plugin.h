#pragma once
// The interface between the program and its OpenCL plugin, which have the same version.
#include <string>
#include <vector>

#include "backend/backend.h"

namespace hexapla::opencl {

struct Plugin {
  const char* version;           // of hexapla; the rest is only for a program of the same version
  Backend* (*open)(int device);  // the caller owns it. UsageError: no such device, or it is unsuitable
  std::vector<std::string> (*devices)();
};
inline constexpr char kPluginSymbol[] = "hexapla_opencl_plugin", kPluginFile[] = "hexapla_opencl.so";

}  // namespace hexapla::opencl
