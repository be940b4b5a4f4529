#pragma once
// Texts and languages in requests of LibreTranslate's API, with its error messages.
#include <cstdint>
#include <string>
#include <vector>

#include "serve/languages/detect.h"
#include "serve/languages/languages.h"
#include "serve/routes/routes.h"

namespace hexapla::serve::libre {

// HttpError 400.
[[noreturn]] void refuse(const std::string& why);

// A parameter's text. HttpError 400: missing or empty.
std::string required(const Parameters& parameters, const std::string& name);

// The texts to translate, and whether they came as a list.
struct Texts {
  std::vector<std::string> all;
  bool list = false;

  static Texts of(const Parameters& parameters);  // from q; HttpError 400: missing, or not text

  // HttpError 400: too many texts, or too many characters in a text; -1: no limit.
  void check(std::int64_t most_texts, std::int64_t most_characters) const;
  bool translatable() const;  // whether they contain a letter, a digit or a mark
  std::string together() const;
};

struct Languages {
  std::string source, target;                   // codes
  std::vector<DetectedLanguage> detected = {};  // if the source was "auto"

  bool same() const { return source == target && source != kUndetermined; }  // nothing to translate
};

// source and target of a request. HttpError 400: one is missing or unknown to all models.
Languages languages_of(const Parameters& parameters, const ModelSet& models, const Texts& texts);
// Empty if there is nothing to translate. HttpError 400: no models translate from source to target.
Hops hops_of(const ModelSet& models, const Languages& languages);

}  // namespace hexapla::serve::libre
