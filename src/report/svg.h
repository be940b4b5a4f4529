#pragma once
// Attention maps as an SVG image: small multiples that share their labels and one scale of colors.
#include <string>
#include <vector>

namespace hexapla::report {

struct SvgMap {
  std::string title;              // "head 3"
  std::vector<double> values;     // [rows, columns], row after row; 0 and less is blank
  std::vector<bool> masked = {};  // optional, as values: hatched, so that nobody takes it for a 0
};

struct SvgSheet {
  std::string title, subtitle;             // the subtitle says what rows and columns are
  std::vector<std::string> rows, columns;  // labels
  std::vector<SvgMap> maps;
};

// A whole SVG document, UTF-8. The scale goes from 0 to the largest value of all maps.
// InternalError: no map, or one that has not as many values as rows times columns.
std::string draw_svg(const SvgSheet& sheet);

// Text as it may stand in an element or an attribute; what XML does not allow, as control characters, becomes U+FFFD.
std::string xml_escaped(const std::string& text);

}  // namespace hexapla::report
