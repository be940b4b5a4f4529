#pragma once
// Groups the tags and texts of a document into lines: a line is everything between two blocks, with
// its inline elements.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/pieces.h"

namespace hexapla::text::document {

struct Token {
  // open, close: tags of an inline element; point: standalone; block: ends a line.
  enum class Kind { text, open, close, point, block };
  Kind kind = Kind::text;
  std::string name = {};  // of the element, the same for both tags; empty: a style, which may change within a word
  std::string raw = {};   // as written in the document
  std::string text = {};  // the text itself; for other tokens, their form in a translation if it differs from raw
  bool gap = false;       // a point separates the words around it, even without a space
};

// For each tag, the index of its partner if properly nested, else `no_partner`, as for all other
// tokens.
inline constexpr std::size_t kNoPartner = static_cast<std::size_t>(-1);
std::vector<std::size_t> partners_of(const std::vector<Token>& tokens);

// Tokens as parts of a line: text is decoded, everything else as written.
std::vector<text::LinePart> line_parts(const std::vector<Token>& tokens);

class Runs {
 public:
  // writing: applies to each line.
  explicit Runs(Pieces& pieces, Pieces::Writing writing = {}) : pieces_(pieces), writing_(std::move(writing)) {}

  void add(Token token);
  void finish();  // call it after the last token

 private:
  using Tokens = std::vector<Token>;
  void add_run(const Tokens& run);
  void add_line(const Tokens& run);

  Pieces& pieces_;
  Pieces::Writing writing_;
  Tokens run_;
};

}  // namespace hexapla::text::document
