// Rows by their numbers.

// y = scale * table[ids], or y += that.
KERNEL embed(MATRIX(table), OF(const int, ids), MATRIX(y), int width, real scale, int added) {
  ELEMENT;
  const real v = scale * ROW(table, AT(ids)[row])[column];
  ROW(y, row)[column] = added ? ROW(y, row)[column] + v : v;
}

KERNEL put_rows(MATRIX(x), OF(const int, ids), MATRIX(y), int width) {
  ELEMENT;
  ROW(y, AT(ids)[row])[column] = ROW(x, row)[column];
}

// dtable[ids] += scale * dy. A group per row n: if no earlier row has the same id, the group adds all rows with this id,
// the sum of those among 128 neighboring rows at a time, in their order.
KERNEL embed_backward(MATRIX(dy), OF(const int, ids), MATRIX(dtable), int rows, int width, real scale) {
  local uint found[GROUP / 32];  // a bit per row
  local int listed[GROUP];
  const int n = get_group_id(0);
  global const int *id = AT(ids);
  const int own = id[n];
  if (LANE == 0) found[0] = 0;
  SYNC;
  for (int m = LANE; m < n; m += GROUP)
    if (id[m] == own) {
      atomic_or(&found[0], 1u);
      break;
    }
  SYNC;
  const bool earlier = found[0] != 0;
  if (earlier) return;
  global real *sum = ROW(dtable, own);
  for (int from = n; from < rows; from += GROUP) {
    SYNC;
    if (LANE < GROUP / 32) found[LANE] = 0;
    SYNC;
    const bool mine = from + LANE < rows && id[from + LANE] == own;
    if (mine) atomic_or(&found[LANE / 32], 1u << (LANE % 32));
    SYNC;
    int before = 0, count = 0;
    for (int word = 0; word < GROUP / 32; ++word) {
      if (word < LANE / 32) before += popcount(found[word]);
      count += popcount(found[word]);
    }
    if (mine) listed[before + popcount(found[LANE / 32] & ((1u << (LANE % 32)) - 1))] = from + LANE;
    SYNC;
    if (count == 0) continue;
    for (int i = LANE; i < width; i += GROUP) {
      real total = 0;
      for (int j = 0; j < count; ++j) total += ROW(dy, listed[j])[i];
      sum[i] += scale * total;
    }
  }
}
