#include "documents/html/html.h"

#include "documents/names.h"
#include "documents/xml/xml_events.h"

namespace hexapla::text::document {

namespace {

Pieces pieces_of(std::vector<Token> tokens, text::Escape escape) {
  Pieces pieces(std::move(escape));
  Runs runs(pieces);
  for (Token& token : tokens) runs.add(std::move(token));
  runs.finish();
  return pieces;
}

// Replaces constructs of XHTML that HTML parses differently (<title/> opens a title, CDATA is a
// comment) by tags without content of the same length.
std::string as_html(std::string_view xhtml, const std::string& name) {
  std::string html(xhtml);
  std::vector<std::size_t> hidden;  // where nested elements of this name that are hidden as a whole begin
  std::string hides;
  for (const XmlEvent& e : xml_events(xhtml, name)) {
    const std::string_view local = local_name(e.name);
    const bool drawing = local == "svg" || local == "math";
    std::size_t begin = e.begin;
    if (drawing && e.kind == XmlEvent::Kind::start) {
      if (hidden.empty() || hides == e.name) hides = e.name, hidden.push_back(e.begin);
      continue;
    }
    const bool ends = !hidden.empty() && e.kind == XmlEvent::Kind::end && e.name == hides;
    if (ends) begin = hidden.back(), hidden.pop_back();
    const bool empty = e.kind == XmlEvent::Kind::empty && has_html_content(e.name);
    if (!hidden.empty() || (!ends && !empty && e.kind != XmlEvent::Kind::cdata)) continue;
    html.replace(begin, e.end - begin, std::string(e.end - begin, ' '));
    html.replace(begin, 3, is_html_block(e.name) ? "<hr" : "<br");
    html[e.end - 1] = '>';
  }
  return html;
}

}  // namespace

Pieces html_pieces(std::string_view html, text::Escape escape) {
  return pieces_of(html_tokens(html), std::move(escape));
}

Pieces xhtml_pieces(std::string_view xhtml, const std::string& name) {
  return pieces_of(html_tokens(xhtml, as_html(xhtml, name)), xml_text);
}

PiecesDocument html_document(const std::vector<std::string>& texts) {
  std::vector<Pieces> all;
  for (const std::string& text : texts) all.push_back(html_pieces(text));
  return PiecesDocument(std::move(all));
}

}  // namespace hexapla::text::document
