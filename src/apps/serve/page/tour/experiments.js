// Experiments: the server computes the sentence again with a part of the model taken away, or with
// another token, and shows the translations and the maps side by side.
import { checkbox, direction_of, h, labeled, piece, piece_text, replace } from "../dom.js";
import { can_ask, inspect, question } from "../server.js";
import { model, subject } from "../sentence.js";
import { set, state } from "../state.js";
import { t } from "../texts.js";
import { scene } from "./tour_data.js";
import { bars, grid, shown } from "./tour_draw.js";

const MOST_SHOWN = 8;  // tokens of a distribution
const encoder_map = (c) => `encoder.layers.${c.layer("encoder")}.self_attention`;
const over_source = (c) => `decoder.layers.${c.layers("decoder") - 1}.cross_attention`;

// Each: the change to ask for, or null; the attention whose map shows it.
const EXPERIMENTS = {
  tokens: { change: (c) => state.replaced && pieces.answer && { source_tokens: spliced(c) }, map: over_source, field: replacement },
  positions: { change: () => ({ positions: false }), map: encoder_map },
  scaling: { change: () => ({ scale: false }), map: encoder_map },
  heads: { change: (c) => ({ heads: [["encoder", 1 + c.layer("encoder"), 1 + c.head(encoder_map(c))]] }), map: over_source },
  mask: { change: () => ({ mask: false }), map: (c) => `decoder.layers.${c.layer("decoder")}.self_attention` },
  cross: { change: (c) => ({ heads: [["cross", 1 + c.layer("decoder"), 1 + c.head(`decoder.layers.${c.layer("decoder")}.cross_attention`)]] }), map: over_source },
};

const changed = question(inspect, () => redraw()), usual = question(inspect, () => redraw());
const pieces = question(inspect, () => redraw()), sampled = question(inspect, () => redraw());
let shown_now = null;  // {id, c, box}

// The panel of a step; null if it has no experiment.
export function experiment(id, c) {
  if (!can_ask() || !(Object.hasOwn(EXPERIMENTS, id) || id === "search")) return null;
  const box = h("section", { class: "experiment no-print", "aria-label": t("experiment") });
  shown_now = { id, c, box };
  redraw();
  return box;
}

function redraw() {
  if (!shown_now) return;
  const { id, c, box } = shown_now, inside = box.contains(document.activeElement) && document.activeElement.id;
  if (document.activeElement?.type !== "range" || !inside) replace(box, id === "search" ? [sampling_controls(), h("div", { class: "experiment-result" })] : controls(id, c));
  replace(box.lastElementChild, id === "search" ? distribution(c) : result(id, c));
  if (inside) document.getElementById(inside)?.focus();
  box.dispatchEvent(new Event("toggle"));  // the stage fits itself again
}

function controls(id, c) {
  const { field } = EXPERIMENTS[id], name = id === "cross" ? "heads" : id;
  const at = id === "cross" ? c.head(`decoder.layers.${c.layer("decoder")}.cross_attention`) : c.head(encoder_map(c));
  const control = field ? field(c) : checkbox(t(`experiment_${name}`, { n: 1 + at }), state.experiment === id, (on) => set({ experiment: on ? id : "" }));
  if (!field) control.querySelector("input").id = "experiment";
  return [h("p", { class: "experiment-head" }, h("strong", {}, t("experiment")), " ", control), h("div", { class: "experiment-result", role: "status" })];
}

// A word for the chosen token. Its own tokens are the server's.
function replacement(c) {
  const token = piece_text(c.source[c.pick("query", c.source.length)]);
  const field = h("input", { type: "text", id: "replaced", value: state.replaced, maxlength: "40", dir: direction_of(model()?.source), onchange: () => set({ replaced: field.value.trim() }) });
  return labeled(t("experiment_tokens", { token }), field);
}
const spliced = (c) => c.source.flatMap((token, i) => (i === c.pick("query", c.source.length) ? pieces.answer.source_tokens.filter((own) => own !== c.source.at(-1)) : [token]));

function result(id, c) {
  const about = subject(), { map } = EXPERIMENTS[id];
  if (!about || (id === "tokens" ? !state.replaced : state.experiment !== id)) return h("small", { class: "faint" }, t(id === "tokens" ? "experiment_type" : "experiment_help"));
  if (id === "tokens") pieces.body?.q === state.replaced || pieces.put({ q: state.replaced, tokens: [], model: about.model });
  const change = EXPERIMENTS[id].change(c), problem = pieces.problem && id === "tokens" ? pieces.problem : changed.problem || usual.problem;
  if (change) {
    const tensors = [`${map(c)}.weights`];
    ask(usual, { ...about, tensors });
    ask(changed, { ...about, tensors, changes: change });
  }
  if (problem) return h("p", { class: "status error" }, problem);
  if (!change || !usual.answer || !changed.answer) return h("small", { class: "faint" }, t("loading"));
  return [translations(changed.answer), maps(id, c)];
}

