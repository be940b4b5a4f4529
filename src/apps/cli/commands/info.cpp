// hexapla info: shows the contents of a model file.
#include <iostream>

#include "base/compute/parallel.h"
#include "cli/command/command.h"
#include "lib/files/info.h"

namespace hexapla::cli {
namespace {

struct Info {
  std::string model;
  bool json = false;

  int run() const {
    use_threads(1);
    std::cout << api::describe_model(model, json);
    return 0;
  }
};

}  // namespace

void add_info(Command& app, Action& chosen) {
  auto info = std::make_shared<Info>();
  Command* c = app.add_command("info", "configuration, parameters, vocabulary and history of a model");
  c->add_option("-m,--model", info->model, "model file, training folder, or a model of another system")
      ->type_name("MODEL")
      ->required();
  c->add_flag("--json", info->json, "as JSON");
  c->footer(
      "A model of another system is shown as it would be imported without options.\n"
      "Examples:\n  hexapla info -m run/model.safetensors\n  hexapla info -m opus-mt-en-de");
  c->callback([info, &chosen] { chosen = [info] { return info->run(); }; });
}

}  // namespace hexapla::cli
