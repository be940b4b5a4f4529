// The tensors of the reader's sentence as matrices that know where their numbers come from.

// {name, rows, cols, at(i, j), is(i, j)}: `is` is the number's place as the tests look it up.
function whole(tensor) {
  const [rows, cols] = tensor.shape;
  return { name: tensor.name, rows, cols, at: (i, j) => tensor.values[i * cols + j], is: (i, j) => `T("${tensor.name}",${i},${j})` };
}

// The columns of one head: [n, h d] -> [n, d].
function columns_of(tensor, head, heads) {
  const all = whole(tensor), cols = all.cols / heads, from = head * cols;
  return { ...all, cols, at: (i, j) => all.at(i, from + j), is: (i, j) => all.is(i, from + j) };
}

// One head of [h, n, m].
function slice(tensor, head) {
  const [, rows, cols] = tensor.shape, from = head * rows * cols;
  const read = (i, j) => tensor.values[from + i * cols + j];
  return { name: tensor.name, rows, cols, at: (i, j) => read(i, j) ?? -Infinity, is: (i, j) => `T("${tensor.name}",${head},${i},${j})` };
}

export const row_of = (matrix, i) => Array.from({ length: matrix.cols }, (_, j) => matrix.at(i, j));
export const one_row = (matrix, i) => ({ ...matrix, rows: 1, at: (_, j) => matrix.at(i, j), is: (_, j) => matrix.is(i, j) });
// The same matrix with f applied to each number; is_f writes what f does.
export const mapped = (matrix, f, is_f) => ({ ...matrix, name: "", at: (i, j) => f(matrix.at(i, j), i, j), is: (i, j) => is_f(matrix.is(i, j), i, j) });
export const values_of = (matrix) => Array.from({ length: matrix.rows * matrix.cols }, (_, k) => matrix.at(Math.floor(k / matrix.cols), k % matrix.cols));
export const list_is = (matrix, i) => `[${row_of(matrix, i).map((_, j) => matrix.is(i, j)).join(",")}]`;

export const mean = (all) => all.reduce((sum, x) => sum + x, 0) / all.length;
export const deviation = (all) => Math.sqrt(mean(all.map((x) => (x - mean(all)) ** 2)));
export const length_of = (all) => Math.sqrt(all.reduce((sum, x) => sum + x * x, 0));
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export function softmax(all) {
  const most = Math.max(...all), powers = all.map((x) => Math.exp(x - most)), total = powers.reduce((sum, x) => sum + x, 0);
  return powers.map((x) => x / total);
}
// The indices of the k largest numbers, largest first.
export const largest = (all, k) => [...all.keys()].sort((a, b) => all[b] - all[a]).slice(0, k);

// A number with so many digits after its point, and a real minus sign.
export function plain(value, digits = 3) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = Math.abs(value) >= 1e6 ? value.toExponential(digits) : value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replaceAll("-", "−").replace("e+", "e");
}

const clamp = (value, most) => Math.min(Math.max(Math.trunc(Number(value)) || 1, 1), Math.max(most, 1)) - 1;

// The state's choices count from 1; those of a scene from 0. An unknown or bad choice is the first.
export function scene(answer, state) {
  const info = new Map(answer.names.map((one) => [one.name, one]));
  const shape = (name) => info.get(name)?.shape ?? [];
  const layers = (stack) => 1 + Math.max(-1, ...answer.names.map(({ name }) => Number(name.match(new RegExp(`^${stack}\\.layers\\.(\\d+)\\.`))?.[1] ?? -1)));
  const heads_of = (scope) => shape(`${scope}.weights`)[0] ?? 0;
  const tensor = (name) => ({ name, ...answer.tensors[name] });
  return {
    answer, source: answer.source_tokens, target: answer.target_tokens,
    has: (name) => info.has(name), given: (...names) => names.every((name) => name in answer.tensors),
    formula: (name) => info.get(name)?.formula ?? "", shape, layers, heads_of,
    layer: (stack) => clamp(state.tlayer, layers(stack)), head: (scope) => clamp(state.thead, heads_of(scope)),
    pick: (key, most) => clamp(state[key], most),
    matrix: (name) => whole(tensor(name)), of_head: (name, head, heads) => columns_of(tensor(name), head, heads), map: (name, head) => slice(tensor(name), head),
  };
}

// The name of the tensor that a sublayer reads: "norm of the sublayer before", or its own norm.
export function read_by(c, stack, layer, sublayer) {
  const said = c.formula(`${stack}.layers.${layer}.${sublayer}`);
  if (said.includes("x: norm of the same sublayer")) return `${stack}.layers.${layer}.${sublayer.split(".")[0]}.norm`;
  return layer === 0 ? `${stack}.${said.match(/of the first one (\S+)/)?.[1] ?? "embedded"}` : `${stack}.layers.${layer - 1}.feed_forward.norm`;
}
