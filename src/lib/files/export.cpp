#include "lib/files/export.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "convert/import.h"
#include "convert/kinds/ctranslate2/ctranslate2_writer.h"
#include "convert/kinds/hugging_face/writer/marian.h"
#include "convert/kinds/hugging_face/writer/multilingual.h"
#include "convert/kinds/mapped/plain_safetensors.h"
#include "convert/kinds/marian/marian_writer.h"
#include "convert/writing/new_folder.h"
#include "decode/options/named/search_defaults.h"

namespace hexapla::api {
namespace {

ExportOptions read_export_options(const Given& given) {
  ExportOptions o;
  take_given(given, o.rows());
  for (const OptionRow& row : o.rows()) row.check();
  refuse_idle(given, o.rows());
  if (o.to == "hf-multilingual" && o.like.empty())
    throw UsageError("`to` hf-multilingual needs `like`, the folder that the model was imported from", "like", "");
  if (o.precision == "int8" && !(o.to == "ctranslate2" || o.to == "argos"))
    throw UsageError(cat("`to` ", o.to, " has weights in f32; leave `precision` out"), "precision", o.precision);
  return o;
}

// "en-de"
std::pair<std::string, std::string> pair(const std::string& languages) {
  const size_t hyphen = languages.find('-');
  if (hyphen == std::string::npos || hyphen == 0 || hyphen + 1 == languages.size())
    throw UsageError(cat("`languages` is '", languages, "', but a package says from which language into which: en-de"),
                     "languages", languages);
  return {languages.substr(0, hyphen), languages.substr(hyphen + 1)};
}

std::vector<std::string> write(model::LoadedModel& m, const std::string& folder, ExportOptions& o, const Given& given) {
  const auto search = [&] {
    decode::take_search_defaults(
        m.usage, [&](const std::string& name) { return given.contains(name); }, o.search);
    refuse_idle(given, o.rows());
    return o.search;
  };
  const auto type = o.precision == "int8" ? convert::CTranslate2Type::int8 : convert::CTranslate2Type::f32;
  if (o.to == "argos") {
    const auto [source, target] = pair(o.languages);
    return convert::export_argos(m, folder, type, source, target);
  }
  if (o.to == "hf-marian") return convert::export_hugging_face_marian(m, folder, search());
  if (o.to == "hf-multilingual") return convert::export_hugging_face_multilingual(m, o.like, folder, search());
  if (o.to == "safetensors") return convert::export_safetensors(m, folder);
  if (o.to == "marian") return convert::export_marian(m, folder, search());
  return convert::export_ctranslate2(m, folder, type);
}

// The kind of model as which import reads it.
std::string kind_of(const std::string& to) { return to == "argos" ? "ctranslate2" : to; }

double megabytes_in(const std::string& folder) {
  double bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
  return bytes / 1e6;
}

std::string limit(const std::string& to, const model::Config& c) {
  if (to == "safetensors" || to == "marian" || to == "hf-multilingual" || c.positions == "learned") return "";
  if (c.positions == "none" && to == "hf-marian") return "";
  return fmt::format("sentences may have up to {} tokens there", convert::kPositionsWritten);
}

}  // namespace

OptionRows ExportOptions::rows() { return rows_of_kind() + rows_of_search(); }

OptionRows ExportOptions::rows_of_kind() {
  static const Choices kinds{"ctranslate2", "argos", "hf-marian", "hf-multilingual", "marian", "safetensors"};
  static const Choices precisions{"f32", "int8"};
  OptionTable rows;
  rows.add(
      {"to", to,
       "ctranslate2: a folder for CTranslate2; argos: a package for Argos Translate and LibreTranslate; hf-marian: a "
       "MarianMTModel for Hugging Face's transformers; hf-multilingual: M2M-100, NLLB-200, mBART-50 or BART for "
       "transformers; marian: a folder for marian-decoder and pymarian; safetensors: weights with a map of their names",
       kinds});
  rows.add({"precision", precision, "of the weights: f32, or int8 with a scale per row (CTranslate2)", precisions});
  rows.add({"languages", languages, "languages of a package, en-de", AnyValue{},
            When{to == "argos", "is for `to` argos: leave it out"}});
  rows.add({"like", like, "of hf-multilingual: the folder that the model was imported from, whose tokenizer it keeps",
            AnyValue{}, When{to == "hf-multilingual", "is for `to` hf-multilingual: leave it out"}});
  return rows;
}

OptionRows ExportOptions::rows_of_search() {
  OptionRows rows = select(search.rows(), {"beam-size", "length-penalty", "length-normalization"});
  const When none{false,
                  "is for hf-marian, hf-multilingual and marian, but `to` " + to + " has no settings of a search"};
  if (to != "hf-marian" && to != "hf-multilingual" && to != "marian")
    for (OptionRow& row : rows) row.when = none;
  return rows;
}

Exported export_model(const std::string& model, const std::string& folder, std::vector<GivenOption> all) {
  const Given given = by_name(all, names_of(ExportOptions().rows()));
  ExportOptions o = read_export_options(given);
  model::LoadedModel m = model::load_model(model::model_file(model));
  convert::NewFolder whole(folder);  // appears when its files have been read again
  const std::vector<std::string> notes = write(m, whole.path(), o, given);
  convert::check_readable(whole.path(), kind_of(o.to));
  whole.commit();
  return {megabytes_in(folder), limit(o.to, m.config), notes};
}

}  // namespace hexapla::api
