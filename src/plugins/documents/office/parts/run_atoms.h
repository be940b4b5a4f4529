#pragma once
// The parts of an Office Open XML paragraph: styled texts, and the markup around and between them.
#include <cstddef>
#include <string>
#include <vector>

#include "documents/office/parts/run_writer.h"
#include "documents/pieces.h"

namespace hexapla::text::document {

struct RunAtom {
  // line_break: within a sentence. block: ends a sentence, as a tab does. A field is computed by
  // Word from an instruction and delimited by three marks: begin, instruction, separate, result,
  // end.
  enum class Kind { text, point, open, close, line_break, block, field_begin, instruction, field_separate, field_end };
  Kind kind = Kind::point;
  std::string xml = {};      // what is written for the atom; for text, its run
  std::string text = {};     // of text and instructions
  std::string written = {};  // the text with its references, as in the document
  std::size_t style = 0;     // of text
};
using RunAtoms = std::vector<RunAtom>;

// Makes links and tables of contents elements around their text. Other fields become standalone,
// because Word computes their text, and so does a part of a field whose other parts are in other
// paragraphs.
RunAtoms with_fields_joined(RunAtoms atoms);

// Merges the text of neighboring runs with the same style. The line has the style of most text,
// preferring text outside links; other styles become elements in it.
void add_lines(const RunAtoms& atoms, const std::vector<RunStyle>& styles, Pieces& pieces);

}  // namespace hexapla::text::document
