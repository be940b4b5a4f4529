#include "documents/formats/formats.h"

#include <algorithm>

#include "base/error.h"
#include "documents/bilingual/tmx.h"
#include "documents/bilingual/xliff.h"
#include "documents/captions/captions.h"
#include "documents/html/attributes.h"
#include "documents/html/html.h"
#include "documents/markdown/markdown.h"
#include "documents/office/epub.h"
#include "documents/office/open_document.h"
#include "documents/office/open_xml.h"
#include "documents/strings/json_strings.h"
#include "documents/strings/po_strings.h"
#include "documents/strings/yaml_strings.h"
#include "documents/text/text_lines.h"
#include "documents/text/utf16.h"
#include "text/ascii.h"
#include "text/encoding.h"
#include "text/utf8.h"

namespace hexapla::text::document {
namespace {

// A document that is read as UTF-8 and written as UTF-16.
class WideDocument final : public Document {
 public:
  WideDocument(std::shared_ptr<const Document> document, bool little)
      : document_(std::move(document)), little_(little) {
    for (std::size_t i = 0; i < document_->lines().size(); ++i)
      add_line(document_->lines()[i], document_->aligned()[i]);
  }
  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override {
    return to_utf16(document_->joined(text, found, rank), little_);
  }
  std::size_t ranks(std::size_t text, const Lines& found) const override { return document_->ranks(text, found); }

 private:
  std::shared_ptr<const Document> document_;
  bool little_;
};

std::shared_ptr<const Document> plain(const std::string& content) {
  return std::make_shared<const TextLines>(std::vector{content});
}
std::shared_ptr<const Document> html(const std::string& content) {
  return std::make_shared<const PiecesDocument>(html_document({content}));
}
std::shared_ptr<const Document> captions(const std::string& content) {
  return std::make_shared<const Captions>(content);
}

std::shared_ptr<const Document> marked_down(const std::string& content) {
  return std::make_shared<const PiecesDocument>(std::vector{markdown(content)});
}
std::shared_ptr<const Document> po(const std::string& content) {
  return std::make_shared<const PiecesDocument>(std::vector{po_strings(content)});
}
std::shared_ptr<const Document> json(const std::string& content) {
  return std::make_shared<const PiecesDocument>(std::vector{json_strings(content)});
}
std::shared_ptr<const Document> yaml(const std::string& content) {
  return std::make_shared<const PiecesDocument>(std::vector{yaml_strings(content)});
}

const std::string kOpenXmlType = "application/vnd.openxmlformats-officedocument.",
                  kOpenDocumentType = "application/vnd.oasis.opendocument.";

// Advice for content that is certainly not text, whatever the file's name; "": it may be text.
std::string other_kind(std::string_view content) {
  using namespace std::string_view_literals;
  for (const auto& [head, kind] :
       {std::pair{"PK\x03\x04"sv, "a ZIP archive, as office documents are: give it their ending, .docx or .odt"},
        {"%PDF-"sv, "a PDF file: convert it to .docx or .txt, for example with pdftotext"},
        {"\xD0\xCF\x11\xE0"sv, "a document of an old Office: save it as .docx, .pptx or .xlsx"},
        {"\x89PNG\r\n"sv, "a picture: give a text"},
        {"\xFF\xD8\xFF"sv, "a picture: give a text"},
        {"\x1F\x8B"sv, "packed with gzip: unpack it first"}})
    if (content.starts_with(head)) return kind;
  return "";
}

std::string ending_of(std::string_view name) {
  return text::ascii::lower(name.substr(std::min(name.rfind('.'), name.size())));
}

}  // namespace

std::shared_ptr<const Document> read(const Format& format, const std::string& content, bool attributes) {
  if (attributes && !format.open_with_attributes)
    throw UsageError(cat("attributes: only .html and .htm have attributes to translate, not ", format.ending),
                     "attributes", "true");
  const Format::Open& open = attributes ? format.open_with_attributes : format.open;
  if (const std::string kind = format.text ? other_kind(content) : ""; !kind.empty())
    throw DataError("the file is " + kind);
  if (format.text && is_utf16(content))
    return std::make_shared<const WideDocument>(open(from_utf16(content)), content[0] == '\xFF');
  if (format.text && text::invalid_utf8(content))
    throw DataError("the file is not UTF-8; " + text::advice(text::encoding_of(content)));
  return open(content);
}

const std::vector<Format>& formats() {
  static const std::vector<Format> all{{".txt", "text/plain", true, plain},
                                       {".srt", "application/x-subrip", true, captions},
                                       {".vtt", "text/vtt", true, captions},
                                       {".sbv", "text/x-sbv", true, captions},
                                       {".html", "text/html", true, html, html_with_attributes},
                                       {".htm", "text/html", true, html, html_with_attributes},
                                       {".md", "text/markdown", true, marked_down},
                                       {".po", "text/x-gettext-translation", true, po},
                                       {".json", "application/json", true, json},
                                       {".yaml", "application/yaml", true, yaml},
                                       {".yml", "application/yaml", true, yaml},
                                       {".xlf", "application/x-xliff+xml", true, xliff},
                                       {".xliff", "application/x-xliff+xml", true, xliff},
                                       {".tmx", "application/x-tmx+xml", true, tmx},
                                       {".docx", kOpenXmlType + "wordprocessingml.document", false, open_xml},
                                       {".pptx", kOpenXmlType + "presentationml.presentation", false, open_xml},
                                       {".xlsx", kOpenXmlType + "spreadsheetml.sheet", false, open_xml},
                                       {".odt", kOpenDocumentType + "text", false, open_document},
                                       {".odp", kOpenDocumentType + "presentation", false, open_document},
                                       {".epub", "application/epub+zip", false, epub}};
  return all;
}

const Format* format_of(std::string_view name) {
  const std::string ending = ending_of(name);
  const auto found =
      std::find_if(formats().begin(), formats().end(), [&](const Format& f) { return f.ending == ending; });
  return found == formats().end() ? nullptr : &*found;
}

std::string format_list() {
  std::string list;
  for (const Format& f : formats()) list += (list.empty() ? "" : ", ") + f.ending;
  return list;
}

std::string advice_for(std::string_view name) {
  const std::string ending = ending_of(name);
  if (ending == ".pdf")
    return "a PDF file has no text that could be replaced in place; convert it to .docx or .txt, for example with "
           "pdftotext";
  for (const char* const old : {".doc", ".ppt", ".xls"})
    if (ending == old)
      return cat(ending, " is an old format of Office; save the file as ", old, "x with the program that made it");
  return cat("the end of its name says the format, and must be one of ", format_list());
}

}  // namespace hexapla::text::document
