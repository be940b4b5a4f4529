#pragma once
// Document formats, chosen by file extension.
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document.h"

namespace hexapla::text::document {

struct Format {
  std::string ending;  // ".html"
  std::string type;    // media type, without its charset
  bool text;           // whether it is UTF-8, not an archive
  // Opens the document. DataError: the content is not in this format.
  using Open = std::function<std::shared_ptr<const Document>(const std::string& content)>;
  Open open;
  Open open_with_attributes = {};  // none: the format has no attributes that people read
};

// attributes: also translate alt, title, placeholder and the page's description. Throws DataError
// also for a text format whose bytes are not UTF-8, and UsageError if attributes are requested for
// a format that has none.
std::shared_ptr<const Document> read(const Format& format, const std::string& content, bool attributes = false);

const std::vector<Format>& formats();
// Looks a format up by file extension, ignoring case; nullptr: unknown.
const Format* format_of(std::string_view name);
// Advice for a file of an unknown format: "convert it to .docx or .txt, ...".
std::string advice_for(std::string_view name);
// ".txt, .html, .srt", for messages.
std::string format_list();

}  // namespace hexapla::text::document
