#pragma once
#include <memory>

#include "base/error.h"
#include "train/cluster/processes.h"

namespace hexapla::api {

// The processes that a launcher (mpirun, srun) started to train together; without a launcher,
// train::cluster::alone(). Errors as train::cluster::launched_processes().
std::unique_ptr<train::cluster::Processes> launched_processes();

// Rethrows an error; unless this is the first process, prefixed with the process's name.
[[noreturn]] void rethrow_in_name_of(const train::cluster::Processes& processes, const UserError& error);

// Calls f(). Errors are prefixed with the process's name, except in the first process.
template <class F>
auto in_name_of(const train::cluster::Processes& processes, F&& f) {
  try {
    return f();
  } catch (const UserError& e) {
    if (processes.first()) throw;
    rethrow_in_name_of(processes, e);
  }
}

}  // namespace hexapla::api
