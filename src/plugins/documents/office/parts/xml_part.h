#pragma once
// A part of an office document: XML in which some elements are paragraphs with text to translate. A
// paragraph may be nested in another one, for example in a footnote or a text box.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "documents/office/archive/archive_document.h"
#include "documents/office/parts/run_atoms.h"
#include "documents/pieces.h"
#include "documents/xml/xml_events.h"

namespace hexapla::text::document {

class XmlPart {
 public:
  // name: the name of the archive member. Throws DataError like xml_events().
  XmlPart(std::string xml, const std::string& name);
  virtual ~XmlPart() = default;

  // Call it once.
  Member member();

 protected:
  using Index = std::size_t;  // of an event; an element's index is that of its start tag

  virtual bool is_paragraph(Index element) const = 0;
  virtual bool is_left_alone(Index element) const = 0;
  // Adds the whole element. -> false: nothing was added, because it has no text outside nested
  // paragraphs
  virtual bool add_paragraph(Index element, Pieces& pieces) = 0;

  Index size() const { return events_.size(); }
  const XmlEvent& event(Index i) const { return events_[i]; }
  // The name of the element, with our own prefix for its namespace.
  const std::string& name(Index element) const { return names_[element]; }
  // Iterate over children with: for (Index i = element + 1; i < last(element); i = after(i))
  Index after(Index i) const { return after_[i]; }
  Index last(Index element) const {
    return event(element).kind == XmlEvent::Kind::start ? after(element) - 1 : element;
  }
  std::string_view raw(Index from, Index to) const;  // excludes `to`
  std::string_view raw(Index i) const { return raw(i, i + 1); }
  std::string_view element(Index i) const { return raw(i, after(i)); }
  // The element with nested paragraphs replaced by references; those paragraphs follow all others.
  std::string with_references(Index element);

  // Adds the lines of a paragraph. Throws DataError like spend().
  void add_runs(const RunAtoms& atoms, Pieces& pieces);
  // Counts bytes kept or written for each part of the text. DataError: they exceed the document's
  // size many times, which only a malicious document does.
  void spend(std::size_t bytes);

  std::vector<RunStyle> styles_;  // indexed by the style numbers in the lines

 private:
  void walk(Index from, Index to, Pieces& pieces);
  void find_ends();
  void find_names();

  std::string name_, xml_;
  std::vector<XmlEvent> events_;
  std::vector<Index> after_;
  std::vector<std::string> names_;
  std::vector<Index> inner_;  // nested paragraphs that are referenced
  std::size_t spent_ = 0;     // bytes
};

}  // namespace hexapla::text::document
