// hexapla export: writes a model for other systems.
#include <fmt/format.h>

#include "cli/command/command.h"
#include "cli/options/search_options.h"
#include "cli/terminal/terminal.h"
#include "lib/files/export.h"

namespace hexapla::cli {
namespace {

struct Export {
  std::string model, output;
  api::ExportOptions options;
  const Command* command = nullptr;

  int run() const {
    const api::Exported done = api::export_model(model, output, given_words(*command, names_of(rows_of(options))));
    say_on_stderr(fmt::format("{}: {:.1f} MB for {}\n", output, done.megabytes, options.to));
    if (!done.limit.empty()) say_on_stderr("  " + done.limit + "\n");
    for (const std::string& note : done.notes) say_on_stderr("  " + note + "\n");
    return 0;
  }
};

}  // namespace

void add_export(Command& app, Action& chosen) {
  auto e = std::make_shared<Export>();
  Command* c = app.add_command("export", "write a model as files of another system");
  c->add_option("model", e->model, "model file or training folder")->type_name("MODEL")->required();
  bind_options(*c, e->options.rows_of_kind(), e->options);
  c->get_option("--to")->required();
  c->get_option("--languages")->type_name("FROM-TO");
  c->get_option("--like")->type_name("DIR");
  c->add_option("-o,--output", e->output, "folder to write, which must not exist yet")->type_name("DIR")->required();
  bind_options(*c, e->options.rows_of_search(), e->options);
  e->command = c;
  c->footer(
      "A model that the other system cannot express is refused with the reason; nothing is left out. The folder\n"
      "appears when it is complete. A quantized model is exported from its 8-bit values. The settings of hf-marian\n"
      "and marian include search options: those of the model's record, or those given here; options that they do not\n"
      "support are named.\n"
      "Examples:\n"
      "  hexapla export run --to ctranslate2 -o run-ct2\n"
      "  hexapla export run --to ctranslate2 --precision int8 -o run-ct2-int8\n"
      "  hexapla export run --to argos --languages en-de -o translate-en_de-1_0\n"
      "  hexapla export run --to hf-marian -o run-hf\n"
      "  hexapla export m2m-tuned.safetensors --to hf-multilingual --like m2m -o m2m-tuned-hf\n"
      "  hexapla export en-pt.safetensors --to marian -o en-pt\n"
      "  hexapla export run --to safetensors -o run-plain");
  c->callback([e, &chosen] { chosen = [e] { return e->run(); }; });
}

}  // namespace hexapla::cli
