// hexapla average: averages several models.
#include <filesystem>
#include <iostream>

#include "api/average.h"
#include "base/error.h"
#include "base/files/overwriting.h"
#include "cli/command.h"
#include "cli/options/output_files.h"
#include "cli/terminal/terminal.h"
#include "decode/opened/open_model.h"
#include "train/loop/run/run_models.h"

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
    model::LoadedModel mean = api::average_files(files);
    model::save_model(output, *mean.net, mean.text(), mean.history);
    std::string said =
        cat("the mean of ", text::counted(static_cast<long long>(files.size()), "model"), ": ", output, "\n");
    if (last > 0 || best > 0)
      for (const std::string& file : files) said += "  " + file + "\n";
    say_on_stderr(said);
    return 0;
  }

 private:
  std::vector<std::string> files_of(const std::string& model) const {
    if (last == 0 && best == 0) return {train::is_checkpoint(model) ? model : model::model_file(model)};
    fs::path run = fs::path(model).lexically_normal();
    if (run.filename().empty()) run = run.parent_path();  // "run/"
    if (run.filename() == "checkpoints") run = run.parent_path();
    if (!fs::is_directory(run / "checkpoints") && !fs::is_directory(run / "best"))
      throw UsageError(cat(model, " is not the folder of a training, which --last and --best need"));
    return last > 0 ? train::last_models(run.string(), last) : train::best_models(run.string(), best);
  }
};

}  // namespace

void add_average(Command& app, Action& chosen) {
  auto average = std::make_shared<Average>();
  Command* c = app.add_command("average", "the mean of the weights of several models, as one model");
  c->add_option("models", average->models, "model files, checkpoints (DIR/checkpoints/update-...), or training folders")
      ->type_name("MODEL")
      ->required();
  c->add_option("--last", average->last, ranges::count_from_1, "use the last N checkpoints of each training folder");
  c->add_option("--best", average->best, ranges::count_from_1,
                "use the N best validated models of each training folder")
      ->when([average = average.get()] {
        return When{average->last == 0, "chooses by score, but `last` takes the last ones: leave one of them out"};
      });
  c->add_option("-o,--output", average->output, "file to write the mean to")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->footer(
      "All models must have the same configuration and vocabulary: runs with different seeds from the same start, or\n"
      "the best models of several runs that continue one. Without --last and --best, a training folder stands for its\n"
      "result. The best models are those in the checkpoints and DIR/best with the best scores in DIR/valid.jsonl, by\n"
      "the run's --best-by.\n"
      "Examples:\n"
      "  hexapla average a/model.safetensors b/model.safetensors -o mean.safetensors\n"
      "  hexapla average run --last 5 -o mean.safetensors\n"
      "  hexapla average run --best 3 -o mean.safetensors\n"
      "  hexapla average run/checkpoints/update-00001000 run/checkpoints/update-00001200 -o mean.safetensors");
  c->callback([average, &chosen] { chosen = [average] { return average->run(); }; });
}

}  // namespace hexapla::cli
