#pragma once
// Which random bits decide about which element of a dropout mask. The layout belongs to the definition of a training,
// as the seed does: a run that is resumed, on whatever device, must draw the masks that it would have drawn.
//
// Bits come from Philox4x32-10 (Salmon et al. 2011). A call under the key `seed` with the counter
// {c, row, tensor, step} gives four words of 32 bits, of which each decides about two elements. The columns of a row
// are taken in groups of 128: neighboring columns have neighboring c, 16 of them, and column + 16 has the same c and
// the next 16 bits. So a device with vectors of 16 numbers (AVX-512) draws a group with one c a lane, and the bits
// leave each word in the order of the columns. Other devices draw the same bits; none has another layout.
//
// Kernels that are compiled for one instruction set read this: nothing here may be shared between object files.
#include <cstdint>

namespace hexapla::dropout_layout {

constexpr int64_t counters = 16, words = 4, halves = 2;
constexpr int64_t group = counters * words * halves;  // columns

struct Bits {
  uint32_t c;
  int64_t word, half;  // half 0: the lower 16 bits
};
static constexpr Bits bits_of(int64_t column) {
  const int64_t place = column % group, part = place / counters;
  return {static_cast<uint32_t>(counters * (column / group) + place % counters), part / halves, part % halves};
}

// The weights of attention are never a matrix. A group serves a tile of four queries and 32 keys of one head, because
// sequences are short: one query would leave most of it unused.
constexpr int64_t tile_queries = 4, tile_keys = group / tile_queries;

struct Element {
  int64_t row, column;
};
// query: its row in the batch. key: its place in its sequence.
static constexpr Element weight_element(int64_t query, int64_t key, int64_t head, int64_t heads) {
  return {query / tile_queries * heads + head,
          group * (key / tile_keys) + tile_keys * (query % tile_queries) + key % tile_keys};
}

}  // namespace hexapla::dropout_layout
