// The update of the parameters. rest1 and rest2 are 1 - beta1 and 1 - beta2, exact.
KERNEL adam(VECTOR(p), VECTOR(g), VECTOR(m), VECTOR(v), int width, real lr, real beta1, real rest1,
            real beta2, real rest2, real eps, real correct1, real correct2, real grad_scale, real kept_weight) {
  ELEMENT;
  const real d = AT(g)[column] * grad_scale;
  const real first = beta1 * AT(m)[column] + rest1 * d;
  const real second = beta2 * AT(v)[column] + rest2 * d * d;
  AT(m)[column] = first;
  AT(v)[column] = second;
  AT(p)[column] = AT(p)[column] * kept_weight - lr * (first / correct1) / (sqrt(second / correct2) + eps);
}

// A group adds the squares of 4,096 numbers; the host adds the groups' sums.
KERNEL sum_of_squares(VECTOR(x), VECTOR(sums), int count) {
  local real part[GROUP];
  const int from = (int)get_group_id(0) * 4096, end = min(count, from + 4096);
  real total = 0;
  for (int i = from + LANE; i < end; i += GROUP) total += AT(x)[i] * AT(x)[i];
  total = group_sum(part, total);
  if (LANE == 0) AT(sums)[get_group_id(0)] = total;
}
