#pragma once
// Formats of documents, by the ending of a file's name.
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/document/document.h"

namespace hexapla::text::document {

struct Format {
  std::string ending;  // ".html"
  std::string type;    // of the media, without its character set
  bool text;           // whether it is UTF-8, not an archive
  // The document; DataError: the content is not of this format.
  using Open = std::function<std::shared_ptr<const Document>(const std::string& content)>;
  Open open;
  Open open_with_attributes = {};  // none: the format has no attributes that people read
};

// attributes: whether alt, title, placeholder and the page's description are translated, too. DataError, too: a format
// of text, but bytes that are not UTF-8. UsageError: attributes of a format that has none.
std::shared_ptr<const Document> read(const Format& format, const std::string& content, bool attributes = false);

const std::vector<Format>& formats();
// By the ending of a name, in any case; nullptr: none.
const Format* format_of(std::string_view name);
// A sentence that says what to do with a file of another format: "convert it to .docx or .txt, ...".
std::string advice_for(std::string_view name);
// ".txt, .html, .srt", for messages.
std::string format_list();

}  // namespace hexapla::text::document
