// Beam search step by step: the candidates, which of them are kept and why, and the tree of
// hypotheses.
import { button, direction_of, h, labeled, number, piece, piece_text, replace, scrolling, select, svg } from "./dom.js";
import { is_dark, label, palette, rgb } from "./matrix.js";
import { save_buttons } from "./save.js";
import { question, trace } from "./server.js";
import { hop_field, inside, nothing_to_show, subject } from "./sentence.js";
import { CHOICES, set, state } from "./state.js";
import { t } from "./texts.js";

const COLUMN = 168, BOX = 118, ROW = 25, HEIGHT = 20, TOP = 26;

const search = question(trace, () => render());
let root;

export function search_view() {
  root = h("div", { class: "search", onkeydown: step_by_key });
  search.forget();
  update();
  return root;
}

export function update() {
  const about = subject();
  if (!about) return replace(root, nothing_to_show());
  return search.put({ q: about.q, model: about.model,
    options: { beam_size: state.beam, n_best: Math.min(state.n, state.beam), length_penalty: state.penalty } });
}

const last_step = () => search.answer.steps.length - 1;
const current = () => Math.min(Math.max(state.step, 0), last_step());
const go = (step) => set({ step: Math.min(Math.max(step, 0), last_step()) });

function step_by_key(event) {
  if (!search.answer || event.target.closest("select, input")) return;
  const to = { ArrowLeft: current() - 1, ArrowRight: current() + 1, Home: 0, End: last_step() }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  go(to);
}

// A candidate's fate in the language of the page.
const fate_text = (candidate) => t(`fate_${candidate.fate.replace(" ", "_")}`, { beam: state.beam });
const fate_class = (candidate) => `fate ${candidate.fate.replace(" ", "-")}`;

function candidates_table(step) {
  const heads = ["rank", "extends", "token", "probability", "score", "fate"].map((name) => h("th", { scope: "col" }, t(name)));
  const rows = step.candidates.map((c, rank) => h("tr", { class: fate_class(c) },
    h("td", { class: "n" }, rank + 1), h("td", { class: "n" }, c.from + 1), h("td", { class: "piece" }, piece(c.token)),
    h("td", { class: "n" }, probability_bar(Math.exp(c.log_probability))),
    h("td", { class: "n" }, number(c.score), c.fate === "finished" && h("span", { class: "faint" }, ` (${number(c.normalized)})`)),
    h("td", {}, fate_text(c))));
  return scrolling(t("candidates_of", { n: current() + 1 }), h("table", { class: "candidates", id: "candidates" },
    h("caption", {}, t("candidates_of", { n: current() + 1 })), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)));
}

function probability_bar(p) {
  return h("span", { class: "probability" }, svg("svg", { width: 60, height: 10, "aria-hidden": "true" },
    svg("rect", { width: 60, height: 10, fill: palette().line }), svg("rect", { width: 60 * p, height: 10, fill: rgb(palette().up) })), number(p));
}

function beams_list(step) {
  return h("div", {}, h("h3", {}, t("beams_before")), h("ol", { class: "beams" }, step.beams.map((beam) =>
    h("li", {}, h("span", { class: "pieces", dir: direction_of(inside()?.target) }, ["<s>", ...beam.tokens].map((token) => [piece(token), " "])),
      h("span", { class: "faint" }, ` ${number(beam.score)}`)))));
}

// The rank of each live hypothesis among the previous step's candidates.
const ranks_of_live = (step) => step.candidates.flatMap((c, rank) => (c.fate === "goes on" ? [rank] : []));
const x_of = (step) => 8 + step * COLUMN;
const y_of = (rank) => TOP + rank * ROW;

function fills() {
  return is_dark() ? { "goes on": "#1f4b73", finished: "#245c33", other: "#2a3038" } : { "goes on": "#bcd8f0", finished: "#bfe3c3", other: "#eef1f4" };
}

function node(candidate, step, rank) {
  const fill = fills()[candidate.fate] ?? fills().other, x = x_of(step), y = y_of(rank), token = piece_text(candidate.token);
  return svg("g", { class: "node", "data-step": step, "data-rank": rank, onclick: () => go(step) },
    svg("title", {}, `${token}: p ${number(Math.exp(candidate.log_probability))}, ${number(candidate.score)}; ${fate_text(candidate)}`),
    svg("rect", { x, y, width: BOX, height: HEIGHT, rx: 3, fill, stroke: palette().line,
      "stroke-dasharray": candidate.kept ? "none" : "3 2" }),
    label(candidate.token, { x: x + 6, y: y + 14 }, 10),
    svg("text", { x: x + BOX - 6, y: y + 14, "text-anchor": "end", fill: palette().ink, "font-size": 11 }, number(Math.exp(candidate.log_probability))));
}

