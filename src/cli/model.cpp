#include "cli/model.h"

#include <filesystem>

#include "backend/cpu/cpu.h"
#include "base/error.h"
#include "base/parallel.h"

namespace hexapla::cli {
std::string model_file(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return path;
  for (const char* name : {"/model.safetensors", "/best.safetensors"})
    if (std::filesystem::exists(path + name)) return path + name;
  throw DataError(cat(path,
                      " is a folder without a model.safetensors; give -m a model file, or the --model folder of a ",
                      "finished training"));
}

OpenModel open_translator(const std::string& path, int threads, Precision precision) {
  OpenModel m = open_model(path, threads);
  m.backend = make_cpu_backend(precision);
  m.packed = std::make_unique<PackedWeights>(*m.backend, m.file);
  return m;
}

OpenModel open_model(const std::string& path, int threads) {
  if (path.empty()) throw UsageError("which model? give -m MODEL, a model.safetensors or the folder of a training");
  if (threads < 0) throw UsageError(cat("--threads is ", threads, ", but must be at least 0 (every core)"));
  set_threads(threads);
  const std::string file = model_file(path);
  LoadedModel loaded = map_model(file);
  Vocabulary source = Vocabulary::parse(loaded.source_vocabulary, file);
  Vocabulary target =
      loaded.target_vocabulary == loaded.source_vocabulary ? source : Vocabulary::parse(loaded.target_vocabulary, file);
  return {std::move(loaded), std::move(source), std::move(target), make_cpu_backend(), nullptr};
}

}  // namespace hexapla::cli
