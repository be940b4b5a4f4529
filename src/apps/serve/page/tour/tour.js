// The tour: the Transformer in 14 steps, with the reader's sentence.
import { button, direction_of, h, labeled, piece_text, replace, select } from "../dom.js";
import { CODE } from "./tour_code.js";
import { scene } from "./tour_data.js";
import { chips, typeset } from "./tour_draw.js";
import { experiment } from "./experiments.js";
import { fit } from "./tour_fit.js";
import { instead } from "./tour_variants.js";
import { is_lecture, lecture_button, lecture_controls, lecture_key } from "./lecture.js";
import { lesson_path, STEPS } from "./tour_steps.js";
import { can_ask, inspect, question, trace } from "../server.js";
import { chosen, model, nothing_to_show, sentence, subject } from "../sentence.js";
import { set, state, visit } from "../state.js";
import { language, t } from "../texts.js";

export const KEYS = ["step", "query", "key", "position", "dim", "tlayer", "thead", "unit", "by", "mask", "temperature", "lecture", "experiment", "replaced", "top_p"];

const tensors = question(inspect, () => draw()), found = question(trace, () => draw()), wide = question(trace, () => draw());
const parts = {};
// The widest beam that the server traces: it names the most tokens.
const WIDEST = 16;
let root, left_at = 1;

const current = () => Math.min(Math.max(Math.trunc(Number(state.step)) || 1, 1), STEPS.length);
const step = () => STEPS[current() - 1];

// The changes of the state that lead to a view: the tour and the search count steps on their own.
export function on_the_way(from, to) {
  if (to === "tour") return { step: from === "tour" ? current() : left_at };
  return from === "tour" ? { step: 0 } : {};
}

export function tour_view() {
  root = h("div", { class: "tour" });
  for (const part of ["progress", "sentence", "controls", "words", "picture", "more"]) parts[part] = h("div", { class: `tour-${part}` });
  parts.columns = [h("div", { class: "tour-left" }, parts.words, parts.more), h("div", { class: "tour-right" }, parts.controls, parts.picture)];
  parts.stage = h("section", { class: "tour-stage", "aria-label": t("view_tour") }, parts.columns);
  parts.stage.addEventListener("toggle", fit_stage, true);
  replace(root, parts.progress, parts.sentence, parts.stage);
  root.addEventListener("mouseover", light);
  root.addEventListener("focusin", light);
  root.addEventListener("mouseleave", light);
  tensors.forget();
  found.forget();
  wide.forget();
  parts.drawn = 0;
  draw_sentence();
  update();
  return root;
}

const fit_stage = () => { if (root?.isConnected) fit(parts.stage, parts.columns, is_lecture()); };
window.addEventListener("resize", fit_stage);

// Everything with the symbol under the pointer or the focus is lit.
function light(event) {
  const id = event.type === "mouseleave" ? null : event.target.closest?.("[data-sym]")?.dataset.sym;
  for (const element of root.querySelectorAll(".lit")) element.classList.remove("lit");
  if (id) for (const element of root.querySelectorAll(`[data-sym="${id}"]`)) element.classList.add("lit");
}

function draw_sentence() {
  const field = h("input", { type: "text", id: "tour-source", value: state.q.split("\n")[0], maxlength: "400", readonly: !can_ask(), dir: direction_of(model()?.source), oninput: () => set({ q: field.value, t: "", forced: "", line: 0 }) });
  parts.field = field;
  parts.target = h("p", { class: "tour-target", dir: direction_of(model()?.target), role: "status" });
  parts.lecture_text = h("p", { class: "lecture-text" });
  replace(parts.sentence, labeled(t("tour_your_sentence"), field, { class: "field wide" }), parts.target, parts.lecture_text);
}

export function update() {
  draw_progress();
  if (document.activeElement !== parts.field) parts.field.value = state.q.split("\n")[0];
  parts.target.textContent = sentence.error || (chosen() ? `→ ${state.forced || chosen().text}` : "");
  parts.lecture_text.textContent = `${state.q.split("\n")[0]} ${parts.target.textContent}`;
  const about = subject();
  if (!about) return show_nothing(nothing_to_show());
  if (step().traced) {
    found.put(traced(about, state.beam));
    wide.put(traced(about, WIDEST));
  }
  return ask(about);
}

const traced = (about, beam) => ({ q: about.q, model: about.model, options: { beam_size: beam, n_best: Math.min(state.n, beam), length_penalty: state.penalty } });

// Asks for names first: they say which tensors a step needs.
function ask(about) {
  const known = names_of(about);
  return tensors.put(known ? { ...about, tensors: wanted(known) } : about);
}

const names_seen = new Map();
const names_of = (about) => names_seen.get(JSON.stringify(about));
const wanted = (answer) => {
  const c = scene(answer, state);
  return step().tensors(c).filter((name) => c.has(name));
};

