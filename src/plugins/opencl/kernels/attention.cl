// softmax(scale q k^T + mask) v without a matrix of all scores: a group has a tile of queries (or keys) of one head and
// walks over the tiles of the other side. Tiles begin at the first row of a sequence, so a sequence gets the same bits
// whatever the others are.

// A tile, five numbers: its first row, its rows, the position of its first row in its sequence, and the first row and
// the rows of the sequence on the other side.
#define TILE                                                        \
  global const int *tile_numbers = AT(tiles) + get_group_id(0) / heads * 5; \
  const int head = get_group_id(0) % heads, first = tile_numbers[0], count = tile_numbers[1], position = tile_numbers[2]; \
  const int other = tile_numbers[3], others = tile_numbers[4]

// [N, H, d]: heads lie x_head apart.
#define HEADS(x) MATRIX(x), int x##_head
#define HEAD(x, r) (ROW(x, r) + head * x##_head)

#define ATTENTION                                                                                                     \
  OF(const int, tiles), HEADS(q), HEADS(k), HEADS(v), MATRIX(mask), int heads, int dk, int dv, int tile, int causal, \
      real scale, MASK

// Rows of `width` numbers, with a gap of one number between them in local memory.
void load_rows(local real *to, global const real *from, int stride, int rows, int width) {
  for (int e = LANE; e < rows * width; e += GROUP) to[e / width * (width + 1) + e % width] = from[(ulong)(e / width) * stride + e % width];
}
real dot_of(local const real *a, local const real *b, int width) {
  real sum = 0;
  for (int i = 0; i < width; ++i) sum += a[i] * b[i];
  return sum;
}
// The factor of the weight of a key (position in its sequence) for a query (row in the batch).
real weight_factor(int query, int key, int head, int heads, MASK) {
  return drop_factor(query / 4 * heads + head, 128 * (key / 32) + 32 * (query % 4) + key % 32, MASKED);
}

KERNEL attention(ATTENTION, MATRIX(out), MATRIX(lse), local real *memory) {
  TILE;
  local real *queries = memory, *keys = queries + tile * (dk + 1), *values = keys + tile * (dk + 1);
  local real *weights = values + tile * (dv + 1), *sum = weights + tile * tile;
  local real *top = sum + tile * dv, *total = top + tile, *faded = total + tile;
  load_rows(queries, HEAD(q, first), q_stride, count, dk);
  for (int e = LANE; e < tile * dv; e += GROUP) sum[e] = 0;
  if (LANE < tile) top[LANE] = -INFINITY, total[LANE] = 0;
  const int end = causal ? min(others, position + count) : others;
  for (int from = 0; from < end; from += tile) {
    const int n = min(tile, end - from);
    SYNC;
    load_rows(keys, HEAD(k, other + from), k_stride, n, dk);
    load_rows(values, HEAD(v, other + from), v_stride, n, dv);
    SYNC;
    for (int e = LANE; e < tile * tile; e += GROUP) {
      const int i = e / tile, j = e % tile;
      real s = -INFINITY;
      if (i < count && j < n && (!causal || from + j <= position + i)) {
        s = scale * dot_of(queries + i * (dk + 1), keys + j * (dk + 1), dk);
        if (mask_buffer) s += ROW(mask, first + i)[from + j];
      }
      weights[e] = s;
    }
    SYNC;
    if (LANE < tile) {
      real best = top[LANE];
      for (int j = 0; j < n; ++j) best = fmax(best, weights[LANE * tile + j]);
      faded[LANE] = best == -INFINITY ? (real)1 : exp(top[LANE] - best);
      top[LANE] = best;
    }
    SYNC;
    for (int e = LANE; e < tile * tile; e += GROUP)
      weights[e] = weights[e] == -INFINITY ? (real)0 : exp(weights[e] - top[e / tile]);
    SYNC;
    if (LANE < tile) {
      real all = 0;
      for (int j = 0; j < n; ++j) all += weights[LANE * tile + j];
      total[LANE] = total[LANE] * faded[LANE] + all;
    }
    if (threshold != 0) {
      SYNC;
      for (int e = LANE; e < tile * tile; e += GROUP)
        weights[e] *= weight_factor(first + e / tile, from + e % tile, head, heads, MASKED);
      SYNC;
    }
    for (int e = LANE; e < count * dv; e += GROUP) {
      const int i = e / dv, c = e % dv;
      real add = 0;
      for (int j = 0; j < n; ++j) add += weights[i * tile + j] * values[j * (dv + 1) + c];
      sum[e] = sum[e] * faded[i] + add;
    }
  }
  SYNC;
  for (int e = LANE; e < count * dv; e += GROUP) {
    const int i = e / dv;
    ROW(out, first + i)[head * dv + e % dv] = total[i] > 0 ? sum[e] / total[i] : (real)0;
  }
  if (LANE < count) ROW(lse, first + LANE)[head] = total[LANE] > 0 ? top[LANE] + log(total[LANE]) : -INFINITY;
}

