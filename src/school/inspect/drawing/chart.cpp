#include "inspect/drawing/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "inspect/drawing/svg.h"
#include "text/utf8.h"

namespace hexapla::inspect {
namespace {

constexpr double kChartWidth = 560, kChartHeight = 250, kLeft = 62, kRight = 12, kTop = 34, kBottom = 40;
constexpr size_t kStretches = 400;

using Points = std::vector<std::pair<double, double>>;

// Equal, or so close (100 and 100.00000000000004, two scores) that steps between are lost.
bool one_value(double low, double high) { return !(high - low > 1e-9 * std::max(std::fabs(low), std::fabs(high))); }

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void include(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bool empty() const { return low > high; }
  // Widens a single value, so that a point can be placed in the range.
  void widen() {
    if (!one_value(low, high)) return;
    const double by = low == 0 ? 1 : std::fabs(low) * 0.1;
    low -= by;
    high += by;
  }
};

Points finite(const Points& all) {
  Points some;
  for (const auto& [x, y] : all)
    if (std::isfinite(x) && std::isfinite(y)) some.emplace_back(x, y);
  return some;
}

Points thinned(const Points& all) {
  if (all.size() <= 2 * kStretches) return all;
  Points some;
  for (size_t s = 0; s < kStretches; ++s) {
    const auto from = all.begin() + long(s * all.size() / kStretches),
               to = all.begin() + long((s + 1) * all.size() / kStretches);
    auto [low, high] = std::minmax_element(from, to, [](auto& a, auto& b) { return a.second < b.second; });
    if (high < low) std::swap(low, high);
    some.push_back(*low);
    if (low != high) some.push_back(*high);
  }
  return some;
}

struct Frame {
  Range x, y;
  double at_x(double v) const { return kLeft + (v - x.low) / (x.high - x.low) * (kChartWidth - kLeft - kRight); }
  double at_y(double v) const {
    return kChartHeight - kBottom - (v - y.low) / (y.high - y.low) * (kChartHeight - kTop - kBottom);
  }
};

std::string label(double v) {
  const double size = std::fabs(v);
  if (size >= 1e6) return fmt::format("{:g}M", v / 1e6);
  if (size >= 1e4) return fmt::format("{:g}k", v / 1e3);
  return fmt::format("{:g}", v);
}

std::string text_at(double x, double y, const char* anchor, const char* kind, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", x, y, anchor, kind,
                     xml_escaped(words));
}

std::string axes(const Chart& c, const Frame& f) {
  std::string text;
  for (const double v : ticks(f.y.low, f.y.high, 5)) {
    text += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>\n", kLeft, f.at_y(v), kChartWidth - kRight);
    text += text_at(kLeft - 7, f.at_y(v) + 4, "end", "tick", label(v));
  }
  for (const double v : ticks(f.x.low, f.x.high, 6))
    text += text_at(f.at_x(v), kChartHeight - kBottom + 17, "middle", "tick", label(v));
  return text + text_at(kChartWidth - kRight, kChartHeight - 6, "end", "tick", c.x_label);
}

std::string error_bars(const Series& s, size_t number, const Frame& f) {
  std::string path;
  for (size_t i = 0; i < s.bars.size(); ++i) {
    const auto [low, high] = s.bars[i];
    const double x = f.at_x(s.points.at(i).first);
    if (std::isfinite(low + high) && low < high)
      path += fmt::format("M{0:.1f} {1:.1f}h6m-3 0V{2:.1f}m-3 0h6", x - 3, f.at_y(low), f.at_y(high));
  }
  return path.empty() ? "" : fmt::format("<path class=\"curve bar s{}\" d=\"{}\"/>\n", number, path);
}

std::string curve(const Series& s, size_t number, const Frame& f) {
  const Points points = thinned(finite(s.points));
  std::string path, dots;
  for (const auto& [x, y] : points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', f.at_x(x), f.at_y(y));
    if (s.marked || points.size() == 1)
      dots += fmt::format(
          "<circle class=\"s{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}: {:g} at {:g}</title></circle>\n",
          number, f.at_x(x), f.at_y(y), xml_escaped(s.name), y, x);
  }
  return fmt::format("<path class=\"curve s{}\" d=\"{}\"/>\n{}{}", number, path, dots, error_bars(s, number, f));
}

constexpr double kLetter = 6.6, kBoldLetter = 7.6, kSample = 20, kLegendGap = 10,
                 kLine = 17;  // approximate sizes in kChartStyle

double written(const std::string& words) { return kLetter * text::width(words); }

// Draws a sample of the curve at x and its name, compressed if too wide. Returns its end.
double entry(const std::string& name, size_t number, double x, double y, std::string& to) {
  to += fmt::format("<path class=\"curve s{}\" d=\"M{:.1f} {:.1f}h{}\"/>\n", number, x, y - 4, kSample);
  x += kSample + kLegendGap;
  const double room = kChartWidth - kRight - x, end = x + std::min(room, written(name));
  const std::string own = text_at(end, y, "end", "tick", name);
  const bool squeezed = room < written(name);
  to += squeezed ? fmt::format("<text textLength=\"{:.1f}\" lengthAdjust=\"spacingAndGlyphs\"{}", room, own.substr(5))
                 : own;
  return end;
}

struct ChartLegend {
  std::string text;
  double below = 0;  // height needed below the picture
};

// The names of the series, each with a sample of its curve: next to the title, or next to the axis
// name if there is no room, or below it in several lines.
ChartLegend chart_legend(const Chart& c) {
  constexpr double apart = 1.6 * kLegendGap;
  double all = -apart;
  for (const Series& s : c.series) all += kSample + kLegendGap + written(s.name) + apart;
  const auto beside = [&](double words) { return all + apart < kChartWidth - kRight - kLeft - words; };
  ChartLegend found;
  double x = kLeft, y = kChartHeight - 6;
  if (beside(kBoldLetter / kLetter * written(c.title))) {
    x = kChartWidth - kRight - all, y = 18;
  } else if (!beside(written(c.x_label))) {
    x = kLegendGap, y += kLine, found.below = kLine;
  }
  for (size_t i = 0; i < c.series.size(); ++i) {
    if (found.below > 0 && i > 0 && x + kSample + kLegendGap + written(c.series[i].name) > kChartWidth - kRight)
      x = kLegendGap, y += kLine, found.below += kLine;
    x = entry(c.series[i].name, i, x, y, found.text) + apart;
  }
  return found;
}

}  // namespace

