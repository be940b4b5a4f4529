#pragma once
// The processes that an MPI launcher has started: mpirun, mpiexec, srun.
#include <memory>
#include <string>

#include "cluster/processes.h"

namespace hexapla::cluster {

// What this program was built with, "Open MPI v4.1.4"; "" without.
std::string mpi_library();

// Of a launcher's processes all of them, and of a program that was started by itself it alone. To be called once; where
// an error ends this process before the object is gone, the launcher ends the others. UsageError: a launcher has
// started several, but this program was built without MPI, or with another one than the launcher's.
std::unique_ptr<Processes> launched_processes();

}  // namespace hexapla::cluster
