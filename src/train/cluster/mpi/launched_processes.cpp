#include "train/cluster/mpi/launched_processes.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "train/cluster/mpi/plugin/plugin.h"

namespace hexapla::train::cluster {
namespace {

namespace fs = std::filesystem;

// Number of processes according to the launcher's environment; 0: no launcher.
int64_t started_by_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* const value = std::getenv(name)) return std::max<int64_t>(1, std::atoll(value));
  return std::getenv("PMIX_RANK") ? 1 : 0;
}

[[noreturn]] void refuse(int64_t started, const std::string& why) {
  throw UsageError(
      cat("a launcher has started ", started, " processes, but ", why, ": each would train a model of its own"));
}

// Beside the program, as in a build folder, or where it is installed; "": in neither place.
std::string plugin_path() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path : {folder / kPluginFile, folder / HEXAPLA_PLUGIN_FOLDER / kPluginFile})
    if (!error && fs::exists(path, error)) return path.string();
  return "";
}

// Null, with the reason: it cannot be used. Open MPI finds its own parts only if its symbols are global.
const MpiPlugin* plugin(std::string& why) {
  const std::string path = plugin_path();
  why = cat(kPluginFile,
            ", the MPI plugin, is not installed (Debian package hexapla-mpi; in a build, run "
            "scripts/install_dependencies.sh --mpi and build again)");
  if (path.empty()) return nullptr;
  void* const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  const auto* const found = opened == nullptr ? nullptr : static_cast<const MpiPlugin*>(dlsym(opened, kPluginSymbol));
  if (found == nullptr) {
    const char* const error = dlerror();
    why = cat(path, " cannot be opened (", error == nullptr ? "no plugin" : error, ")");
  } else if (std::string_view(found->version) != HEXAPLA_VERSION) {
    why = cat(path, " is of version ", found->version, ", not ", HEXAPLA_VERSION, " as this program");
  } else {
    return found;
  }
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
