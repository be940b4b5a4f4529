#pragma once
// The interface between the program and its MPI plugin, which have the same version.
#include "train/cluster/processes.h"

namespace hexapla::train::cluster {

struct MpiPlugin {
  const char* version;        // of hexapla; the rest is only for a program of the same version
  const char* (*library)();   // the MPI library, "Open MPI v4.1.4"
  Processes* (*processes)();  // those of the launcher; call once. The caller owns them
};
inline constexpr char kPluginSymbol[] = "hexapla_mpi_plugin", kPluginFile[] = "hexapla_mpi.so";

}  // namespace hexapla::train::cluster
