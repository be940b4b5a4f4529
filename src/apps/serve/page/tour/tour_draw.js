// The pictures of the tour: heat maps, strips of one row, bars and tokens.
import { h, piece, piece_text, roving } from "../dom.js";
import { color_of, pixels, rgb, scale_of } from "../matrix.js";
import { plain, values_of } from "./tour_data.js";
import { t } from "../texts.js";

// A number with its origin; see val() in tour_math.js.
export const shown = (value, is, digits = 3) => h("span", { class: "val", "data-value": String(value), "data-is": is }, plain(value, digits));

const percent = (share) => `${100 * share}%`;

function frame(matrix, row, column) {
  const box = h("div", { class: "tour-frame" });
  const all_rows = row === undefined, all_columns = column === undefined;
  const place = { left: all_columns ? 0 : column / matrix.cols, top: all_rows ? 0 : row / matrix.rows, width: all_columns ? 1 : 1 / matrix.cols, height: all_rows ? 1 : 1 / matrix.rows };
  for (const [key, share] of Object.entries(place)) box.style.setProperty(key, percent(share));
  return box;
}

function place_of(event, canvas, matrix) {
  const box = canvas.getBoundingClientRect();
  const index = (share, n) => Math.min(Math.max(Math.floor(share * n), 0), n - 1);
  return [index((event.clientY - box.top) / box.height, matrix.rows), index((event.clientX - box.left) / box.width, matrix.cols)];
}

// High enough for its name, if a row has one.
const NAME = 10, MOST_NAMED = 40;  // pixels, rows
export const row_height = (rows, most, named) => Math.max(named && rows <= MOST_NAMED ? NAME : 3, Math.min(most, 230 / rows));

// "√d_k" and "␣" as they are typeset.
export function typeset(text) {
  return text.split(/(√?[A-Za-z]_(?:model|[a-zA-Z]\b)|␣)/).map((part, i) => (i % 2 === 0 ? part : part === "␣" ? h("span", { class: "blank" }, part) : h("i", {}, part.split("_")[0], h("sub", {}, part.split("_")[1]))));
}

// given: {sym, title, row_names?, column_names?, row?, column?, scale?, pick(row, column)?, most?,
// square?, note?, height?}. Pointing at a cell reads its number; a click chooses it.
export function grid(matrix, given) {
  const height = given.height ?? row_height(matrix.rows, given.most ?? 17, given.row_names);
  const map = { rows: Array(matrix.rows).fill(""), columns: Array(matrix.cols).fill(""), values: values_of(matrix).map((v) => (v === -Infinity ? null : v)) };
  map.scale = given.scale ?? scale_of(map.values);
  const canvas = pixels(map, h("canvas", { class: "pixels", role: "img", "aria-label": `${given.title}. ${t("tour_size", { rows: matrix.rows, columns: matrix.cols })}` }));
  const area = h("div", { class: "tour-area" }, canvas, (given.row !== undefined || given.column !== undefined) && frame(matrix, given.row, given.column));
  area.style.setProperty("height", `${height * matrix.rows}px`);
  const readout = h("span", { class: "tour-cell", "aria-hidden": "true" });
  const name = (names, i) => (names ? piece_text(names[i]) : i + 1);
  canvas.addEventListener("mousemove", (event) => {
    const [i, j] = place_of(event, canvas, matrix), value = matrix.at(i, j);
    readout.textContent = `${name(given.row_names, i)} · ${name(given.column_names, j)}: ${plain(value, 4)}`;
  });
  canvas.addEventListener("mouseleave", () => { readout.textContent = ""; });
  if (given.pick) canvas.addEventListener("click", (event) => given.pick(...place_of(event, canvas, matrix)));
  const figure = h("figure", { class: `tour-grid${given.square ? " square" : ""}${given.pick ? " picks" : ""}`, "data-sym": given.sym },
    h("figcaption", {}, h("span", {}, typeset(given.title)), h("small", {}, ` ${matrix.rows} × ${matrix.cols} `), given.note && h("small", { class: "faint" }, given.note), readout),
    h("div", { class: "tour-body" }, given.row_names && height >= 9 && row_names(given, height), area),
    given.column_names && column_names(given, matrix));
  figure.cells = () => values_of(matrix).map((value, k) => [matrix.is(Math.floor(k / matrix.cols), k % matrix.cols), value]);
  return figure;
}

function row_names(given, height) {
  const names = h("div", { class: "tour-rows", "aria-hidden": "true" }, given.row_names.map((text, i) => h("span", { class: i === given.row ? "here" : "" }, piece(text))));
  names.style.setProperty("--height", `${height}px`);
  return names;
}

const column_names = (given, matrix) => matrix.cols <= 40 && h("div", { class: `tour-columns${given.row_names ? " after-rows" : ""}`, "aria-hidden": "true" },
  given.column_names.map((text, j) => h("span", { class: j === given.column ? "here" : "" }, piece(text))));

// One row, as high as a finger.
export const strip = (matrix, given) => grid(matrix, { most: 18, ...given });

const MOST_AIRY = 14;  // bars

// all: [{name, value, is, width (0 to 1), lit, after?}]; pick(i) makes the rows buttons.
export function bars(all, { label, pick, digits = 3, columns, wide }) {
  const one = (bar, i) => {
    const fill = h("span", { class: `tour-fill${bar.value < 0 ? " negative" : ""}` });
    fill.style.setProperty("width", percent(Math.min(Math.max(bar.width, 0), 1)));
    const inside = [h("span", { class: "tour-name" }, bar.name), h("span", { class: "tour-track", "aria-hidden": "true" }, fill), bar.before, shown(bar.value, bar.is, bar.digits ?? digits), bar.after];
    return h("li", { class: bar.lit ? "lit-row" : "", "data-sym": bar.sym },
      pick ? h("button", { type: "button", class: "tour-bar", "aria-pressed": String(Boolean(bar.lit)), onclick: () => pick(i) }, inside) : h("span", { class: "tour-bar" }, inside));
  };
  const list = h("ol", { class: `tour-bars${columns ? " two-columns" : ""}${wide ? " wide-names" : ""}${all.length > MOST_AIRY ? " dense" : ""}`, "aria-label": label }, all.map(one));
  const buttons = [...list.querySelectorAll("button")];
  if (buttons.length) roving(buttons, true);
  return list;
}

// Tokens as buttons; the chosen one is pressed. weights: tints.
export function chips(tokens, { label, chosen, pick, weights, id }) {
  const all = tokens.map((text, i) => {
    const chip = h("button", { type: "button", class: "tour-chip", "aria-pressed": String(i === chosen), "aria-label": `${i + 1}: ${piece_text(text)}`, onclick: () => pick(i) }, piece(text), h("small", {}, i + 1));
    if (weights) chip.style.setProperty("background-color", rgb(color_of(weights[i], { low: 0, high: Math.max(...weights) * 1.6 })));
    return chip;
  });
  roving(all);
  all.forEach((chip, i) => { chip.tabIndex = i === Math.max(chosen, 0) ? 0 : -1; });
  return h("div", { class: "tour-chips", role: "group", "aria-label": label, id }, h("span", { class: "tour-label", "aria-hidden": "true" }, label), all);
}

export const scale_for = (...matrices) => scale_of(matrices.flatMap(values_of));
export const beside = (...parts) => h("div", { class: "tour-beside" }, ...parts);
export const sign = (text) => h("span", { class: "tour-sign", "aria-hidden": "true" }, text);
