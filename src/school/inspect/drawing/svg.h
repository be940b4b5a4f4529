#pragma once
// Attention maps as an SVG image: small multiples with common labels and a common color scale.
#include <string>
#include <vector>

namespace hexapla::inspect {

struct SvgMap {
  std::string title;              // "head 3"
  std::vector<double> values;     // [rows, columns], row-major; values <= 0 are blank
  std::vector<bool> masked = {};  // optional, like values: hatched to distinguish it from 0
};

struct SvgSheet {
  std::string title, subtitle;             // the subtitle explains rows and columns
  std::vector<std::string> rows, columns;  // labels
  std::vector<SvgMap> maps;
};

// A complete SVG document in UTF-8. The scale ranges from 0 to the largest value of all maps.
// InternalError: no map, or a map whose number of values is not rows times columns.
std::string draw_svg(const SvgSheet& sheet);

// Text escaped for an element or attribute; characters that XML forbids, such as control
// characters, become U+FFFD.
std::string xml_escaped(const std::string& text);

}  // namespace hexapla::inspect
