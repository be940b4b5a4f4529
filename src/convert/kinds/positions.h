#pragma once
#include <string>

#include "convert/foreign_tensors.h"

namespace hexapla::convert {

// What of Config a table of positions is: one of the sinusoids, or "learned".
struct Positions {
  std::string kind;
  int64_t first = 0;  // of sinusoids: the position of the first row
};

// table: [positions, d_model], perhaps with extents of 1 around it. Numbers of a file in half precision count as equal.
// DataError naming it where it has another shape.
Positions sinusoids_of(const ForeignTensors& from, const ForeignTensor& table);

}  // namespace hexapla::convert
