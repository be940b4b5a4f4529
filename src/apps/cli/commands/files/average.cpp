// hexapla average: averages several models.
#include "lib/files/average.h"
#include "base/error.h"
#include "cli/command/command.h"
#include "cli/options/output_files.h"
#include "cli/terminal/terminal.h"

namespace hexapla::cli {
namespace {

struct Average {
  api::AverageOptions options;

  int run() const {
    const std::vector<std::string> files = api::average(options);
    std::string said =
        cat("the mean of ", text::counted(static_cast<long long>(files.size()), "model"), ": ", options.output, "\n");
    if (options.last > 0 || options.best > 0)
      for (const std::string& file : files) said += "  " + file + "\n";
    say_on_stderr(said);
    return 0;
  }
};

}  // namespace

void add_average(Command& app, Action& chosen) {
  auto average = std::make_shared<Average>();
  api::AverageOptions& o = average->options;
  o.output_option = "-o";
  Command* c = app.add_command("average", "the mean of the weights of several models, as one model");
  c->add_option("models", o.models, "model files, checkpoints (DIR/checkpoints/update-...), or training folders")
      ->type_name("MODEL")
      ->required();
  c->add_option("--last", o.last, ranges::kCountFrom1, "use the last N checkpoints of each training folder");
  c->add_option("--best", o.best, ranges::kCountFrom1, "use the N best validated models of each training folder")
      ->when([&o] {
        return When{o.last == 0, "chooses by score, but `last` takes the last ones: leave one of them out"};
      });
  c->add_option("-o,--output", o.output, "file to write the mean to")
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
