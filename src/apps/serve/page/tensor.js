// One tensor as a heat map, labeled with tokens, and statistics of its rows.
import { chart } from "./chart.js";
import { h, labeled, number, piece, replace, scrolling, select } from "./dom.js";
import { legend, matrix, matrix_svg, scale_of } from "./matrix.js";
import { save_buttons } from "./save.js";
import { t } from "./texts.js";

const numbers_to = (n) => Array.from({ length: n }, (_, i) => String(i));

// The tokens of the side that a tensor's rows belong to.
function tokens_of(name, seen) {
  const of_source = name.startsWith("encoder.") || /\.cross_attention\.(k|v)$/.test(name);
  return of_source ? seen.source_tokens : seen.target_tokens;
}

function labels(name, shape, seen) {
  const [rows, columns] = shape.length === 3 ? shape.slice(1) : [shape.length > 1 ? shape[0] : 1, shape.at(-1) ?? 1];
  const own = tokens_of(name, seen), keys = name.includes(".cross_attention.") ? seen.source_tokens : own;
  const between_tokens = shape.length === 3 || name === "decoder.mask";
  return { rows: own.length === rows ? own : numbers_to(rows),
    columns: between_tokens && keys.length === columns ? keys : numbers_to(columns), named: between_tokens && keys.length === columns };
}

function map_of(tensor, seen, head) {
  const { rows, columns, named } = labels(tensor.name, tensor.shape, seen);
  const size = rows.length * columns.length, from = tensor.shape.length === 3 ? head * size : 0;
  const values = tensor.values.slice(from, from + size);
  return { title: tensor.shape.length === 3 ? `${tensor.name}, ${t("head", { n: head + 1 })}` : tensor.name, rows, columns, values,
    masked: values.map((v) => v === null), scale: scale_of(values), column_labels: named, row_title: t("row"), column_title: t("column") };
}

export function tensor_view(tensor, seen) {
  if (tensor.shape.length === 0 || tensor.values.length === 1)
    return h("p", { class: "scalar" }, h("code", {}, tensor.name), ` = ${number(tensor.values[0])}`);
  const place = h("div"), heads = tensor.shape.length === 3 ? tensor.shape[0] : 1;
  const show = (head) => {
    const map = map_of(tensor, seen, head);
    replace(place, matrix(map), legend(map.scale, map.masked.some(Boolean)),
      save_buttons(tensor.name, () => matrix_svg(map), () => ({ ...tensor, head, rows: map.rows })), row_table(map));
  };
  show(0);
  return h("div", { class: "tensor" }, heads > 1 && h("div", { class: "controls no-print" },
    labeled(t("head_choice"), select(numbers_to(heads).map((i) => [i, Number(i) + 1]), 0, (i) => show(Number(i))))), place);
}

// {mean, deviation, low, high} of a row's finite numbers.
function statistics(values) {
  const known = values.filter((v) => v !== null), n = known.length || 1;
  const mean = known.reduce((sum, v) => sum + v, 0) / n;
  const variance = known.reduce((sum, v) => sum + (v - mean) ** 2, 0) / n;
  return { mean, deviation: Math.sqrt(variance), low: Math.min(...known), high: Math.max(...known) };
}

export function rows_of({ shape, values }) {
  const columns = shape.at(-1);
  return Array.from({ length: values.length / columns }, (_, r) => statistics(values.slice(r * columns, (r + 1) * columns)));
}

function row_table(map) {
  const all = rows_of({ shape: [map.rows.length, map.columns.length], values: map.values });
  const heads = ["row", "mean", "deviation", "least", "largest"].map((name) => h("th", { scope: "col" }, t(name)));
  const rows = all.map((s, r) => h("tr", {}, h("th", { scope: "row", class: "piece" }, piece(map.rows[r])),
    [s.mean, s.deviation, s.low, s.high].map((v) => h("td", { class: "n" }, number(v)))));
  return h("details", {}, h("summary", {}, t("rows_in_numbers")), scrolling(t("rows_in_numbers"),
    h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows))));
}

// The effect of a norm: the standard deviation of each row before and after it.
export function norm_chart(sum, norm) {
  if (!sum || !norm) return null;
  const series = (name, tensor) => ({ name, marked: true, points: rows_of(tensor).map((s, i) => [i, s.deviation]) });
  return chart({ title: t("norm_chart"), x_label: t("position"), series: [series(t("before_norm"), sum), series(t("after_norm"), norm)] });
}

// A few of the sinusoids, from high to low frequency.
export function position_chart({ shape, values }) {
  const [positions, width] = shape, chosen = [0, 1, 2].map((i) => 2 * Math.round(i * width / 12));
  const series = chosen.map((d) => ({ name: t("dimension", { n: d }), marked: positions < 40,
    points: Array.from({ length: positions }, (_, p) => [p, values[p * width + d]]) }));
  return chart({ title: t("position_chart"), x_label: t("position"), series });
}
