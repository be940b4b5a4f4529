// Thousands of random pages: nothing is lost, whatever the markup and the alignment.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/compute/random.h"
#include "documents/html/html.h"
#include "documents/test_translations.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

class Pages {
 public:
  explicit Pages(std::uint64_t seed) : random_(seed) {}

  std::string page() {
    std::string html = below(2) == 0 ? "<!DOCTYPE html>\n<html><head><title>a b &amp; c</title></head><body>" : "";
    for (std::size_t n = 1 + below(6); n > 0; --n) html += block();
    return html;
  }

 private:
  std::size_t below(std::size_t n) { return random_.below(static_cast<std::uint32_t>(n)); }
  template <std::size_t N>
  std::string one_of(const char* const (&all)[N]) {
    return all[below(N)];
  }
  std::string id() { return " id=\"n" + std::to_string(++ids_) + "\""; }
  std::string block() {
    const std::string name = one_of({"p", "div", "li", "h2", "blockquote"});
    return "<" + name + id() + ">" + inlines(3) + "</" + name + ">" + one_of({"", "\n", "<hr>", "<!-- a b -->"});
  }
  std::string inlines(int depth) {
    std::string html;
    for (std::size_t n = 1 + below(5); n > 0; --n) {
      const std::size_t kind = below(10);
      if (kind < 5 || depth == 0) {
        html += words();
      } else if (kind < 8) {
        const std::string name = one_of({"b", "i", "a", "span", "x-y", "u"});
        html += "<" + name + id() + ">" + inlines(name == "a" ? 0 : depth - 1) + "</" + name + ">";
      } else {
        html += point();
      }
      html += one_of({"", " ", " ", "\n "});
    }
    return html;
  }
  std::string point() {
    switch (below(5)) {
      case 0:
        return "<img" + id() + ">";
      case 1:
        return "<br" + id() + ">";
      case 2:
        return "<code" + id() + ">x &lt; y</code>";
      case 3:
        return "<span translate=no" + id() + ">Green <b>Park</b></span>";
      default:
        return "<i" + id() + "></i>";
    }
  }
  std::string words() {
    std::string text;
    for (std::size_t n = 1 + below(5); n > 0; --n)
      text += one_of({"dog", "runs", "H2O", "狗在跑", "สุนัข", "كلب", "größer.", "(see", "it)", "a,", "caf&eacute;",
                      "5th", "\"so\""}) +
              one_of({" ", " ", ""});
    return text;
  }

  Random random_;
  int ids_ = 0;
};

struct Content {
  std::map<std::string, int> markup;
  std::string text;
};
Content content_of(const std::string& html) {
  Content content;
  for (const Token& token : html_tokens(html))
    if (token.kind == Kind::text)
      content.text += token.text;
    else
      ++content.markup[token.raw];
  content.text = without_blanks(content.text);
  return content;
}

bool well_nested(const std::string& html) {
  std::vector<std::string> open;
  for (const Token& token : html_tokens(html)) {
    if (token.kind == Kind::open) open.push_back(token.name);
    if (token.kind != Kind::close) continue;
    if (open.empty() || open.back() != token.name) return false;
    open.pop_back();
  }
  return open.empty();
}

TEST(GeneratedPages, LoseNothing) {
  Pages pages(1);
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    const std::string html = pages.page();
    const PiecesDocument page = html_document({html});
    Document::Lines found;
    std::string text;
    for (const std::string& line : page.lines()) {
      found.push_back({shuffled(line, random)});
      text += found.back().front().text;
    }
    const std::string translated = page.joined(0, found, 0);
    const Content before = content_of(html), after = content_of(translated);
    ASSERT_EQ(before.markup, after.markup) << html << "\n" << translated;
    ASSERT_EQ(after.text, without_blanks(text)) << html << "\n" << translated;
    ASSERT_TRUE(well_nested(translated)) << html << "\n" << translated;
  }
}

}  // namespace
}  // namespace hexapla::text::document
