#pragma once
// A part of an OpenDocument file: paragraphs with text, and elements around some of it.
#include <map>
#include <string>

#include "document/office/xml_part.h"
#include "document/runs.h"

namespace hexapla::document {

class SpanPart final : public XmlPart {
 public:
  SpanPart(std::string xml, const std::string& name);

 private:
  bool is_paragraph(Index element) const override;
  bool is_left_alone(Index element) const override;
  bool add_paragraph(Index element, Pieces& pieces) override;

  void find_styles();
  std::string look_of(Index span) const;
  bool has_words(Index paragraph) const;
  void add_children(Index parent, Runs& runs);
  void add_child(Index child, Runs& runs);

  std::map<std::string, std::string> looks_;  // of automatic styles, by their names
  bool started_ = false;                      // whether the paragraph has had text
};

}  // namespace hexapla::document
