// Products of matrices by tiles. An element of the result is the sum over k in ascending order, whatever the number of
// rows and columns.
#ifdef HEXAPLA_F64
typedef double4 real4;
#else
typedef float4 real4;
#endif

#define TILE_ROWS 64
#define TILE_COLUMNS 128
#define TILE_DEPTH 16
// Distances in local memory, which keep groups of four numbers aligned and banks apart.
#define A_STRIDE (TILE_ROWS + 4)
#define B_STRIDE (TILE_COLUMNS + 4)

// y = a b + bias or y += a b, for k = from .. end - 1. a: [m, k], or stored as [k, m] if a_turned; b: [k, n], or stored
// as [n, k] if b_turned. An item has rows 8 i .. 8 i + 7 of the tile, and columns 4 j .. 4 j + 3 and 64 + these.
inline void multiply_tile(local real *la, local real *lb, global const real *a, int a_stride, bool a_turned,
                          global const real *b, int b_stride, bool b_turned, global real *y, int y_stride,
                          global const real *bias, int m, int n, int from, int end, int added, uint tile) {
  const uint across = (uint)(n + TILE_COLUMNS - 1) / TILE_COLUMNS;
  const int m0 = (int)(tile / across) * TILE_ROWS, n0 = (int)(tile % across) * TILE_COLUMNS;
  const int i0 = LANE / 16 * 8, j0 = LANE % 16 * 4;
  const int deep = LANE % 16, wide = LANE / 16;
  real next_a[8], next_b[16];
  real4 sum[8][2];
  for (int i = 0; i < 8; ++i) sum[i][0] = (real4)(0), sum[i][1] = (real4)(0);
  for (int k = from - TILE_DEPTH; k < end; k += TILE_DEPTH) {
    if (k >= from) {
      SYNC;
      for (int i = 0; i < 8; ++i) {
        if (a_turned)
          la[(2 * i + LANE / 64) * A_STRIDE + LANE % 64] = next_a[i];
        else
          la[deep * A_STRIDE + 8 * i + wide] = next_a[i];
      }
      for (int i = 0; i < 16; ++i) {
        if (b_turned)
          lb[deep * B_STRIDE + 8 * i + wide] = next_b[i];
        else
          lb[i * B_STRIDE + LANE] = next_b[i];
      }
      SYNC;
    }
    const int ahead = k + TILE_DEPTH;
    if (ahead < end) {  // the next tile arrives while this one is multiplied
      for (int i = 0; i < 8; ++i) {
        const int row = m0 + (a_turned ? LANE % 64 : 8 * i + wide), at = ahead + (a_turned ? 2 * i + LANE / 64 : deep);
        const ulong place = a_turned ? (ulong)at * a_stride + row : (ulong)row * a_stride + at;
        next_a[i] = row < m && at < end ? a[place] : (real)0;
      }
      for (int i = 0; i < 16; ++i) {
        const int column = n0 + (b_turned ? 8 * i + wide : LANE), at = ahead + (b_turned ? deep : i);
        const ulong place = b_turned ? (ulong)column * b_stride + at : (ulong)at * b_stride + column;
        next_b[i] = column < n && at < end ? b[place] : (real)0;
      }
    }
    if (k < from) continue;
    for (int d = 0; d < TILE_DEPTH; ++d) {
      const real4 a0 = *(local const real4 *)(la + d * A_STRIDE + i0), a1 = *(local const real4 *)(la + d * A_STRIDE + i0 + 4);
      const real4 b0 = *(local const real4 *)(lb + d * B_STRIDE + j0), b1 = *(local const real4 *)(lb + d * B_STRIDE + 64 + j0);
      sum[0][0] += a0.s0 * b0, sum[0][1] += a0.s0 * b1;
      sum[1][0] += a0.s1 * b0, sum[1][1] += a0.s1 * b1;
      sum[2][0] += a0.s2 * b0, sum[2][1] += a0.s2 * b1;
      sum[3][0] += a0.s3 * b0, sum[3][1] += a0.s3 * b1;
      sum[4][0] += a1.s0 * b0, sum[4][1] += a1.s0 * b1;
      sum[5][0] += a1.s1 * b0, sum[5][1] += a1.s1 * b1;
      sum[6][0] += a1.s2 * b0, sum[6][1] += a1.s2 * b1;
      sum[7][0] += a1.s3 * b0, sum[7][1] += a1.s3 * b1;
    }
  }
  for (int i = 0; i < 8; ++i) {
    if (m0 + i0 + i >= m) break;
    global real *row = y + (ulong)(m0 + i0 + i) * y_stride;
    for (int half_of = 0; half_of < 2; ++half_of) {
      const real4 s = sum[i][half_of];
      const real four[4] = {s.s0, s.s1, s.s2, s.s3};
      for (int j = 0; j < 4; ++j) {
        const int column = n0 + j0 + 64 * half_of + j;
        if (column < n) row[column] = four[j] + (added ? row[column] : bias ? bias[column] : (real)0);
      }
    }
  }
}

// A group per tile and part of k; the parts lie one after the other, part_size numbers apart.
#define PRODUCT(name, a_turned, b_turned)                                                                             \
  KERNEL name(MATRIX(a), MATRIX(b), MATRIX(y), VECTOR(bias), int m, int n, int k, int added, int tiles, int depth,   \
              int part_size) {                                                                                        \
    local real la[TILE_DEPTH * A_STRIDE] __attribute__((aligned(32)));                                                \
    local real lb[TILE_DEPTH * B_STRIDE] __attribute__((aligned(32)));                                                \
    const uint part = (uint)get_group_id(0) / tiles;                                                                  \
    const int from = (int)part * depth;                                                                               \
    multiply_tile(la, lb, AT(a), a_stride, a_turned, AT(b), b_stride, b_turned, AT(y) + (ulong)part * part_size,      \
                  y_stride, bias_buffer ? AT(bias) : 0, m, n, from, min(k, from + depth), added,                      \
                  (uint)get_group_id(0) % tiles);                                                                     \
  }
PRODUCT(product, false, false)
PRODUCT(product_by_turned, false, true)
PRODUCT(turned_product, true, false)
PRODUCT(turned_product_by_turned, true, true)

// y += the sum of the parts, in their order.
KERNEL add_parts(VECTOR(parts), MATRIX(y), int width, int count, int part_size) {
  ELEMENT;
  real total = 0;
  for (int i = 0; i < count; ++i) total += AT(parts)[(ulong)i * part_size + (ulong)row * width + column];
  ROW(y, row)[column] += total;
}
