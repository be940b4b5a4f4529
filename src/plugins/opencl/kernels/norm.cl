// LayerNorm and BatchNorm, and sums over rows.

// y = LayerNorm(x + dropout(r)): a group per row. normed, or y without it, holds x + r until the
// statistics are known.
KERNEL add_norm(MATRIX(x), MATRIX(r), MATRIX(y), MATRIX(normed), VECTOR(rstd), VECTOR(gain), VECTOR(bias), int width,
                real eps, MASK) {
  local real part[GROUP];
  const int row = get_group_id(0);
  global real *sum = normed_buffer ? ROW(normed, row) : ROW(y, row);
  real total = 0;
  for (int i = LANE; i < width; i += GROUP) {
    real v = ROW(x, row)[i];
    if (r_buffer) v += dropped(ROW(r, row)[i], drop_factor(row, i, MASKED));
    sum[i] = v;
    total += v;
  }
  const real mean = group_sum(part, total) / width;
  real squares = 0;
  for (int i = LANE; i < width; i += GROUP) squares += (sum[i] - mean) * (sum[i] - mean);
  const real scale = 1 / sqrt(group_sum(part, squares) / width + eps);
  for (int i = LANE; i < width; i += GROUP) {
    const real v = (sum[i] - mean) * scale;
    sum[i] = v;
    ROW(y, row)[i] = AT(gain)[i] * v + AT(bias)[i];
  }
  if (LANE == 0 && rstd_buffer) AT(rstd)[row] = scale;
}

// d <- J^T (gain d); with a mask also dr = dropout(d).
KERNEL add_norm_backward(MATRIX(normed), MATRIX(d), MATRIX(dr), VECTOR(rstd), VECTOR(gain), int width, MASK) {
  local real part[GROUP];
  const int row = get_group_id(0);
  global real *g = ROW(d, row), *h = ROW(normed, row);
  real total = 0, along = 0;
  for (int i = LANE; i < width; i += GROUP) {
    const real v = g[i] * AT(gain)[i];
    total += v;
    along += v * h[i];
  }
  const real mean = group_sum(part, total) / width, slope = group_sum(part, along) / width, scale = AT(rstd)[row];
  for (int i = LANE; i < width; i += GROUP) {
    const real v = (g[i] * AT(gain)[i] - mean - h[i] * slope) * scale;
    g[i] = v;
    if (dr_buffer) ROW(dr, row)[i] = dropped(v, drop_factor(row, i, MASKED));
  }
}

// Sums over rows, in two steps: a group adds 128 columns of `height` rows; the second kernel adds these sums in order.
// parts: [blocks of rows, 2 width]; sums of d, and behind them of d * normed if there is normed.
KERNEL column_sums(MATRIX(d), MATRIX(normed), VECTOR(parts), int rows, int width, int height) {
  ELEMENT;
  const int first = (int)row * height, end = min(rows, first + height);
  real total = 0, along = 0;
  for (int n = first; n < end; ++n) {
    const real v = ROW(d, n)[column];
    total += v;
    if (normed_buffer) along += v * ROW(normed, n)[column];
  }
  AT(parts)[(ulong)row * 2 * width + column] = total;
  if (normed_buffer) AT(parts)[(ulong)row * 2 * width + width + column] = along;
}

KERNEL add_column_sums(VECTOR(parts), VECTOR(sum), VECTOR(along), int width, int count) {
  ELEMENT;
  real total = 0, other = 0;
  for (int i = 0; i < count; ++i) {
    total += AT(parts)[(ulong)i * 2 * width + column];
    if (along_buffer) other += AT(parts)[(ulong)i * 2 * width + width + column];
  }
  AT(sum)[column] += total;
  if (along_buffer) AT(along)[column] += other;
}

// BatchNorm(x + r): a group per column.
KERNEL batch_norm(MATRIX(x), MATRIX(r), MATRIX(y), MATRIX(normed), VECTOR(rstd), VECTOR(mean), VECTOR(variance),
                  VECTOR(gain), VECTOR(bias), int rows, real eps) {
  local real part[GROUP];
  const int i = get_group_id(0);
  real total = 0;
  for (int n = LANE; n < rows; n += GROUP) {
    const real v = ROW(x, n)[i] + (r_buffer ? ROW(r, n)[i] : (real)0);
    ROW(normed, n)[i] = v;
    total += v;
  }
  const real center = group_sum(part, total) / rows;
  real squares = 0;
  for (int n = LANE; n < rows; n += GROUP) {
    const real v = ROW(normed, n)[i] - center;
    squares += v * v;
  }
  const real spread = group_sum(part, squares) / rows, scale = 1 / sqrt(spread + eps);
  for (int n = LANE; n < rows; n += GROUP) {
    const real v = (ROW(normed, n)[i] - center) * scale;
    ROW(normed, n)[i] = v;
    ROW(y, n)[i] = AT(gain)[i] * v + AT(bias)[i];
  }
  if (LANE == 0) AT(rstd)[i] = scale, AT(mean)[i] = center, AT(variance)[i] = spread;
}

KERNEL batch_norm_backward(MATRIX(normed), MATRIX(d), VECTOR(rstd), VECTOR(gain), VECTOR(dgain), VECTOR(dbias),
                           int rows) {
  local real part[GROUP];
  const int i = get_group_id(0);
  real total = 0, along = 0;
  for (int n = LANE; n < rows; n += GROUP) {
    total += ROW(d, n)[i];
    along += ROW(d, n)[i] * ROW(normed, n)[i];
  }
  total = group_sum(part, total);
  along = group_sum(part, along);
  const real g = AT(gain)[i], mean = g * total / rows, slope = g * along / rows, scale = AT(rstd)[i];
  for (int n = LANE; n < rows; n += GROUP)
    ROW(d, n)[i] = (g * ROW(d, n)[i] - mean - ROW(normed, n)[i] * slope) * scale;
  if (LANE == 0) AT(dgain)[i] += along, AT(dbias)[i] += total;
}

KERNEL batch_norm_inference(MATRIX(x), MATRIX(r), MATRIX(y), VECTOR(mean), VECTOR(variance), VECTOR(gain), VECTOR(bias),
                            int width, real eps) {
  ELEMENT;
  const real v = ROW(x, row)[column] + (r_buffer ? ROW(r, row)[column] : (real)0);
  const real scale = 1 / sqrt(AT(variance)[column] + eps);
  ROW(y, row)[column] = AT(gain)[column] * ((v - AT(mean)[column]) * scale) + AT(bias)[column];
}
