#pragma once
// A part of an OpenDocument file: paragraphs with text, and elements inside it.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "documents/office/parts/run_atoms.h"
#include "documents/office/parts/run_writer.h"
#include "documents/office/parts/xml_part.h"

namespace hexapla::text::document {

class SpanPart final : public XmlPart {
 public:
  SpanPart(std::string xml, const std::string& name);

 private:
  bool is_paragraph(Index element) const override;
  bool is_left_alone(Index element) const override;
  bool add_paragraph(Index element, Pieces& pieces) override;

  void find_looks();
  const std::string* look_of(Index span);
  std::size_t style_of(Index span);  // 0: of text outside spans
  bool has_words(Index paragraph) const;
  bool is_simple(Index span) const;
  void add_children(Index parent, std::size_t style, RunAtoms& atoms);
  void add_child(Index child, std::size_t style, RunAtoms& atoms);
  std::string in_span(std::string_view xml, std::size_t style);

  std::set<std::string> style_looks_;                        // each once
  std::map<std::string, const std::string*> looks_;          // of automatic styles, by name
  bool started_ = false;                                     // whether the paragraph has had text
  std::map<const std::string*, std::size_t> style_numbers_;  // by look
};

}  // namespace hexapla::text::document
