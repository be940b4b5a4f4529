#pragma once
#include <string>

namespace hexapla::inspect {

// A self-contained HTML document, for light and dark, with the rules of kChartStyle. The body is
// HTML with these classes: charts (a grid of them), scroll (something wide), lead (a line in gray),
// n (a cell with a number), best (a row). The title, the heading and the lead below it are text.
std::string html_page(const std::string& title, const std::string& heading, const std::string& lead,
                      const std::string& body);

}  // namespace hexapla::inspect
