#include "document/office/span_part.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/characters.h"

namespace hexapla::document {
namespace {

using Kind = XmlEvent::Kind;
using Part = Token::Kind;

// ncx:text is an entry of a book's contents.
constexpr std::array<std::string_view, 5> paragraphs{"text:p", "text:h", "presentation:header-decl",
                                                     "presentation:footer-decl", "ncx:text"};
constexpr std::array<std::string_view, 3> left_alone{"text:tracked-changes", "ncx:docTitle", "ncx:docAuthor"};
// Their text is text of the paragraph; all others stand for themselves.
constexpr std::array<std::string_view, 6> around_text{"text:span",       "text:a",    "text:meta",
                                                      "text:meta-field", "text:ruby", "text:ruby-base"};
// Attributes that change nothing that one sees.
constexpr std::array<std::string_view, 10> invisible{
    "name",    "family",         "rsid",          "paragraph-rsid",   "language",
    "country", "language-asian", "country-asian", "language-complex", "country-complex"};

template <class List>
bool among(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string_view local(std::string_view name) { return name.substr(name.find(':') + 1); }

}  // namespace

SpanPart::SpanPart(std::string xml, const std::string& name) : XmlPart(std::move(xml), name) { find_styles(); }

bool SpanPart::is_paragraph(Index i) const { return among(paragraphs, name(i)); }

bool SpanPart::is_left_alone(Index i) const { return among(left_alone, name(i)); }

void SpanPart::find_styles() {
  for (Index i = 0; i < size(); ++i) {
    if (name(i) != "style:style") continue;
    std::string look;
    for (Index k = i; k < after(i); ++k) {
      if (k != i && event(k).opens()) look += cat('<', event(k).name);
      for (const XmlAttribute& a : event(k).attributes)
        if (!among(invisible, local(a.name))) look += cat(' ', a.name, '=', a.value);
    }
    if (const std::string* const style = event(i).attribute("style:name")) looks_[*style] = look;
  }
}

bool SpanPart::add_paragraph(Index paragraph, Pieces& pieces) {
  if (!has_words(paragraph)) return false;
  started_ = false;
  pieces.keep(raw(paragraph));
  Runs runs(pieces);
  add_children(paragraph, runs);
  runs.finish();
  pieces.keep(raw(last(paragraph)));
  return true;
}

// Of its own, not in a paragraph inside of it.
bool SpanPart::has_words(Index paragraph) const {
  for (Index i = paragraph + 1; i < last(paragraph); ++i) {
    if (is_paragraph(i) || is_left_alone(i))
      i = after(i) - 1;
    else if (text::has_letter(event(i).text))
      return true;
  }
  return false;
}

void SpanPart::add_children(Index parent, Runs& runs) {
  for (Index i = parent + 1; i < last(parent); i = after(i)) {
    if (name(i) != "text:span" || event(i).kind != Kind::start) {
      add_child(i, runs);
      continue;
    }
    const std::string look = look_of(i);
    if (!look.empty()) runs.add({Part::open, "", std::string(raw(i))});
    add_children(i, runs);
    for (; look_of(after(i)) == look && after(i) < last(parent); add_children(i, runs)) i = after(i);
    if (!look.empty()) runs.add({Part::close, "", std::string(raw(last(i)))});
  }
}

// How text in a span looks; of what is no span "no span".
std::string SpanPart::look_of(Index span) const {
  if (name(span) != "text:span" || event(span).kind != Kind::start) return "no span";
  const std::string* const style = event(span).attribute("text:style-name");
  if (style == nullptr) return "";
  const auto automatic = looks_.find(*style);
  return automatic == looks_.end() ? *style : automatic->second;
}

void SpanPart::add_child(Index i, Runs& runs) {
  const std::string& is = name(i);
  const std::string written(raw(i));
  if (event(i).kind == Kind::text || event(i).kind == Kind::cdata) {
    started_ = true;
    return runs.add({Part::text, "", written, event(i).text});
  }
  if (is == "text:s" && started_) return runs.add({Part::text, "", std::string(element(i)), " "});
  if (is == "text:tab") return runs.add({Part::block, is, std::string(element(i))});
  if (is == "text:line-break") return runs.add({Part::point, is, std::string(element(i)), "", true});
  if (!among(around_text, is) || event(i).kind != Kind::start) return runs.add({Part::point, is, with_references(i)});
  runs.add({Part::open, "", written});
  add_children(i, runs);
  runs.add({Part::close, "", std::string(raw(last(i)))});
}

}  // namespace hexapla::document
