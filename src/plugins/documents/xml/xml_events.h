#pragma once
// XML as a sequence of tags and texts with their byte ranges, so that everything that is not
// translated keeps its bytes. (Expat parses it.)
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

struct XmlAttribute {
  std::string name, value;  // name: as written, with its prefix; value: decoded
};

struct XmlEvent {
  // empty: <a/>. entity: a reference declared elsewhere, such as &nbsp; in XHTML. other: comments,
  // processing instructions, the XML declaration, document types; adjacent ones form one event.
  enum class Kind { start, end, empty, text, cdata, entity, other };
  Kind kind = Kind::other;
  std::size_t begin = 0, end = 0;             // byte range; all events together cover the document
  std::string name = {};                      // of a tag or an entity, as written, with its prefix
  std::vector<XmlAttribute> attributes = {};  // of a start tag or an empty element
  std::string text = {};                      // decoded text of text and CDATA sections

  bool opens() const { return kind == Kind::start || kind == Kind::empty; }
  // The value of this attribute; nullptr: there is none.
  const std::string* attribute(std::string_view wanted) const;
};

// Parses a document. name: its name in messages. DataError with line and column: it is not
// well-formed or not UTF-8, declares entities (a few lines of which can expand to gigabytes), nests
// more than 1000 elements, or has more than five million tags, attributes and texts.
std::vector<XmlEvent> xml_events(std::string_view xml, const std::string& name = "the XML");
// The same for a fragment, which may have text and several elements at the top level.
std::vector<XmlEvent> xml_fragment_events(std::string_view xml, const std::string& name);
// Passes the events of a document to `found` one by one, for callers that keep few of them.
void read_xml(std::string_view xml, const std::string& name, const std::function<void(XmlEvent)>& found);

}  // namespace hexapla::text::document
