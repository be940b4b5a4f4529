#pragma once
// The parts of a paragraph of Office Open XML: texts with styles, and markup around and between them.
#include <cstddef>
#include <string>
#include <vector>

#include "text/document/office/parts/run_writer.h"
#include "text/document/pieces.h"

namespace hexapla::text::document {

struct RunAtom {
  // line_break: in a sentence. block: ends one, as a tab does. A field is what Word computes from an instruction,
  // between three marks: begin, instruction, separate, result, end.
  enum class Kind { text, point, open, close, line_break, block, field_begin, instruction, field_separate, field_end };
  Kind kind = Kind::point;
  std::string xml = {};      // what stands alone in a paragraph: of a text its run
  std::string text = {};     // of a text, and an instruction
  std::string written = {};  // the text with its references, as the document has it
  std::size_t style = 0;     // of a text
};
using RunAtoms = std::vector<RunAtom>;

// A link is an element around its text, and so are contents; other fields stand for themselves, as their text is not
// the author's. A part of a field whose other parts are in other paragraphs does, too.
RunAtoms with_fields_joined(RunAtoms atoms);

// Text in neighboring runs of one style is one. The style of most text, if it is no link, is that of the line; others
// are elements in it.
void add_lines(const RunAtoms& atoms, const std::vector<RunStyle>& styles, Pieces& pieces);

}  // namespace hexapla::text::document
