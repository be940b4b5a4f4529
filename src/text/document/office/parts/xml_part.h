#pragma once
// A part of an office document: XML in which some elements are paragraphs, whose text is translated. A paragraph may
// stand inside of another one, where that has a footnote or a text box.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/document/office/archive/archive_document.h"
#include "text/document/office/parts/run_atoms.h"
#include "text/document/pieces.h"
#include "text/document/xml/xml_events.h"

namespace hexapla::text::document {

class XmlPart {
 public:
  // name: of the member of an archive. DataError as xml_events().
  XmlPart(std::string xml, const std::string& name);
  virtual ~XmlPart() = default;

  // To be called once.
  Member member();

 protected:
  using Index = std::size_t;  // of an event; of an element its first one

  virtual bool is_paragraph(Index element) const = 0;
  virtual bool is_left_alone(Index element) const = 0;
  // Adds the element, whole. -> false: it has nothing to translate but in paragraphs inside of it, and nothing was
  // added
  virtual bool add_paragraph(Index element, Pieces& pieces) = 0;

  Index size() const { return events_.size(); }
  const XmlEvent& event(Index i) const { return events_[i]; }
  // The name of the element, with our own prefix for its namespace.
  const std::string& name(Index element) const { return names_[element]; }
  // Children: for (Index i = element + 1; i < last(element); i = after(i))
  Index after(Index i) const { return after_[i]; }
  Index last(Index element) const {
    return event(element).kind == XmlEvent::Kind::start ? after(element) - 1 : element;
  }
  std::string_view raw(Index from, Index to) const;  // without `to`
  std::string_view raw(Index i) const { return raw(i, i + 1); }
  std::string_view element(Index i) const { return raw(i, after(i)); }
  // The same, but with references in the place of paragraphs inside of it, which follow all others.
  std::string with_references(Index element);

  // The lines of a paragraph. DataError as spend().
  void add_runs(const RunAtoms& atoms, Pieces& pieces);
  // Counts bytes that are kept or written for each part of the text. DataError: they are many times the document, as
  // only a document does that is made for it.
  void spend(std::size_t bytes);

  std::vector<RunStyle> styles_;  // by their numbers in the lines that are added

 private:
  void walk(Index from, Index to, Pieces& pieces);
  void find_ends();
  void find_names();

  std::string name_, xml_;
  std::vector<XmlEvent> events_;
  std::vector<Index> after_;
  std::vector<std::string> names_;
  std::vector<Index> inner_;  // paragraphs that are referred to
  std::size_t spent_ = 0;     // bytes
};

}  // namespace hexapla::text::document
