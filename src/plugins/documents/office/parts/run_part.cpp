#include "documents/office/parts/run_part.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "documents/names.h"
#include "documents/xml/xml_text.h"
#include "text/characters.h"

namespace hexapla::text::document {
namespace {

using EventKind = XmlEvent::Kind;
using Atom = RunAtom::Kind;

// Prefixes: w: for Word, a: for text in drawings and on slides, x: for Excel.
constexpr std::array<std::string_view, 5> kRunParagraphs{"w:p", "a:p", "x:si", "x:is", "x:text"};
constexpr std::array<std::string_view, 3> kRuns{"w:r", "a:r", "x:r"};
constexpr std::array<std::string_view, 3> kRunProperties{"w:rPr", "a:rPr", "x:rPr"};
constexpr std::array<std::string_view, 3> kTexts{"w:t", "a:t", "x:t"};
// Paragraph properties come before or after all runs.
constexpr std::array<std::string_view, 2> kAtBegin{"w:pPr", "a:pPr"};
constexpr std::array<std::string_view, 2> kAtEnd{"a:endParaRPr", "x:phoneticPr"};
// Elements that contain runs of the paragraph's text.
constexpr std::array<std::string_view, 9> kContainers{
    "w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:dir", "w:bdo", "w:sdtContent", "w:sdt"};
constexpr std::array<std::string_view, 2> kDeleted{"w:del", "w:moveFrom"};
// Marks of a proofing tool about the old text, and its pronunciation.
constexpr std::array<std::string_view, 4> kDropped{"w:proofErr", "w:lastRenderedPageBreak", "w:softHyphen", "x:rPh"};
constexpr std::array<std::string_view, 3> kLineBreaks{"w:br", "w:cr", "a:br"};
constexpr std::array<std::string_view, 2> kTabs{"w:tab", "w:ptab"};
// Properties that do not change how text looks: runs that differ only in these have the same style.
constexpr std::array<std::string_view, 3> kNoProperties{"w:lang", "w:noProof", "w:rPrChange"};
constexpr std::array<std::string_view, 8> kNoAttributes{"lang",     "altLang", "dirty",   "err",
                                                        "smtClean", "bmk",     "noProof", "hint"};

// Merges adjacent points: a malicious paragraph may have millions of bookmarks.
void add_point(std::string xml, RunAtoms& atoms) {
  if (!atoms.empty() && atoms.back().kind == Atom::point)
    atoms.back().xml += xml;
  else
    atoms.push_back({Atom::point, std::move(xml)});
}

// A page or column break ends the sentence.
bool breaks_page(const XmlEvent& event) {
  return std::any_of(event.attributes.begin(), event.attributes.end(), [](const XmlAttribute& a) {
    return local_name(a.name) == "type" && (a.value == "page" || a.value == "column");
  });
}

std::string office_value(const XmlEvent& event, std::string_view attribute) {
  for (const XmlAttribute& a : event.attributes)
    if (local_name(a.name) == attribute) return a.value;
  return "";
}

Atom field_mark(const XmlEvent& event) {
  const std::string type = office_value(event, "fldCharType");
  return type == "begin" ? Atom::field_begin : type == "separate" ? Atom::field_separate : Atom::field_end;
}

}  // namespace

RunPart::RunPart(std::string xml, const std::string& name, const std::set<std::string>& kept)
    : XmlPart(std::move(xml), name), kept_(kept) {}

bool RunPart::is_paragraph(Index i) const { return among(kRunParagraphs, name(i)); }

bool RunPart::is_left_alone(Index i) const { return among(kDeleted, name(i)); }

bool RunPart::add_paragraph(Index paragraph, Pieces& pieces) {
  if (!has_words(paragraph)) return false;
  Index from = paragraph + 1, to = last(paragraph);
  for (Index i = from; i < to; i = after(i)) {
    if (among(kAtBegin, name(i))) from = after(i);
    if (among(kAtEnd, name(i))) to = i;
  }
  RunAtoms atoms;
  for (Index i = from; i < to; i = after(i)) add_child(i, atoms);
  atoms = with_fields_joined(std::move(atoms));
  pieces.keep(raw(paragraph, from));
  add_runs(atoms, pieces);
  pieces.keep(raw(to, after(paragraph)));
  return true;
}

// Ignores words in nested paragraphs.
bool RunPart::has_words(Index paragraph) const {
  std::string all;
  for (Index i = paragraph + 1; i < last(paragraph); ++i) {
    if (is_paragraph(i) || is_left_alone(i) || among(kDropped, name(i)))
      i = after(i) - 1;
    else if (event(i).kind == EventKind::text && among(kTexts, name(i - 1)))
      all += event(i).text;
  }
  return text::has_letter(all) && !kept_.contains(all);
}

void RunPart::add_children(Index parent, RunAtoms& atoms) {
  for (Index i = parent + 1; i < last(parent); i = after(i)) add_child(i, atoms);
}

void RunPart::add_child(Index i, RunAtoms& atoms) {
  const std::string& is = name(i);
  if (event(i).kind == EventKind::text || among(kDropped, is)) return;  // whitespace between elements
  if (among(kRuns, is)) return add_run(i, atoms);
  if (among(kTexts, is)) return add_text(i, style_of(0, i), std::string(element(i)), atoms);
  if (among(kLineBreaks, is)) return atoms.push_back({Atom::line_break, std::string(element(i))});
  const Index content = is == "w:sdt" ? content_of(i) : i;
  if (among(kContainers, is) && content != 0) return add_container(i, content, atoms);
  add_point(with_references(i), atoms);
}

void RunPart::add_container(Index container, Index content, RunAtoms& atoms) {
  if (last(content) == content) return add_point(std::string(element(container)), atoms);
  atoms.push_back({Atom::open, std::string(raw(container, content + 1))});
  add_children(content, atoms);
  atoms.push_back({Atom::close, std::string(raw(last(content), after(container)))});
}

void RunPart::add_run(Index run, RunAtoms& atoms) {
  std::size_t parts = 0;
  for (Index i = run + 1; i < last(run); i = after(i)) parts += event(i).opens() && !among(kRunProperties, name(i));
  if (parts == 0) return;
  for (Index i = run + 1; i < last(run); i = after(i))
    if (event(i).opens() && !among(kRunProperties, name(i))) add_part_of_run(run, i, parts == 1, atoms);
}

void RunPart::add_part_of_run(Index run, Index i, bool alone, RunAtoms& atoms) {
  const std::string& is = name(i);
  if (among(kDropped, is)) return;
  if (among(kTexts, is)) return add_text(i, style_of(run, i), in_run(run, element(i)), atoms);
  if (is == "w:noBreakHyphen")
    return atoms.push_back({Atom::text, in_run(run, element(i)), "-", "-", style_of(run, 0)});
  RunAtom atom{Atom::point, alone ? with_references(run) : in_run(run, with_references(i))};
  if (is == "w:fldChar") atom.kind = field_mark(event(i));
  if (is == "w:instrText") atom.kind = Atom::instruction;
  if (is == "w:instrText" && last(i) > i + 1) atom.text = event(i + 1).text;
  if (among(kLineBreaks, is)) atom.kind = breaks_page(event(i)) ? Atom::block : Atom::line_break;
  if (among(kTabs, is)) atom.kind = Atom::block;
  atom.kind == Atom::point ? add_point(std::move(atom.xml), atoms) : atoms.push_back(std::move(atom));
}

// Splits the text at tabs, and in cells also at line ends.
void RunPart::add_text(Index element, std::size_t style, const std::string& run, RunAtoms& atoms) {
  const std::string_view separators = name(element) == "x:t" ? "\t\n" : "\t";
  const std::size_t first = atoms.size();
  for (Index i = element + 1; i < last(element); ++i) {
    if (event(i).kind != EventKind::text) continue;
    const std::string& all = event(i).text;
    for (std::size_t at = 0, end = 0; at < all.size(); at = end) {
      spend(sizeof(RunAtom));
      const bool separates = separators.find(all[at]) != std::string_view::npos;
      end = separates ? at + 1 : std::min(all.find_first_of(separators, at), all.size());
      const std::string part = all.substr(at, end - at);
      const std::string written = part == all ? std::string(raw(i)) : xml_text(part);
      atoms.push_back({separates ? Atom::block : Atom::text, "", part, written, style});
    }
  }
  if (atoms.size() > first) atoms[first].xml = run;
}

XmlPart::Index RunPart::content_of(Index control) const {
  for (Index i = control + 1; i < last(control); i = after(i))
    if (name(i) == "w:sdtContent") return i;
  return 0;
}

XmlPart::Index RunPart::properties_of(Index run) const {
  return run + 1 < last(run) && among(kRunProperties, name(run + 1)) ? run + 1 : 0;
}

// run: 0 if there is none around the text. text: 0 if the run has only a hyphen.
std::size_t RunPart::style_of(Index run, Index text) {
  if (run != 0 && run == last_run_) return last_style_;
  last_style_ = number_of_style(run, text);
  last_run_ = run;
  return last_style_;
}

std::size_t RunPart::number_of_style(Index run, Index text) {
  const Index properties = run == 0 ? 0 : properties_of(run);
  const std::string key = cat(run == 0 ? "" : event(run).name, ' ', properties == 0 ? "" : style_key(properties));
  const auto [number, added] = style_numbers_.emplace(key, styles_.size());
  if (!added) return number->second;
  RunStyle style{.text = event(text == 0 ? run : text).name};
  if (text == 0) style.text.back() = 't';  // "w:r"
  if (run != 0) style.before = cat('<', event(run).name, '>', properties == 0 ? "" : element(properties));
  if (run != 0) style.after = cat("</", event(run).name, '>');
  style.link = style.before.find("hlinkClick") != std::string::npos;
  style.marks_blanks = text == 0 || name(text) != "a:t";
  styles_.push_back(style);
  return number->second;
}

// Equal for runs that look the same.
std::string RunPart::style_key(Index properties) const {
  std::string key;
  for (Index i = properties; i < after(properties); ++i) {
    if (among(kNoProperties, name(i))) {
      i = after(i) - 1;
      continue;
    }
    if (i != properties && event(i).opens()) key += cat('<', event(i).name);
    for (const XmlAttribute& a : event(i).attributes)
      if (!among(kNoAttributes, local_name(a.name))) key += cat(' ', a.name, '=', a.value);
    if (i != properties && i != last(properties) && event(i).kind != EventKind::start) key += '>';
  }
  return key;
}

std::string RunPart::in_run(Index run, std::string_view xml) {
  const std::string_view properties = properties_of(run) == 0 ? "" : element(properties_of(run));
  spend(properties.size());
  return cat('<', event(run).name, '>', properties, xml, "</", event(run).name, '>');
}

}  // namespace hexapla::text::document
