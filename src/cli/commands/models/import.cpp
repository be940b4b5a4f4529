// hexapla import: converts a model of another system to our model file.
#include "convert/import.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "base/files/overwriting.h"
#include "cli/any_model.h"
#include "cli/command.h"
#include "cli/options/output_files.h"
#include "cli/terminal/terminal.h"
#include "text/quantities.h"

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

// Refuses to replace anything but a model of ours: other files may belong to the model that is
// read, and only its own files tell which.
void refuse_other_file(const std::string& output) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(output, none) || std::filesystem::is_empty(output, none)) return;
  if (!is_own_model(output))
    throw UsageError(cat("-o ", output, " is there already and is no model of hexapla's; name another file"));
}

struct Import {
  std::string path, output, color = "auto";
  convert::ImportOptions options;
  bool quiet = false;

  int run() const {
    refuse_to_overwrite({path}, "-o", output);
    refuse_other_file(output);
    Progress progress(make_terminal(parse_color(color), quiet));
    ImportWatch watch(path, progress);
    const convert::Imported done =
        convert::import_model(path, output, options, [&](const convert::ImportProgress& p) { watch.see(p); });
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

void add_vocabulary_options(Command& c, convert::ImportOptions& o) {
  const auto add = [&](const char* name, std::string& file, const char* help) {
    c.add_option(name, file, help)->type_name("FILE")->default_str("");
  };
  add("--source-vocab", o.source_vocab,
      "PyTorch, safetensors: tokens of the source by id, one per line, a JSON list or a pickle (.pkl), or a "
      "SentencePiece model (.spm, .model); fairseq: dict.*.txt; JoeyNMT: src_vocab.txt");
  add("--target-vocab", o.target_vocab, "the same of the target; default: that of the source");
  add("--source-spm", o.source_spm,
      "SentencePiece model that cuts text into the tokens of a list (PyTorch, CTranslate2, fairseq, OpenNMT-py, "
      "JoeyNMT); default: text comes cut "
      "into tokens, with blanks between them");
  add("--target-spm", o.target_spm, "the same of the target; default: that of the source");
  add("--bpe", o.bpe,
      "codes of subword-nmt or fastBPE, which cut words into such tokens (th@@ e) on both sides; text comes cut into "
      "words");
}

void add_torch_options(Command& c, convert::ImportOptions& o) {
  c.add_option("--heads", o.heads, Range<int64_t>{.least = 1, .most = 1 << 12, .zero = "recorded"},
               "PyTorch: attention heads; default: as the checkpoint records them")
      ->default_str("recorded");
  const auto add = [&](const char* name, std::string& value, const char* help) {
    return c.add_option(name, value, help)->default_str("");
  };
  add("--norm-position", o.norm_position,
      "torch.nn.Transformer: pre for norm_first=True; default: post, with the norm after each stack if there is one")
      ->choices({"post", "pre"});
  add("--activation", o.activation,
      "torch.nn.Transformer: its activation, which a state dict lacks; default: as the checkpoint records it")
      ->choices({"relu", "gelu", "swish", "gelu-tanh"});
  c.add_option("--norm-eps", o.norm_eps, Range<double>{.least = 0, .most = 1, .open_least = true, .zero = "recorded"},
               "torch.nn.Transformer: its layer_norm_eps, which a state dict lacks; default: as the checkpoint "
               "records it")
      ->default_str("recorded");
  add("--embedding-scale", o.embedding_scale,
      "PyTorch: what embeddings are multiplied by; default: as usual in this layout")
      ->choices({"sqrt", "none"});
  add("--source-embedding", o.source_embedding,
      "torch.nn.Transformer: name of the matrix of source embeddings; default: found by name");
  add("--target-embedding", o.target_embedding, "the same for the target embeddings");
  add("--generator", o.generator, "the same for the matrix before the softmax");
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
  Choices names;
  for (const convert::Kind& kind : convert::kinds()) names.push_back(kind.name);
  c->add_option("--from", import->options.from,
                fmt::format("kind of model: {}; default: detected", fmt::join(names, ", ")))
      ->default_str("")
      ->choices(names);
  c->add_option("--positions", import->options.positions,
                "positional encoding in place of the one that its system computes with: timing-signal for a model that "
                "Marian trained and Hugging Face converted")
      ->default_str("");
  c->add_option("--map", import->options.map,
                "safetensors: JSON file that says which tensors are which parameters; default: map.json in the folder")
      ->type_name("FILE")
      ->default_str("");
  add_vocabulary_options(*c, import->options);
  add_torch_options(*c, import->options);
  c->add_option("--source-language", import->options.source_language,
                "M2M-100, NLLB-200, mBART-50: language of the sources, en, eng_Latn, en_XX; default: from the files")
      ->type_name("CODE")
      ->default_str("");
  c->add_option("--target-language", import->options.target_language, "the same for the translations")
      ->type_name("CODE")
      ->default_str("");
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
