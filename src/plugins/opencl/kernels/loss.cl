// The softmax over the vocabulary and its cross-entropy: a group per row.

// The largest number of a row, and the sum of exp(x - it).
typedef struct {
  real top, sum;
} softmax_sums;
softmax_sums sums_of(local real *part, global const real *x, int width) {
  real top = -INFINITY;
  for (int i = LANE; i < width; i += GROUP) top = fmax(top, x[i]);
  softmax_sums s;
  s.top = group_max(part, top);
  real total = 0;
  for (int i = LANE; i < width; i += GROUP) total += exp(x[i] - s.top);
  s.sum = group_sum(part, total);
  return s;
}

KERNEL log_softmax(MATRIX(x), MATRIX(y), int width) {
  local real part[GROUP];
  const int row = get_group_id(0);
  const softmax_sums s = sums_of(part, ROW(x, row), width);
  const real shift = log(s.sum);
  for (int i = LANE; i < width; i += GROUP) ROW(y, row)[i] = ROW(x, row)[i] - s.top - shift;
}

// Losses of a tile of logits, whose first row has the number `first`; with gradient, the logits become
// scale * (p - target). A label that is no class gives NaN.
KERNEL cross_entropy(MATRIX(logits), OF(const int, labels), VECTOR(loss), VECTOR(nll), int first, int width,
                     real smoothing, real scale, int gradient) {
  local real part[GROUP];
  const int row = get_group_id(0), label = AT(labels)[first + row];
  const bool known = label >= 0 && label < width;
  global real *x = ROW(logits, row);
  const softmax_sums s = sums_of(part, x, width);
  const real shift = log(s.sum);
  real mean = 0;
  if (smoothing != 0) {
    real total = 0;
    for (int i = LANE; i < width; i += GROUP) total += x[i] - s.top - shift;
    mean = group_sum(part, total) / width;
  }
  if (LANE == 0) {
    const real plain = known ? shift - (x[label] - s.top) : (real)NAN;
    AT(nll)[first + row] = plain;
    AT(loss)[first + row] = (1 - smoothing) * plain - (smoothing == 0 ? (real)0 : smoothing * mean);
  }
  SYNC;
  if (!gradient) return;
  const real factor = scale / s.sum, uniform = scale * smoothing / width, at_label = scale * (1 - smoothing);
  for (int i = LANE; i < width; i += GROUP) {
    const real g = exp(x[i] - s.top) * factor - uniform;
    x[i] = i == label ? g - at_label : g;
  }
}
