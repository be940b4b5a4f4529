#include "document/formats.h"

#include <algorithm>

#include "document/captions/captions.h"
#include "document/html/html.h"
#include "document/strings/json_strings.h"
#include "document/strings/po_strings.h"
#include "document/text/text_lines.h"

namespace hexapla::document {
namespace {

std::shared_ptr<const Document> plain(const std::string& content) {
  return std::make_shared<const TextLines>(std::vector{content});
}
std::shared_ptr<const Document> html(const std::string& content) {
  return std::make_shared<const PiecesDocument>(html_document({content}));
}
std::shared_ptr<const Document> captions(const std::string& content) {
  return std::make_shared<const Captions>(content);
}

std::shared_ptr<const Document> po(const std::string& content) {
  return std::make_shared<const PiecesDocument>(std::vector{po_strings(content)});
}
std::shared_ptr<const Document> json(const std::string& content) {
  return std::make_shared<const PiecesDocument>(std::vector{json_strings(content)});
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all{{".txt", "text/plain", true, plain},
                                       {".srt", "application/x-subrip", true, captions},
                                       {".vtt", "text/vtt", true, captions},
                                       {".sbv", "text/x-sbv", true, captions},
                                       {".html", "text/html", true, html},
                                       {".htm", "text/html", true, html},
                                       {".po", "text/x-gettext-translation", true, po},
                                       {".json", "application/json", true, json}};
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