function draw() {
  if (!root?.isConnected && !parts.words) return undefined;
  if (tensors.problem) return show_nothing(h("p", { class: "status error", role: "alert" }, tensors.problem));
  if (!tensors.answer) return wait();
  const { tensors: asked, ...about } = tensors.body;
  if (!asked) {
    names_seen.set(JSON.stringify(about), { ...tensors.answer, tensors: {} });
    if (wanted(tensors.answer).length) return ask(about);
  }
  return show(scene(tensors.answer, state));
}

// The step before stays, paler, until the numbers arrive.
function wait() {
  if (!parts.drawn) return show_nothing(h("p", { class: "faint" }, t("loading")));
  parts.stage.classList.add("waiting");
  delete root.dataset.ready;
  return undefined;
}

function show_nothing(said) {
  parts.drawn = 0;
  parts.stage.classList.remove("waiting");
  delete root.dataset.ready;
  replace(parts.words, heading(), h("p", { class: "tour-text" }, t(`tour_${step().id}_text`)));
  replace(parts.controls);
  replace(parts.more);
  replace(parts.picture, said);
  fit_stage();
}

const choose = (changes) => set(changes);

const focusables = () => [...parts.stage.querySelectorAll("button, select, input, summary, a")];

// Draws the step again: the focus and what is open stay as they are.
function show(c) {
  const same = parts.drawn === current(), at = focusables().indexOf(document.activeElement), sliding = same && document.activeElement?.type === "range";
  const open = same ? [...parts.stage.querySelectorAll("details")].map((one) => one.open) : [];
  if (!sliding) replace(parts.controls, controls(c));
  if (step().tensors(c).some((name) => !c.given(name))) return show_instead(c);
  const drawn = step().draw(c, choose, found.answer, wide.answer);
  replace(parts.words, explanation(drawn));
  replace(parts.picture, drawn.picture);
  if (parts.picture.querySelector(".tour-grid")) parts.picture.append(h("p", { class: "tour-colors" }, t("tour_colors")));
  replace(parts.more, further(drawn, c));
  [...parts.stage.querySelectorAll("details")].forEach((one, i) => { one.open = Boolean(open[i]); });
  if (same && at >= 0 && !sliding) focusables()[at]?.focus();
  if (!same) for (const column of parts.columns) column.scrollTop = 0;
  parts.drawn = current();
  parts.stage.classList.remove("waiting");
  fit_stage();
  root.dataset.ready = `${current()}`;
  return undefined;
}

// A step that this model does not have.
function show_instead(c) {
  show_nothing(h("div", { class: "tour-variant" }, instead(c, step())));
  replace(parts.controls, controls(c));
  replace(parts.more, links());
  root.dataset.ready = `${current()}`;
  fit_stage();
}

const heading = () => h("h3", { class: "tour-title", tabindex: "-1", id: "tour-title" }, h("span", { class: "tour-number" }, current()), h("span", {}, typeset(t(`tour_${step().id}_title`))));

function explanation(drawn) {
  const id = `tour_${step().id}`;
  const legend = drawn.symbols.map(([name, text]) => h("button", { type: "button", class: "tour-symbol", "data-sym": name }, text));
  return [heading(), h("p", { class: "tour-text" }, typeset(t(`${id}_text`))), h("div", { class: "tour-formula", tabindex: "0", role: "group", "aria-label": t("tour_formula") }, drawn.formula, drawn.numbers), drawn.note && h("p", { class: "tour-note" }, drawn.note),
    h("div", { class: "tour-legend no-print" }, h("span", { class: "tour-label" }, t("tour_point_at")), legend)];
}

// The question, further pictures, the lesson and the code.
function further(drawn, c) {
  const id = `tour_${step().id}`;
  return [h("details", { class: "tour-question" }, h("summary", {}, typeset(t(`${id}_question`))), h("p", {}, typeset(t(`${id}_answer`)))), experiment(step().id, c), drawn.more, can_ask() && opens(drawn.key), links()];
}

// The drawings of the attention view that show a step in another way.
const OPENS = { scores: ["neuron"], softmax: ["neuron"], heads: ["heads"], mask: ["heads"], cross: ["heads", "neuron"] };
const KINDS = { encoder: "encoder", self_attention: "decoder", cross_attention: "cross" };

function opens(key) {
  const { stack, kind, id } = step(), of_target = stack === "decoder", c = scene(tensors.answer, state);
  const place = { kind: KINDS[of_target ? kind : "encoder"], layer: String(c.layer(stack)), head: String(Math.max(0, state.thead - 1)), ...(of_target && { query: state.position, key: key === undefined ? state.key : key + 1 }) };
  return OPENS[id] && h("p", { class: "tour-opens no-print" }, OPENS[id].map((drawing) => button(t(`tour_open_${drawing}`), () => visit({ view: "attention", step: 0, drawing, ...place }), { class: "tour-open", id: `open-${drawing}` })));
}

