// hexapla average: the mean of several models.
#include <filesystem>
#include <iostream>

#include "api/open_model.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/terminal/terminal.h"
#include "model/weights/average.h"
#include "train/outcome/run_models.h"

namespace hexapla::cli {
namespace {

namespace fs = std::filesystem;

struct Average {
  std::vector<std::string> models;
  std::string output;
  int64_t last = 0, best = 0;  // 0: not given

  int run() const {
    std::vector<std::string> files;
    for (const std::string& m : models)
      for (std::string& file : files_of(m)) files.push_back(std::move(file));
    refuse_to_overwrite(files, "-o", output);
    for (const std::string& file : files)
      if (!is_checkpoint(file) && integers_in(file) > 0)
        throw DataError(cat(file, " is quantized; average the models that such models were made of"));
    LoadedModel mean = average_models(
        files, [](const std::string& f) { return is_checkpoint(f) ? load_checkpoint_model(f) : load_model(f); });
    save_model(output, *mean.net, {mean.source_vocabulary, mean.target_vocabulary}, mean.history);
    std::string said = cat("the mean of ", counted(static_cast<long long>(files.size()), "model"), ": ", output, "\n");
    if (last > 0 || best > 0)
      for (const std::string& file : files) said += "  " + file + "\n";
    say_on_stderr(said);
    return 0;
  }

 private:
  std::vector<std::string> files_of(const std::string& model) const {
    if (last == 0 && best == 0) return {is_checkpoint(model) ? model : model_file(model)};
    fs::path run = fs::path(model).lexically_normal();
    if (run.filename().empty()) run = run.parent_path();  // "run/"
    if (run.filename() == "checkpoints") run = run.parent_path();
    if (!fs::is_directory(run / "checkpoints") && !fs::is_directory(run / "best"))
      throw UsageError(
          cat(model, " is no folder of a training, and only such folders hold what --last and --best count"));
    return last > 0 ? last_models(run.string(), last) : best_models(run.string(), best);
  }
};

}  // namespace

void add_average(Command& app, Action& chosen) {
  auto average = std::make_shared<Average>();
  Command* c = app.add_command("average", "the mean of the weights of several models, as one model");
  c->add_option("models", average->models,
                "model files, checkpoints (DIR/checkpoints/update-...), or folders of trainings")
      ->type_name("MODEL")
      ->required();
  CLI::Option* last = c->add_option("--last", average->last, ranges::count_from_1,
                                    "of each folder of a training: its so many last checkpoints");
  c->add_option("--best", average->best, ranges::count_from_1,
                "of each folder of a training: its so many best validated models")
      ->excludes(last);
  c->add_option("-o,--output", average->output, "where the mean goes")->type_name("FILE")->required();
  c->footer(
      "Models of one configuration and one vocabulary: runs of different seeds from the same start, or the best "
      "models\n"
      "of several runs that went on from one. Of a folder without --last or --best it is the result. The best are "
      "those\n"
      "of the checkpoints and of DIR/best that DIR/valid.jsonl says are the best by the run's --best-by.\n"
      "Examples:\n"
      "  hexapla average a/model.safetensors b/model.safetensors -o mean.safetensors\n"
      "  hexapla average run --last 5 -o mean.safetensors\n"
      "  hexapla average run --best 3 -o mean.safetensors\n"
      "  hexapla average run/checkpoints/update-00001000 run/checkpoints/update-00001200 -o mean.safetensors");
  c->callback([average, &chosen] { chosen = [average] { return average->run(); }; });
}

}  // namespace hexapla::cli
