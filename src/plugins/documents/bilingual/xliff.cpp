#include "documents/bilingual/xliff.h"

#include "base/error.h"
#include "documents/bilingual/inline_codes.h"

namespace hexapla::text::document {
namespace {

using Index = XmlElements::Index;
constexpr Index kNone = XmlElements::kNone;

std::string attribute_of(const XmlElements& xml, Index element, std::string_view attribute) {
  const std::string* const found = xml.event(element).attribute(attribute);
  return found == nullptr ? "" : *found;
}

class XliffReader {
 public:
  explicit XliffReader(const XmlElements& xml) : xml_(xml) {}

  std::vector<Filling> fillings() {
    for (Index i = 0; i < xml_.size(); ++i) {
      if (!xml_.event(i).opens()) continue;
      const std::string_view name = xml_.local_name(i);
      if (name == "trans-unit" || name == "segment") add_unit(i, name == "segment");
    }
    return std::move(fillings_);
  }

 private:
  void add_unit(Index unit, bool segment) {
    const Index source = xml_.child(unit, "source"), target = xml_.child(unit, "target");
    const std::string* const translate = translate_[unit];
    if (source == kNone || xml_.is_empty(source) || (translate != nullptr && *translate == "no")) return;
    const std::string state = attribute_of(xml_, segment || target == kNone ? unit : target, "state");
    const bool done = state != "initial" && state != "new" && state != "needs-translation";
    if (attribute_of(xml_, unit, "approved") == "yes" || (target != kNone && !xml_.is_empty(target) && done)) return;
    const Index segmented = xml_.child(unit, "seg-source");
    if (segment) mark_translated(unit);
    add_target(segmented == kNone ? source : segmented, source, target, segment);
  }

  void mark_translated(Index segment) {
    const XmlEvent& e = xml_.event(segment);
    fillings_.push_back({e.begin, e.end, with_attributes(xml_.raw(segment), {{"state", "translated"}})});
  }

  // before: the element after which a new target is inserted.
  void add_target(Index before, Index source, Index target, bool segment) {
    const std::string name = target != kNone ? xml_.event(target).name : name_beside(source);
    const std::string tag = target != kNone ? std::string(xml_.raw(target)) : cat('<', name, '>');
    std::vector<NewAttribute> attributes;
    if (!segment) attributes = {{"state", "needs-review-translation"}, {"state-qualifier", "leveraged-mt"}};
    const std::size_t after = xml_.event(xml_.last(before)).end;
    Filling f{after, after, with_attributes(tag, attributes), cat("</", name, '>'), before};
    if (target == kNone) f.before = std::string(xml_.blanks_before(source)) + f.before;
    if (target != kNone) f.begin = xml_.event(target).begin, f.end = xml_.event(xml_.last(target)).end;
    fillings_.push_back(std::move(f));
  }
  // Keeps the prefix of the source.
  std::string name_beside(Index source) const {
    const std::string& name = xml_.event(source).name;
    return name.substr(0, name.size() - xml_.local_name(source).size()) + "target";
  }

  const XmlElements& xml_;
  const std::vector<const std::string*> translate_ = xml_.inherited("translate");
  std::vector<Filling> fillings_;
};

}  // namespace

std::shared_ptr<const Document> xliff(const std::string& content) {
  const XmlElements xml(content, "the file");
  const Index root = xml.root();
  if (xml.local_name(root) != "xliff")
    throw DataError(cat("the file is not XLIFF: it begins with <", xml.event(root).name, '>'));
  const std::vector<Filling> fillings = XliffReader(xml).fillings();
  const bool second = attribute_of(xml, root, "version").starts_with("2");
  if (second && !fillings.empty() && attribute_of(xml, root, "trgLang").empty())
    throw DataError(
        "the file does not say into which language it is translated; write it into the tag <xliff>, for "
        "example trgLang=\"de\"");
  std::vector<Pieces> all;
  all.push_back(filled(xml, fillings));
  return std::make_shared<const PiecesDocument>(std::move(all));
}

}  // namespace hexapla::text::document
