#pragma once
// XML as a tree of elements.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "documents/xml/xml_events.h"

namespace hexapla::text::document {

class XmlElements {
 public:
  using Index = std::size_t;  // of an event; an element's index is that of its start tag
  static constexpr Index kNone = static_cast<Index>(-1);

  // name: the document's name in error messages. Throws DataError like xml_events().
  XmlElements(std::string_view xml, const std::string& name);

  std::string_view xml() const { return xml_; }
  Index size() const { return events_.size(); }
  const XmlEvent& event(Index i) const { return events_[i]; }
  Index root() const;
  // The innermost element that contains the event; none: it is at the top level.
  Index parent(Index i) const { return parent_[i]; }
  // The end tag of an element, or the element itself if it is empty. Iterate over children with
  // for (i = element + 1; i < last(element); i = last(i) + 1)
  Index last(Index element) const { return last_[element]; }
  // The name without its namespace prefix.
  std::string_view local_name(Index element) const;
  std::string_view raw(Index i) const { return xml_.substr(events_[i].begin, events_[i].end - events_[i].begin); }
  // The first child with this name; none: there is none.
  Index child(Index element, std::string_view local_name) const;
  // For each event, the attribute of its element or of the nearest ancestor that has it; nullptr: none has it.
  std::vector<const std::string*> inherited(std::string_view attribute) const;
  // Whether an element contains only whitespace.
  bool is_empty(Index element) const;
  // The whitespace between an element and the tag or text before it.
  std::string_view blanks_before(Index element) const;

 private:
  std::string_view xml_;
  std::vector<XmlEvent> events_;
  std::vector<Index> parent_, last_;
};

// Turns a start tag or an empty element's tag into a start tag with these attributes, which replace
// those with the same names. values: must contain no characters that need escaping.
struct NewAttribute {
  std::string_view name, value;
};
std::string with_attributes(std::string_view tag, std::vector<NewAttribute> attributes);

}  // namespace hexapla::text::document