// Every color is given twice: viewers without custom properties (rsvg-convert, Inkscape) use the
// 1st.
const char* const kChartStyle = R"(
:root { --ink: #1b1f24; --faint: #5c6570; --line: #d9dee4; --s0: #1f5fbf; --s1: #b4540a; --s2: #2c7a3f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --faint: #9aa4b0; --line: #333a43; --s0: #7db2ff; --s1: #ffb26b; --s2: #7fd495; } }
.chart text { font: 12px system-ui, sans-serif; fill: #5c6570; fill: var(--faint); }
.chart .title { font-weight: 600; font-size: 13px; fill: #1b1f24; fill: var(--ink); }
.chart .grid { stroke: #d9dee4; stroke: var(--line); }
.chart .curve { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.chart .s0 { stroke: #1f5fbf; stroke: var(--s0); } .chart circle.s0 { fill: #1f5fbf; fill: var(--s0); }
.chart .s1 { stroke: #b4540a; stroke: var(--s1); stroke-dasharray: 6 3; }
.chart circle.s1 { fill: #b4540a; fill: var(--s1); stroke-dasharray: none; }
.chart .s2 { stroke: #2c7a3f; stroke: var(--s2); } .chart circle.s2 { fill: #2c7a3f; fill: var(--s2); }
.chart .bar { stroke-width: 1.2; stroke-dasharray: none; }
)";

std::vector<double> ticks(double low, double high, int count) {
  if (one_value(low, high)) return {low};
  const double rough = (high - low) / count, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double s : {5.0, 2.0, 1.0})
    if (s * power >= rough * 0.999) step = s * power;
  std::vector<double> all;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    all.push_back(k * step + 0.0);  // + 0 avoids -0
  return all;
}

std::string draw_chart(const Chart& c) {
  Frame f;
  for (const Series& s : c.series)
    for (const auto& [x, y] : finite(s.points)) f.x.include(x), f.y.include(y);
  for (const Series& s : c.series)
    for (const auto& [low, high] : finite(s.bars)) f.y.include(low), f.y.include(high);
  const ChartLegend names = chart_legend(c);
  std::string text = fmt::format(
      "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">\n",
      kChartWidth, kChartHeight + names.below, xml_escaped(c.title));
  text += text_at(kLeft, 18, "start", "title", c.title);
  if (f.x.empty())
    return text + text_at(kChartWidth / 2, kChartHeight / 2, "middle", "tick", "nothing was recorded") + "</svg>\n";
  f.x.widen();
  f.y.widen();
  text += axes(c, f);
  for (size_t i = 0; i < c.series.size(); ++i) text += curve(c.series[i], i, f);
  return text + names.text + "</svg>\n";
}

std::string draw_chart_document(const Chart& c) {
  std::string text = draw_chart(c);
  return text.insert(text.find('\n') + 1, fmt::format("<style>{}</style>\n", kChartStyle));
}

std::string sparkline(const std::vector<double>& values, size_t columns) {
  static const char* const shades[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t from = values.size() > columns ? values.size() - columns : 0;
  Range range;
  for (size_t i = from; i < values.size(); ++i)
    if (std::isfinite(values[i])) range.include(values[i]);
  std::string text;
  for (size_t i = from; i < values.size(); ++i) {
    const double share = range.low < range.high ? (values[i] - range.low) / (range.high - range.low) : 0.5;
    text += std::isfinite(share) ? shades[std::clamp<long>(std::lround(share * 7), 0, 7)] : "·";
  }
  return text;
}

}  // namespace hexapla::inspect
