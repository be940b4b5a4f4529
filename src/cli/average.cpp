// hexapla average: the mean of several models.
#include <iostream>

#include "base/error.h"
#include "cli/command.h"
#include "cli/model.h"
#include "cli/terminal.h"
#include "model/average.h"

namespace hexapla::cli {
namespace {

struct Average {
  std::vector<std::string> models;
  std::string output;

  int run() const {
    std::vector<std::string> files;
    for (const std::string& m : models) files.push_back(model_file(m));
    refuse_to_overwrite(files, output);
    for (const std::string& file : files)
      if (integers_in(file) > 0)
        throw DataError(cat(file, " is quantised; average the models that such models were made of"));
    LoadedModel mean = average_models(files);
    save_model(output, *mean.net, {mean.source_vocabulary, mean.target_vocabulary}, mean.history);
    say_on_stderr(cat("the mean of ", counted(static_cast<long long>(files.size()), "model"), ": ", output, "\n"));
    return 0;
  }
};

}  // namespace

void add_average(CLI::App& app, Action& chosen) {
  auto average = std::make_shared<Average>();
  CLI::App* c = app.add_subcommand("average", "the mean of the weights of several models, as one model");
  c->add_option("models", average->models, "model files, or folders of trainings")->type_name("MODEL")->required();
  c->add_option("-o,--output", average->output, "where the mean goes")->type_name("FILE")->required();
  c->footer(
      "Models of one configuration and one vocabulary: runs of different seeds from the same start, or the best "
      "models\n"
      "of several runs that went on from one. For the last checkpoints of one run see 'hexapla train --average-last'.\n"
      "Example:\n  hexapla average a/model.safetensors b/model.safetensors -o mean.safetensors");
  c->callback([average, &chosen] { chosen = [average] { return average->run(); }; });
}

}  // namespace hexapla::cli
