// Attention as lines between two columns of tokens: thicker and darker for larger weights.
import { h, number, piece_text, replace, scrolling, svg } from "./dom.js";
import { label, palette, rgb, ruler, widest } from "./matrix.js";
import { t } from "./texts.js";

export const ROW = 22, FONT = 13;
const WIDEST = 620, LEAST = 0.02;

const weight = (m, row, column) => m.values[row * m.columns.length + column] ?? 0;

export function tokens(m, labels, { x, anchor, side, room }) {
  return labels.map((text, i) => svg("g", { class: "token", "data-side": side, "data-index": i, role: "button",
    "aria-label": `${side === "row" ? m.row_title : m.column_title} ${piece_text(text)}` },
    svg("rect", { x: anchor === "end" ? 0 : x - 4, y: i * ROW + 1, width: room - 2, height: ROW - 2, fill: "transparent" }),
    label(text, { x, y: i * ROW + 15, "text-anchor": anchor }, Math.max(4, Math.floor(room / 8)))));
}

function lines(m, at) {
  const all = [];
  m.rows.forEach((_, r) => m.columns.forEach((__, c) => {
    const w = weight(m, r, c);
    if (w < LEAST) return;
    all.push(svg("path", { d: curve(r, c, at), fill: "none", stroke: rgb(palette().up), "stroke-width": 0.5 + 4 * w,
      "stroke-opacity": Math.min(1, 0.15 + w), "data-row": r, "data-column": c }));
  }));
  return all;
}

export function curve(r, c, { x1, x2 }) {
  const y1 = (r + 0.5) * ROW, y2 = (c + 0.5) * ROW, middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

export function columns_svg(m, room = WIDEST) {
  const width = Math.min(room, WIDEST), sides = [m.rows, m.columns].map((labels) => Math.min(widest(labels, FONT), 0.35 * width));
  const at = { x1: sides[0], x2: width - sides[1] };
  const height = Math.max(m.rows.length, m.columns.length) * ROW + 4;
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "columns", role: "group", "aria-label": m.title,
    "font-family": "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif", "font-size": FONT },
    lines(m, at), tokens(m, m.rows, { x: at.x1 - 4, anchor: "end", side: "row", room: sides[0] }),
    tokens(m, m.columns, { x: at.x2 + 4, anchor: "start", side: "column", room: sides[1] }));
}

// [{text, weight}]: the tokens that one token attends to, or those that attend to it; largest first,
// none below 0.01.
export function partners_of(m, side, index) {
  const others = side === "row" ? m.columns.map((text, c) => ({ text, weight: weight(m, index, c) })) : m.rows.map((text, r) => ({ text, weight: weight(m, r, index) }));
  return others.sort((a, b) => b.weight - a.weight).filter((one) => one.weight >= 0.01);
}

const partners = (m, side, index) => partners_of(m, side, index).slice(0, 4).map((one) => `${piece_text(one.text)} ${number(one.weight)}`).join(", ") || "—";

export function columns(m) {
  const place = scrolling(m.title), readout = h("p", { class: "readout", role: "status" }, t("columns_keys"));
  return h("figure", { "aria-label": m.title }, h("figcaption", {}, m.title), ruler((room) => replace(place, wired(m, columns_svg(m, room), readout))), place, readout);
}

// The drawing, which shows the lines of the token pointed at.
function wired(m, drawing, readout) {
  const show = (side, index) => {
    for (const path of drawing.querySelectorAll("path"))
      path.classList.toggle("off", Number(path.dataset[side]) !== index);
    const name = (side === "row" ? m.rows : m.columns)[index];
    readout.textContent = `${piece_text(name)} ${side === "row" ? "→" : "←"} ${partners(m, side, index)}`;
  };
  const all = [...drawing.querySelectorAll(".token")];
  all.forEach((token, i) => {
    token.setAttribute("tabindex", i === 0 ? "0" : "-1");
    const own = () => show(token.dataset.side, Number(token.dataset.index));
    token.addEventListener("mouseenter", own);
    token.addEventListener("focus", own);
    token.addEventListener("keydown", (event) => move(event, all, i, m));
  });
  drawing.addEventListener("mouseleave", () => {
    drawing.querySelectorAll("path").forEach((p) => p.classList.remove("off"));
    readout.textContent = t("columns_keys");
  });
  return drawing;
}

// Arrow keys: up and down within a column, left and right to the other one.
export function move(event, all, i, m) {
  const rows = m.rows.length, in_rows = i < rows;
  const other = in_rows ? rows + Math.min(i, m.columns.length - 1) : Math.min(i - rows, rows - 1);
  const to = { ArrowUp: i - 1, ArrowDown: i + 1, ArrowLeft: in_rows ? i : other, ArrowRight: in_rows ? other : i }[event.key];
  if (to === undefined || !all[to]) return;
  event.preventDefault();
  all.forEach((token, k) => token.setAttribute("tabindex", k === to ? "0" : "-1"));
  all[to].focus();
}
