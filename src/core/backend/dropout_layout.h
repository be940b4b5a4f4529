#pragma once
// The random bits of each element of a dropout mask. Like the seed, the layout is part of the
// definition of a training: a resumed run must draw the masks that the uninterrupted run would have
// drawn, on any device.
//
// The bits come from Philox4x32-10 (Salmon et al. 2011). A call with the key `seed` and the counter
// {c, row, tensor, step} gives four words of 32 bits, each of which decides two elements. The
// columns of a row are grouped by 128: 16 neighboring columns have neighboring c, and column + 16
// has the same c and the next 16 bits. So a device with vectors of 16 numbers (AVX-512) draws a
// group with one c per lane, and the bits come out of each word in the order of the columns. Other
// devices draw the same bits; no device has another layout.
//
// Kernels compiled for one instruction set include this: nothing here may be shared between object
// files.
#include <cstdint>

namespace hexapla::dropout_layout {

constexpr int64_t kCounters = 16, kWords = 4, kHalves = 2;
constexpr int64_t kGroup = kCounters * kWords * kHalves;  // columns

struct Bits {
  uint32_t c;
  int64_t word, half;  // half 0: the lower 16 bits
};
static constexpr Bits bits_of(int64_t column) {
  const int64_t place = column % kGroup, part = place / kCounters;
  return {static_cast<uint32_t>(kCounters * (column / kGroup) + place % kCounters), part / kHalves, part % kHalves};
}

// The weights of attention are not stored as a matrix. Because sequences are short and a single
// query would leave most of a group unused, a group serves a tile of four queries and 32 keys of
// one head.
constexpr int64_t kTileQueries = 4, kTileKeys = kGroup / kTileQueries;

struct Element {
  int64_t row, column;
};
// query: row in the batch. key: position in its sequence.
static constexpr Element weight_element(int64_t query, int64_t key, int64_t head, int64_t heads) {
  return {query / kTileQueries * heads + head,
          kGroup * (key / kTileKeys) + kTileKeys * (query % kTileQueries) + key % kTileKeys};
}

}  // namespace hexapla::dropout_layout
