#pragma once
// Shared parts of requests of DeepL's interface.
#include <functional>
#include <string>

#include "serve/routes/routes.h"

namespace hexapla::serve::deepl {

// HttpError 400.
[[noreturn]] void refuse(const std::string& why);

struct Languages {
  std::string source, target;  // codes; source "": to be found in the text
};
// The languages of a request. HttpError 400: a language that no model knows.
Languages languages_of(const Parameters& parameters, const ModelSet& models);

// Models from a language to another one; none where they are the same. HttpError 400: there are none.
Hops hops_between(const ModelSet& models, const std::string& source, const std::string& target);

}  // namespace hexapla::serve::deepl