const ask = (one, body) => { if (JSON.stringify(one.body) !== JSON.stringify(body)) one.put(body); };

function translations({ unchanged, translation }) {
  const [before, after] = marked(unchanged.text, translation.text), dir = direction_of(model()?.target), same = unchanged.text === translation.text;
  const line = (name, text, { score }, is) => [h("dt", {}, t(name)), h("dd", { dir, id: name }, text.length ? text : "∅", " ", h("small", { class: "faint" }, "log p = ", shown(score, is, 2)))];
  return h("dl", { class: "experiment-texts" }, line("experiment_before", before, unchanged, "unchanged"), line("experiment_after", after, translation, "translation"), same && h("dd", { class: "faint" }, t("experiment_same")));
}

// The words of both texts; those that the other lacks are marked (a longest common subsequence).
function marked(a, b) {
  const split = (text) => (/\s/.test(a + b) ? text.split(/(?<=\s)/) : [...text]), x = split(a), y = split(b), word = (text) => text.trim();
  const length = Array.from({ length: x.length + 1 }, () => Array(y.length + 1).fill(0));
  for (let i = x.length - 1; i >= 0; i--)
    for (let j = y.length - 1; j >= 0; j--) length[i][j] = word(x[i]) === word(y[j]) ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const before = [], after = [];
  for (let i = 0, j = 0; i < x.length || j < y.length;) {
    if (i < x.length && j < y.length && word(x[i]) === word(y[j])) before.push(x[i++]), after.push(y[j++]);
    else if (j >= y.length || (i < x.length && length[i + 1][j] >= length[i][j + 1])) before.push(h("del", {}, x[i++]));
    else after.push(h("ins", {}, y[j++]));
  }
  return [before, after];
}

// The attention of one head for the same translation, before and after.
function maps(id, c) {
  const attention = EXPERIMENTS[id].map(c), name = `${attention}.weights`, source = attention.startsWith("encoder");
  const head = id === "cross" || id === "heads" || id === "tokens" ? 0 : c.head(attention);
  const one = (answer, title, is) => {
    const own = scene(answer, state), map = own.map(name, head), rows = source ? own.source : own.target, columns = attention.endsWith("cross_attention") || source ? own.source : own.target;
    return grid({ ...map, is: (i, j) => `${is}:${map.is(i, j)}` }, { title: t(title), row_names: is === "usual" ? rows : null, column_names: columns, square: true, most: 9, scale: { low: 0, high: 1 } });
  };
  return [h("p", { class: "faint experiment-caption" }, t(source ? "experiment_map_encoder" : attention.endsWith("cross_attention") ? "experiment_map_cross" : "experiment_map_decoder", { n: 1 + head, layer: 1 + Number(attention.split(".")[2]) })),
    h("div", { class: "experiment-maps" }, one(usual.answer, "experiment_before", "usual"), one(changed.answer, "experiment_after", "changed"))];
}

function sampling_controls() {
  const slider = h("input", { type: "range", id: "top-p", min: "0.05", max: "1", step: "0.05", value: String(top_p()), oninput: () => set({ top_p: Number(slider.value) }) });
  return h("p", { class: "experiment-head" }, h("strong", {}, t("experiment_sampling")), " ", labeled("top-p", slider));
}
const top_p = () => Math.min(Math.max(Number(state.top_p) || 1, 0.05), 1);
const heat = () => Math.min(Math.max(Number(state.temperature) || 1, 0.2), 3);

function distribution(c) {
  const about = subject(), i = c.pick("position", c.target.length);
  if (!about) return null;
  ask(sampled, { ...about, top: MOST_SHOWN, distribution: { temperature: heat(), top_p: top_p() } });
  if (sampled.problem) return h("p", { class: "status error" }, sampled.problem);
  const own = sampled.answer?.distribution[i];
  if (!own) return h("small", { class: "faint" }, t("loading"));
  const all = own.tokens.map(({ token, probability }, k) => ({ name: piece(token), value: probability, is: `drawn(${i},${k},${heat()},${top_p()})`, width: probability }));
  return [h("p", { class: "tour-said" }, t("experiment_kept", { n: own.size, temperature: heat().toFixed(1), top_p: top_p().toFixed(2) })), bars(all, { label: t("experiment_sampling") })];
}
