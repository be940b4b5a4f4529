#pragma once
// Processes started by an MPI launcher: mpirun, mpiexec, srun.
#include <memory>
#include <string>

#include "train/cluster/processes.h"

namespace hexapla::train::cluster {

// The MPI library used by this build, "Open MPI v4.1.4"; "" without.
std::string mpi_library();

// All processes of the launcher, or just this one if there is no launcher. Call once; if an error
// ends this process while the object exists, the launcher ends the others. UsageError: a launcher
// started several processes, but this program was built without MPI or with another library.
std::unique_ptr<Processes> launched_processes();

}  // namespace hexapla::train::cluster
