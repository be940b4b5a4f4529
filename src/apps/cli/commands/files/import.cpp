// hexapla import: converts a model of another system to our model file.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "cli/command/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/output_files.h"
#include "cli/terminal/terminal.h"
#include "lib/files/import.h"

namespace hexapla::cli {
namespace {

// Shows a live line on a terminal; elsewhere a line every ten seconds.
class ImportWatch {
 public:
  ImportWatch(const std::string& path, Progress& progress) : path_(path), progress_(progress) {}

  void see(const convert::ImportProgress& p) {
    const auto now = Clock::now();
    if (now < next_) return;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    std::string line = fmt::format("{:.0f} % of {}", 100 * double(p), path_);
    if (seconds > 1)
      line += fmt::format("   {:.0f} MB/s, {} left", p.done / seconds / 1e6,
                          text::duration(seconds / p.done * (p.all - p.done)));
    const bool live = progress_.terminal().live;
    if (live)
      progress_.show(line);
    else if (now >= begin_ + kPlain)
      progress_.say(line);
    next_ = now + (live ? kLive : kPlain);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kLive{100}, kPlain{10'000};
  std::string path_;
  Progress& progress_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
};

struct Import {
  std::string path, output, color = "auto";
  convert::ImportOptions options;
  bool quiet = false;

  int run() const {
    Progress progress(make_terminal(parse_color(color), quiet));
    ImportWatch watch(path, progress);
    const convert::Imported done = api::import_model(
        path, output, options, [&](const convert::ImportProgress& p) { watch.see(p); }, "-o");
    progress.clear();
    for (const std::string& note : done.notes) progress.say(note);
    const model::Config& c = done.config;
    progress.say(fmt::format("{}: {}, {}+{} layers, {} wide, {} and {} pieces; {:.1f} MB", output, done.origin,
                             c.enc_layers, c.dec_layers, c.d_model, text::grouped(c.source_vocab),
                             text::grouped(c.target_vocab),
                             static_cast<double>(std::filesystem::file_size(output)) / 1e6));
    return 0;
  }
};

const char* type_of(const std::string& name) {
  if (name.ends_with("-language")) return "CODE";
  return name == "map" || name == "bpe" || name.ends_with("-vocab") || name.ends_with("-spm") ? "FILE" : "";
}

}  // namespace

void add_import(Command& app, Action& chosen) {
  auto import = std::make_shared<Import>();
  Command* c = app.add_command("import", "convert a model of another system to a model file of hexapla");
  c->add_option("path", import->path, "the model: its folder, or its file")->type_name("PATH")->required();
  c->add_option("-o,--output", import->output, "file to write the model to")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  for (const OptionRow& row : import->options.rows()) {
    Option* option = declare_option(*c, row);
    if (const std::string type = type_of(row.name); !type.empty()) option->type_name(type);
  }
  c->add_flag("-q,--quiet", import->quiet, "print only errors");
  c->add_option("--color", import->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla import opus-mt-en-de -o en-de.safetensors\n"
      "  hexapla import ct2-en-de -o en-de.safetensors\n"
      "  hexapla import joey_model -o de-en.safetensors\n"
      "  hexapla import checkpoint.pt --heads 8 --activation relu --norm-eps 1e-5 --source-vocab vocab.en \\\n"
      "    --target-vocab vocab.de -o en-de.safetensors\n"
      "  hexapla import m2m --source-language en --target-language de -o m2m.safetensors\n"
      "  hexapla import opus-mt-en-de --from hf-marian --positions timing-signal -o en-de.safetensors\n"
      "The file translates, serves, is quantized, inspected and trained further like any model of hexapla's. Beam,\n"
      "length normalization and limits that its system sets for a model become its defaults.");
  c->callback([import, &chosen] { chosen = [import] { return import->run(); }; });
}

}  // namespace hexapla::cli
