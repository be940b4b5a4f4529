// One weight of one head, computed before the reader's eyes: the query of a token, the key of another
// one, their product element by element, its sum, the scale and softmax.
import { h, labeled, piece, piece_text, scrolling, select } from "../dom.js";
import { legend, matrix, scale_of } from "../matrix.js";
import { set, state } from "../state.js";
import { t } from "../texts.js";
import { dot, list_is, row_of, scene } from "../tour/tour_data.js";
import { bars, shown } from "../tour/tour_draw.js";
import { formula, frac, root, row, sub, sub_sup, sup, val } from "../tour/tour_math.js";

const WANTED = ["q", "k", "unscaled", "scores", "weights"];

// The tensors that the view needs, of those that the model has.
export const neuron_tensors = (scope, names) => WANTED.map((part) => `${scope}.${part}`).filter((name) => names.some((one) => one.name === name));

// The chosen weight: query i, key j and the head's matrices. kinds: the tokens of rows and columns.
function chosen_weight(answer, { scope, head, rows, columns }) {
  const c = scene(answer, state), heads = c.heads_of(scope), map = (part) => (c.given(`${scope}.${part}`) ? c.map(`${scope}.${part}`, head) : null);
  return { c, scope, head, rows: answer[rows], columns: answer[columns], i: c.pick("query", answer[rows].length), j: c.pick("key", answer[columns].length),
    q: c.of_head(`${scope}.q`, head, heads), k: c.of_head(`${scope}.k`, head, heads), unscaled: map("unscaled"), scores: map("scores"), weights: map("weights"),
    said: { scores: c.formula(`${scope}.scores`), weights: c.formula(`${scope}.weights`) } };
}

const is_dot = (a) => a.unscaled && a.said.scores.startsWith("unscaled");
const is_scaled = (a) => a.said.scores.includes("/ sqrt(");
const is_softmax = (a) => a.said.weights.startsWith("softmax(scores)");
const is_hidden = (a) => a.scores.at(a.i, a.j) === -Infinity;

function vectors(a) {
  const q = row_of(a.q, a.i), k = row_of(a.k, a.j), values = [...q, ...k, ...q.map((x, d) => x * k[d])];
  return { title: t("neuron_vectors", { query: piece_text(a.rows[a.i]), key: piece_text(a.columns[a.j]) }), rows: ["q", "k", "q × k"], columns: q.map((_, d) => String(d + 1)),
    values, scale: scale_of(values), numbers: "fit", row_title: "", column_title: t("neuron_element") };
}

const indices = (a) => row(String(a.i + 1), ",", String(a.j + 1));

function sum_line(a) {
  const sum = dot(row_of(a.q, a.i), row_of(a.k, a.j));
  return formula(sub("s", indices(a)), "=", sub("q", String(a.i + 1)), "·", sub("k", String(a.j + 1)), "=", val(sum, `dot(${list_is(a.q, a.i)},${list_is(a.k, a.j)})`));
}

function scale_line(a) {
  const d = a.q.cols, s = val(a.unscaled.at(a.i, a.j), a.unscaled.is(a.i, a.j)), own = val(a.scores.at(a.i, a.j), a.scores.is(a.i, a.j));
  if (is_hidden(a)) return formula(sub_sup("s", indices(a), "′"), "=", is_scaled(a) ? frac(s, root(String(d))) : s, "+", "(", "−", "∞", ")", "=", own);
  return is_scaled(a) && formula(sub_sup("s", indices(a), "′"), "=", frac(s, row(root(String(d)))), "=", own);
}

function weight_line(a) {
  const w = val(a.weights.at(a.i, a.j), a.weights.is(a.i, a.j)), left = [sub("α", indices(a)), "="];
  if (!is_softmax(a)) return formula(left, w);
  const line = row_of(a.scores, a.i), total = line.reduce((x, s) => x + Math.exp(s), 0), is = a.scores.is(a.i, a.j);
  return formula(left, frac(sup("e", val(line[a.j], is)), row(sup("e", val(line[0], a.scores.is(a.i, 0))), "+", "…")), "=", frac(val(Math.exp(line[a.j]), `exp(${is})`), val(total, `sum(exp(x) for x in ${list_is(a.scores, a.i)})`)), "=", w);
}

// The steps from the vectors to the weight, each with its words.
function lines(a) {
  const all = [is_dot(a) ? [t("neuron_sum"), sum_line(a)] : [t("neuron_other_score", { formula: a.said.scores }), formula(sub("s", indices(a)), "=", val(a.scores.at(a.i, a.j), a.scores.is(a.i, a.j)))]];
  if (is_dot(a) && scale_line(a)) all.push([t(is_hidden(a) ? "neuron_hidden" : "neuron_scale"), scale_line(a)]);
  all.push([is_softmax(a) ? t("neuron_softmax", { n: a.columns.length }) : t("neuron_other_weight", { formula: a.said.weights }), weight_line(a)]);
  return h("ol", { class: "neuron-steps" }, all.map(([text, numbers]) => h("li", {}, h("span", { class: "faint" }, text), scrolling(text, numbers))));
}

function keys_of(a) {
  const name = t("neuron_all_keys", { token: piece_text(a.rows[a.i]) });
  return [h("h3", {}, name), bars(row_of(a.weights, a.i).map((w, j) => ({ name: piece(a.columns[j]), value: w, is: a.weights.is(a.i, j), width: w, lit: j === a.j,
    before: h("span", { class: "tour-steps" }, shown(a.scores.at(a.i, j), a.scores.is(a.i, j), 2), " →") })), { label: name, pick: (j) => set({ key: j + 1 }) })];
}

const choices = (tokens) => tokens.map((text, i) => [i + 1, `${i + 1} ${piece_text(text)}`]);

export function neuron_controls(answer, { rows, columns, scope, head }) {
  const c = scene(answer, state), field = (name, tokens, label) => labeled(label, select(choices(tokens), 1 + c.pick(name, tokens.length), (value) => set({ [name]: Number(value) }), { id: `neuron-${name}` }));
  const heads = Array.from({ length: c.heads_of(scope) }, (_, i) => [i, i + 1]);
  return [labeled(t("head_choice"), select(heads, head, (value) => set({ head: value }), { id: "neuron-head" })), field("query", answer[rows], t("query")), field("key", answer[columns], t("key"))];
}

// subject: {scope, head, rows, columns, title}.
export function neuron(answer, subject) {
  const a = chosen_weight(answer, subject), map = vectors(a);
  return h("figure", { class: "neuron", "aria-label": subject.title }, h("figcaption", {}, subject.title), h("p", { class: "faint" }, t("neuron_help")),
    matrix(map), legend(map.scale), lines(a), keys_of(a));
}
export const neuron_numbers = (answer, subject) => {
  const a = chosen_weight(answer, subject);
  return { tensor: subject.scope, head: subject.head, query: a.rows[a.i], key: a.columns[a.j], q: row_of(a.q, a.i), k: row_of(a.k, a.j), score: a.scores.at(a.i, a.j), weights: row_of(a.weights, a.i) };
};