function links() {
  const { file, code } = CODE[step().id], path = lesson_path(step().lesson, language());
  return h("div", { class: "tour-links" }, can_ask() && h("p", {}, h("a", { href: `/${path}`, target: "_blank", rel: "noopener" }, t("tour_lesson", { n: step().lesson }))),
    h("details", { class: "tour-code" }, h("summary", {}, t("tour_code"), " ", h("code", {}, file)), h("pre", { tabindex: "0" }, h("code", {}, code))));
}

const count = (n, name) => Array.from({ length: n }, (_, i) => [i + 1, t(name, { n: i + 1 })]);

function controls(c) {
  const { inputs, stack, kind } = step(), all = [], has = (name) => inputs.includes(name);
  const scope = `${stack}.layers.${stack ? c.layer(stack) : 0}.${kind ?? "self_attention"}`;
  if (has("query")) all.push(chips(c.source, { id: "pick-query", label: t("tour_token"), chosen: c.pick("query", c.source.length), pick: (i) => choose({ query: i + 1 }) }));
  if (has("position")) all.push(chips(c.target, { id: "pick-position", label: t("tour_position"), chosen: c.pick("position", c.target.length), pick: (i) => choose({ position: i + 1 }) }));
  if (has("key")) all.push(labeled(t("tour_key"), select(c.source.map((text, i) => [i + 1, `${i + 1} ${piece_text(text)}`]), 1 + c.pick("key", c.source.length), (key) => choose({ key: Number(key) }), { id: "pick-key" })));
  if (has("layer")) all.push(labeled(t("layer_choice"), select(count(c.layers(stack), "layer"), 1 + c.layer(stack), (n) => choose({ tlayer: Number(n) }), { id: "pick-layer" })));
  if (has("head") && c.heads_of(scope) > 0) all.push(labeled(t("head_choice"), select(count(c.heads_of(scope), "head"), 1 + c.head(scope), (n) => choose({ thead: Number(n) }), { id: "pick-head" })));
  if (has("dim")) all.push(number_field(step().dims(c), c));
  return [...all, step().control?.(choose)];
}

function number_field(most, c) {
  const field = h("input", { type: "number", id: "pick-dim", min: "1", max: String(most), value: String(1 + c.pick("dim", most)), onchange: () => choose({ dim: Number(field.value) }) });
  return labeled(t(`tour_${step().id}_dim`, { n: most }), field);
}

function go(to, focus) {
  if (to < 1 || to > STEPS.length || to === current()) return;
  visit({ step: to });
  if (focus) document.getElementById("tour-title")?.focus({ preventScroll: true });
  if (root.getBoundingClientRect().top < 0) root.scrollIntoView({ block: "start" });
}

function draw_progress() {
  left_at = current();
  const at = current(), focused = document.activeElement?.closest(".tour-progress") && document.activeElement.id;
  const dots = STEPS.map(({ id }, i) => h("li", {}, h("button", { type: "button", class: "tour-dot", id: `tour-${i + 1}`, title: t(`tour_${id}_title`), "aria-label": `${i + 1}: ${t(`tour_${id}_title`)}`,
    "aria-current": i + 1 === at ? "step" : null, onclick: () => go(i + 1) }, i + 1)));
  replace(parts.progress, button("←", () => go(at - 1), { id: "tour-back", "aria-label": t("step_back"), disabled: at === 1, class: "tour-go" }),
    h("nav", { "aria-label": t("tour_steps") }, h("ol", { class: "tour-dots" }, dots)),
    button(h("span", {}, h("span", { class: "wide-only" }, `${at < STEPS.length ? t("tour_next") : t("tour_end")} `), "→"), () => go(at + 1), { id: "tour-on", "aria-label": t("step_on"), disabled: at === STEPS.length, class: "tour-go on" }), lecture_button(), lecture_controls(at, STEPS.length));
  if (focused) {
    const again = document.getElementById(focused);
    (again?.disabled ? document.getElementById(`tour-${at}`) : again)?.focus();
  }
}

// The arrow keys lead on and back wherever they have no other use.
document.addEventListener("keydown", (event) => {
  if (!root?.isConnected || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  if (is_lecture() && lecture_key(event, current(), STEPS.length, go)) return event.preventDefault();
  if (event.target.closest?.("input, select, textarea, [role=application], [role=tablist], pre")) return undefined;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return undefined;
  event.preventDefault();
  return go(current() + by, !event.target.closest?.(".tour-progress"));
});

