// Attention of every head and layer: thumbnails, and one large map.
import { checkbox, h, replace, roving, select, labeled } from "./dom.js";
import { columns, columns_svg } from "./columns.js";
import { drawn_heads, heads, heads_svg } from "./heads/heads.js";
import { neuron, neuron_controls, neuron_numbers, neuron_tensors } from "./heads/neuron.js";
import { legend, matrix, matrix_svg, pixels, scale_of } from "./matrix.js";
import { save_buttons } from "./save.js";
import { inspect, question } from "./server.js";
import { hop_field, nothing_to_show, subject, subject_text, target_field } from "./sentence.js";
import { set, state, visit } from "./state.js";
import { t } from "./texts.js";

const KINDS = {
  encoder: { tensors: "encoder.layers.*.self_attention.weights", rows: "source_tokens", columns: "source_tokens" },
  decoder: { tensors: "decoder.layers.*.self_attention.weights", rows: "target_tokens", columns: "target_tokens" },
  cross: { tensors: "decoder.layers.*.cross_attention.weights", rows: "target_tokens", columns: "source_tokens" },
};

const pair = question(inspect, () => render()), neurons = question(inspect, () => render());
const names_of = new Map();  // by model: of its tensors
let root;

export function attention_view() {
  root = h("div", { class: "attention" });
  pair.forget();
  neurons.forget();
  neurons.body = null;
  update();
  return root;
}

const kind = () => (Object.hasOwn(KINDS, state.kind) ? state.kind : "cross");

export function update() {
  const about = subject();
  if (!about) return replace(root, nothing_to_show());
  // The first question of a model asks for them.
  const known = names_of.get(about.model);
  if (known && !has_attention(known)) return replace(root, controls(), h("p", { class: "faint no-attention" }, t("no_attention")));
  return pair.put(known ? { ...about, tensors: [KINDS[kind()].tensors, ...(kind() === "decoder" ? ["decoder.mask"] : [])] } : about);
}

function has_attention(names) {
  const [before, after] = KINDS[kind()].tensors.split("*");
  return names.some(({ name }) => name.startsWith(before) && name.endsWith(after));
}

// [{layer, heads: [values]}], with the mean first in each layer.
function layers() {
  const all = Object.entries(pair.answer.tensors).filter(([name]) => name.endsWith(".weights")).map(([name, { shape, values }]) => {
    const [heads, n, m] = shape, size = n * m;
    const each = Array.from({ length: heads }, (_, i) => values.slice(i * size, (i + 1) * size));
    return { layer: Number(name.split(".")[2]), name, heads: each, mean: mean_of(each) };
  });
  return all.sort((a, b) => a.layer - b.layer);
}

function mean_of(heads) {
  return heads[0].map((_, i) => heads.reduce((sum, head) => sum + head[i], 0) / heads.length);
}

const masked = () => pair.answer.tensors["decoder.mask"]?.values.map((v) => v === null) ?? null;

function selected(all) {
  const layer = all.find((l) => String(l.layer) === state.layer) ?? all.at(-1);
  // That drawing has one head.
  const alone = state.drawing === "neuron" ? 0 : "mean";
  const head = layer.heads[Number(state.head)] && state.head !== "mean" ? Number(state.head) : alone;
  return { layer, head, values: head === "mean" ? layer.mean : layer.heads[head] };
}

// Layers and heads count from 1, other than in the names of tensors.
const layer_name = ({ layer }) => t("layer", { n: layer + 1 });
const head_name = (head) => (head === "mean" ? t("mean_of_heads") : t("head", { n: head + 1 }));

// Few fixed scales keep heads comparable; on the widest, a mean over many tokens would be all
// white.
const scale_for = (values) => ({ low: 0, high: [0.25, 0.5, 1].find((limit) => values.every((v) => v <= limit)) ?? Math.max(...values) });

function map_of(chosen) {
  const { rows, columns: keys } = KINDS[kind()];
  return { title: `${t(`kind_${kind()}`)}, ${layer_name(chosen.layer)}, ${head_name(chosen.head)}`,
    rows: pair.answer[rows], columns: pair.answer[keys], values: chosen.values, masked: masked(), scale: scale_for(chosen.values),
    numbers: state.numbers, row_title: t("query"), column_title: t("key") };
}

function thumbnail(layer, head, scale, chosen) {
  const { rows, columns: keys } = KINDS[kind()];
  const values = head === "mean" ? layer.mean : layer.heads[head];
  const canvas = pixels({ rows: pair.answer[rows], columns: pair.answer[keys], values, masked: masked(), scale });
  const current = chosen.layer === layer && chosen.head === head;
  return h("button", { type: "button", class: "thumbnail", "aria-pressed": String(current), "data-layer": layer.layer, "data-head": head,
    "aria-label": `${layer_name(layer)}, ${head_name(head)}`, title: `${layer_name(layer)}, ${head_name(head)}`,
    onclick: () => set({ layer: String(layer.layer), head: String(head) }) }, canvas);
}

