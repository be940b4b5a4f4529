#include "documents/office/parts/run_atoms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "documents/runs.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

using Atom = RunAtom::Kind;

struct Field {
  std::size_t begin = 0, separate = 0, end = 0;
  std::size_t around = 0;  // the element in which it begins
  std::string instruction = {};

  // Whether its text was written by the author: links and tables of contents.
  bool has_text() const {
    const std::size_t word = std::min(instruction.find_first_not_of(' '), instruction.size());
    const std::string_view name = std::string_view(instruction).substr(word);
    return separate > begin && (name.starts_with("HYPERLINK") || name.starts_with("TOC"));
  }
};

// The fields that begin and end in the same element of the paragraph.
std::vector<Field> whole_fields(const RunAtoms& atoms) {
  std::vector<Field> whole, open;
  std::vector<std::size_t> around{atoms.size()};
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const Atom kind = atoms[i].kind;
    if (kind == Atom::open) around.push_back(i);
    if (kind == Atom::close) around.pop_back();
    if (kind == Atom::field_begin) open.push_back({.begin = i, .around = around.back()});
    if (open.empty()) continue;
    if (kind == Atom::instruction) open.back().instruction += atoms[i].text;
    if (kind == Atom::field_separate && open.back().around == around.back()) open.back().separate = i;
    if (kind != Atom::field_end) continue;
    open.back().end = i;
    if (open.back().around == around.back()) whole.push_back(open.back());
    open.pop_back();
  }
  return whole;
}

RunAtom joined(const RunAtoms& atoms, std::size_t from, std::size_t to, Atom kind) {
  RunAtom all{kind};
  for (; from <= to; ++from) all.xml += atoms[from].xml;
  return all;
}

// The style of most text; the style of a link or of text in an element only if there is no other.
std::size_t usual_style(const RunAtoms& atoms, const std::vector<RunStyle>& styles) {
  std::map<std::size_t, std::pair<bool, std::size_t>> bytes;
  std::size_t depth = 0;
  for (const RunAtom& a : atoms) {
    if (a.kind == Atom::open) ++depth;
    if (a.kind == Atom::close) --depth;
    if (a.kind != Atom::text) continue;
    auto& [plain, count] = bytes[a.style];
    plain = plain || (depth == 0 && !styles[a.style].link);
    count += a.text.size();
  }
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  return bytes.empty() ? 0 : std::max_element(bytes.begin(), bytes.end(), less)->first;
}

class Lines {
 public:
  Lines(const RunAtoms& atoms, std::size_t usual, Pieces& pieces) : atoms_(atoms), usual_(usual), runs_(pieces) {
    pieces.keep(run_marks::line_begins(usual_));
    for (std::size_t i = 0; i < atoms_.size(); ++i) add(i);
    set_style(usual_);
    runs_.finish();
    pieces.keep(run_marks::line_ends());
  }

 private:
  using Part = Token::Kind;

  void add(std::size_t i) {
    const RunAtom& atom = atoms_[i];
    if (atom.kind == Atom::text && !text::ascii::all_space(atom.text))
      set_style(atom.style);
    else if (next_[i] != style_)
      set_style(usual_);
    switch (atom.kind) {
      case Atom::text:
        return runs_.add({Part::text, "", atom.written, atom.text});
      case Atom::open:
        return runs_.add({Part::open, "", run_marks::markup(atom.xml)});
      case Atom::close:
        return runs_.add({Part::close, "", run_marks::markup(atom.xml)});
      case Atom::line_break:
        return runs_.add({Part::point, "", run_marks::markup(atom.xml), "", true});
      case Atom::block:
        return runs_.add({Part::block, "", atom.written.empty() ? run_marks::markup(atom.xml) : atom.written});
      default:
        return runs_.add({Part::point, "", run_marks::markup(atom.xml)});
    }
  }

  // For each atom, the style of the next text, unless an element begins or ends before it.
  static std::vector<std::optional<std::size_t>> next_styles(const RunAtoms& atoms) {
    std::vector<std::optional<std::size_t>> next(atoms.size() + 1);
    for (std::size_t i = atoms.size(); i-- > 0;) {
      const Atom kind = atoms[i].kind;
      next[i] = next[i + 1];
      if (kind == Atom::open || kind == Atom::close || kind == Atom::block) next[i].reset();
      if (kind == Atom::text && !text::ascii::all_space(atoms[i].text)) next[i] = atoms[i].style;
    }
    return next;
  }

  void set_style(std::size_t style) {
    if (style == style_) return;
    if (style_ != usual_) runs_.add({Part::close, "", run_marks::style_ends()});
    if (style != usual_) runs_.add({Part::open, "", run_marks::style_begins(style)});
    style_ = style;
  }

  const RunAtoms& atoms_;
  const std::size_t usual_;
  const std::vector<std::optional<std::size_t>> next_ = next_styles(atoms_);
  Runs runs_;
  std::size_t style_ = usual_;
};

}  // namespace

RunAtoms with_fields_joined(RunAtoms atoms) {
  std::map<std::size_t, std::pair<std::size_t, Atom>> parts;  // by a part's first atom: its last atom, and its kind
  for (const Field& f : whole_fields(atoms)) {
    parts[f.begin] = f.has_text() ? std::pair(f.separate, Atom::open) : std::pair(f.end, Atom::point);
    if (f.has_text()) parts[f.end] = {f.end, Atom::close};
  }
  RunAtoms all;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const auto part = parts.find(i);
    if (part == parts.end()) {
      all.push_back(std::move(atoms[i]));
      continue;
    }
    all.push_back(joined(atoms, i, part->second.first, part->second.second));
    i = part->second.first;
  }
  return all;
}

void add_lines(const RunAtoms& atoms, const std::vector<RunStyle>& styles, Pieces& pieces) {
  Lines(atoms, usual_style(atoms, styles), pieces);
}

}  // namespace hexapla::text::document
