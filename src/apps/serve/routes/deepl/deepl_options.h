#pragma once
// Options of DeepL's API, other than texts and languages.
#include <memory>
#include <string>
#include <vector>

#include "documents/document.h"
#include "documents/tags/tag_rules.h"
#include "serve/http/form.h"

namespace hexapla::serve {

struct DeeplOptions {
  std::string tags;                     // "xml", "html", or "" for plain text
  text::document::TagRules rules = {};  // for `tags`
  bool billed = false;                  // whether the answer reports the characters of each text
  std::string model_type_used = {};     // value in the answer; "": left out
};

// HttpError 400: a value that DeepL's API does not have, or an unsupported parameter that would
// change the translation.
DeeplOptions deepl_options_of(const Parameters& parameters);

// HttpError 400: an unsupported parameter that would change the translation of a text or document,
// or a mandatory formality.
void check_offered(const Parameters& parameters);

// The texts at these indices as a document. HttpError 400: their tags cannot be parsed.
std::shared_ptr<const text::document::Document> deepl_document(const DeeplOptions& options,
                                                               const std::vector<std::string>& texts,
                                                               const std::vector<std::size_t>& places);

}  // namespace hexapla::serve
