// hexapla join: joins the outputs of all parts of a file.
#include <fmt/format.h>

#include "cli/command/command.h"
#include "cli/options/output_files.h"
#include "cli/terminal/terminal.h"
#include "lib/corpus/join.h"

namespace hexapla::cli {
namespace {

struct Join {
  std::vector<std::string> parts;
  std::string output;

  int run() const {
    const api::Joined joined = api::join(parts, output);
    say_on_stderr(fmt::format("{} of {}: {}\n", text::counted(joined.lines, "line"),
                              text::counted(static_cast<long long>(joined.parts), "part"), output));
    return 0;
  }
};

}  // namespace

void add_join(Command& app, Action& chosen) {
  auto join = std::make_shared<Join>();
  Command* c = app.add_command("join", "join the outputs of --shard for the parts of a file");
  c->add_option("parts", join->parts,
                "outputs of all parts, in any order, with their manifests in the same folder; part-* works, too")
      ->type_name("PART")
      ->required();
  c->add_option("-o,--output", join->output, "file to write them to")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->footer(
      "Writes nothing unless every part is present once and complete, and all come from the same file, program, model\n"
      "and options.\n"
      "Examples:\n"
      "  hexapla translate -m run --input test.en --shard 1/2 --output part-1.de\n"
      "  hexapla translate -m run --input test.en --shard 2/2 --output part-2.de\n"
      "  hexapla join part-1.de part-2.de -o test.de");
  c->callback([join, &chosen] { chosen = [join] { return join->run(); }; });
}

}  // namespace hexapla::cli
