#pragma once
// Curves: as SVG for an HTML page whose style sheet has their colors, and as a line of text.
#include <string>
#include <utility>
#include <vector>

namespace hexapla::inspect {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // ascending x; points that are not finite are omitted
  bool marked = false;                            // dots at the points, for short series
  std::vector<std::pair<double, double>> bars{};  // error bars: lowest and highest value at every point, or empty
};

struct Chart {
  std::string title, x_label;
  std::vector<Series> series;  // at most 3, with the classes s0, s1, s2
};

// Light and dark style rules for those classes and the colors of text (--ink, --faint) and lines
// (--line).
extern const char* const kChartStyle;

// An <svg> element that scales with the page; without points, it says so. Long series are reduced
// to the lowest and highest value in each of 400 intervals, so that peaks remain.
std::string draw_chart(const Chart& chart);
// A complete SVG document with its own style.
std::string draw_chart_document(const Chart& chart);

// About `count` round numbers between low and high, for labeling a scale.
std::vector<double> ticks(double low, double high, int count);

// "▁▂▄▆█", at most `columns` wide (the last values), scaled from the lowest to the highest value;
// "" for no values.
std::string sparkline(const std::vector<double>& values, size_t columns);

}  // namespace hexapla::inspect
