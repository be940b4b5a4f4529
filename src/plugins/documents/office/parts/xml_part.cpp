#include "documents/office/parts/xml_part.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "documents/xml/xml_text.h"

namespace hexapla::text::document {
namespace {

using EventKind = XmlEvent::Kind;
using Named = std::pair<std::string_view, std::string_view>;  // a namespace, and our prefix for it

// Separate nested paragraphs, and delimit their references. XML does not allow them, so no document
// contains them.
constexpr char kInnerParagraph = '\x14', kInnerReference = '\x15', kEndOfNumber = ';';

constexpr std::array<Named, 13> kNamespaces{
    Named{"http://schemas.openxmlformats.org/wordprocessingml/2006/main", "w:"},
    Named{"http://purl.oclc.org/ooxml/wordprocessingml/main", "w:"},
    Named{"http://schemas.openxmlformats.org/drawingml/2006/main", "a:"},
    Named{"http://purl.oclc.org/ooxml/drawingml/main", "a:"},
    Named{"http://schemas.openxmlformats.org/spreadsheetml/2006/main", "x:"},
    Named{"http://purl.oclc.org/ooxml/spreadsheetml/main", "x:"},
    Named{"urn:oasis:names:tc:opendocument:xmlns:text:1.0", "text:"},
    Named{"urn:oasis:names:tc:opendocument:xmlns:presentation:1.0", "presentation:"},
    Named{"urn:oasis:names:tc:opendocument:xmlns:style:1.0", "style:"},
    Named{"http://openoffice.org/2009/office", "officeooo:"},
    Named{"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0", "fo:"},
    Named{"http://www.daisy.org/z3986/2005/ncx/", "ncx:"},
    Named{"http://www.idpf.org/2007/opf", "opf:"}};

constexpr std::size_t kMostGrowth = 20, kGrowthOfSmall = std::size_t{16} << 20;

// Maps prefixes to namespaces in the scope of the current element.
class Scopes {
 public:
  void open(const XmlEvent& element) {
    std::vector<std::string>& declared = declared_.emplace_back();
    for (const XmlAttribute& a : element.attributes) {
      if (a.name != "xmlns" && !a.name.starts_with("xmlns:")) continue;
      declared.push_back(a.name == "xmlns" ? "" : a.name.substr(6) + ":");
      const auto ours =
          std::find_if(kNamespaces.begin(), kNamespaces.end(), [&](const Named& n) { return n.first == a.value; });
      prefixes_[declared.back()].push_back(ours == kNamespaces.end() ? declared.back() : std::string(ours->second));
    }
  }
  void close() {
    for (const std::string& prefix : declared_.back()) prefixes_[prefix].pop_back();
    declared_.pop_back();
  }
  std::string name_of(const std::string& written) const {
    const std::size_t colon = written.find(':'), size = colon == std::string::npos ? 0 : colon + 1;
    const auto found = prefixes_.find(written.substr(0, size));
    return found == prefixes_.end() || found->second.empty() ? written : found->second.back() + written.substr(size);
  }

 private:
  std::vector<std::vector<std::string>> declared_;  // for each open element
  std::unordered_map<std::string, std::vector<std::string>> prefixes_;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) c == at ? void(parts.emplace_back()) : void(parts.back() += c);
  return parts;
}

// References only point to later paragraphs.
std::string with_inner_paragraphs(const std::string& joined) {
  const std::vector<std::string> paragraphs = split(joined, kInnerParagraph);
  std::string all;
  std::vector<std::string_view> rests{paragraphs.front()};  // of the paragraphs that are being written, outermost first
  while (!rests.empty()) {
    std::string_view& text = rests.back();
    const std::size_t at = text.find(kInnerReference);
    all += text.substr(0, at);
    if (at == std::string_view::npos) {
      rests.pop_back();
      continue;
    }
    std::size_t number = 0;
    std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    text.remove_prefix(text.find(kEndOfNumber, at) + 1);
    rests.push_back(paragraphs.at(number));
  }
  return all;
}

}  // namespace

XmlPart::XmlPart(std::string xml, const std::string& name)
    : name_(name),
      xml_(std::move(xml)),
      events_(xml_events(xml_, name)),
      after_(events_.size()),
      names_(events_.size()) {
  find_ends();
  find_names();
}

void XmlPart::find_ends() {
  std::vector<Index> open;
  for (Index i = 0; i < events_.size(); ++i) {
    after_[i] = i + 1;
    if (events_[i].kind == EventKind::start) open.push_back(i);
    if (events_[i].kind != EventKind::end) continue;
    after_[open.back()] = i + 1;
    open.pop_back();
  }
}

void XmlPart::find_names() {
  Scopes scopes;
  for (Index i = 0; i < events_.size(); ++i) {
    if (events_[i].opens()) {
      scopes.open(events_[i]);
      names_[i] = scopes.name_of(events_[i].name);
    }
    if (events_[i].kind == EventKind::end || events_[i].kind == EventKind::empty) scopes.close();
  }
}

std::string_view XmlPart::raw(Index from, Index to) const {
  return std::string_view(xml_).substr(events_[from].begin, events_[to - 1].end - events_[from].begin);
}

std::string XmlPart::with_references(Index element) {
  std::string all;
  for (Index i = element; i < after(element);) {
    const bool alone = is_left_alone(i), inner = !alone && is_paragraph(i);
    if (inner) {
      inner_.push_back(i);
      all += cat(kInnerReference, inner_.size(), kEndOfNumber);
    } else {
      all += alone ? this->element(i) : raw(i);
    }
    i = alone || inner ? after(i) : i + 1;
  }
  return all;
}

void XmlPart::walk(Index from, Index to, Pieces& pieces) {
  for (Index i = from; i < to;) {
    if (is_left_alone(i)) {
      pieces.keep(element(i));
    } else if (!is_paragraph(i) || !add_paragraph(i, pieces)) {
      pieces.keep(raw(i++));
      continue;
    }
    i = after(i);
  }
}

void XmlPart::add_runs(const RunAtoms& atoms, Pieces& pieces) {
  std::size_t largest = 0;
  for (const RunAtom& atom : atoms)
    if (atom.kind == RunAtom::Kind::text) largest = std::max(largest, styles_[atom.style].before.size());
  spend(atoms.size() * largest);
  add_lines(atoms, styles_, pieces);
}

void XmlPart::spend(std::size_t bytes) {
  spent_ += bytes;
  if (spent_ > kMostGrowth * xml_.size() + kGrowthOfSmall)
    throw DataError(cat(name_, " takes more than ", kMostGrowth,
                        " times its length when its text is taken apart; give it "
                        "simpler styles, or fewer tabs"));
}

Member XmlPart::member() {
  Pieces pieces = Pieces(xml_text);
  walk(0, events_.size(), pieces);
  for (std::size_t k = 0; k < inner_.size(); ++k) {  // may find more
    pieces.keep({&kInnerParagraph, 1});
    walk(inner_[k], after(inner_[k]), pieces);
  }
  return {name_, std::move(pieces),
          [styles = styles_](const std::string& joined) { return with_inner_paragraphs(with_runs(joined, styles)); }};
}

}  // namespace hexapla::text::document
