// hexapla set: changes the defaults that a model records for its use.
#include <set>

#include "base/error.h"
#include "cli/command.h"
#include "cli/options/output_files.h"
#include "cli/terminal/terminal.h"
#include "decode/opened/change_usage.h"
#include "decode/opened/open_model.h"

namespace hexapla::cli {
namespace {

struct Set {
  std::string model, output;
  std::vector<std::string> changes;

  int run() const {
    const std::string file = model::model_file(model);
    const model::LoadedModel m = model::load_to_translate(file);
    model::Usage usage = m.usage;
    std::set<std::string> changed;
    for (const std::string& change : changes) {
      const size_t equals = change.find('=');
      if (equals == change.npos)
        throw UsageError(cat("'", change, "' is not NAME=VALUE; NAME= alone removes a value"), "changes", change);
      const std::string name = change.substr(0, equals);
      if (!changed.insert(name).second) throw UsageError("'" + name + "' is changed twice; give it once", name, change);
      decode::change_usage(usage, name, change.substr(equals + 1), m.config);
    }
    model::copy_with_usage(file, usage, output);
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
