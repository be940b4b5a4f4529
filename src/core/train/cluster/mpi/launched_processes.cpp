#include "train/cluster/mpi/launched_processes.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/options/environment.h"
#include "base/plugin.h"
#include "train/cluster/mpi/plugin.h"

namespace hexapla::train::cluster {
namespace {

// Number of processes according to the launcher's environment; 0: no launcher.
int64_t started_by_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* const value = environment(name)) return std::max<int64_t>(1, std::atoll(value));
  return environment("PMIX_RANK") ? 1 : 0;
}

[[noreturn]] void refuse(int64_t started, const std::string& why) {
  throw UsageError(
      cat("a launcher has started ", started, " processes, but ", why, ": each would train a model of its own"));
}

// Null, with the reason: it cannot be used. Open MPI finds its own parts only if its symbols are global.
const MpiPlugin* plugin(std::string& why) {
  const auto* const found = static_cast<const MpiPlugin*>(plugin_symbol(kPluginFile, kPluginSymbol, true, why));
  if (found == nullptr && why.empty())
    why = cat(kPluginFile,
              ", the MPI plugin, is not installed (Debian package hexapla-mpi; in a build, run "
              "scripts/install_dependencies.sh --mpi and build again)");
  if (found == nullptr || std::string_view(found->version) == HEXAPLA_VERSION) return found;
  why = cat(kPluginFile, " is of version ", found->version, ", not ", HEXAPLA_VERSION, " as this program");
  return nullptr;
}

}  // namespace

std::unique_ptr<Processes> launched_processes() {
  const int64_t started = started_by_launcher();
  if (started == 0) return std::make_unique<Alone>();
  std::string why;
  const MpiPlugin* const mpi = plugin(why);
  if (mpi == nullptr) {
    if (started > 1) refuse(started, why);
    return std::make_unique<Alone>();
  }
  std::unique_ptr<Processes> processes(mpi->processes());
  if (processes->count() == 1 && started > 1)
    refuse(started, cat("each is alone with the MPI of ", kPluginFile, ", ", mpi->library(),
                        "; start it with the mpirun of that, or with srun and the MPI plugin that suits it"));
  return processes;
}

}  // namespace hexapla::train::cluster
