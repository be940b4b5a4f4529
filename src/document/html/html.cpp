#include "document/html/html.h"

namespace hexapla::document {

Pieces html_pieces(std::string_view html, text::Escape escape) {
  Pieces pieces(std::move(escape));
  Runs runs(pieces);
  for (Token& token : html_tokens(html)) runs.add(std::move(token));
  runs.finish();
  return pieces;
}

PiecesDocument html_document(const std::vector<std::string>& texts) {
  std::vector<Pieces> all;
  for (const std::string& text : texts) all.push_back(html_pieces(text));
  return PiecesDocument(std::move(all));
}

}  // namespace hexapla::document
