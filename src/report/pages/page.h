#pragma once
#include <string>

namespace hexapla::report {

// A whole HTML document that needs nothing from elsewhere, for light and dark, with the rules of chart_style. The body
// is HTML; classes: charts (a grid of them), scroll (something wide), lead (a line in gray), of cells n (a number), of
// rows best. The title and the lead below it are text.
std::string html_page(const std::string& title, const std::string& heading, const std::string& lead,
                      const std::string& body);

}  // namespace hexapla::report
