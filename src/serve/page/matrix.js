// A heat map, readable by mouse or arrow keys, and the same numbers as a table for screen readers.
import { fresh_id, h, number, piece_text, svg } from "./dom.js";
import { state } from "./state.js";
import { t } from "./texts.js";

const MOST_SVG = 60;          // rows or columns; larger matrices use a canvas
const MOST_COLUMNS = 1200;    // pixels of a canvas
const MOST_IN_TABLE = 20000;  // numbers
const DRAWING_WIDTH = 560;    // pixels, if the window is wide enough

export const is_dark = () => state.theme === "dark" || (state.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);

// Background and colors of the largest values, one for each sign.
const RAMPS = {
  light: { ground: [255, 255, 255], up: [13, 71, 130], down: [166, 75, 6], ink: "#1b1f24", faint: "#59626d", line: "#d3d9e0" },
  dark: { ground: [28, 33, 39], up: [150, 202, 255], down: [255, 183, 120], ink: "#e6e9ed", faint: "#a2acb8", line: "#3a424c" },
};
export const palette = () => RAMPS[is_dark() ? "dark" : "light"];

const mix = (a, b, share) => a.map((x, i) => Math.round(x + (b[i] - x) * share));

// scale: {low, high}; 0 has the background color. Grows faster at first, so that small values are
// visible.
export function color_of(value, scale) {
  const { ground, up, down } = palette();
  const limit = Math.max(Math.abs(scale.low), Math.abs(scale.high)) || 1;
  const share = Math.min(Math.abs(value) / limit, 1) ** 0.75;
  return mix(ground, value < 0 ? down : up, share);
}

export const rgb = ([r, g, b]) => `rgb(${r},${g},${b})`;
const is_strong = (value, scale) => Math.abs(value) > 0.45 * Math.max(Math.abs(scale.low), Math.abs(scale.high));

