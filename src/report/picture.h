#pragma once
// A matrix as a picture in the terminal: two columns of text a cell, row labels at the left, column labels above,
// written downwards. A matrix that is too wide comes in blocks of columns.
#include <limits>
#include <string>
#include <vector>

namespace hexapla::report {

struct Picture {
  std::vector<std::string> rows, columns;  // labels, UTF-8
  std::vector<double> values;              // [rows, columns], row after row
  std::vector<bool> masked = {};           // optional, as values: drawn as "··", so that nobody takes it for a 0
};

struct PictureOptions {
  int width = 80;      // columns of the terminal
  bool color = false;  // a ramp of 256-color backgrounds; otherwise the five shades " ░▒▓█"
  double low = 0;      // what the darkest cell stands for: lower values look like it
  double high = std::numeric_limits<double>::quiet_NaN();  // the brightest; NaN: the largest value of the matrix
  std::string unit = "weight";                             // what the values are, for the legend
};

// The picture and a line with its scale; every line ends with a newline, without blanks before it. Values that are no
// finite number are drawn as the lowest (-inf, NaN) or the highest (inf).
// InternalError: not as many values as rows times columns.
std::string draw_picture(const Picture& picture, const PictureOptions& options = {});

// The pieces of it, for drawings of another layout. cell: two columns wide, color reset after it.
std::string draw_cell(double value, const PictureOptions& options);
std::string draw_legend(const PictureOptions& options, bool with_masked = false);

// As much of the label as fits, the last column "…" where something is missing; control characters become "·".
std::string shortened(const std::string& label, int columns);

// The cells of attention weights that a mask hides: those with these scores of -inf.
std::vector<bool> masked_by(const std::vector<double>& scores);

// The largest finite value of the matrix, at least low; the scale of several pictures that are to be compared.
double largest(const std::vector<double>& values, double low = 0);

}  // namespace hexapla::report
