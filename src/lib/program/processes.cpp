#include "lib/program/processes.h"

#include "train/cluster/agreement.h"
#include "train/cluster/mpi/launched_processes.h"

namespace hexapla::api {

std::unique_ptr<train::cluster::Processes> launched_processes() { return train::cluster::launched_processes(); }

void rethrow_in_name_of(const train::cluster::Processes& processes, const UserError& error) {
  const std::string name = train::cluster::name_of(processes), said = error.what();
  const std::string what = said.starts_with("process ") ? said : name + ": " + said;
  if (const auto* e = dynamic_cast<const UsageError*>(&error)) throw UsageError(what, e->option(), e->value());
  if (dynamic_cast<const DataError*>(&error)) throw DataError(what);
  if (dynamic_cast<const RunError*>(&error)) throw RunError(what);
  throw;
}

}  // namespace hexapla::api
