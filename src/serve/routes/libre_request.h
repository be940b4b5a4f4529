#pragma once
// Shared parts of requests of LibreTranslate's interface: texts and languages, refused in its words.
#include <cstdint>
#include <string>
#include <vector>

#include "serve/models/detect.h"
#include "serve/models/languages.h"
#include "serve/routes/routes.h"

namespace hexapla::serve::libre {

// HttpError 400.
[[noreturn]] void refuse(const std::string& why);

// A parameter's text. HttpError 400: it is missing or empty.
std::string required(const Parameters& parameters, const std::string& name);

// The texts to translate, and whether they came as a list.
struct Texts {
  std::vector<std::string> all;
  bool list = false;

  static Texts of(const Parameters& parameters);  // its q; HttpError 400: there is none, or no text

  // HttpError 400: too many texts, or a text with too many characters; -1: any number.
  void check(std::int64_t most_texts, std::int64_t most_characters) const;
  bool translatable() const;  // whether there is a letter, a digit or a mark in them
  std::string together() const;
};

struct Languages {
  std::string source, target;                   // codes
  std::vector<DetectedLanguage> detected = {};  // where the source was "auto"

  bool same() const { return source == target && source != undetermined; }  // nothing to translate
};

// source and target of a request. HttpError 400: one is missing, or no model knows it.
Languages languages_of(const Parameters& parameters, const ModelSet& models, const Texts& texts);
// None where there is nothing to translate. HttpError 400: nothing translates from one to the other.
Hops hops_of(const ModelSet& models, const Languages& languages);

}  // namespace hexapla::serve::libre
