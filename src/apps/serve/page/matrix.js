// A heat map, readable by mouse or arrow keys, and the same numbers as a table for screen readers.
import { decimals, fresh_id, h, number, piece_parts, piece_text, replace, svg } from "./dom.js";
import { state } from "./state.js";
import { t } from "./texts.js";

const MOST_SVG = 60;          // rows or columns; larger matrices use a canvas
const MOST_COLUMNS = 512;     // drawn, if they have no names
const MOST_IN_TABLE = 20000;  // numbers
const SAVED_WIDTH = 640, NUMBER_WIDTH = 38, SMALL = 9, LARGE = 13;  // pixels: a file's drawing, a cell with a number, the smallest and the largest letters

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

const between = (value, low, high) => Math.min(Math.max(value, low), high);

// The sizes of all parts in pixels, if the drawing may be `room` wide. Cells with labels or numbers
// stay wide enough to be read: then the drawing may be wider.
function layout(m, room) {
  const rows = m.rows.length, columns = m.columns.length, labeled = m.column_labels !== false;
  const most_left = Math.min(140, room / 3);
  const left_for = (font) => (m.row_labels === false ? 8 : Math.min(most_left, widest(m.rows, font)));
  const share_beside = (font) => (room - left_for(font) - 2) / columns, share = share_beside(SMALL);
  const numbers = m.numbers === "fit" ? share_beside(LARGE) >= NUMBER_WIDTH : Boolean(m.numbers);
  const tall = between(420 / rows, numbers ? 18 : 11, Math.max(18, Math.min(share, 30)));
  const font = between(0.75 * tall, SMALL, LARGE), left = left_for(font);
  const width = between((room - left - 2) / columns, numbers ? NUMBER_WIDTH : labeled ? 11 : 0, 44);
  const height = Math.min(tall, Math.max(18, width)), below = labeled ? widest(m.columns, Math.min(font, width)) : 8;
  return { width, height, font, left, below, numbers, cells_width: columns * width, cells_height: rows * height };
}

export const widest = (labels, font) => Math.min(140, 10 + font * 0.62 * Math.max(0, ...labels.map((l) => Math.min([...piece_text(l)].length, 18))));

// A piece in a drawing, cut to `most` letters.
export function label(text, attributes, most = 18) {
  const shown = [...piece_text(text)], short = shown.length > most ? `${shown.slice(0, most - 1).join("")}…` : shown.join("");
  return svg("text", { fill: palette().ink, ...attributes }, piece_parts(short).map(({ part, blank }) =>
    (blank ? svg("tspan", { fill: palette().faint }, part) : part)));
}

function hatch() {
  const id = fresh_id("masked");
  const pattern = svg("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
    svg("path", { d: "M0 6L6 0", stroke: palette().faint, "stroke-width": 1 }));
  return { pattern, fill: `url(#${id})` };
}

const is_masked = (m, i) => m.values[i] === null || Boolean(m.masked?.[i]);

const FONT = { "font-family": "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif", "aria-hidden": "true" };
const drawing_of = (width, height, ...parts) => svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, ...FONT }, ...parts);

// An <svg> with explicit colors, so that it can be saved.
export function matrix_svg(m) {
  const at = layout(m, SAVED_WIDTH);
  return drawing_of(at.left + at.cells_width + 2, at.cells_height + at.below + 4, cells(m, at, at.left),
    row_names(m, at, at.left - 5), column_names(m, at, at.left, at.cells_height + 6));
}

function cells(m, at, x) {
  const { pattern, fill } = hatch(), scale = m.scale ?? scale_of(m.values);
  return [svg("defs", {}, pattern), m.rows.map((_, r) => m.columns.map((__, c) => cell(m, r, c, { at, x, fill, scale }))),
    svg("rect", { x: x + 0.5, y: 0.5, width: at.cells_width - 1, height: at.cells_height - 1, fill: "none", stroke: palette().line })];
}

function row_names(m, at, x) {
  if (m.row_labels === false) return [];
  return m.rows.map((text, r) => label(text,
    { "data-row": r, x, y: (r + 0.5) * at.height + at.font * 0.36, "text-anchor": "end", "font-size": at.font }));
}

function column_names(m, at, left, y) {
  if (m.column_labels === false) return [];
  const size = Math.min(at.font, at.width);
  return m.columns.map((text, c) => {
    const x = left + (c + 0.5) * at.width + size * 0.36;
    return label(text, { "data-column": c, x, y, "text-anchor": "end", "font-size": size, transform: `rotate(-90 ${x} ${y})` });
  });
}