// [Nq, H]: the dot product of d_out and out of each head, which the gradients of the scores need.
KERNEL attention_products(MATRIX(out), MATRIX(d_out), MATRIX(products), int width, int dv) {
  ELEMENT;
  real sum = 0;
  for (int i = 0; i < dv; ++i) sum += ROW(out, row)[column * dv + i] * ROW(d_out, row)[column * dv + i];
  ROW(products, row)[column] = sum;
}

#define GRADIENTS MATRIX(lse), MATRIX(d_out), MATRIX(products)

// dq, by tiles of queries.
KERNEL attention_backward_queries(ATTENTION, GRADIENTS, HEADS(dq), local real *memory) {
  TILE;
  local real *queries = memory, *keys = queries + tile * (dk + 1), *values = keys + tile * (dk + 1);
  local real *outs = values + tile * (dv + 1), *slopes = outs + tile * (dv + 1), *sum = slopes + tile * tile;
  load_rows(queries, HEAD(q, first), q_stride, count, dk);
  load_rows(outs, ROW(d_out, first) + head * dv, d_out_stride, count, dv);
  for (int e = LANE; e < tile * dk; e += GROUP) sum[e] = 0;
  const int end = causal ? min(others, position + count) : others;
  for (int from = 0; from < end; from += tile) {
    const int n = min(tile, end - from);
    SYNC;
    load_rows(keys, HEAD(k, other + from), k_stride, n, dk);
    load_rows(values, HEAD(v, other + from), v_stride, n, dv);
    SYNC;
    for (int e = LANE; e < tile * tile; e += GROUP) {
      const int i = e / tile, j = e % tile;
      real slope = 0;
      if (i < count && j < n && (!causal || from + j <= position + i) && ROW(lse, first + i)[head] != -INFINITY) {
        real s = scale * dot_of(queries + i * (dk + 1), keys + j * (dk + 1), dk);
        if (mask_buffer) s += ROW(mask, first + i)[from + j];
        const real factor = weight_factor(first + i, from + j, head, heads, MASKED);
        const real d = factor * dot_of(outs + i * (dv + 1), values + j * (dv + 1), dv);
        slope = scale * exp(s - ROW(lse, first + i)[head]) * (d - ROW(products, first + i)[head]);
      }
      slopes[e] = slope;
    }
    SYNC;
    for (int e = LANE; e < count * dk; e += GROUP) {
      const int i = e / dk, c = e % dk;
      real add = 0;
      for (int j = 0; j < n; ++j) add += slopes[i * tile + j] * keys[j * (dk + 1) + c];
      sum[e] += add;
    }
  }
  SYNC;
  for (int e = LANE; e < count * dk; e += GROUP) HEAD(dq, first + e / dk)[e % dk] = sum[e];
}

