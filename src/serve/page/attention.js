// Attention of every head and layer: thumbnails, and one large map.
import { checkbox, h, replace, roving, select, labeled } from "./dom.js";
import { columns, columns_svg } from "./columns.js";
import { legend, matrix, matrix_svg, pixels, scale_of } from "./matrix.js";
import { save_buttons } from "./save.js";
import { inspect, question } from "./server.js";
import { hop_field, nothing_to_show, subject, subject_text, target_field } from "./sentence.js";
import { set, state } from "./state.js";
import { t } from "./texts.js";

const KINDS = {
  encoder: { tensors: "encoder.layers.*.self_attention.weights", rows: "source_tokens", columns: "source_tokens" },
  decoder: { tensors: "decoder.layers.*.self_attention.weights", rows: "target_tokens", columns: "target_tokens" },
  cross: { tensors: "decoder.layers.*.cross_attention.weights", rows: "target_tokens", columns: "source_tokens" },
};

const pair = question(inspect, () => render());
let root;

export function attention_view() {
  root = h("div", { class: "attention" });
  pair.forget();
  update();
  return root;
}

const kind = () => (Object.hasOwn(KINDS, state.kind) ? state.kind : "cross");

export function update() {
  const about = subject();
  if (!about) return replace(root, nothing_to_show());
  return pair.put({ ...about, tensors: [KINDS[kind()].tensors, ...(kind() === "decoder" ? ["decoder.mask"] : [])] });
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
  const head = layer.heads[Number(state.head)] && state.head !== "mean" ? Number(state.head) : "mean";
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

function controls() {
  const kinds = Object.keys(KINDS).map((k) => [k, t(`kind_${k}`)]);
  return h("div", { class: "controls no-print" },
    labeled(t("attention_of"), select(kinds, kind(), (k) => set({ kind: k }), { id: "kind" })),
    labeled(t("drawn_as"), select([["matrix", t("as_matrix")], ["lines", t("as_lines")]], state.drawing, (d) => set({ drawing: d }), { id: "drawing" })),
    state.drawing === "matrix" && checkbox(t("numbers"), state.numbers, (numbers) => set({ numbers })),
    hop_field(), target_field());
}

function figure(map) {
  return state.drawing === "lines" ? columns(map) : h("div", {}, matrix(map), legend(map.scale, map.masked?.some(Boolean)));
}

function render() {
  if (pair.problem) return replace(root, controls(), h("p", { class: "status error", role: "alert" }, pair.problem));
  if (!pair.answer) return replace(root, controls(), h("p", { class: "faint" }, t("loading")));
  const all = layers(), chosen = selected(all), map = map_of(chosen);
  const focused = document.activeElement?.closest(".thumbnail")?.dataset;
  replace(root, controls(), h("div", { class: "two-parts" },
    h("section", { "aria-label": t("thumbnails") }, h("h3", {}, t("layers_and_heads")), thumbnails(all, chosen)),
    h("section", { class: "large", "aria-label": map.title }, figure(map),
      save_buttons("attention", () => (state.drawing === "lines" ? columns_svg(map) : matrix_svg(map)),
        () => ({ source: subject()?.q, target: subject_text(), tensor: chosen.layer.name, head: chosen.head, rows: map.rows, columns: map.columns, values: map.values })))),
    h("p", { class: "faint" }, t("attention_help")));
  if (focused) root.querySelector(`[data-layer="${focused.layer}"][data-head="${focused.head}"]`)?.focus();
  return undefined;
}