function thumbnails(all, chosen) {
  const head_row = h("div", { class: "thumb-row heads", "aria-hidden": "true" }, h("span"), h("span", {}, t("mean")),
    all[0].heads.map((_, i) => h("span", {}, i + 1)));
  const rows = all.map((layer) => h("div", { class: "thumb-row" }, h("span", { class: "layer-name" }, layer.layer + 1),
    ["mean", ...layer.heads.keys()].map((head) => thumbnail(layer, head, scale_of(head === "mean" ? layer.mean : layer.heads[head]), chosen))));
  const grid = h("div", { class: "thumbnails", role: "group", "aria-label": t("thumbnails") }, head_row, rows);
  grid.style.setProperty("--heads", all[0].heads.length + 1);
  roving([...grid.querySelectorAll("button")]);
  return grid;
}

const DRAWINGS = ["matrix", "lines", "heads", "neuron"];

function controls(more) {
  const kinds = Object.keys(KINDS).map((k) => [k, t(`kind_${k}`)]), drawings = DRAWINGS.map((d) => [d, t(`as_${d}`)]);
  return h("div", { class: "controls no-print" },
    labeled(t("attention_of"), select(kinds, kind(), (k) => visit({ kind: k }), { id: "kind" })),
    labeled(t("drawn_as"), select(drawings, state.drawing, (d) => visit({ drawing: d }), { id: "drawing" })),
    state.drawing === "matrix" && checkbox(t("numbers"), state.numbers, (numbers) => set({ numbers })), more,
    hop_field(), target_field());
}

// All heads of the chosen layer.
const heads_of = (chosen) => ({ ...map_of(chosen), title: `${t(`kind_${kind()}`)}, ${layer_name(chosen.layer)}`, heads: chosen.layer.heads });
const neuron_of = (chosen) => ({ ...KINDS[kind()], scope: chosen.layer.name.replace(/\.weights$/, ""), head: chosen.head, title: map_of(chosen).title });

// Asks for the queries and keys of the layer, which only the neuron view shows.
function neuron_figure(about) {
  const { tensors, ...body } = pair.body, wanted = { ...body, tensors: neuron_tensors(about.scope, pair.answer.names) };
  if (JSON.stringify(neurons.body) !== JSON.stringify(wanted)) neurons.put(wanted);  // draws again
  if (neurons.problem) return h("p", { class: "status error", role: "alert" }, neurons.problem);
  return neurons.answer ? neuron(neurons.answer, about) : h("p", { class: "faint" }, t("loading"));
}

function figure(chosen) {
  const map = map_of(chosen);
  if (state.drawing === "neuron") return neuron_figure(neuron_of(chosen));
  if (state.drawing === "heads") return heads(heads_of(chosen));
  return state.drawing === "lines" ? columns(map) : h("div", {}, matrix(map), legend(map.scale, map.masked?.some(Boolean)));
}

const picture_of = (chosen) => ({ heads: () => heads_svg(heads_of(chosen)), lines: () => columns_svg(map_of(chosen)), matrix: () => matrix_svg(map_of(chosen)) })[state.drawing];

function numbers_of(chosen) {
  const map = map_of(chosen), about = { source: subject()?.q, target: subject_text(), tensor: chosen.layer.name, rows: map.rows, columns: map.columns };
  if (state.drawing === "neuron") return { ...about, ...neuron_numbers(neurons.answer, neuron_of(chosen)) };
  if (state.drawing === "heads") return { ...about, heads: drawn_heads(chosen.layer.heads.length).map((head) => ({ head, values: chosen.layer.heads[head] })) };
  return { ...about, head: chosen.head, values: map.values };
}

function render() {
  if (pair.problem) return replace(root, controls(), h("p", { class: "status error", role: "alert" }, pair.problem));
  if (!pair.answer) return replace(root, controls(), h("p", { class: "faint" }, t("loading")));
  if (!pair.body.tensors) {
    names_of.set(pair.body.model, pair.answer.names);
    return update();
  }
  const all = layers(), chosen = selected(all), focused = focus_of(document.activeElement), drawn = figure(chosen);
  replace(root, controls(state.drawing === "neuron" && neuron_controls(pair.answer, neuron_of(chosen))), h("div", { class: "two-parts" },
    h("section", { "aria-label": t("thumbnails") }, h("h3", {}, t("layers_and_heads")), thumbnails(all, chosen)),
    h("section", { class: "large", "aria-label": map_of(chosen).title }, drawn, save_buttons("attention", picture_of(chosen), () => numbers_of(chosen)))),
    h("p", { class: "faint" }, t("attention_help")));
  if (focused) root.querySelector(focused)?.focus();
  return undefined;
}

// Where the focus is, so that it can stay there.
function focus_of(element) {
  const place = element?.closest(".attention :is(.thumbnail, .tour-bar, [id])");
  if (!place) return "";
  if (place.id) return `#${place.id}`;
  if (place.matches(".tour-bar")) return `li:nth-child(${1 + [...place.closest("ol").children].indexOf(place.closest("li"))}) > .tour-bar`;
  return `[data-layer="${place.dataset.layer}"][data-head="${place.dataset.head}"].thumbnail`;
}
