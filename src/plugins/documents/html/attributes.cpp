#include "documents/html/attributes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "documents/html/html.h"

namespace hexapla::text::document {
namespace {

// The page with its attributes as lines.
Pieces attribute_pieces(std::string_view page) {
  Pieces pieces(xml_attribute);
  std::size_t at = 0;
  for (const HtmlAttribute& a : html_attributes(page)) {
    pieces.keep(page.substr(at, a.begin - at));
    const bool quoted = page[a.begin - 1] == '"' || page[a.begin - 1] == '\'';
    pieces.add(text::MarkedLine({{text::LinePart::Kind::text, a.text}}), page.substr(a.begin, a.end - a.begin),
               quoted ? Pieces::Writing() : Pieces::Writing([](std::string value) { return cat('"', value, '"'); }));
    at = a.end;
  }
  pieces.keep(page.substr(at));
  return pieces;
}

// Attributes do not change which lines a page has, so its text is inserted into the page with
// translated attributes.
class AttributesDocument final : public Document {
 public:
  explicit AttributesDocument(const std::string& page) : attributes_(attribute_pieces(page)) {
    add_lines(html_pieces(page));
    texts_ = lines().size();
    add_lines(attributes_);
  }

  std::string joined(std::size_t, const Lines& found, std::size_t rank) const override {
    const std::span<const std::vector<Translation>> all(found);
    const Pieces page = html_pieces(attributes_.joined(all.subspan(texts_), rank));
    if (page.lines().size() != texts_) throw InternalError("translated attributes changed the lines of a page");
    return page.joined(all.first(texts_), rank);
  }
  std::size_t ranks(std::size_t, const Lines& found) const override {
    std::size_t most = 0;
    for (const std::vector<Translation>& all : found) most = std::max(most, all.size());
    return most;
  }

 private:
  void add_lines(const Pieces& pieces) {
    for (const Pieces::Line& l : pieces.lines()) add_line(l.line.text(), l.line.marked());
  }

  Pieces attributes_;
  std::size_t texts_ = 0;  // lines of the page's text
};

}  // namespace

std::shared_ptr<const Document> html_with_attributes(const std::string& page) {
  return std::make_shared<const AttributesDocument>(page);
}

}  // namespace hexapla::text::document
