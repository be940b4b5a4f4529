#include "document/formats.h"

#include <algorithm>

#include "document/captions/captions.h"
#include "document/html/html.h"
#include "document/markdown/markdown.h"
#include "document/strings/json_strings.h"
#include "document/strings/po_strings.h"
#include "document/text/text_lines.h"
#include "document/text/utf16.h"

namespace hexapla::document {
namespace {

using Read = std::function<std::shared_ptr<const Document>(const std::string& content)>;

// A document that was read in UTF-8 and is written in UTF-16.
class WideDocument final : public Document {
 public:
  WideDocument(std::shared_ptr<const Document> document, bool little) : document_(std::move(document)), little_(little) {
    lines_ = document_->lines();
  }
  bool aligned() const override { return document_->aligned(); }
  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override {
    return to_utf16(document_->joined(text, found, rank), little_);
  }
  std::size_t ranks(std::size_t text, const Lines& found) const override { return document_->ranks(text, found); }

 private:
  std::shared_ptr<const Document> document_;
  bool little_;
};

Format text_format(std::string ending, std::string type, Read read) {
  const auto any = [read = std::move(read)](const std::string& content) -> std::shared_ptr<const Document> {
    if (!is_utf16(content)) return read(content);
    return std::make_shared<const WideDocument>(read(from_utf16(content)), content[0] == '\xFF');
  };
  return {std::move(ending), std::move(type), true, any};
}

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

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all{text_format(".txt", "text/plain", plain),
                                       text_format(".srt", "application/x-subrip", captions),
                                       text_format(".vtt", "text/vtt", captions),
                                       text_format(".sbv", "text/x-sbv", captions),
                                       text_format(".html", "text/html", html),
                                       text_format(".htm", "text/html", html),
                                       text_format(".md", "text/markdown", marked_down),
                                       text_format(".po", "text/x-gettext-translation", po),
                                       text_format(".json", "application/json", json)};
  return all;
}

const Format* format_of(std::string_view name) {
  std::string ending(name.substr(std::min(name.rfind('.'), name.size())));
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto found =
      std::find_if(formats().begin(), formats().end(), [&](const Format& f) { return f.ending == ending; });
  return found == formats().end() ? nullptr : &*found;
}

std::string format_list() {
  std::string list;
  for (const Format& f : formats()) list += (list.empty() ? "" : ", ") + f.ending;
  return list;
}

}  // namespace hexapla::document
