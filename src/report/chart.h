#pragma once
// Curves: as SVG inside an HTML page whose style sheet has their colors, and as a line of text.
#include <string>
#include <utility>
#include <vector>

namespace hexapla::report {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x rising; points that are not finite are left out
  bool marked = false;                            // a dot at every point, for series of few
  std::vector<std::pair<double, double>> bars{};  // lowest and highest value at every point, or empty: error bars
};

struct Chart {
  std::string title, x_label;
  std::vector<Series> series;  // at most 3: they have the classes s0, s1, s2
};

// Rules of a style sheet for those classes and the colors of text (--ink, --faint) and lines (--line), light and dark.
extern const char* const chart_style;

// An <svg> element that scales with the page. Without any point it says so. A series of very many points is thinned to
// the lowest and highest of each of 400 stretches, so that peaks stay.
std::string draw_chart(const Chart& chart);
// A whole SVG document, with its own style.
std::string draw_chart_document(const Chart& chart);

// Round numbers that a scale from low to high is labeled with, about `count` of them; all lie within.
std::vector<double> ticks(double low, double high, int count);

// "▁▂▄▆█", at most `columns` wide (the last values), from the lowest value to the highest; "" for none.
std::string sparkline(const std::vector<double>& values, size_t columns);

}  // namespace hexapla::report
