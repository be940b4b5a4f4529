#include "lib/translate/document.h"

#include <algorithm>

#include "documents/formats/formats.h"
#include "lib/guard.h"

namespace hexapla {
namespace api {
namespace {

// Lines: enough for batches of similar lengths, few enough to show progress.
constexpr std::size_t kPortion = 2000, kPortionToFollow = 256;

// Lines of a document for one call of the translator.
class Lines {
 public:
  Lines(const text::document::Document& document, bool aligned) : document_(document), aligned_(aligned) {}

  void add(std::size_t line) {
    if (document_.aligned()[line] != aligned_) return;
    places_.push_back(line);
    text_.push_back(document_.lines()[line]);
  }
  void translate(const Translator& translator, TranslatorOptions options,
                 text::document::Document::Lines& found) const {
    if (text_.empty()) return;
    if (aligned_) options.alignment = "words";
    options.on_progress = {};
    if (options.warn)
      options.warn = [this, warn = options.warn](std::size_t line, const std::string& what) {
        warn(places_[line - 1] + 1, what);
      };
    text::document::Document::Lines all = translator.translate_n_best(text_, options);
    for (std::size_t i = 0; i < all.size(); ++i) {
      // Only these are needed: saves memory for long books.
      for (Translation& t : all[i]) t = {.text = std::move(t.text), .alignment = std::move(t.alignment)};
      found[places_[i]] = std::move(all[i]);
    }
  }

 private:
  const text::document::Document& document_;
  const bool aligned_;
  std::vector<std::size_t> places_;
  std::vector<std::string> text_;
};

}  // namespace

std::shared_ptr<const text::document::Document> open_document(const std::string& content, const std::string& name,
                                                              bool attributes) {
  const text::document::Format* const format = text::document::format_of(name);
  if (format == nullptr)
    throw UsageError(cat(name, ": no document that is translated has this ending: ", text::document::advice_for(name)),
                     "name", name);
  return text::document::read(*format, content, attributes);
}

std::string translated(const Translator& translator, const text::document::Document& document,
                       const TranslatorOptions& options) {
  const auto refuse = [](const char* option, const std::string& value) {
    throw UsageError(cat(option, " ", value, " is for translate_n_best(): a document has one translation"), option,
                     value);
  };
  if (!options.alignment.empty()) refuse("alignment", options.alignment);
  if (options.n_best.value_or(1) != 1) refuse("n_best", cat(*options.n_best));
  const std::size_t all = document.lines().size();
  text::document::Document::Lines found(all);
  const std::size_t portion = options.on_progress ? kPortionToFollow : kPortion;
  for (std::size_t begin = 0; begin < all; begin += portion) {
    const std::size_t end = std::min(begin + portion, all);
    for (const bool aligned : {false, true}) {
      Lines lines(document, aligned);
      for (std::size_t line = begin; line < end; ++line) lines.add(line);
      lines.translate(translator, options, found);
    }
    if (options.on_progress) options.on_progress(end);
  }
  return document.joined(0, found, 0);
}

}  // namespace api

std::vector<std::string> document_formats() {
  std::vector<std::string> all;
  for (const text::document::Format& f : text::document::formats()) all.push_back(f.ending);
  return all;
}

DocumentFormat document_format(const std::string& name) {
  return api::guarded([&] {
    const text::document::Format* const format = text::document::format_of(name);
    return format ? DocumentFormat{format->ending, format->type, format->text, ""}
                  : DocumentFormat{"", "", false, text::document::advice_for(name)};
  });
}

std::vector<std::string> document_lines(const std::string& content, const std::string& name,
                                        const DocumentOptions& parts) {
  return api::guarded([&] { return api::open_document(content, name, parts.attributes)->lines(); });
}

std::string Translator::translate_document(const std::string& content, const std::string& name,
                                           const TranslatorOptions& options, const DocumentOptions& parts) const {
  const auto open = [&] { return api::open_document(content, name, parts.attributes); };
  return api::translated(*this, *api::guarded(open), options);
}

}  // namespace hexapla
