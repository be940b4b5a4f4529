// hexapla export: writes a model for other systems.
#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "cli/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/search_options.h"
#include "cli/terminal/terminal.h"
#include "convert/kinds/ctranslate2/ctranslate2_writer.h"
#include "convert/kinds/hugging_face/writer/marian.h"
#include "convert/kinds/hugging_face/writer/multilingual.h"
#include "convert/kinds/mapped/plain_safetensors.h"
#include "convert/kinds/marian/marian_writer.h"
#include "decode/opened/open_model.h"

namespace hexapla::cli {
namespace {

struct Export {
  std::string model, output, kind, precision = "f32", languages, like;
  decode::BeamOptions search;
  const Command* command = nullptr;

  // Search options that are written into other systems' settings.
  static const std::vector<std::string>& searched() {
    static const std::vector<std::string> names{"beam-size", "length-penalty", "length-normalization"};
    return names;
  }

  int run() {
    check_suited();
    const std::string file = model::model_file(model);
    model::LoadedModel m = model::load_model(file);
    const auto type = precision == "int8" ? convert::CTranslate2Type::int8 : convert::CTranslate2Type::f32;
    std::vector<std::string> notes;
    if (kind == "argos") {
      const auto [source, target] = pair();
      notes = convert::export_argos(m, output, type, source, target);
    } else if (kind == "hf-marian") {
      notes = convert::export_hugging_face_marian(m, output, search_of(m));
    } else if (kind == "hf-multilingual") {
      notes = convert::export_hugging_face_multilingual(m, like, output, search_of(m));
    } else if (kind == "safetensors") {
      notes = convert::export_safetensors(m, output);
    } else if (kind == "marian") {
      notes = convert::export_marian(m, output, search_of(m));
    } else {
      notes = convert::export_ctranslate2(m, output, type);
    }
    say_on_stderr(fmt::format("{}: {:.1f} MB for {}\n", output, size(), kind));
    if (kind != "safetensors") say_on_stderr(limit(m.config));
    for (const std::string& note : notes) say_on_stderr("  " + note + "\n");
    return 0;
  }

 private:
  decode::BeamOptions search_of(const model::LoadedModel& m) {
    take_search(*command, m.usage, search);
    return search;
  }
  void check_suited() const {
    if (kind == "hf-multilingual" && like.empty())
      throw UsageError("`to` hf-multilingual needs `like`, the folder that the model was imported from", "like", "");
    if (precision == "int8" && !(kind == "ctranslate2" || kind == "argos"))
      throw UsageError(cat("`to` ", kind, " has weights in f32; leave `precision` out"), "precision", precision);
  }
  // "en-de"
  std::pair<std::string, std::string> pair() const {
    const size_t hyphen = languages.find('-');
    if (hyphen == std::string::npos || hyphen == 0 || hyphen + 1 == languages.size())
      throw UsageError(
          cat("`languages` is '", languages, "', but a package says from which language into which: en-de"),
          "languages", languages);
    return {languages.substr(0, hyphen), languages.substr(hyphen + 1)};
  }
  double size() const {
    double bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(output))
      if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
    return bytes / 1e6;
  }
  std::string limit(const model::Config& c) const {
    if (kind == "marian" || kind == "hf-multilingual" || c.positions == "learned") return "";
    if (c.positions == "none" && kind == "hf-marian") return "";
    return fmt::format("  sentences may have up to {} tokens there\n", convert::positions_written);
  }
};

}  // namespace

void add_export(Command& app, Action& chosen) {
  auto e = std::make_shared<Export>();
  Command* c = app.add_command("export", "write a model as files of another system");
  c->add_option("model", e->model, "model file or training folder")->type_name("MODEL")->required();
  const Choices kinds{"ctranslate2", "argos", "hf-marian", "hf-multilingual", "marian", "safetensors"};
  c->add_option(
       "--to", e->kind,
       "ctranslate2: a folder for CTranslate2; argos: a package for Argos Translate and LibreTranslate; hf-marian: a "
       "MarianMTModel for Hugging Face's transformers; hf-multilingual: M2M-100, NLLB-200, mBART-50 or BART for "
       "transformers; marian: a folder for marian-decoder and pymarian; safetensors: "
       "weights with a map of their names")
      ->choices(kinds)
      ->check(one_of("to", kinds))
      ->required();
  const Choices precisions{"f32", "int8"};
  c->add_option("--precision", e->precision, "of the weights: f32, or int8 with a scale per row (CTranslate2)")
      ->default_str("f32")
      ->choices(precisions)
      ->check(one_of("precision", precisions));
  c->add_option("--languages", e->languages, "languages of a package, en-de")
      ->type_name("FROM-TO")
      ->when([e = e.get()] {
        return When{e->kind == "argos", "is for `to` argos: leave it out"};
      });
  c->add_option("--like", e->like,
                "of hf-multilingual: the folder that the model was imported from, whose tokenizer it keeps")
      ->type_name("DIR")
      ->when([e = e.get()] {
        return When{e->kind == "hf-multilingual", "is for `to` hf-multilingual: leave it out"};
      });
  c->add_option("-o,--output", e->output, "folder to write, which must not exist yet")->type_name("DIR")->required();
  bind_options(*c, e->search, Export::searched());
  for (const std::string& name : Export::searched())
    c->get_option("--" + name)->when([e = e.get(), declared = condition_of(e->search, name)] {
      return e->kind == "hf-marian" || e->kind == "hf-multilingual" || e->kind == "marian"
                 ? declared()
                 : When{false, "is for hf-marian, hf-multilingual and marian, but `to` " + e->kind +
                                   " has no settings of a search"};
    });
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
