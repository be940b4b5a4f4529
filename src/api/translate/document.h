#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "document/document.h"
#include "hexapla/translator.h"

namespace hexapla::api {

// UsageError: no format has the ending of this name; tells which there are. DataError: the content is not of the
// format.
std::shared_ptr<const document::Document> open_document(const std::string& content, const std::string& name);

// The document with its lines translated. progress: lines that are done, after each portion. Errors as those of
// Translator::translate(); the index that options.warn gets is that of document.lines().
std::string translated(
    const Translator& translator, const document::Document& document, const TranslatorOptions& options,
    const std::function<void(std::size_t done)>& progress = [](std::size_t) {});

}  // namespace hexapla::api
