// A line chart of a few series, readable by mouse or arrow keys.
import { grouped, h, number, svg } from "./dom.js";
import { t } from "./texts.js";

const WIDTH = 560, HEIGHT = 230, LEFT = 58, RIGHT = 12, TOP = 12, BOTTOM = 36;

// Round numbers between low and high, about `count` of them.
export function ticks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= rough);
  const all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12) + 1e-300; ++i) all.push(i * step);
  return all;
}

function range(values) {
  let low = Math.min(...values), high = Math.max(...values);
  if (!(high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)))) {
    const by = low === 0 ? 1 : Math.abs(low) * 0.1;
    low -= by;
    high += by;
  }
  return { low, high };
}

const tick_text = (v) => (Math.abs(v) >= 1e6 ? `${v / 1e6}M` : Math.abs(v) >= 1e4 ? `${v / 1e3}k` : String(Number(v.toPrecision(6))));

function frame(series) {
  const points = series.flatMap((s) => s.points);
  const x = range(points.map((p) => p[0])), y = range(points.map((p) => p[1]));
  return { x, y, at_x: (v) => LEFT + (v - x.low) / (x.high - x.low) * (WIDTH - LEFT - RIGHT),
    at_y: (v) => HEIGHT - BOTTOM - (v - y.low) / (y.high - y.low) * (HEIGHT - TOP - BOTTOM) };
}

function axes(f, x_label) {
  const grid = ticks(f.y.low, f.y.high, 5).map((v) => [
    svg("path", { d: `M${LEFT} ${f.at_y(v)}H${WIDTH - RIGHT}`, class: "grid" }),
    svg("text", { x: LEFT - 6, y: f.at_y(v) + 4, "text-anchor": "end" }, tick_text(v))]);
  const below = ticks(f.x.low, f.x.high, 6).map((v) => svg("text", { x: f.at_x(v), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, tick_text(v)));
  return [grid, below, svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, x_label)];
}

function curve(s, i, f) {
  const d = s.points.map(([x, y], k) => `${k ? "L" : "M"}${f.at_x(x).toFixed(1)} ${f.at_y(y).toFixed(1)}`).join("");
  const dots = s.marked || s.points.length < 3 ? s.points.map(([x, y]) => svg("circle", { cx: f.at_x(x).toFixed(1), cy: f.at_y(y).toFixed(1), r: 2.6, class: `dot s${i}` })) : [];
  return [svg("path", { d, class: `curve s${i}` }), dots];
}

const legend = (series) => h("span", { class: "chart-legend" }, series.map((s, i) =>
  h("span", {}, svg("svg", { width: 22, height: 10, "aria-hidden": "true" }, svg("path", { d: "M0 5H22", class: `curve s${i}` })), s.name)));

const finite = (series) => series.map((s) => ({ ...s, points: s.points.filter((p) => p.every((v) => Number.isFinite(v))) }))
  .filter((s) => s.points.length);

const nearest = (points, x) => points.reduce((best, p) => (Math.abs(p[0] - x) < Math.abs(best[0] - x) ? p : best));

// given: {title, x_label, series: [{name, points: [[x, y]], marked}]}, at most three series.
export function chart(given) {
  const series = finite(given.series);
  if (series.length === 0) return h("figure", { class: "chart" }, h("figcaption", {}, given.title), h("p", { class: "faint" }, t("no_points")));
  const f = frame(series), readout = h("p", { class: "readout", role: "status" }, summary(series));
  const line = svg("path", { class: "reading", d: "" });
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "application", tabindex: "0", "aria-label": `${given.title}. ${summary(series)}` },
    axes(f, given.x_label), series.map((s, i) => curve(s, i, f)), line);
  const xs = [...new Set(series.flatMap((s) => s.points.map((p) => p[0])))].sort((a, b) => a - b);
  let at = xs.length - 1;
  const show = (i) => {
    at = Math.min(Math.max(i, 0), xs.length - 1);
    line.setAttribute("d", `M${f.at_x(xs[at])} ${TOP}V${HEIGHT - BOTTOM}`);
    readout.textContent = `${given.x_label} ${grouped(xs[at])}: ${series.map((s) => `${s.name} ${number(nearest(s.points, xs[at])[1])}`).join(", ")}`;
  };
  drawing.addEventListener("mousemove", (event) => {
    const box = drawing.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * WIDTH;
    const wanted = f.x.low + (x - LEFT) / (WIDTH - LEFT - RIGHT) * (f.x.high - f.x.low);
    show(xs.indexOf(nearest(xs.map((v) => [v]), wanted)[0]));
  });
  const leave = () => {
    line.setAttribute("d", "");
    readout.textContent = summary(series);
  };
  drawing.addEventListener("mouseleave", leave);
  drawing.addEventListener("blur", leave);
  drawing.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 10, PageDown: at + 10, Home: 0, End: xs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
  return h("figure", { class: "chart" }, h("figcaption", {}, given.title, legend(series)), drawing, readout);
}

// The last values, in words.
const summary = (series) => series.map((s) => `${s.name} ${number(s.points.at(-1)[1])}`).join(", ");
