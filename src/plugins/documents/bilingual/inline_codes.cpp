#include "documents/bilingual/inline_codes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "documents/tags/xml_tokens.h"
#include "documents/xml/xml_text.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;
using EventKind = XmlEvent::Kind;
using Index = XmlElements::Index;

// Paired codes that mark a range without enclosing it: the name of the start, then of the end.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPairs{
    {{"bpt", "ept"}, {"bx", "ex"}, {"sc", "ec"}, {"sm", "em"}}};
// Their content is native markup, or must not be translated.
constexpr std::array<std::string_view, 6> kCodes{"bpt", "ept", "it", "ph", "ut", "sub"};
constexpr std::size_t kFarthest = 100;  // open codes searched for a partner

bool has(const XmlEvent& e, std::string_view attribute, std::string_view value) {
  const std::string* const found = e.attribute(attribute);
  return found != nullptr && *found == value;
}

// Contains a space, which the name of an element cannot.
std::string name_of_code(const XmlEvent& e, std::string_view begin) {
  for (const char* attribute : {"rid", "startRef", "i", "id"})
    if (const std::string* const id = e.attribute(attribute)) return cat(begin, ' ', *id);
  return "";
}
bool is_code(const Token& token) { return token.name.find(' ') != std::string::npos; }

// Codes without a partner, or whose partner lies outside the element, become standalone.
class Pairing {
 public:
  explicit Pairing(std::vector<Token>& tokens) : tokens_(tokens), paired_(tokens.size()) {}

  void pair() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == Kind::block) open_.clear();
      if (tokens_[i].kind == Kind::open) open_.push_back(i);
      if (tokens_[i].kind == Kind::close) close(i);
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (is_code(tokens_[i]) && !paired_[i]) tokens_[i].kind = Kind::point;
  }

 private:
  void close(std::size_t i) {
    const bool code = is_code(tokens_[i]);
    std::size_t at = open_.size();
    for (std::size_t steps = 0; at > 0 && (!code || steps < kFarthest); ++steps) {
      const Token& other = tokens_[open_[--at]];
      const bool own = other.name == tokens_[i].name;
      if (!own && is_code(other)) continue;
      if (!own) return;
      paired_[open_[at]] = paired_[i] = true;
      return open_.resize(at);
    }
    if (!code) open_.clear();
  }

  std::vector<Token>& tokens_;
  std::vector<bool> paired_;
  std::vector<std::size_t> open_;
};

class SegmentReader {
 public:
  // space: the attribute xml:space that applies to the source; nullptr: none
  SegmentReader(const XmlElements& xml, Index source, const std::string* space)
      : xml_(xml), source_(source), all_lines_(space != nullptr && *space == "preserve") {}

  std::vector<Token> tokens() {
    for (Index i = source_ + 1; i < xml_.last(source_); ++i) i = add(i);
    Pairing(tokens_).pair();
    return std::move(tokens_);
  }

 private:
  // -> index of the last event read
  Index add(Index i) {
    const XmlEvent& e = xml_.event(i);
    if (e.kind == EventKind::text || e.kind == EventKind::cdata) {
      add_text(xml_.xml(), e, all_lines_, tokens_);
      return i;
    }
    Token token = token_of(xml_.xml(), e);
    const Index element = e.kind == EventKind::end ? xml_.parent(i) : i;
    const bool alone = e.opens() && stands_alone(i);
    if (alone) token.kind = Kind::point;
    if (alone) token.raw = xml_.xml().substr(e.begin, xml_.event(xml_.last(i)).end - e.begin);
    if (e.opens()) mark(token, e, xml_.local_name(i));
    if (e.kind == EventKind::start || e.kind == EventKind::end)
      if (is_segment(element)) token.kind = Kind::block;
    tokens_.push_back(std::move(token));
    return alone ? xml_.last(i) : i;
  }
  bool stands_alone(Index i) const {
    const XmlEvent& e = xml_.event(i);
    return std::find(kCodes.begin(), kCodes.end(), xml_.local_name(i)) != kCodes.end() || has(e, "translate", "no") ||
           has(e, "mtype", "protected");
  }
  // A segment marked by another program, usually a sentence.
  bool is_segment(Index element) const { return has(xml_.event(element), "mtype", "seg"); }
  static void mark(Token& token, const XmlEvent& e, std::string_view local_name) {
    token.gap = has(e, "ctype", "lb") || has(e, "subType", "xlf:lb");
    for (const auto& [begin, end] : kPairs) {
      if (local_name != begin && local_name != end) continue;
      token.name = name_of_code(e, begin);
      if (!token.name.empty()) token.kind = local_name == begin ? Kind::open : Kind::close;
    }
  }

  const XmlElements& xml_;
  Index source_;
  const bool all_lines_;
  std::vector<Token> tokens_;
};

}  // namespace

Pieces filled(const XmlElements& xml, std::vector<Filling> fillings) {
  std::stable_sort(fillings.begin(), fillings.end(),
                   [](const Filling& a, const Filling& b) { return a.begin < b.begin; });
  const std::vector<const std::string*> spaces = xml.inherited("xml:space");
  Pieces pieces(xml_text);
  std::size_t at = 0;
  for (const Filling& f : fillings) {
    if (f.begin < at) continue;
    pieces.keep(xml.xml().substr(at, f.begin - at));
    pieces.keep(f.before);
    Runs runs(pieces);
    if (f.source != XmlElements::kNone)
      for (Token& token : SegmentReader(xml, f.source, spaces[f.source]).tokens()) runs.add(std::move(token));
    runs.finish();
    pieces.keep(f.after);
    at = f.end;
  }
  pieces.keep(xml.xml().substr(at));
  return pieces;
}

}  // namespace hexapla::text::document
