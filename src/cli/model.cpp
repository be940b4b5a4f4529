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

namespace {

OpenModel with_vocabularies(LoadedModel loaded, const std::string& file, std::unique_ptr<Backend> backend) {
  Vocabulary source = Vocabulary::parse(loaded.source_vocabulary, file);
  Vocabulary target =
      loaded.target_vocabulary == loaded.source_vocabulary ? source : Vocabulary::parse(loaded.target_vocabulary, file);
  return {std::move(loaded), std::move(source), std::move(target), std::move(backend), nullptr};
}

std::string checked_file(const std::string& path, int threads) {
  if (path.empty()) throw UsageError("which model? give -m MODEL, a model.safetensors or the folder of a training");
  if (threads < 0) throw UsageError(cat("--threads is ", threads, ", but must be at least 0 (every core)"));
  set_threads(threads);
  return model_file(path);
}

}  // namespace

OpenModel open_model(const std::string& path, int threads) {
  const std::string file = checked_file(path, threads);
  return with_vocabularies(load_model(file), file, make_cpu_backend());
}

OpenModel open_translator(const std::string& path, int threads, Precision precision) {
  const std::string file = checked_file(path, threads);
  OpenModel m = with_vocabularies(map_model(file), file, make_cpu_backend(precision));
  m.packed = std::make_unique<PackedWeights>(*m.backend, m.file);
  return m;
}

}  // namespace hexapla::cli
