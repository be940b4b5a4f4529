#pragma once
// A matrix as a picture in the terminal: two text columns per cell, row labels at the left, column
// labels above, written downwards. A matrix that is too wide is split into blocks of columns.
#include <limits>
#include <string>
#include <vector>

namespace hexapla::inspect {

struct Picture {
  std::vector<std::string> rows, columns;  // labels, UTF-8
  std::vector<double> values;              // [rows, columns], row-major
  std::vector<bool> masked = {};           // optional, like values: drawn as "··" to distinguish it from 0
};

struct PictureOptions {
  int width = 80;      // terminal columns
  bool color = false;  // 256-color backgrounds; otherwise the five shades " ░▒▓█"
  double low = 0;      // value of the darkest cells; lower values look the same
  double high = std::numeric_limits<double>::quiet_NaN();  // value of the brightest; NaN: the matrix's largest
  std::string unit = "weight";                             // kind of values, for the legend
};

// The picture and a line with its scale; every line ends with a newline, without trailing blanks.
// Values that are not finite are drawn as the lowest (-inf, NaN) or the highest (inf).
// InternalError: the number of values is not rows times columns.
std::string draw_picture(const Picture& picture, const PictureOptions& options = {});

// Its parts, for other layouts. cell: two columns wide, resets the color.
std::string draw_cell(double value, const PictureOptions& options);
std::string draw_legend(const PictureOptions& options, bool with_masked = false);

// The label shortened to fit, with "…" as the last column if cut; control characters become "·".
std::string shortened(const std::string& label, int columns);

// The cells of attention weights hidden by a mask: those whose score is -inf.
std::vector<bool> masked_by(const std::vector<double>& scores);

// The largest finite value of the matrix, at least low; a common scale for several pictures.
double largest(const std::vector<double>& values, double low = 0);

}  // namespace hexapla::inspect
