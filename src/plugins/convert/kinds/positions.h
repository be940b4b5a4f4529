#pragma once
#include <cstdint>

#include "convert/foreign/foreign_tensors.h"
#include "model/config.h"

namespace hexapla::convert {

// The Config fields for a table of positions: a kind of sinusoids, or "learned".
struct Positions {
  model::Config::Positions kind = "learned";
  int64_t first = 0;  // sinusoids: position of the first row
};

// table: [positions, d_model], possibly with further extents of 1. Tolerates the rounding of half
// precision. skipped: rows at the start that no position uses. DataError naming it if its shape is
// different.
Positions sinusoids_of(const ForeignTensors& from, const ForeignTensor& table, size_t skipped = 0);

}  // namespace hexapla::convert
