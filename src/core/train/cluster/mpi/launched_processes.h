#pragma once
// Processes started by an MPI launcher: mpirun, mpiexec, srun.
#include <memory>

#include "train/cluster/processes.h"

namespace hexapla::train::cluster {

// All processes of the launcher, or just this one if there is no launcher. Call once; if an error
// ends this process while the object exists, the launcher ends the others. UsageError: a launcher
// started several processes, but the MPI plugin is missing, of another version, or of another MPI.
std::unique_ptr<Processes> launched_processes();

}  // namespace hexapla::train::cluster
