#pragma once
// Segments of bilingual files (XLIFF, TMX): text with inline codes for the markup of the original
// format.
#include <cstddef>
#include <string>
#include <vector>

#include "documents/bilingual/xml_elements.h"
#include "documents/pieces.h"

namespace hexapla::text::document {

// Replaces a range of the file: by a translation between tags, or only by tags.
struct Filling {
  std::size_t begin = 0, end = 0;  // bytes; if equal, an insertion
  std::string before = {}, after = {};
  XmlElements::Index source = XmlElements::kNone;  // the element whose content is translated
};

// Applies the fillings, given in any order. Of overlapping ones, only the first is applied.
Pieces filled(const XmlElements& xml, std::vector<Filling> fillings);

}  // namespace hexapla::text::document
