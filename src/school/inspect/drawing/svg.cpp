#include "inspect/drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/error.h"
#include "inspect/drawing/picture.h"
#include "text/utf8.h"

namespace hexapla::inspect {
namespace {

constexpr int kSheetMargin = 28, kMapGap = 22, kTitleHeight = 22;  // around the sheet, between maps, of a map's title
constexpr int kSheetWidth = 1120;                                  // the maps of a row should fit
constexpr int kLongestLabel = 16;                                  // characters
constexpr const char* kFonts = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif";
constexpr const char *kInk = "#1f2933", *kFaint = "#616e7c", *kMark = "#b3bdc9";
constexpr int kColors = 100;  // number of cell colors

struct Rgb {
  int r, g, b;
};
// From 0 to the maximum, each darker than the previous one.
constexpr std::array<Rgb, 6> kColorRamp{{{0xF1, 0xF4, 0xF8},
                                         {0xC9, 0xDC, 0xEE},
                                         {0x86, 0xB6, 0xDC},
                                         {0x3F, 0x86, 0xC0},
                                         {0x14, 0x55, 0x98},
                                         {0x08, 0x2A, 0x5C}}};

std::string color(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kColorRamp.size() - 1);
  const size_t from = std::min(static_cast<size_t>(at), kColorRamp.size() - 2);
  const double t = at - static_cast<double>(from);
  const auto mix = [t](int a, int b) { return static_cast<int>(std::lround(a + t * (b - a))); };
  const Rgb a = kColorRamp[from], b = kColorRamp[from + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b));
}

// The approximate width of text at this font size; the reader's font is unknown.
double text_width(const std::string& text, double size) { return 0.62 * size * text::width(text); }

constexpr double kTitleFont = 12;
double title_width(const std::string& title) { return text_width(title, kTitleFont); }

std::vector<std::string> labels(const std::vector<std::string>& all) {
  std::vector<std::string> result;
  for (const std::string& label : all) result.push_back(shortened(label, kLongestLabel));
  return result;
}

double widest(const std::vector<std::string>& all, double size) {
  double most = 0;
  for (const std::string& label : all) most = std::max(most, text_width(label, size));
  return most;
}

// The layout, in pixels.
struct Layout {
  int cell, map_width, map_height;
  double font;
  int label_width, label_height;  // row labels at the left, column labels below
  size_t per_row, map_rows;
  std::vector<int> column_offsets;  // beginning of each column of maps, and of one more
  int head;                         // height of title, subtitle and legend
  int width, height;

  explicit Layout(const SvgSheet& s) {
    const int n = static_cast<int>(s.rows.size()), m = static_cast<int>(s.columns.size());
    const int longer = std::max({n, m, 1});
    cell = s.maps.size() == 1 ? std::clamp(560 / longer, 12, 34) : std::clamp(230 / longer, 12, 24);
    font = std::clamp(0.75 * cell, 9.0, 13.0);
    map_width = m * cell;
    map_height = n * cell;
    label_width = static_cast<int>(widest(labels(s.rows), font)) + 8;
    label_height = static_cast<int>(widest(labels(s.columns), font)) + 10;
    arrange(s.maps, kSheetWidth - 2 * kSheetMargin - label_width);
    head = 98;
    const int maps = label_width + column_offsets.back() - kMapGap;
    const int words = static_cast<int>(std::max(text_width(s.title, 17), text_width(s.subtitle, 11.5)));
    width = 2 * kSheetMargin + std::max({maps, words, 320});
    height = kSheetMargin + head + static_cast<int>(map_rows) * (kTitleHeight + map_height + kMapGap) - kMapGap +
             label_height + kSheetMargin;
  }
  int x(size_t map) const { return kSheetMargin + label_width + column_offsets[map % per_row]; }
  int y(size_t map) const {
    return kSheetMargin + head + static_cast<int>(map / per_row) * (kTitleHeight + map_height + kMapGap) + kTitleHeight;
  }

