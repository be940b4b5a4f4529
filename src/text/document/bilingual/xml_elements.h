#pragma once
// XML as elements in one another.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/document/xml/xml_events.h"

namespace hexapla::text::document {

class XmlElements {
 public:
  using Index = std::size_t;  // of an event; of an element its first one
  static constexpr Index none = static_cast<Index>(-1);

  // name: of the document, for messages. DataError as xml_events().
  XmlElements(std::string_view xml, const std::string& name);

  std::string_view xml() const { return xml_; }
  Index size() const { return events_.size(); }
  const XmlEvent& event(Index i) const { return events_[i]; }
  Index root() const;
  // The element around an event; none: it has none.
  Index parent(Index i) const { return parent_[i]; }
  // The event that ends an element, or the same one. Children: for (i = element + 1; i < last(element); i = last(i) +
  // 1)
  Index last(Index element) const { return last_[element]; }
  // Without its prefix.
  std::string_view local_name(Index element) const;
  std::string_view raw(Index i) const { return xml_.substr(events_[i].begin, events_[i].end - events_[i].begin); }
  // none: it has no child of this name. Of several the first one.
  Index child(Index element, std::string_view local_name) const;
  // The attribute of the element, or else of the nearest one around it that has it; nullptr: none has.
  const std::string* inherited(Index element, std::string_view attribute) const;
  // Whether there is nothing but blanks in an element.
  bool is_empty(Index element) const;
  // The blanks between an element and the tag or text before it.
  std::string_view blanks_before(Index element) const;

 private:
  std::string_view xml_;
  std::vector<XmlEvent> events_;
  std::vector<Index> parent_, last_;
};

// A start tag, or an empty element's, as a start tag with these attributes, in the place of those of the same names.
// values: without characters that need a reference.
struct NewAttribute {
  std::string_view name, value;
};
std::string with_attributes(std::string_view tag, std::vector<NewAttribute> attributes);

}  // namespace hexapla::text::document
