// Shared by all kernels. The program is compiled once per type: `real` is float or double. Sums have a fixed order,
// which does not depend on other rows; no kernel uses atomics on numbers with fractions.
#ifdef HEXAPLA_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#else
typedef float real;
#endif

#define GROUP 128  // work items of every group
#define KERNEL kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
#define LANE ((int)get_local_id(0))
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)

// Arguments. A tensor is a buffer and the number of elements before its first one; a buffer may be null. A matrix has
// rows of equal distance.
#define OF(type, x) global type *x##_buffer, ulong x##_at
#define VECTOR(x) OF(real, x)
#define MATRIX(x) OF(real, x), int x##_stride
#define AT(x) (x##_buffer + x##_at)
#define ROW(x, r) (x##_buffer + x##_at + (ulong)(r) * (ulong)x##_stride)

// Kernels with a work item per element: a group has 128 columns of one row.
#define ELEMENT                                                               \
  const uint blocks = (uint)(width + GROUP - 1) / GROUP;                      \
  const uint row = (uint)get_group_id(0) / blocks;                            \
  const int column = (int)((uint)get_group_id(0) % blocks) * GROUP + LANE;    \
  if (column >= width) return

// The sum and the maximum over a group, for all of its items. part: local memory of GROUP numbers.
real group_sum(local real *part, real x) {
  SYNC;
  part[LANE] = x;
  SYNC;
  for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
    if (LANE < half_size) part[LANE] += part[LANE + half_size];
    SYNC;
  }
  return part[0];
}

real group_max(local real *part, real x) {
  SYNC;
  part[LANE] = x;
  SYNC;
  for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
    if (LANE < half_size) part[LANE] = fmax(part[LANE], part[LANE + half_size]);
    SYNC;
  }
  return part[0];
}

// Philox4x32-10 (base/compute/random.h).
uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const uint a = 0xD2511F53u, b = 0xCD9E8D57u;
    counter = (uint4)(mul_hi(b, counter.z) ^ counter.y ^ key.x, b * counter.z,
                      mul_hi(a, counter.x) ^ counter.w ^ key.y, a * counter.x);
    key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
  }
  return counter;
}

// A dropout mask (backend/dropout_layout.h). threshold 0: nothing is dropped, and kept is 1.
#define MASK uint key_low, uint key_high, uint mask_tensor, uint mask_step, uint threshold, real kept
#define MASKED key_low, key_high, mask_tensor, mask_step, threshold, kept
real drop_factor(int row, int column, MASK) {
  if (threshold == 0) return 1;
  const uint place = (uint)column % 128, part = place / 16;
  const uint4 words = philox((uint4)(16 * ((uint)column / 128) + place % 16, (uint)row, mask_tensor, mask_step),
                             (uint2)(key_low, key_high));
  const uint first = part / 2 == 0 ? words.x : part / 2 == 1 ? words.y : part / 2 == 2 ? words.z : words.w;
  return (first >> (16 * (part % 2)) & 0xFFFFu) >= threshold ? kept : (real)0;
}
real dropped(real x, real factor) { return factor == 0 ? (real)0 : x * factor; }
