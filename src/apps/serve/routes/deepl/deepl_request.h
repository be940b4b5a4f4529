#pragma once
// Shared code for requests of DeepL's API.
#include <functional>
#include <string>

#include "serve/routes/routes.h"

namespace hexapla::serve::deepl {

// HttpError 400.
[[noreturn]] void refuse(const std::string& why);

struct LanguagePair {
  std::string source, target;  // codes; source "": to be detected
};
// The languages of a request. HttpError 400: a language unknown to all models.
LanguagePair languages_of(const Parameters& parameters, const ModelSet& models);

// Models that translate from source to target; empty if they are the same language. HttpError 400:
// there are none.
Hops hops_between(const ModelSet& models, const std::string& source, const std::string& target);

}  // namespace hexapla::serve::deepl
