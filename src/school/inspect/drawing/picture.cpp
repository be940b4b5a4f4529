#include "inspect/drawing/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "text/utf8.h"

namespace hexapla::inspect {
namespace {

constexpr int kCellWidth = 2;
constexpr int kLongestRowLabel = 20, kLongestColumnLabel = 12;

constexpr std::array<const char*, 5> kShades{" ", "░", "▒", "▓", "█"};
// From the 256 colors: black, blue, violet, red, orange, pale yellow, each lighter than the
// previous one.
constexpr std::array<int, 13> kRamp{233, 17, 18, 54, 90, 126, 162, 198, 204, 209, 215, 221, 229};

// The characters that occupy columns, each with its combining marks.
std::vector<std::string> characters(const std::string& label) {
  const std::string text = text::clean_utf8(label);
  std::vector<std::string> all;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    std::string one = text.substr(at, end - at);
    at = end;
    if (text::printable(one, "") != one)
      all.emplace_back("·");
    else if (text::width(one) > 0)
      all.push_back(one);
    else if (all.empty())
      all.push_back("◌" + one);  // a mark needs a base character
    else
      all.back() += one;
  }
  return all;
}

// The one of `levels` equal steps between low and high that contains value.
int level(double value, const PictureOptions& o, int levels) {
  HEXAPLA_CHECK(!std::isnan(o.high), "a cell needs a scale, but the highest value is not set");
  if (!(value > o.low)) return 0;
  if (value >= o.high) return levels - 1;
  return std::clamp(static_cast<int>((value - o.low) / (o.high - o.low) * levels), 0, levels - 1);
}

std::string shade(size_t step) { return std::string(kShades[step]) + kShades[step]; }
constexpr const char* kMaskedCell = "··";
std::string painted(size_t step) { return fmt::format("\033[48;5;{}m  ", kRamp[step]); }

void trim_line(std::string& text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  text += '\n';
}

// The labels of columns [from, to), written downwards and aligned at the bottom.
std::string header(const std::vector<std::string>& labels, size_t from, size_t to, int indent) {
  std::vector<std::vector<std::string>> columns;
  size_t height = 0;
  for (size_t c = from; c < to; ++c) {
    columns.push_back(characters(labels[c]));
    std::vector<std::string>& column = columns.back();
    if (column.size() > kLongestColumnLabel) {
      column.resize(kLongestColumnLabel);
      column.back() = "…";
    }
    height = std::max(height, column.size());
  }
  std::string text;
  for (size_t line = 0; line < height; ++line) {
    std::string row(static_cast<size_t>(indent), ' ');
    for (const auto& column : columns) {
      const size_t empty = height - column.size();
      row += text::padded(line < empty ? "" : column[line - empty], kCellWidth);
    }
    trim_line(row);
    text += row;
  }
  return text;
}

int row_label_width(const Picture& p) {
  int columns = 0;
  for (const std::string& label : p.rows) columns = std::max(columns, text::width(shortened(label, kLongestRowLabel)));
  return columns;
}

bool is_masked(const Picture& p, size_t cell) { return !p.masked.empty() && p.masked[cell]; }

std::string block(const Picture& p, const PictureOptions& o, size_t from, size_t to) {
  const int label_width = row_label_width(p);
  const char* edge = o.color ? " " : "│";
  std::string text = header(p.columns, from, to, label_width + 1);
  for (size_t r = 0; r < p.rows.size(); ++r) {
    const std::string label = shortened(p.rows[r], kLongestRowLabel);
    text += std::string(static_cast<size_t>(label_width - text::width(label)), ' ') + label + edge;
    for (size_t c = from; c < to; ++c) {
      const size_t cell = r * p.columns.size() + c;
      text += is_masked(p, cell) ? kMaskedCell : draw_cell(p.values[cell], o);
    }
    text += o.color ? "\n" : "│\n";
  }
  return text;
}

size_t columns_that_fit(const Picture& p, int terminal) {
  return static_cast<size_t>(std::max(1, (terminal - row_label_width(p) - 2) / kCellWidth));
}

}  // namespace

std::string shortened(const std::string& label, int columns) {
  const std::vector<std::string> all = characters(label);
  std::string text;
  for (const std::string& one : all) text += one;
  if (text::width(text) <= columns) return text;
  text.clear();
  for (const std::string& one : all) {
    if (text::width(text) + text::width(one) >= columns) break;
    text += one;
  }
  return text + "…";
}

std::vector<bool> masked_by(const std::vector<double>& scores) {
  std::vector<bool> masked;
  for (double s : scores) masked.push_back(std::isinf(s) && s < 0);
  return masked;
}

double largest(const std::vector<double>& values, double low) {
  double high = low;
  for (double v : values)
    if (std::isfinite(v)) high = std::max(high, v);
  return high;
}

std::string draw_cell(double value, const PictureOptions& o) {
  if (!o.color) return shade(static_cast<size_t>(level(value, o, kShades.size())));
  return painted(static_cast<size_t>(level(value, o, kRamp.size()))) + "\033[0m";
}

std::string draw_legend(const PictureOptions& o, bool with_masked) {
  std::string scale;
  for (size_t step = 0; step < (o.color ? kRamp.size() : kShades.size()); ++step)
    scale += o.color ? painted(step) : shade(step);
  if (o.color) scale += "\033[0m";
  return fmt::format("{}: {:.3g} {}{}{} {:.3g}{}\n", o.unit, o.low, o.color ? "" : "│", scale, o.color ? "" : "│",
                     o.high, with_masked ? fmt::format("   {} masked", kMaskedCell) : "");
}

std::string draw_picture(const Picture& p, const PictureOptions& options) {
  HEXAPLA_CHECK(p.values.size() == p.rows.size() * p.columns.size(), "a picture of ", p.rows.size(), " rows and ",
                p.columns.size(), " columns cannot have ", p.values.size(), " values");
  HEXAPLA_CHECK(p.masked.empty() || p.masked.size() == p.values.size(), "a picture of ", p.values.size(),
                " values cannot have a mask of ", p.masked.size());
  PictureOptions o = options;
  if (std::isnan(o.high)) o.high = largest(p.values, o.low);
  const size_t fit = columns_that_fit(p, o.width), blocks = std::max<size_t>(1, (p.columns.size() + fit - 1) / fit);
  const size_t each = (p.columns.size() + blocks - 1) / blocks;  // blocks of similar width
  std::string text;
  for (size_t from = 0; from < p.columns.size(); from += each)
    text += block(p, o, from, std::min(from + each, p.columns.size())) + "\n";
  return text + draw_legend(o, std::find(p.masked.begin(), p.masked.end(), true) != p.masked.end());
}

}  // namespace hexapla::inspect
