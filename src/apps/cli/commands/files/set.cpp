// hexapla set: changes the defaults that a model records for its use.
#include "base/error.h"
#include "cli/command/command.h"
#include "cli/options/output_files.h"
#include "cli/terminal/terminal.h"
#include "lib/files/usage.h"

namespace hexapla::cli {
namespace {

struct Set {
  std::string model, output;
  std::vector<std::string> changes;

  int run() const {
    const model::Usage usage = api::set_usage(model, changes, output);
    say_on_stderr(cat(output, ": ", usage.empty() ? "nothing is recorded" : usage.to_json(), "\n"));
    return 0;
  }
};

}  // namespace

void add_set(Command& app, Action& chosen) {
  auto set = std::make_shared<Set>();
  Command* c = app.add_command("set", "change the defaults that a model records for searches and alignments");
  c->add_option("changes", set->changes, "NAME=VALUE: new default of a search or alignment option")
      ->type_name("NAME=VALUE")
      ->required();
  c->add_option("-m,--model", set->model, "model file or training folder")->type_name("MODEL")->required();
  c->add_option("-o,--output", set->output, "file to write the model to")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->footer(
      "The new model has the same weights and vocabularies. NAME= removes a value: hexapla's default applies again.\n"
      "hexapla info shows the record.\n"
      "Examples:\n"
      "  hexapla set beam-size=5 length-penalty=1 -m run -o model.safetensors\n"
      "  hexapla set alignment-layer=1 alignment-head=0 -m run -o model.safetensors\n"
      "  hexapla set beam-size= -m imported.safetensors -o model.safetensors");
  c->callback([set, &chosen] { chosen = [set] { return set->run(); }; });
}

}  // namespace hexapla::cli
