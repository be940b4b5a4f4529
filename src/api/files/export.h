#pragma once
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "decode/options/named/decoding_options.h"

namespace hexapla::api {

// The options for writing a model for another system.
struct ExportOptions {
  std::string to, precision = "f32", languages, like;
  decode::BeamOptions search;  // for systems whose files have search settings

  // f(name, field, help, allowed, when)
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    visit_kind(o, f);
    visit_search(o, f);
  }
  template <class Self, class F>
  static void visit_kind(Self& o, F&& f) {
    f("to", o.to,
      "ctranslate2: a folder for CTranslate2; argos: a package for Argos Translate and LibreTranslate; hf-marian: a "
      "MarianMTModel for Hugging Face's transformers; hf-multilingual: M2M-100, NLLB-200, mBART-50 or BART for "
      "transformers; marian: a folder for marian-decoder and pymarian; safetensors: "
      "weights with a map of their names",
      Choices{"ctranslate2", "argos", "hf-marian", "hf-multilingual", "marian", "safetensors"}, kAlways);
    f("precision", o.precision, "of the weights: f32, or int8 with a scale per row (CTranslate2)",
      Choices{"f32", "int8"}, kAlways);
    f("languages", o.languages, "languages of a package, en-de", AnyValue{},
      When{o.to == "argos", "is for `to` argos: leave it out"});
    f("like", o.like, "of hf-multilingual: the folder that the model was imported from, whose tokenizer it keeps",
      AnyValue{}, When{o.to == "hf-multilingual", "is for `to` hf-multilingual: leave it out"});
  }
  template <class Self, class F>
  static void visit_search(Self& o, F&& f) {
    const bool searches = o.to == "hf-marian" || o.to == "hf-multilingual" || o.to == "marian";
    const When none{false,
                    "is for hf-marian, hf-multilingual and marian, but `to` " + o.to + " has no settings of a search"};
    decode::BeamOptions::visit(
        o.search, [&](const char* name, auto& field, const char* help, const auto& allowed, const When& when) {
          if (written(name)) f(name, field, help, allowed, searches ? when : none);
        });
  }

  // Whether a search option is part of other systems' settings.
  static bool written(std::string_view name) {
    return name == "beam-size" || name == "length-penalty" || name == "length-normalization";
  }
};

struct Exported {
  double megabytes = 0;            // of all files
  std::string limit;               // a sentence about the maximum length of a text there; "" if there is none
  std::vector<std::string> notes;  // differences
};

// Writes a model file, or the model of a training folder, as files of another system into a new
// folder. given: options by name; search options default to the model's record. UsageError: unknown
// option, bad value, an option without effect, or a folder that exists. DataError: the system
// cannot represent the model.
Exported export_model(const std::string& model, const std::string& folder, std::vector<GivenOption> given);

}  // namespace hexapla::api
