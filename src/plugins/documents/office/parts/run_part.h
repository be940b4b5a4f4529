#pragma once
// A part of an Office Open XML document (.docx, .pptx, .xlsx): paragraphs and shared strings made
// of text runs.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "documents/office/parts/run_atoms.h"
#include "documents/office/parts/run_writer.h"
#include "documents/office/parts/xml_part.h"

namespace hexapla::text::document {

class RunPart final : public XmlPart {
 public:
  // kept: texts of whole paragraphs that stay untranslated because others refer to them.
  RunPart(std::string xml, const std::string& name, const std::set<std::string>& kept = {});

 private:
  bool is_paragraph(Index element) const override;
  bool is_left_alone(Index element) const override;
  bool add_paragraph(Index element, Pieces& pieces) override;

  bool has_words(Index paragraph) const;
  void add_children(Index parent, RunAtoms& atoms);
  void add_child(Index child, RunAtoms& atoms);
  void add_container(Index container, Index content, RunAtoms& atoms);
  void add_run(Index run, RunAtoms& atoms);
  void add_part_of_run(Index run, Index part, bool alone, RunAtoms& atoms);
  void add_text(Index element, std::size_t style, const std::string& run, RunAtoms& atoms);
  Index content_of(Index control) const;  // 0: none
  Index properties_of(Index run) const;   // 0: none
  std::size_t style_of(Index run, Index text);
  std::size_t number_of_style(Index run, Index text);
  std::string style_key(Index properties) const;
  std::string in_run(Index run, std::string_view xml);

  std::set<std::string> kept_;
  std::map<std::string, std::size_t> style_numbers_;  // by style_key()
  Index last_run_ = 0;                                // of style_of(), and its answer
  std::size_t last_style_ = 0;
};

}  // namespace hexapla::text::document
