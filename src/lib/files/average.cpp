#include "lib/files/average.h"

#include <filesystem>

#include "base/error.h"
#include "base/files/overwriting.h"
#include "decode/opened/open_model.h"
#include "model/weights/average.h"
#include "train/loop/run/run_models.h"

namespace hexapla::api {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const std::string& model, const AverageOptions& o) {
  if (o.last == 0 && o.best == 0) return {checkpoint_or_model(model)};
  fs::path run = fs::path(model).lexically_normal();
  if (run.filename().empty()) run = run.parent_path();  // "run/"
  if (run.filename() == "checkpoints") run = run.parent_path();
  if (!fs::is_directory(run / "checkpoints") && !fs::is_directory(run / "best"))
    throw UsageError(cat(model, " is not the folder of a training, which `last` and `best` need"));
  return o.last > 0 ? train::last_models(run.string(), o.last) : train::best_models(run.string(), o.best);
}

}  // namespace

std::string checkpoint_or_model(const std::string& path) {
  return train::is_checkpoint(path) ? path : model::model_file(path);
}

std::vector<std::string> average(const AverageOptions& o) {
  std::vector<std::string> files;
  for (const std::string& model : o.models)
    for (std::string& file : files_of(model, o)) files.push_back(std::move(file));
  refuse_to_overwrite(files, o.output_option, o.output);
  const model::LoadedModel mean = average_files(files);
  model::save_model(o.output, *mean.net, mean.text(), mean.history);
  return files;
}

model::LoadedModel average_files(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (!train::is_checkpoint(file) && decode::integers_in(file) > 0)
      throw DataError(cat(file, " is quantized; average the models that it and the others were made from"));
  return model::average_models(files, [](const std::string& f) {
    return train::is_checkpoint(f) ? train::load_checkpoint_model(f) : model::load_model(f);
  });
}

}  // namespace hexapla::api
