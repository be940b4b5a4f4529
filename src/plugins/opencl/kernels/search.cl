// Calls of decoding.

// Whether candidate (a, i) is better than (b, j), each a value and an id. Ties go to the lower id.
bool better(real a, int i, real b, int j) { return a > b || (a == b && i < j); }

// The k largest of each row of log_softmax(x), best first: a group per row, k rounds. Each round takes the best of those
// behind the last one.
KERNEL log_softmax_top(MATRIX(x), MATRIX(scores), OF(int, ids), int ids_stride, int width, int k) {
  local real part[GROUP];
  local int number[GROUP];
  const int row = get_group_id(0);
  global const real *in = ROW(x, row);
  const softmax_sums s = sums_of(part, in, width);
  const real shift = log(s.sum);
  real last = INFINITY;
  int last_id = -1;
  for (int round = 0; round < k; ++round) {
    real best = -INFINITY;
    int best_id = INT_MAX;
    for (int i = LANE; i < width; i += GROUP)
      if (better(last, last_id, in[i], i) && better(in[i], i, best, best_id)) best = in[i], best_id = i;
    SYNC;
    part[LANE] = best;
    number[LANE] = best_id;
    SYNC;
    for (int n = GROUP / 2; n > 0; n /= 2) {
      if (LANE < n && better(part[LANE + n], number[LANE + n], part[LANE], number[LANE])) {
        part[LANE] = part[LANE + n];
        number[LANE] = number[LANE + n];
      }
      SYNC;
    }
    last = part[0];
    last_id = number[0];
    if (LANE == 0) {
      const bool none = last_id == INT_MAX;  // NaN in the row
      ROW(scores, row)[round] = none ? (real)NAN : last - s.top - shift;
      AT(ids)[(ulong)row * ids_stride + round] = none ? round : last_id;
    }
  }
}

// y[n, j] = x_n w + b in column list[j]. A row's list is starts[n] .. starts[n] + counts[n] - 1 of `listed`.
// table: [V, d]; or integers [V, d] and scales [V].
KERNEL linear_selected(MATRIX(x), MATRIX(table), OF(const char, integers), OF(const float, scales), VECTOR(bias),
                       OF(const int, starts), OF(const int, counts), OF(const int, listed), MATRIX(y), int width,
                       int depth, local real *in) {
  const uint blocks = (uint)(width + GROUP - 1) / GROUP;
  const uint row = (uint)get_group_id(0) / blocks;
  const int j = (int)((uint)get_group_id(0) % blocks) * GROUP + LANE;
  for (int i = LANE; i < depth; i += GROUP) in[i] = ROW(x, row)[i];
  SYNC;
  if (j >= width) return;
  if (j >= AT(counts)[row]) {
    ROW(y, row)[j] = -INFINITY;
    return;
  }
  const int id = AT(listed)[AT(starts)[row] + j];
  real sum = 0;
  if (integers_buffer) {
    global const char *w = AT(integers) + (ulong)id * table_stride;
    for (int i = 0; i < depth; ++i) sum += in[i] * (real)w[i];
    sum *= (real)AT(scales)[id];
  } else {
    global const real *w = ROW(table, id);
    for (int i = 0; i < depth; ++i) sum += in[i] * w[i];
  }
  ROW(y, row)[j] = bias_buffer ? sum + AT(bias)[id] : sum;
}
