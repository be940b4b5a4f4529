#pragma once
// Tags and text of a marked-up document become lines: what is between two blocks is one, with its inline elements.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/document/pieces.h"

namespace hexapla::text::document {

struct Token {
  // open, close: of an inline element; point: stands for itself; block: ends a line.
  enum class Kind { text, open, close, point, block };
  Kind kind = Kind::text;
  std::string name = {};  // of an element, as its other tag has it; none: of a style, which may change within a word
  std::string raw = {};   // as it is written
  std::string text = {};  // of a text what it says; of other tokens how they are written in a translation, if not raw
  bool gap = false;       // of a point: words before and after it are two even without a blank
};

// For each tag whose partner is among them, well nested, its place; for every other token `no_partner`. Work
// grows with the product of tags and open elements.
inline constexpr std::size_t no_partner = static_cast<std::size_t>(-1);
std::vector<std::size_t> partners_of(const std::vector<Token>& tokens);

// Text no_partner, or as part of a line; everything but text as it is written.
std::vector<text::LinePart> line_parts(const std::vector<Token>& tokens);

class Runs {
 public:
  // writing: of each line.
  explicit Runs(Pieces& pieces, Pieces::Writing writing = {}) : pieces_(pieces), writing_(std::move(writing)) {}

  void add(Token token);
  void finish();  // after the last token

 private:
  using Tokens = std::vector<Token>;
  void add_run(const Tokens& run);
  void add_line(const Tokens& run);

  Pieces& pieces_;
  Pieces::Writing writing_;
  Tokens run_;
};

}  // namespace hexapla::text::document
