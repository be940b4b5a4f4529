// Guided alignment: the cross-entropy between given links and the weights of one head.

// Four numbers per query: the first row and the number of its keys, the first of its links and their number.
#define LINKS OF(const int, places), OF(const int, linked)
#define ALIGNMENT MATRIX(q), MATRIX(k), LINKS, int dk, real scale

real product_of(global const real *a, global const real *b, int width) {
  real sum = 0;
  for (int i = 0; i < width; ++i) sum += a[i] * b[i];
  return sum;
}

// The log of the sum of exp(scores) of each query with links, and its loss: a group per query.
KERNEL alignment_loss(ALIGNMENT, VECTOR(lse), VECTOR(loss)) {
  local real part[GROUP];
  const int t = get_group_id(0);
  global const int *place = AT(places) + 4 * t;
  real top = -INFINITY;
  for (int u = LANE; u < place[1]; u += GROUP)
    top = fmax(top, scale * product_of(ROW(q, t), ROW(k, place[0] + u), dk));
  top = group_max(part, top);
  real total = 0;
  for (int u = LANE; u < place[1]; u += GROUP)
    total += exp(scale * product_of(ROW(q, t), ROW(k, place[0] + u), dk) - top);
  const real all = top + log(group_sum(part, total));
  if (LANE != 0) return;
  AT(lse)[t] = all;
  if (!loss_buffer) return;
  real sum = 0;
  for (int i = 0; i < place[3]; ++i)
    sum += all - scale * product_of(ROW(q, t), ROW(k, place[0] + AT(linked)[place[2] + i]), dk);
  AT(loss)[t] = place[3] == 0 ? (real)0 : sum / place[3];
}

// The gradient of a query's loss with respect to its score for key u.
real alignment_slope(global const int *place, global const int *linked, real log_weight, int u) {
  if (place[3] == 0) return 0;
  real slope = exp(log_weight);
  for (int i = 0; i < place[3]; ++i)
    if (linked[place[2] + i] == u) slope -= (real)1 / place[3];
  return slope;
}

KERNEL alignment_backward_queries(ALIGNMENT, VECTOR(lse), MATRIX(dq), real outer) {
  local real slopes[GROUP];
  const int t = get_group_id(0);
  global const int *place = AT(places) + 4 * t;
  if (place[3] == 0) return;
  for (int from = 0; from < place[1]; from += GROUP) {
    const int u = from + LANE;
    SYNC;
    if (u < place[1])
      slopes[LANE] = outer * scale *
                     alignment_slope(place, AT(linked), scale * product_of(ROW(q, t), ROW(k, place[0] + u), dk) - AT(lse)[t], u);
    SYNC;
    for (int i = LANE; i < dk; i += GROUP) {
      real sum = 0;
      for (int j = 0; j < min(GROUP, place[1] - from); ++j) sum += slopes[j] * ROW(k, place[0] + from + j)[i];
      ROW(dq, t)[i] += sum;
    }
  }
}

// A group per key; sides: of each key, its position, and the first row and the number of its queries.
KERNEL alignment_backward_keys(ALIGNMENT, VECTOR(lse), OF(const int, sides), MATRIX(gk), real outer) {
  local real slopes[GROUP];
  const int row = get_group_id(0);
  global const int *side = AT(sides) + 3 * row;
  for (int from = 0; from < side[2]; from += GROUP) {
    const int t = side[1] + from + LANE;
    SYNC;
    if (from + LANE < side[2])
      slopes[LANE] = outer * scale *
                     alignment_slope(AT(places) + 4 * t, AT(linked), scale * product_of(ROW(q, t), ROW(k, row), dk) - AT(lse)[t], side[0]);
    SYNC;
    for (int i = LANE; i < dk; i += GROUP) {
      real sum = 0;
      for (int j = 0; j < min(GROUP, side[2] - from); ++j) sum += slopes[j] * ROW(q, side[1] + from + j)[i];
      ROW(gk, row)[i] += sum;
    }
  }
}
