#include "documents/office/parts/span_part.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "documents/names.h"
#include "text/characters.h"

namespace hexapla::text::document {
namespace {

using EventKind = XmlEvent::Kind;
using Atom = RunAtom::Kind;

// ncx:text is an entry of an e-book's table of contents.
constexpr std::array<std::string_view, 5> kSpanParagraphs{"text:p", "text:h", "presentation:header-decl",
                                                          "presentation:footer-decl", "ncx:text"};
constexpr std::array<std::string_view, 3> kLeftAlone{"text:tracked-changes", "ncx:docTitle", "ncx:docAuthor"};
// Elements whose text belongs to the paragraph; all others are standalone.
constexpr std::array<std::string_view, 6> kAroundText{"text:span",       "text:a",    "text:meta",
                                                      "text:meta-field", "text:ruby", "text:ruby-base"};
// Attributes without a visible effect.
constexpr std::array<std::string_view, 10> kInvisible{
    "name",    "family",         "rsid",          "paragraph-rsid",   "language",
    "country", "language-asian", "country-asian", "language-complex", "country-complex"};

}  // namespace

SpanPart::SpanPart(std::string xml, const std::string& name) : XmlPart(std::move(xml), name) {
  style_numbers_[&*style_looks_.insert("").first] = 0;
  styles_.push_back({.marks_blanks = false});
  find_looks();
}

bool SpanPart::is_paragraph(Index i) const { return among(kSpanParagraphs, name(i)); }

bool SpanPart::is_left_alone(Index i) const { return among(kLeftAlone, name(i)); }

void SpanPart::find_looks() {
  for (Index i = 0; i < size(); ++i) {
    if (name(i) != "style:style") continue;
    std::string look;
    for (Index k = i; k < after(i); ++k) {
      std::string own;
      for (const XmlAttribute& a : event(k).attributes)
        if (!among(kInvisible, local_name(a.name))) own += cat(' ', a.name, '=', a.value);
      if (!own.empty()) look += cat('<', event(k).name, own);
    }
    if (const std::string* const style = event(i).attribute("style:name"))
      looks_[*style] = &*style_looks_.insert(std::move(look)).first;
    i = after(i) - 1;
  }
}

bool SpanPart::add_paragraph(Index paragraph, Pieces& pieces) {
  if (!has_words(paragraph)) return false;
  RunAtoms atoms;
  started_ = false;
  add_children(paragraph, 0, atoms);
  pieces.keep(raw(paragraph));
  add_runs(atoms, pieces);
  pieces.keep(raw(last(paragraph)));
  return true;
}

// Ignores words in nested paragraphs.
bool SpanPart::has_words(Index paragraph) const {
  for (Index i = paragraph + 1; i < last(paragraph); ++i) {
    if (is_paragraph(i) || is_left_alone(i))
      i = after(i) - 1;
    else if (text::has_letter(event(i).text))
      return true;
  }
  return false;
}

// Identifies how text in a span looks, always by the same string; empty: no different from the text around it.
const std::string* SpanPart::look_of(Index span) {
  const std::string* const style = event(span).attribute("text:style-name");
  if (style == nullptr) return &*style_looks_.insert("").first;
  const auto automatic = looks_.find(*style);
  return automatic == looks_.end() ? &*style_looks_.insert(*style).first : automatic->second;
}

std::size_t SpanPart::style_of(Index span) {
  const auto [number, added] = style_numbers_.emplace(look_of(span), styles_.size());
  if (added) styles_.push_back({.before = std::string(raw(span)), .after = "</text:span>", .marks_blanks = false});
  return number->second;
}

// Whether it contains no other such element, so that it is only a style.
bool SpanPart::is_simple(Index span) const {
  if (name(span) != "text:span" || event(span).kind != EventKind::start) return false;
  for (Index i = span + 1; i < last(span); i = after(i))
    if (among(kAroundText, name(i))) return false;
  return true;
}

void SpanPart::add_children(Index parent, std::size_t style, RunAtoms& atoms) {
  for (Index i = parent + 1; i < last(parent); i = after(i)) add_child(i, style, atoms);
}

void SpanPart::add_child(Index i, std::size_t style, RunAtoms& atoms) {
  const std::string& is = name(i);
  if (event(i).kind == EventKind::text) {
    started_ = true;
    return atoms.push_back({Atom::text, "", event(i).text, std::string(raw(i)), style});
  }
  if (is_simple(i)) return add_children(i, style_of(i), atoms);
  if (is == "text:s" && started_) return atoms.push_back({Atom::text, "", " ", " ", style});
  if (!among(kAroundText, is) || event(i).kind != EventKind::start) {
    const Atom kind = is == "text:tab" ? Atom::block : is == "text:line-break" ? Atom::line_break : Atom::point;
    return atoms.push_back({kind, in_span(with_references(i), style)});
  }
  atoms.push_back({Atom::open, std::string(raw(i))});
  add_children(i, 0, atoms);
  atoms.push_back({Atom::close, std::string(raw(last(i)))});
}

// Wraps, for example, a field in the style of the text around it.
std::string SpanPart::in_span(std::string_view xml, std::size_t style) {
  spend(styles_[style].before.size());
  return cat(styles_[style].before, xml, styles_[style].after);
}

}  // namespace hexapla::text::document
