#include "documents/bilingual/tmx.h"

#include <algorithm>

#include "base/error.h"
#include "documents/bilingual/inline_codes.h"
#include "documents/xml/xml_text.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

using Index = XmlElements::Index;

// "en" matches "en-US".
bool same_language(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  const auto same = [](char x, char y) { return text::ascii::lower(x) == text::ascii::lower(y); };
  return std::equal(a.begin(), a.end(), b.begin(), same) && (a.size() == b.size() || b[a.size()] == '-');
}

struct Variant {
  Index element, text;  // tuv, seg
  std::string language;
};
using Unit = std::vector<Variant>;

class TmxReader {
 public:
  explicit TmxReader(const XmlElements& xml) : xml_(xml) {
    for (Index i = 0; i < xml_.size(); ++i) {
      if (!xml_.event(i).opens()) continue;
      const std::string_view name = xml_.local_name(i);
      if (name == "header" && source_.empty()) source_ = attribute(i, "srclang");
      if (name == "tu") units_.push_back(unit_of(i));
    }
    if (source_.empty() || source_ == "*all*") source_ = first_language();
    find_target();
  }

  std::vector<Filling> fillings() const {
    std::vector<Filling> all;
    for (const Unit& unit : units_) {
      const Variant *const source = in(unit, source_), *const target = in(unit, target_);
      if (source == nullptr || xml_.is_empty(source->text)) continue;
      if (target == nullptr)
        all.push_back(beside(*source));
      else if (xml_.is_empty(target->text))
        all.push_back(inside(*target, *source));
    }
    return all;
  }

 private:
  std::string attribute(Index element, std::string_view name) const {
    const std::string* const found = xml_.event(element).attribute(name);
    return found == nullptr ? "" : *found;
  }
  Unit unit_of(Index element) const {
    Unit unit;
    for (Index i = element + 1; i < xml_.last(element); i = xml_.last(i) + 1) {
      if (!xml_.event(i).opens() || xml_.local_name(i) != "tuv") continue;
      const Index text = xml_.child(i, "seg");
      const std::string language = attribute(i, "xml:lang");
      if (text != XmlElements::kNone) unit.push_back({i, text, language.empty() ? attribute(i, "lang") : language});
    }
    return unit;
  }
  std::string first_language() const {
    for (const Unit& unit : units_)
      if (!unit.empty()) return unit.front().language;
    return "";
  }
  void find_target() {
    for (const Unit& unit : units_)
      for (const Variant& v : unit) {
        if (same_language(v.language, source_)) continue;
        if (!target_.empty() && !same_language(v.language, target_))
          throw DataError(cat("the file has ", target_, " and ", v.language, " beside ", source_,
                              "; keep one of them, so that it is clear into which language it is translated"));
        if (target_.empty()) target_ = v.language;
      }
    if (!units_.empty() && target_.empty())
      throw DataError(cat("the file has no language beside ", source_,
                          "; write an empty <tuv> with the language that it is translated into into its first <tu>"));
  }
  static const Variant* in(const Unit& unit, const std::string& language) {
    const auto found =
        std::find_if(unit.begin(), unit.end(), [&](const Variant& v) { return same_language(v.language, language); });
    return found == unit.end() ? nullptr : &*found;
  }

  Filling inside(const Variant& target, const Variant& source) const {
    const XmlEvent& e = xml_.event(target.text);
    return {e.begin, xml_.event(xml_.last(target.text)).end, with_attributes(xml_.raw(target.text), {}),
            cat("</", e.name, '>'), source.text};
  }
  // Inserts a new variant after the source, with its tags and indentation.
  Filling beside(const Variant& source) const {
    const std::string &variant = xml_.event(source.element).name, &text = xml_.event(source.text).name;
    const Index end = xml_.last(source.element);
    const std::size_t after = xml_.event(end).end;
    return {after, after,
            cat(xml_.blanks_before(source.element), '<', variant, " xml:lang=\"", xml_attribute(target_), "\">",
                xml_.blanks_before(source.text), '<', text, '>'),
            cat("</", text, '>', xml_.blanks_before(end), "</", variant, '>'), source.text};
  }

  const XmlElements& xml_;
  std::vector<Unit> units_;
  std::string source_, target_;
};

}  // namespace

std::shared_ptr<const Document> tmx(const std::string& content) {
  const XmlElements xml(content, "the file");
  if (xml.local_name(xml.root()) != "tmx")
    throw DataError(cat("the file is not TMX: it begins with <", xml.event(xml.root()).name, '>'));
  std::vector<Pieces> all;
  all.push_back(filled(xml, TmxReader(xml).fillings()));
  return std::make_shared<const PiecesDocument>(std::move(all));
}

}  // namespace hexapla::text::document