function edge(candidate, step, rank, parents) {
  const x = x_of(step - 1) + BOX, y = y_of(parents[candidate.from]) + HEIGHT / 2, to = y_of(rank) + HEIGHT / 2, x2 = x_of(step);
  return svg("path", { d: `M${x} ${y}C${x + 25} ${y} ${x2 - 25} ${to} ${x2} ${to}`, fill: "none",
    stroke: candidate.kept ? rgb(palette().up) : palette().line, "stroke-width": candidate.kept ? 1.8 : 1 });
}

function tree() {
  const steps = search.answer.steps, most = Math.max(...steps.map((s) => s.candidates.length));
  const width = x_of(steps.length), height = y_of(most) + 6, edges = [], nodes = [];
  steps.forEach((step, i) => {
    const parents = i > 0 ? ranks_of_live(steps[i - 1]) : [];
    nodes.push(svg("text", { x: x_of(i), y: 15, fill: palette().faint, "font-weight": i === current() ? "700" : "400" }, t("step", { n: i + 1 })));
    step.candidates.forEach((c, rank) => {
      if (i > 0) edges.push(edge(c, i, rank, parents));
      nodes.push(node(c, i, rank));
    });
  });
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("tree_label", { n: steps.length }), class: "tree",
    "font-family": "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif", "font-size": 12 },
    svg("rect", { x: x_of(current()) - 6, y: 2, width: BOX + 12, height: height - 4, rx: 5, fill: "none", stroke: rgb(palette().up), "stroke-width": 1.5 }),
    edges, nodes);
}

// Drags what a frame shows with the mouse; fingers scroll it by themselves.
function panned(frame) {
  let from = null;
  frame.addEventListener("pointerdown", (event) => { if (event.pointerType === "mouse" && event.button === 0) from = { x: event.clientX, left: frame.scrollLeft, moved: false }; });
  frame.addEventListener("pointermove", (event) => {
    if (event.buttons === 0) from = null;
    if (!from || (!from.moved && Math.abs(event.clientX - from.x) < 5)) return;
    if (!from.moved) frame.setPointerCapture(event.pointerId);
    from.moved = true;
    frame.scrollLeft = from.left - (event.clientX - from.x);
  });
  frame.addEventListener("click", (event) => { if (from?.moved) event.stopPropagation(); from = null; }, true);
  frame.addEventListener("pointercancel", () => { from = null; });
  return frame;
}

function stepper() {
  const slider = h("input", { type: "range", id: "step", min: "0", max: String(last_step()), value: String(current()), "aria-label": t("step_slider"),
    "aria-valuetext": t("step", { n: current() + 1 }), oninput: () => go(Number(slider.value)) });
  return h("div", { class: "controls no-print" },
    button("←", () => go(current() - 1), { id: "step-back", "aria-label": t("step_back"), disabled: current() === 0 }),
    slider, button("→", () => go(current() + 1), { id: "step-on", "aria-label": t("step_on"), disabled: current() === last_step() }),
    h("output", { for: "step", id: "step-name" }, t("step_of", { n: current() + 1, all: search.answer.steps.length })), penalty(), hop_field());
}

const penalty = () => labeled(t("length_penalty"), select(CHOICES.penalty.map((a) => [a, a]), state.penalty,
  (value) => set({ penalty: Number(value) }), { id: "penalty" }));

function result_list() {
  return h("div", {}, h("h3", {}, t("found")), h("p", { class: "faint" }, t(`ending_${search.answer.ending}`, { beam: state.beam })),
    h("ol", { class: "results", id: "trace-results" }, search.answer.finished.map((f) => h("li", {}, h("span", { dir: direction_of(inside()?.target) }, f.text),
      h("span", { class: "faint" }, ` ${t("score")} ${number(f.score)}, ${t("normalized")} ${number(f.normalized)}`)))));
}

function render() {
  if (search.problem) return replace(root, h("p", { class: "status error", role: "alert" }, search.problem));
  if (!search.answer) return replace(root, h("p", { class: "faint" }, t("loading")));
  const focused = document.activeElement?.id, step = search.answer.steps[current()], drawing = tree();
  const frame = panned(h("div", { class: "scroll tree-box", tabindex: "0", role: "group", "aria-label": t("tree") }, drawing));
  replace(root, stepper(), h("div", { class: "two-parts" }, h("section", {}, candidates_table(step)), h("section", {}, beams_list(step), result_list())),
    h("section", {}, h("h3", {}, t("tree")), frame, save_buttons("search", () => drawing, () => search.answer)), h("p", { class: "faint" }, t("search_help")));
  frame.scrollLeft = Math.max(0, x_of(current()) - frame.clientWidth / 2);
  if (focused) {
    const again = document.getElementById(focused);
    (again?.disabled ? document.getElementById("step") : again)?.focus();
  }
  return undefined;
}
