#pragma once
// Options of a request of DeepL's interface, besides texts and languages.
#include <memory>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/tag_rules.h"
#include "serve/http/form.h"

namespace hexapla::serve {

struct DeeplOptions {
  std::string tags;                  // "xml", "html", or "": the texts have none
  document::TagRules rules = {};     // for them
  bool billed = false;               // whether the answer has the characters of each text
  std::string model_type_used = {};  // as the answer has it; "": it has none
};

// HttpError 400: a value that DeepL does not have, or a parameter that would change the translation and is not offered.
DeeplOptions deepl_options_of(const Parameters& parameters);

// HttpError 400: a parameter that would change the translation of a text or document and is not offered, or a form of
// address that would have to be kept.
void check_offered(const Parameters& parameters);

// Those of the texts at these places. HttpError 400: their tags cannot be read.
std::shared_ptr<const document::Document> deepl_document(const DeeplOptions& options,
                                                         const std::vector<std::string>& texts,
                                                         const std::vector<std::size_t>& places);

}  // namespace hexapla::serve
