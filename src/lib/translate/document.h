#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "documents/document.h"
#include "hexapla/translator.h"

namespace hexapla::api {

// UsageError: the extension is unknown (the message lists the formats), or the format has no
// attributes. DataError: the content does not match the format.
std::shared_ptr<const text::document::Document> open_document(const std::string& content, const std::string& name,
                                                              bool attributes);

// The document with its lines translated. Errors as Translator::translate(); options.warn gets numbers of
// document.lines(), from 1.
std::string translated(const Translator& translator, const text::document::Document& document,
                       const TranslatorOptions& options);

}  // namespace hexapla::api
