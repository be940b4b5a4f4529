// All heads of a layer in one drawing: a line per weight, in the color of its head.
import { curve, FONT, move, partners_of, ROW, tokens } from "../columns.js";
import { button, h, number, piece_text, replace, roving, scrolling, svg } from "../dom.js";
import { is_dark, ruler, widest } from "../matrix.js";
import { set, state } from "../state.js";
import { t } from "../texts.js";

// Chosen for a distance of 0.1 and more in OKLab, for readers without red or green cones too, and for a
// contrast of 3:1 with the ground. From the ninth head on they return with dashes.
export const COLORS = {
  light: ["#001cff", "#ff1600", "#1d8d2c", "#571a95", "#0091ed", "#534700", "#fd14c0", "#a8005a"],
  dark: ["#0290ff", "#a27800", "#53ec8c", "#a963c5", "#52d4ff", "#ffc004", "#fe1a7b", "#dba2b5"],
};
const LEAST = 0.02, MOST_LINES = 8000, WIDEST = 680, CELL = 6;
const color_of = (head) => COLORS[is_dark() ? "dark" : "light"][head % 8];
const dashes = (head) => (head < 8 ? null : head < 16 ? "5 3" : "2 2");

// The heads that are drawn. A link may name heads that the layer lacks.
export function drawn_heads(count) {
  const off = new Set(state.off.split(",").filter(Boolean).map(Number));
  return Array.from({ length: count }, (_, i) => i).filter((i) => !off.has(i));
}
const draw_only = (heads, count) => set({ off: Array.from({ length: count }, (_, i) => i).filter((i) => !heads.includes(i)).join(",") });

// Two clicks at once, or one with Shift, leave a single head; the page is drawn anew between them.
const TWICE = 400;  // milliseconds
const last = { head: -1, at: -TWICE };

function toggle(head, count, alone) {
  const shown = drawn_heads(count), again = last.head === head && performance.now() - last.at < TWICE;
  Object.assign(last, { head, at: performance.now() });
  if (alone || again) return draw_only([head], count);
  return draw_only(shown.includes(head) ? shown.filter((i) => i !== head) : [...shown, head], count);
}

function swatch(head) {
  return svg("svg", { width: 18, height: 10, "aria-hidden": "true" }, svg("line", { x1: 0, x2: 18, y1: 5, y2: 5, stroke: color_of(head), "stroke-width": 6, "stroke-dasharray": dashes(head) }));
}

function toggles(count) {
  const shown = drawn_heads(count);
  const all = Array.from({ length: count }, (_, head) => h("button", { type: "button", class: "head-toggle", id: `head-${head + 1}`, "aria-pressed": String(shown.includes(head)), "aria-label": t("head", { n: head + 1 }), title: t("heads_keys"),
    onclick: (event) => toggle(head, count, event.shiftKey) }, swatch(head), head + 1));
  roving(all);
  return h("div", { class: "head-toggles no-print", role: "group", "aria-label": t("heads_drawn") }, h("span", { class: "faint" }, t("heads_drawn")), all,
    button(t("heads_all"), () => draw_only(Array.from({ length: count }, (_, i) => i), count), { id: "heads-all", disabled: shown.length === count }));
}

// [{head, row, column, weight}], the largest last, so that they lie on top.
function lines_of(m) {
  const all = [];
  for (const head of drawn_heads(m.heads.length))
    m.heads[head].forEach((weight, i) => {
      if (weight >= LEAST) all.push({ head, row: Math.floor(i / m.columns.length), column: i % m.columns.length, weight });
    });
  return all.sort((a, b) => a.weight - b.weight).slice(-MOST_LINES);
}

const line = (at) => ({ head, row, column, weight }) => svg("path", { d: curve(row, column, at), fill: "none", stroke: color_of(head), "stroke-width": 0.6 + 2.6 * weight,
  "stroke-opacity": Math.min(1, 0.12 + weight), "stroke-dasharray": dashes(head), "data-row": row, "data-column": column, "data-head": head, "data-weight": weight });

