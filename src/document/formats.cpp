#include "document/formats.h"

#include <algorithm>

#include "base/error.h"
#include "document/bilingual/tmx.h"
#include "document/bilingual/xliff.h"
#include "document/captions/subtitle_text.h"
#include "document/html/html.h"
#include "document/text/text_lines.h"
#include "text/encoding.h"
#include "text/utf8.h"

namespace hexapla::document {
namespace {

std::shared_ptr<const Document> plain(const std::string& content) {
  return std::make_shared<const TextLines>(std::vector{content});
}
std::shared_ptr<const Document> html(const std::string& content) {
  return std::make_shared<const PiecesDocument>(html_document({content}));
}
std::shared_ptr<const Document> captions(const std::string& content) {
  return std::make_shared<const SubtitleText>(content);
}

}  // namespace

std::shared_ptr<const Document> read(const Format& format, const std::string& content) {
  if (format.text && text::invalid_utf8(content))
    throw DataError("the file is not UTF-8; " + text::advice(text::encoding_of(content)));
  return format.open(content);
}

const std::vector<Format>& formats() {
  static const std::vector<Format> all{{".txt", "text/plain", true, plain},
                                       {".srt", "application/x-subrip", true, captions},
                                       {".vtt", "text/vtt", true, captions},
                                       {".html", "text/html", true, html},
                                       {".htm", "text/html", true, html},
                                       {".xlf", "application/x-xliff+xml", true, xliff},
                                       {".xliff", "application/x-xliff+xml", true, xliff},
                                       {".tmx", "application/x-tmx+xml", true, tmx}};
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
