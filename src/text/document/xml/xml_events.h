#pragma once
// XML as tags and texts in their order, each with its place in the document, so that everything that is not translated
// keeps its bytes. (Expat reads it.)
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

struct XmlAttribute {
  std::string name, value;  // the name as it is written, with its prefix; the value as it is meant
};

struct XmlEvent {
  // empty: <a/>. entity: a reference to one that is declared elsewhere, as &nbsp; in XHTML. other: a comment, a
  // processing instruction, the XML declaration, a document type; neighbors of this kind are one event.
  enum class Kind { start, end, empty, text, cdata, entity, other };
  Kind kind = Kind::other;
  std::size_t begin = 0, end = 0;             // bytes of the document; together they are all of it
  std::string name = {};                      // of a tag or an entity, as it is written, with its prefix
  std::vector<XmlAttribute> attributes = {};  // of a start tag or an empty element
  std::string text = {};                      // of text and CDATA sections what it says

  bool opens() const { return kind == Kind::start || kind == Kind::empty; }
  // nullptr: it has none of this name.
  const std::string* attribute(std::string_view wanted) const;
};

// name: of the document, for messages. DataError with line and column: it is not well-formed, not in UTF-8, declares
// entities (a few lines of which may stand for gigabytes), or has more than 1000 elements in one another, or five
// million tags, attributes and texts.
std::vector<XmlEvent> xml_events(std::string_view xml, const std::string& name = "the XML");
// The same for a fragment, which may have several elements beside one another, and text beside them.
std::vector<XmlEvent> xml_fragment_events(std::string_view xml, const std::string& name);
// Hands over the events of a document one by one, for callers that want few of them.
void read_xml(std::string_view xml, const std::string& name, const std::function<void(XmlEvent)>& found);

}  // namespace hexapla::text::document