export function scale_of(values) {
  let low = 0, high = 0;
  for (const v of values) if (v !== null && Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  return { low, high };
}

// The positions of all parts in pixels.
function layout(m) {
  const rows = m.rows.length, columns = m.columns.length;
  const room = Math.max(240, Math.min(DRAWING_WIDTH, innerWidth - 120));
  const width = Math.min(Math.max(room / columns, m.numbers ? 34 : 1), 40);
  const height = Math.min(Math.max(420 / rows, m.numbers ? 18 : 11), Math.max(18, Math.min(width, 30)));
  const font = Math.min(13, Math.max(9, 0.75 * Math.min(height, 16)));
  const widest = (labels) => Math.min(140, 10 + font * 0.64 * Math.max(0, ...labels.map((l) => [...piece_text(l)].length)));
  const left = m.row_labels === false ? 8 : widest(m.rows);
  const below = m.column_labels === false || width < 9 ? 8 : widest(m.columns);
  return { width, height, font, left, below, all_width: left + columns * width + 12, all_height: rows * height + below + 6 };
}

function label(text, attributes) {
  const shown = piece_text(text), short = shown.length > 18 ? `${shown.slice(0, 17)}…` : shown;
  const blank = short.startsWith("▁") && short.length > 1 && svg("tspan", { fill: palette().faint, "fill-opacity": 0.6 }, "▁");
  return svg("text", { fill: palette().ink, ...attributes }, blank, blank ? short.slice(1) : short);
}

function hatch() {
  const id = fresh_id("masked");
  const pattern = svg("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
    svg("path", { d: "M0 6L6 0", stroke: palette().faint, "stroke-width": 1 }));
  return { pattern, fill: `url(#${id})` };
}

const is_masked = (m, i) => m.values[i] === null || Boolean(m.masked?.[i]);

// An <svg> with explicit colors, so that it can be saved.
export function matrix_svg(m) {
  const at = layout(m), { pattern, fill } = hatch(), scale = m.scale ?? scale_of(m.values);
  const drawing = svg("svg", { width: at.all_width, height: at.all_height, viewBox: `0 0 ${at.all_width} ${at.all_height}`,
    "font-family": "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif", "font-size": at.font, "aria-hidden": "true" }, svg("defs", {}, pattern));
  m.rows.forEach((_, r) => m.columns.forEach((__, c) => drawing.append(...cell(m, r, c, { at, fill, scale }))));
  drawing.append(svg("rect", { x: at.left, y: 0.5, width: m.columns.length * at.width, height: m.rows.length * at.height,
    fill: "none", stroke: palette().line }));
  if (m.row_labels !== false)
    m.rows.forEach((text, r) => drawing.append(label(text,
      { "data-row": r, x: at.left - 5, y: (r + 0.5) * at.height + at.font * 0.36, "text-anchor": "end" })));
  if (at.below > 8)
    m.columns.forEach((text, c) => drawing.append(column_label(text, at, c, m.rows.length)));
  return drawing;
}

function column_label(text, at, c, rows) {
  const x = at.left + (c + 0.5) * at.width + at.font * 0.36, y = rows * at.height + 6;
  return label(text, { "data-column": c, x, y, "text-anchor": "end", transform: `rotate(-90 ${x} ${y})` });
}

function cell(m, r, c, { at, fill, scale }) {
  const i = r * m.columns.length + c, value = m.values[i], masked = is_masked(m, i);
  const x = at.left + c * at.width, y = r * at.height;
  const box = svg("rect", { x, y, width: at.width, height: at.height, fill: masked ? fill : rgb(color_of(value, scale)) });
  if (!m.numbers || masked) return [box];
  const ink = is_strong(value, scale) ? (is_dark() ? "#101418" : "#ffffff") : palette().ink;
  return [box, svg("text", { x: x + at.width / 2, y: y + at.height / 2 + 3.5, "text-anchor": "middle", "font-size": 10, fill: ink },
    Math.abs(value) < 0.005 ? "0" : number(value, 2))];
}

// An image with one pixel per cell, which the browser enlarges.
export function pixels(m, canvas = h("canvas")) {
  const columns = m.columns.length, rows = m.rows.length, scale = m.scale ?? scale_of(m.values);
  canvas.width = columns;
  canvas.height = rows;
  const image = new ImageData(columns, rows), faint = mix(palette().ground, [128, 128, 128], 0.35);
  for (let i = 0; i < rows * columns; ++i) {
    const hatched = is_masked(m, i) && (Math.floor(i / columns) + i % columns) % 2 === 0;
    const color = is_masked(m, i) ? (hatched ? faint : palette().ground) : color_of(m.values[i], scale);
    image.data.set([...color, 255], 4 * i);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

function matrix_canvas(m) {
  const at = layout(m), canvas = pixels(m, h("canvas", { class: "pixels", "aria-hidden": "true" }));
  canvas.style.setProperty("width", `${m.columns.length * at.width}px`);
  canvas.style.setProperty("height", `${m.rows.length * at.height}px`);
  canvas.style.setProperty("margin-left", `${at.left}px`);
  const names = h("div", { class: "row-names", "aria-hidden": "true" });
  if (m.row_labels !== false && at.height >= 9)
    m.rows.forEach((text, r) => names.append(h("span", { style: { top: `${r * at.height}px`, height: `${at.height}px`,
      width: `${at.left - 5}px`, "line-height": `${at.height}px`, "font-size": `${at.font}px` } }, piece_text(text))));
  return h("div", { class: "canvas-box" }, names, canvas);
}

function hidden_table(m) {
  const head = h("tr", {}, h("td"), m.columns.map((c) => h("th", { scope: "col" }, piece_text(c))));
  const body = m.rows.map((name, r) => h("tr", {}, h("th", { scope: "row" }, piece_text(name)), m.columns.map((_, c) => {
    const i = r * m.columns.length + c;
    return h("td", {}, is_masked(m, i) ? t("masked") : number(m.values[i], 4));
  })));
  return h("div", { class: "visually-hidden" },
    h("table", {}, h("caption", {}, m.title), h("thead", {}, head), h("tbody", {}, body)));
}

// Pools wide matrices: each cell is the extreme value of several columns.
function pooled(m) {
  const columns = m.columns.length, group = Math.ceil(columns / MOST_COLUMNS);
  if (group === 1) return m;
  const kept = Math.ceil(columns / group), values = [];
  for (let r = 0; r < m.rows.length; ++r)
    for (let k = 0; k < kept; ++k) {
      let extreme = 0;
      for (let c = k * group; c < Math.min((k + 1) * group, columns); ++c) {
        const v = m.values[r * columns + c];
        if (v !== null && Math.abs(v) >= Math.abs(extreme)) extreme = v;
      }
      values.push(extreme);
    }
  const names = Array.from({ length: kept }, (_, k) => `${k * group}–${Math.min((k + 1) * group, columns) - 1}`);
  return { ...m, values, columns: names, masked: null, note: t("pooled", { n: group }) };
}

const KEYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -1e9], End: [0, 1e9] };

// The frame around one cell, moved by mouse and keys, and the text that reads out its value.
function cursor(m, box, readout) {
  const at = layout(m), frame = h("div", { class: "cursor", hidden: true });
  const place = { row: 0, column: 0 };
  const clamp = (v, n) => Math.min(Math.max(v, 0), n - 1);
  const show = (row, column) => {
    Object.assign(place, { row: clamp(row, m.rows.length), column: clamp(column, m.columns.length) });
    frame.hidden = false;
    for (const [key, value] of Object.entries({ left: at.left + place.column * at.width, top: place.row * at.height,
      width: at.width, height: at.height })) frame.style.setProperty(key, `${value}px`);
    for (const [name, index] of [["row", place.row], ["column", place.column]])
      box.querySelectorAll(`text[data-${name}]`).forEach((text) => text.classList.toggle("here", Number(text.dataset[name]) === index));
    readout.textContent = read_cell(m, place.row, place.column);
  };
  box.addEventListener("keydown", (event) => {
    const step = KEYS[event.key];
    if (!step || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (frame.hidden) show(place.row, place.column);
    else show(place.row + step[0], place.column + step[1]);
    frame.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  box.addEventListener("focus", () => show(place.row, place.column));
  box.addEventListener("mousemove", (event) => {
    const inside = box.getBoundingClientRect();
    const column = Math.floor((event.clientX - inside.left + box.scrollLeft - at.left) / at.width);
    const row = Math.floor((event.clientY - inside.top + box.scrollTop) / at.height);
    if (row >= 0 && column >= 0 && row < m.rows.length && column < m.columns.length) show(row, column);
  });
  return frame;
}

function read_cell(m, row, column) {
  const i = row * m.columns.length + column;
  const value = is_masked(m, i) ? t("masked") : number(m.values[i], 4);
  return `${m.row_title ?? t("row")} ${piece_text(m.rows[row])} → ${m.column_title ?? t("column")} ${piece_text(m.columns[column])}: ${value}`;
}

// m: {title, rows, columns (labels), values (row-major, null: masked), masked?, scale?, numbers?,
// row_title?, column_title?, row_labels?, column_labels?}
export function matrix(given) {
  const m = pooled({ ...given, numbers: given.numbers && given.columns.length <= 40 });
  const readout = h("p", { class: "readout", role: "status" }, t("matrix_keys"));
  const large = m.rows.length > MOST_SVG || m.columns.length > MOST_SVG;
  const box = h("div", { class: "matrix", tabindex: "0", role: "application", "aria-roledescription": t("matrix"),
    "aria-label": `${m.title}. ${t("matrix_size", { rows: m.rows.length, columns: m.columns.length })}` },
    large ? matrix_canvas(m) : matrix_svg(m));
  box.append(cursor(m, box, readout));
  return h("figure", { class: "matrix-figure", "aria-label": m.title }, h("figcaption", {}, m.title, m.note && h("span", { class: "faint" }, ` ${m.note}`)),
    box, readout, m.rows.length * m.columns.length <= MOST_IN_TABLE && hidden_table(m));
}

// A color bar from the smallest to the largest value.
export function legend(scale, masked) {
  const steps = 24, low = Math.min(scale.low, 0), high = scale.high;
  const bar = svg("svg", { width: 120, height: 12, "aria-hidden": "true" }, Array.from({ length: steps }, (_, i) =>
    svg("rect", { x: i * 5, y: 0, width: 5.5, height: 12, fill: rgb(color_of(low + (high - low) * (i / (steps - 1)), scale)) })));
  const { pattern, fill } = hatch();
  return h("p", { class: "legend" }, number(low, 2), bar, number(high, 2), masked && svg("svg", { width: 14, height: 12, class: "hatched", "aria-hidden": "true" },
    svg("defs", {}, pattern), svg("rect", { width: 14, height: 12, fill, stroke: palette().line })), masked && t("masked"));
}
