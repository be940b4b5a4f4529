#pragma once

namespace hexapla {

// Help of the option `device`, which trainings and every command that translates have; make_backend()
// (backend/device) checks its value.
inline constexpr const char* kDeviceHelp =
    "where to compute: cpu, opencl (the first GPU) or opencl:N (hexapla doctor lists them)";

}  // namespace hexapla
