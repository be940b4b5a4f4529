#pragma once
// Segments of files that have both languages (XLIFF, TMX): text with codes of the format that it came from.
#include <cstddef>
#include <string>
#include <vector>

#include "text/document/bilingual/xml_elements.h"
#include "text/document/pieces.h"

namespace hexapla::text::document {

// A replacement of some bytes of a file: a translation in tags, or only other tags.
struct Filling {
  std::size_t begin = 0, end = 0;  // bytes; the same: it goes between two
  std::string before = {}, after = {};
  XmlElements::Index source = XmlElements::none;  // the element whose content is translated
};

// The file with them, in any order. Of those that overlap only the first one.
Pieces filled(const XmlElements& xml, std::vector<Filling> fillings);

}  // namespace hexapla::text::document