function cell(m, r, c, { at, x: left, fill, scale }) {
  const i = r * m.columns.length + c, value = m.values[i], masked = is_masked(m, i);
  const x = left + c * at.width, y = r * at.height;
  const box = svg("rect", { x, y, width: at.width, height: at.height, fill: masked ? fill : rgb(color_of(value, scale)) });
  if (!at.numbers || masked) return [box];
  const ink = is_strong(value, scale) ? (is_dark() ? "#101418" : "#ffffff") : palette().ink;
  return [box, svg("text", { x: x + at.width / 2, y: y + at.height / 2 + 3.5, "text-anchor": "middle", "font-size": 10, fill: ink },
    Math.abs(value) < 0.0005 ? "0" : decimals(value))];
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

function cells_of(m, at) {
  if (m.rows.length <= MOST_SVG && m.columns.length <= MOST_SVG) return drawing_of(at.cells_width, at.cells_height, cells(m, at, 0));
  const canvas = pixels(m, h("canvas", { class: "pixels", "aria-hidden": "true" }));
  canvas.style.setProperty("width", `${at.cells_width}px`);
  canvas.style.setProperty("height", `${at.cells_height}px`);
  return canvas;
}

// The names stay in sight while the cells scroll.
function parts(m, at) {
  return [h("div", { class: "row-names" }, drawing_of(at.left, at.cells_height, row_names(m, at, at.left - 5))), cells_of(m, at),
    h("div", { class: "corner" }), h("div", { class: "column-names" }, drawing_of(at.cells_width, at.below, column_names(m, at, 0, 6)))];
}

// Calls draw(width) whenever the width of the element around the ruler changes, before it is painted.
export function ruler(draw) {
  const line = h("div"), seen = { width: 0 };
  new ResizeObserver(() => {
    const { width } = line.getBoundingClientRect();
    if (width === 0 || Math.abs(width - seen.width) < 1) return;
    seen.width = width;
    draw(width);
  }).observe(line);
  return line;
}

function hidden_table(m) {
  const head = h("tr", {}, h("td"), m.columns.map((c) => h("th", { scope: "col" }, piece_text(c))));
  const body = m.rows.map((name, r) => h("tr", {}, h("th", { scope: "row" }, piece_text(name)), m.columns.map((_, c) => {
    const i = r * m.columns.length + c;
    return h("td", {}, is_masked(m, i) ? t("masked") : number(m.values[i]));
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

// The frame around one cell, moved by mouse and keys, and the text that reads out its value. at():
// the sizes.
function cursor(m, box, at, readout) {
  const frame = h("div", { class: "cursor", hidden: true });
  const place = { row: 0, column: 0 };
  const mark = () => {
    for (const [name, index] of [["row", place.row], ["column", place.column]])
      box.querySelectorAll(`text[data-${name}]`).forEach((text) => text.classList.toggle("here", !frame.hidden && Number(text.dataset[name]) === index));
  };
  const show = (row, column) => {
    Object.assign(place, { row: between(row, 0, m.rows.length - 1), column: between(column, 0, m.columns.length - 1) });
    frame.hidden = false;
    const { left, width, height } = at();
    for (const [key, value] of Object.entries({ left: left + place.column * width, top: place.row * height, width, height }))
      frame.style.setProperty(key, `${value}px`);
    mark();
    readout.textContent = read_cell(m, place.row, place.column);
  };
  const hide = () => {
    frame.hidden = true;
    mark();
    readout.textContent = t("matrix_keys");
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
  box.addEventListener("blur", hide);
  box.addEventListener("mouseleave", () => (box.matches(":focus-visible") ? show(place.row, place.column) : hide()));
  box.addEventListener("mousemove", (event) => {
    const inside = box.getBoundingClientRect(), { left, below, width, height } = at();
    if (event.clientX - inside.left < left || event.clientY - inside.top > box.clientHeight - below) return;  // a name
    const column = Math.floor((event.clientX - inside.left + box.scrollLeft - left) / width);
    const row = Math.floor((event.clientY - inside.top + box.scrollTop) / height);
    if (row >= 0 && column >= 0 && row < m.rows.length && column < m.columns.length) show(row, column);
  });
  return frame;
}

function read_cell(m, row, column) {
  const i = row * m.columns.length + column;
  const value = is_masked(m, i) ? t("masked") : number(m.values[i]);
  return `${m.row_title ?? t("row")} ${piece_text(m.rows[row])} → ${m.column_title ?? t("column")} ${piece_text(m.columns[column])}: ${value}`;
}

// m: {title, rows, columns (labels), values (row-major, null: masked), masked?, scale?, numbers?
// (true, or "fit": if there is room), row_title?, column_title?, row_labels?, column_labels?}. As wide
// as the place that it gets; wider drawings scroll inside.
export function matrix(given) {
  const m = pooled({ ...given, numbers: given.columns.length <= 40 && given.numbers });
  const readout = h("p", { class: "readout", role: "status" }, t("matrix_keys"));
  const box = h("div", { class: "matrix", tabindex: "0", role: "application", "aria-roledescription": t("matrix"),
    "aria-label": `${m.title}. ${t("matrix_size", { rows: m.rows.length, columns: m.columns.length })}` });
  const grid = h("div", { class: "matrix-grid" }), drawn = { at: layout(m, SAVED_WIDTH) };
  const draw = (room) => {
    drawn.at = layout(m, room);
    grid.style.setProperty("grid-template-columns", `${drawn.at.left}px ${drawn.at.cells_width}px`);
    box.style.setProperty("scroll-padding", `0 0 ${drawn.at.below}px ${drawn.at.left}px`);
    replace(grid, parts(m, drawn.at));
  };
  const fit = (width) => {
    draw(width);
    if (box.clientWidth < width) draw(box.clientWidth);  // beside a scroll bar
  };
  box.append(grid, cursor(m, box, () => drawn.at, readout));
  return h("figure", { class: "matrix-figure", "aria-label": m.title }, h("figcaption", {}, m.title, m.note && h("span", { class: "faint" }, ` ${m.note}`)),
    ruler(fit), box, readout, m.rows.length * m.columns.length <= MOST_IN_TABLE && hidden_table(m));
}

// A color bar from the smallest to the largest value.
export function legend(scale, masked) {
  const steps = 24, low = Math.min(scale.low, 0), high = scale.high;
  const bar = svg("svg", { width: 120, height: 12, "aria-hidden": "true" }, Array.from({ length: steps }, (_, i) =>
    svg("rect", { x: i * 5, y: 0, width: 5.5, height: 12, fill: rgb(color_of(low + (high - low) * (i / (steps - 1)), scale)) })));
  const { pattern, fill } = hatch();
  return h("p", { class: "legend" }, number(low), bar, number(high), masked && svg("svg", { width: 14, height: 12, class: "hatched", "aria-hidden": "true" },
    svg("defs", {}, pattern), svg("rect", { width: 14, height: 12, fill, stroke: palette().line })), masked && t("masked"));
}
