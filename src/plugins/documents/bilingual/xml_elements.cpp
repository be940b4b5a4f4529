#include "documents/bilingual/xml_elements.h"

#include <algorithm>

#include "base/error.h"
#include "documents/names.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

using EventKind = XmlEvent::Kind;
constexpr std::string_view kXmlBlanks = " \t\r\n";

}  // namespace

XmlElements::XmlElements(std::string_view xml, const std::string& name)
    : xml_(xml), events_(xml_events(xml, name)), parent_(events_.size(), kNone), last_(events_.size()) {
  std::vector<Index> open;
  for (Index i = 0; i < size(); ++i) {
    last_[i] = i;
    if (events_[i].kind == EventKind::end) {
      last_[open.back()] = i;
      open.pop_back();
    }
    if (!open.empty()) parent_[i] = open.back();
    if (events_[i].kind == EventKind::start) open.push_back(i);
  }
}

XmlElements::Index XmlElements::root() const {
  const auto found = std::find_if(events_.begin(), events_.end(), [](const XmlEvent& e) { return e.opens(); });
  HEXAPLA_CHECK(found != events_.end(), "XML without an element");
  return static_cast<Index>(found - events_.begin());
}

std::string_view XmlElements::local_name(Index element) const { return document::local_name(event(element).name); }

XmlElements::Index XmlElements::child(Index element, std::string_view wanted) const {
  for (Index i = element + 1; i < last(element); i = last(i) + 1)
    if (event(i).opens() && local_name(i) == wanted) return i;
  return kNone;
}

std::vector<const std::string*> XmlElements::inherited(std::string_view attribute) const {
  std::vector<const std::string*> all(size());
  for (Index i = 0; i < size(); ++i) {
    all[i] = event(i).attribute(attribute);
    if (all[i] == nullptr && parent(i) != kNone) all[i] = all[parent(i)];
  }
  return all;
}

bool XmlElements::is_empty(Index element) const {
  for (Index i = element + 1; i < last(element); ++i)
    if (event(i).kind != EventKind::text || !text::ascii::all_space(event(i).text)) return false;
  return true;
}

std::string_view XmlElements::blanks_before(Index element) const {
  const bool text = element > 0 && event(element - 1).kind == EventKind::text;
  const std::string_view before = text ? raw(element - 1) : std::string_view();
  return before.substr(before.find_last_not_of(kXmlBlanks) + 1);
}

std::string with_attributes(std::string_view tag, std::vector<NewAttribute> attributes) {
  std::size_t at = tag.find_first_of(" \t\r\n/>"), copied = 0;
  std::string all;
  for (std::size_t equals = 0; (equals = tag.find('=', at)) != std::string_view::npos;) {
    const std::size_t begin = tag.find_first_not_of(kXmlBlanks, at);
    const std::string_view name = tag.substr(begin, tag.find_first_of(" \t\r\n=", begin) - begin);
    const std::size_t value = tag.find_first_of("\"'", equals) + 1, end = tag.find(tag[value - 1], value);
    at = end + 1;
    const auto same = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.name == name; });
    if (same == attributes.end()) continue;
    all += cat(tag.substr(copied, value - copied), same->value);
    copied = end;
    attributes.erase(same);
  }
  all += tag.substr(copied, at - copied);
  for (const NewAttribute& a : attributes) all += cat(' ', a.name, "=\"", a.value, '"');
  return all + '>';
}

}  // namespace hexapla::text::document