 private:
  // As many maps per row as fit, in rows of similar length. A title may be wider than its map.
  void arrange(const std::vector<SvgMap>& maps, int room) {
    for (map_rows = 1; map_rows <= maps.size(); ++map_rows) {
      per_row = (maps.size() + map_rows - 1) / map_rows;
      column_offsets.assign(per_row + 1, 0);
      for (size_t column = 0; column < per_row; ++column) {
        int widest_here = map_width;
        for (size_t map = column; map < maps.size(); map += per_row)
          widest_here = std::max(widest_here, static_cast<int>(std::ceil(title_width(maps[map].title))));
        column_offsets[column + 1] = column_offsets[column] + widest_here + kMapGap;
      }
      if (column_offsets.back() - kMapGap <= room) return;
    }
    map_rows = maps.size();
  }
};

std::string element_text(double x, double y, const std::string& attributes, const std::string& text) {
  return fmt::format("<text x=\"{:g}\" y=\"{:g}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ", attributes,
                     xml_escaped(text));
}

// A token; the mark for the beginning of a word is drawn in gray.
std::string token_text(double x, double y, const std::string& attributes, const std::string& token) {
  std::string text = xml_escaped(token);
  const std::string sign = "▁";
  if (text.starts_with(sign))
    text = fmt::format("<tspan fill=\"{}\">{}</tspan>{}", kMark, sign, text.substr(sign.size()));
  return fmt::format("<text x=\"{:g}\" y=\"{:g}\" {}>{}</text>\n", x, y, attributes, text);
}

bool has_masked(const SvgSheet& s) {
  return std::any_of(s.maps.begin(), s.maps.end(), [](const SvgMap& map) {
    return std::find(map.masked.begin(), map.masked.end(), true) != map.masked.end();
  });
}

std::string masked_legend(int x, int y) {
  std::string text = fmt::format(
      "<pattern id=\"masked\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 6L6 0\" "
      "stroke=\"{}\" stroke-width=\"1\"/></pattern>\n",
      kMark);
  text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"url(#masked)\"/>\n", x, y);
  return text + element_text(x + 18, y + 10, "", "masked");
}

std::string color_legend(double high, bool with_masked) {
  const int x = kSheetMargin, y = kSheetMargin + 62, long_side = 160;
  std::string stops;
  for (size_t i = 0; i < kColorRamp.size(); ++i) {
    const double share = static_cast<double>(i) / (kColorRamp.size() - 1);
    stops += fmt::format("<stop offset=\"{:g}\" stop-color=\"{}\"/>", share, color(share));
  }
  std::string text = fmt::format("<linearGradient id=\"scale\">{}</linearGradient>\n", stops);
  text += fmt::format("<g font-size=\"11.5\" fill=\"{}\">\n", kFaint);
  text += element_text(x, y + 10, "", "0");
  text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\" rx=\"2\" fill=\"url(#scale)\"/>\n", x + 14, y,
                      long_side);
  text += element_text(x + 14 + long_side + 7, y + 10, "", fmt::format("{:.2g}  attention weight", high));
  if (with_masked) text += masked_legend(x + long_side + 180, y);
  return text + "</g>\n";
}

std::string row_labels(const SvgSheet& s, const Layout& at, size_t map) {
  std::string text;
  const std::vector<std::string> all = labels(s.rows);
  for (size_t i = 0; i < all.size(); ++i)
    text += token_text(at.x(map) - 6, at.y(map) + (static_cast<double>(i) + 0.5) * at.cell + 0.35 * at.font,
                       "text-anchor=\"end\"", all[i]);
  return text;
}

std::string column_labels(const SvgSheet& s, const Layout& at, size_t map) {
  std::string text;
  const std::vector<std::string> all = labels(s.columns);
  for (size_t i = 0; i < all.size(); ++i) {
    const double x = at.x(map) + (static_cast<double>(i) + 0.5) * at.cell + 0.35 * at.font;
    const int y = at.y(map) + at.map_height + 6;
    text += token_text(x, y, fmt::format("text-anchor=\"end\" transform=\"rotate(-90 {:g} {})\"", x, y), all[i]);
  }
  return text;
}

std::string cell_path(const SvgSheet& s, const Layout& at, size_t map, size_t i) {
  const int r = static_cast<int>(i / s.columns.size()), c = static_cast<int>(i % s.columns.size());
  return fmt::format("M{} {}h{}v{}h-{}z", at.x(map) + c * at.cell, at.y(map) + r * at.cell, at.cell - 1, at.cell - 1,
                     at.cell - 1);
}