// dk and dv, by tiles of keys.
KERNEL attention_backward_keys(ATTENTION, GRADIENTS, HEADS(gk), HEADS(gv), local real *memory) {
  TILE;
  local real *queries = memory, *keys = queries + tile * (dk + 1), *values = keys + tile * (dk + 1);
  local real *outs = values + tile * (dv + 1), *slopes = outs + tile * (dv + 1), *weights = slopes + tile * tile;
  local real *sum_k = weights + tile * tile, *sum_v = sum_k + tile * dk;
  load_rows(keys, HEAD(k, first), k_stride, count, dk);
  load_rows(values, HEAD(v, first), v_stride, count, dv);
  for (int e = LANE; e < tile * dk; e += GROUP) sum_k[e] = 0;
  for (int e = LANE; e < tile * dv; e += GROUP) sum_v[e] = 0;
  for (int from = causal ? position : 0; from < others; from += tile) {
    const int n = min(tile, others - from);
    SYNC;
    load_rows(queries, HEAD(q, other + from), q_stride, n, dk);
    load_rows(outs, ROW(d_out, other + from) + head * dv, d_out_stride, n, dv);
    SYNC;
    for (int e = LANE; e < tile * tile; e += GROUP) {
      const int i = e / tile, j = e % tile, query = other + from + i;
      real slope = 0, weight = 0;
      if (i < n && j < count && (!causal || position + j <= from + i) && ROW(lse, query)[head] != -INFINITY) {
        real s = scale * dot_of(queries + i * (dk + 1), keys + j * (dk + 1), dk);
        if (mask_buffer) s += ROW(mask, query)[position + j];
        const real factor = weight_factor(query, position + j, head, heads, MASKED);
        const real d = factor * dot_of(outs + i * (dv + 1), values + j * (dv + 1), dv);
        weight = exp(s - ROW(lse, query)[head]);
        slope = scale * weight * (d - ROW(products, query)[head]);
        weight *= factor;
      }
      slopes[e] = slope;
      weights[e] = weight;
    }
    SYNC;
    for (int e = LANE; e < count * dk; e += GROUP) {
      const int j = e / dk, c = e % dk;
      real add = 0;
      for (int i = 0; i < n; ++i) add += slopes[i * tile + j] * queries[i * (dk + 1) + c];
      sum_k[e] += add;
    }
    for (int e = LANE; e < count * dv; e += GROUP) {
      const int j = e / dv, c = e % dv;
      real add = 0;
      for (int i = 0; i < n; ++i) add += weights[i * tile + j] * outs[i * (dv + 1) + c];
      sum_v[e] += add;
    }
  }
  SYNC;
  for (int e = LANE; e < count * dk; e += GROUP) HEAD(gk, first + e / dk)[e % dk] = sum_k[e];
  for (int e = LANE; e < count * dv; e += GROUP) HEAD(gv, first + e / dv)[e % dv] = sum_v[e];
}

// Decoding: a group per query and head walks over the rows of the cache that the query sees, 128 at a time.
KERNEL attention_step(HEADS(q), HEADS(k), HEADS(v), OF(const int, index), int index_stride, OF(const int, lengths),
                      MATRIX(out), int heads, int dk, int dv, real scale, local real *memory) {
  local real part[GROUP];
  local int rows[GROUP];
  const int n = get_group_id(0) / heads, head = get_group_id(0) % heads, length = AT(lengths)[n];
  local real *query = memory, *weights = query + dk, *sum = weights + GROUP;
  for (int i = LANE; i < dk; i += GROUP) query[i] = HEAD(q, n)[i];
  for (int i = LANE; i < dv; i += GROUP) sum[i] = 0;
  real top = -INFINITY, total = 0;
  for (int from = 0; from < length; from += GROUP) {
    SYNC;
    real s = -INFINITY;
    if (from + LANE < length) {
      rows[LANE] = AT(index)[(ulong)n * index_stride + from + LANE];
      global const real *key = HEAD(k, rows[LANE]);
      real product = 0;
      for (int i = 0; i < dk; ++i) product += query[i] * key[i];
      s = scale * product;
    }
    const real best = fmax(top, group_max(part, s)), faded = exp(top - best);
    const real weight = from + LANE < length ? exp(s - best) : (real)0;
    weights[LANE] = weight;
    total = total * faded + group_sum(part, weight);
    top = best;
    for (int i = LANE; i < dv; i += GROUP) {
      real add = 0;
      for (int j = 0; j < min(GROUP, length - from); ++j) add += weights[j] * HEAD(v, rows[j])[i];
      sum[i] = sum[i] * faded + add;
    }
  }
  for (int i = LANE; i < dv; i += GROUP) ROW(out, n)[head * dv + i] = total > 0 ? sum[i] / total : (real)0;
}