// Columns of squares beside the tokens: what each head gives to them, shown for the token pointed at.
function squares(m, side, x) {
  const shown = drawn_heads(m.heads.length);
  return (side === "row" ? m.rows : m.columns).map((_, i) => shown.map((head, k) =>
    svg("rect", { x: x + k * CELL, y: i * ROW + 4, width: CELL - 1, height: ROW - 8, fill: color_of(head), "fill-opacity": 0, "data-side": side, "data-index": i, "data-head": head, class: "head-square" })));
}

export function heads_svg(m, room = WIDEST) {
  const width = Math.min(room, WIDEST), gutter = drawn_heads(m.heads.length).length * CELL + 4;
  const sides = [m.rows, m.columns].map((labels) => Math.min(widest(labels, FONT), 0.3 * width)), at = { x1: sides[0] + gutter, x2: width - sides[1] - gutter };
  const height = Math.max(m.rows.length, m.columns.length) * ROW + 4;
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "columns heads", role: "group", "aria-label": m.title,
    "font-family": "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif", "font-size": FONT },
    lines_of(m).map(line(at)), squares(m, "row", sides[0]), squares(m, "column", at.x2 + 4),
    tokens(m, m.rows, { x: sides[0] - 4, anchor: "end", side: "row", room: sides[0] }), tokens(m, m.columns, { x: width - sides[1] + 4, anchor: "start", side: "column", room: sides[1] }));
}

// The token that each drawn head attends to most from this one, or that attends to it most.
function reading(m, side, index) {
  const best = drawn_heads(m.heads.length).map((head) => ({ head, ...partners_of({ ...m, values: m.heads[head] }, side, index)[0] }));
  const name = (side === "row" ? m.rows : m.columns)[index];
  return `${piece_text(name)} ${side === "row" ? "→" : "←"} ${best.map(({ head, text, weight }) => `${t("head", { n: head + 1 })}: ${text === undefined ? "—" : `${piece_text(text)} ${number(weight)}`}`).join("; ") || "—"}`;
}

function show(m, drawing, readout, side, index) {
  for (const path of drawing.querySelectorAll("path")) path.classList.toggle("off", Number(path.dataset[side]) !== index);
  const other = side === "row" ? "column" : "row", weight = (head, i) => m.heads[head][side === "row" ? index * m.columns.length + i : i * m.columns.length + index];
  for (const one of drawing.querySelectorAll(".head-square"))
    one.setAttribute("fill-opacity", one.dataset.side === other ? weight(Number(one.dataset.head), Number(one.dataset.index)) : 0);
  readout.textContent = reading(m, side, index);
}

function hide(drawing, readout) {
  for (const path of drawing.querySelectorAll("path")) path.classList.remove("off");
  for (const one of drawing.querySelectorAll(".head-square")) one.setAttribute("fill-opacity", 0);
  readout.textContent = t("heads_help");
}

function wired(m, drawing, readout) {
  const all = [...drawing.querySelectorAll(".token")];
  all.forEach((token, i) => {
    token.setAttribute("tabindex", i === 0 ? "0" : "-1");
    const own = () => show(m, drawing, readout, token.dataset.side, Number(token.dataset.index));
    token.addEventListener("mouseenter", own);
    token.addEventListener("focus", own);
    token.addEventListener("keydown", (event) => move(event, all, i, m));
  });
  drawing.addEventListener("mouseleave", () => hide(drawing, readout));
  drawing.addEventListener("focusout", () => hide(drawing, readout));
  return drawing;
}

// m: {title, rows, columns (tokens), heads (the weights of each, row-major), row_title, column_title}.
export function heads(m) {
  const place = scrolling(m.title), readout = h("p", { class: "readout", role: "status" }, t("heads_help"));
  return h("figure", { class: "heads-figure", "aria-label": m.title }, h("figcaption", {}, m.title), toggles(m.heads.length),
    ruler((room) => replace(place, wired(m, heads_svg(m, room), readout))), readout, place);
}