std::string masked_cells(const SvgSheet& s, const Layout& at, size_t map) {
  std::string path;
  for (size_t i = 0; i < s.maps[map].masked.size(); ++i)
    if (s.maps[map].masked[i]) path += cell_path(s, at, map, i);
  return path.empty() ? "" : fmt::format("<path fill=\"url(#masked)\" d=\"{}\"/>\n", path);
}

// One path for all cells of a color keeps an image of eight heads small.
std::string cells(const SvgSheet& s, const Layout& at, size_t map, double high) {
  std::map<int, std::string> paths;
  const std::vector<double>& values = s.maps[map].values;
  for (size_t i = 0; i < values.size(); ++i) {
    const double share = high > 0 && std::isfinite(values[i]) ? values[i] / high : 0;
    const int shade = static_cast<int>(std::lround(share * kColors));
    if (shade <= 0) continue;  // looks like the background
    paths[shade] += cell_path(s, at, map, i);
  }
  std::string text;
  for (const auto& [shade, path] : paths)
    text += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", color(static_cast<double>(shade) / kColors), path);
  return text;
}

std::string draw_map(const SvgSheet& s, const Layout& at, size_t map, double high) {
  std::string text = element_text(at.x(map), at.y(map) - 7,
                                  fmt::format("font-size=\"{:g}\" font-weight=\"600\" fill=\"{}\"", kTitleFont, kInk),
                                  s.maps[map].title);
  text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"{}\"/>\n", at.x(map) - 1,
                      at.y(map) - 1, at.map_width + 1, at.map_height + 1, color(0));
  text += "<g shape-rendering=\"crispEdges\">\n" + cells(s, at, map, high) + masked_cells(s, at, map) + "</g>\n";
  text += fmt::format("<g font-size=\"{:g}\" fill=\"{}\">\n", at.font, kInk);
  if (map % at.per_row == 0) text += row_labels(s, at, map);
  if (map + at.per_row >= s.maps.size()) text += column_labels(s, at, map);
  return text + "</g>\n";
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string out, clean = text::clean_utf8(text);
  for (const char* noncharacter : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})  // U+FFFE and U+FFFF
    for (size_t at; (at = clean.find(noncharacter)) != std::string::npos;) clean.replace(at, 3, "\xEF\xBF\xBD");
  for (char c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (byte < 0x20 && c != '\t' && c != '\n')
      out += "\xEF\xBF\xBD";
    else
      out += c;
  }
  return out;
}

std::string draw_svg(const SvgSheet& s) {
  HEXAPLA_CHECK(!s.maps.empty(), "an image of no attention map");
  double high = 0;
  for (const SvgMap& map : s.maps) {
    HEXAPLA_CHECK(map.values.size() == s.rows.size() * s.columns.size(), "map ", map.title, " of ", s.rows.size(),
                  " rows and ", s.columns.size(), " columns cannot have ", map.values.size(), " values");
    HEXAPLA_CHECK(map.masked.empty() || map.masked.size() == map.values.size(), "map ", map.title, " of ",
                  map.values.size(), " values cannot have a mask of ", map.masked.size());
    high = std::max(high, largest(map.values));
  }
  const Layout at(s);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"{2}\" font-family=\"{3}\">\n<title>{2}</title>\n",
      at.width, at.height, xml_escaped(s.title), kFonts);
  text += fmt::format("<rect width=\"{}\" height=\"{}\" rx=\"8\" fill=\"#ffffff\"/>\n", at.width, at.height);
  text += element_text(kSheetMargin, kSheetMargin + 16,
                       fmt::format("font-size=\"18\" font-weight=\"600\" fill=\"{}\"", kInk), s.title);
  text +=
      element_text(kSheetMargin, kSheetMargin + 40, fmt::format("font-size=\"12.5\" fill=\"{}\"", kFaint), s.subtitle);
  text += color_legend(high, has_masked(s));
  for (size_t map = 0; map < s.maps.size(); ++map) text += draw_map(s, at, map, high);
  return text + "</svg>\n";
}

}  // namespace hexapla::inspect
