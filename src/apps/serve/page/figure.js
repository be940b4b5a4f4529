// Figure 1 of the paper. Each box opens the tensors that it computes for the current sentence, with
// formulas.
import { TOP, top_view } from "./parts/bars.js";
import { h, labeled, replace, select, svg } from "./dom.js";
import { save_buttons } from "./save.js";
import { inspect, latest, question } from "./server.js";
import { hop_field, inside, nothing_to_show, subject, target_field } from "./sentence.js";
import { set, state, visit } from "./state.js";
import { norm_chart, position_chart, tensor_view } from "./tensor.js";
import { t } from "./texts.js";

const LEFT = 150, RIGHT = 430, WIDTH = 150;

// Predicates on tensor names: which tensors a box opens in a layer.
const of_layer = (stack, part) => (name, layer) => name.startsWith(`${stack}.layers.${layer}.${part}`);
const sublayer = (stack, part) => (name, layer) => of_layer(stack, part)(name, layer) && !/\.(sum|norm)$/.test(name);
const add_norm = (stack, part) => (name, layer) => of_layer(stack, part)(name, layer) && /\.(sum|norm)$/.test(name);
const named = (...names) => (name) => names.includes(name);
// The encoder's first sublayer: attention or one of its alternatives.
const mixing = (inner) => (name, layer) => inner("encoder", "")(name, layer) && !name.includes(".feed_forward.");

const BOXES = [
  { id: "input_embedding", x: LEFT, y: 690, kind: "embedding", opens: named("encoder.tokens") },
  { id: "input_positions", x: 40, y: 640, kind: "positions", opens: named("encoder.positions"), round: true },
  { id: "input_sum", x: LEFT, y: 640, kind: "sum", opens: named("encoder.embedded", "encoder.input.norm"), plus: true },
  { id: "encoder_attention", x: LEFT, y: 520, kind: "attention", opens: mixing(sublayer), height: 44 },
  { id: "encoder_norm_1", x: LEFT, y: 468, kind: "norm", opens: mixing(add_norm), norms: true },
  { id: "encoder_ffn", x: LEFT, y: 390, kind: "ffn", opens: sublayer("encoder", "feed_forward."), height: 40 },
  { id: "encoder_norm_2", x: LEFT, y: 342, kind: "norm", opens: (n, l) => add_norm("encoder", "feed_forward.")(n, l) || n === "encoder.norm", norms: true },
  { id: "output_embedding", x: RIGHT, y: 690, kind: "embedding", opens: named("decoder.tokens") },
  { id: "output_positions", x: 540, y: 640, kind: "positions", opens: named("decoder.positions"), round: true },
  { id: "output_sum", x: RIGHT, y: 640, kind: "sum", opens: named("decoder.embedded", "decoder.input.norm"), plus: true },
  { id: "masked_attention", x: RIGHT, y: 520, kind: "attention", opens: (n, l) => sublayer("decoder", "self_attention.")(n, l) || n === "decoder.mask", height: 44 },
  { id: "decoder_norm_1", x: RIGHT, y: 468, kind: "norm", opens: add_norm("decoder", "self_attention."), norms: true },
  { id: "cross_attention", x: RIGHT, y: 382, kind: "attention", opens: sublayer("decoder", "cross_attention."), height: 44 },
  { id: "decoder_norm_2", x: RIGHT, y: 330, kind: "norm", opens: add_norm("decoder", "cross_attention."), norms: true },
  { id: "decoder_ffn", x: RIGHT, y: 252, kind: "ffn", opens: sublayer("decoder", "feed_forward."), height: 40 },
  { id: "decoder_norm_3", x: RIGHT, y: 204, kind: "norm", opens: (n, l) => add_norm("decoder", "feed_forward.")(n, l) || n === "decoder.norm", norms: true },
  { id: "linear", x: RIGHT, y: 122, kind: "linear", opens: named("generator.logits") },
  { id: "softmax", x: RIGHT, y: 72, kind: "softmax", opens: named("generator.log_probabilities", "loss") },
];

const LINES = [  // from box to box, and around the sublayers
  `M${LEFT} 738V706`, `M${LEFT} 676V653`, `M${LEFT} 627V542`, `M${LEFT} 498V482`, `M${LEFT} 454V410`, `M${LEFT} 370V356`,
  `M${RIGHT} 738V706`, `M${RIGHT} 676V653`, `M${RIGHT} 627V542`, `M${RIGHT} 498V482`, `M${RIGHT} 454V404`, `M${RIGHT} 360V344`,
  `M${RIGHT} 316V272`, `M${RIGHT} 232V218`, `M${RIGHT} 190V136`, `M${RIGHT} 108V86`, `M${RIGHT} 58V36`,
  `M66 640H137`, `M514 640H443`,
  `M${LEFT} 590H52V468H75`, `M${LEFT} 432H52V342H75`, `M${RIGHT} 590H528V468H505`, `M${RIGHT} 432H528V330H505`, `M${RIGHT} 294H528V204H505`,
  `M${LEFT} 328V296H290V420H400V404`,
];

const pair = question(inspect, () => render()), one_tensor = latest();
// Per answer: the requested tensors by name.
const tensors = new WeakMap();
let root;

export function figure_view() {
  root = h("div", { class: "figure-view" });
  pair.forget();
  update();
  return root;
}

export function update() {
  const about = subject();
  if (!about) return replace(root, nothing_to_show());
  return pair.put({ ...about, top: TOP });
}

function shape_of(box) {
  if (box.plus) return [svg("circle", { cx: box.x, cy: box.y, r: 12 }), svg("path", { d: `M${box.x - 7} ${box.y}H${box.x + 7}M${box.x} ${box.y - 7}V${box.y + 7}`, class: "sign" })];
  if (box.round)
    return [svg("circle", { cx: box.x, cy: box.y, r: 25 }), svg("path", { d: wave(box.x, box.y), class: "sign" }),
      ...t("positional_encoding").split("\n").map((line, i) => svg("text", { x: box.x, y: box.y + 42 + 14 * i, "text-anchor": "middle", "font-size": 11 }, line))];
  const height = box.height ?? 28;
  const words = t(`box_${box.id}`).split("\n");
  return [svg("rect", { x: box.x - WIDTH / 2, y: box.y - height / 2, width: WIDTH, height, rx: 5 }),
    ...words.map((line, i) => svg("text", { x: box.x, y: box.y + 4.5 + (i - (words.length - 1) / 2) * 15, "text-anchor": "middle" }, line))];
}

function wave(x, y) {
  let path = `M${x - 18} ${y}`;
  for (let i = 1; i <= 36; ++i) path += `L${x - 18 + i} ${(y - 9 * Math.sin(i / 36 * 2 * Math.PI)).toFixed(1)}`;
  return path;
}

function open_box(box) {
  const first = names_in(box)[0];
  visit({ box: box.id, tensor: first?.name ?? "" });
}

function box_element(box) {
  const label = t(`box_${box.id}`).replace("\n", " ");
  return svg("g", { class: `box ${box.kind}${state.box === box.id ? " open" : ""}`, tabindex: "0", role: "button", id: `box-${box.id}`,
    "aria-pressed": String(state.box === box.id), "aria-label": label, onclick: () => open_box(box),
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open_box(box); } } },
    svg("title", {}, label), shape_of(box));
}

const stack_height = (stack) => inside()?.layers?.[stack] ?? "N";

function drawing() {
  const arrow = svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 1L7 4L0 7z", class: "tip" }));
  const text = (x, y, words, anchor = "middle") => svg("text", { x, y, "text-anchor": anchor }, words);
  return svg("svg", { viewBox: "0 0 580 770", class: "figure-1", role: "group", "aria-label": t("figure_1"), "font-size": 13, "font-family": "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif" },
    svg("defs", {}, arrow),
    svg("rect", { x: 60, y: 314, width: 180, height: 294, rx: 10, class: "stack" }), svg("rect", { x: 340, y: 176, width: 180, height: 432, rx: 10, class: "stack" }),
    text(30, 460, `${stack_height(0)}×`), text(556, 400, `${stack_height(1)}×`),
    LINES.map((d) => svg("path", { d, class: "wire", "marker-end": "url(#arrow)" })),
    text(LEFT, 754, t("inputs")), text(RIGHT, 754, t("outputs_shifted")), text(RIGHT, 26, t("output_probabilities")), BOXES.map(box_element));
}

const layer_count = () => 1 + Math.max(0, ...pair.answer.names.map(({ name }) => Number(name.match(/\.layers\.(\d+)\./)?.[1] ?? 0)));
const layer = () => Math.min(Math.max(state.stack, 0), layer_count() - 1);
// The order of computation.
const ORDER = ["mask", "tokens", "positions", "embedded", "q", "k", "v", "unscaled", "scores", "weights", "heads", "reset", "update", "candidate", "probabilities", "gates", "inner", "linear", "hidden", "output", "sum", "norm"];
const rank = ({ name }) => ORDER.indexOf(name.split(".").at(-1));
const names_in = (box) => pair.answer.names.filter(({ name }) => box.opens(name, layer())).sort((a, b) => rank(a) - rank(b));

function controls() {
  const all = Array.from({ length: layer_count() }, (_, i) => [i, i + 1]);
  return h("div", { class: "controls no-print" }, labeled(t("layer_choice"), select(all, layer(), change_layer, { id: "stack" })), hop_field(), target_field());
}

// The same tensor of the other layer.
function change_layer(to) {
  set({ stack: Number(to), tensor: state.tensor.replace(/\.layers\.\d+\./, `.layers.${to}.`) });
}

function tensor_list(names) {
  return h("ul", { class: "tensor-list" }, names.map(({ name, shape, formula }) => h("li", {},
    h("button", { type: "button", class: "tensor-name", "aria-pressed": String(name === state.tensor), onclick: () => set({ tensor: name }) },
      h("code", {}, name), h("span", { class: "faint" }, ` [${shape.join(" × ")}]`)),
    formula && h("p", { class: "formula" }, formula))));
}

async function numbers_of({ answer, body }, name) {
  if (!tensors.has(answer)) tensors.set(answer, new Map());
  const known = tensors.get(answer);
  if (!known.has(name)) {
    const found = await one_tensor((signal) => inspect({ ...body, tensors: [name] }, signal));
    if (!found) return undefined;
    known.set(name, found.tensors[name]);
  }
  return known.get(name);
}

// Tensors with a column for each entry of the vocabulary.
const of_vocabulary = /^generator\.(logits|log_probabilities)$/;

// Shows the numbers of the chosen tensor and other drawings of this box.
async function show_numbers(place, box, names) {
  const chosen = names.find(({ name }) => name === state.tensor) ?? names[0];
  if (!chosen) return undefined;
  if (of_vocabulary.test(chosen.name)) return replace(place, top_view(pair.answer, chosen.name));
  // The sentence may change meanwhile.
  const asked = { ...pair };
  replace(place, h("p", { class: "faint" }, t("loading")));
  try {
    const sum = box.norms && names.find(({ name }) => name.endsWith(".sum")), norm = box.norms && names.find(({ name }) => name.endsWith(".norm"));
    const tensor = await numbers_of(asked, chosen.name);
    if (!tensor) return undefined;
    const parts = [tensor_view({ ...chosen, ...tensor }, asked.answer)];
    if (sum && norm) parts.push(norm_chart(await numbers_of(asked, sum.name), await numbers_of(asked, norm.name)));
    if (box.kind === "positions") parts.push(position_chart(tensor));
    replace(place, parts);
  } catch (error) {
    replace(place, h("p", { class: "status error", role: "alert" }, error.message));
  }
  return undefined;
}

function panel() {
  const box = BOXES.find((b) => b.id === state.box);
  if (!box) return h("section", { class: "panel" }, h("p", { class: "faint" }, t("figure_help")));
  const names = names_in(box), place = h("div", { class: "numbers" });
  show_numbers(place, box, names);
  return h("section", { class: "panel", "aria-label": t(`box_${box.id}`) }, h("h3", {}, t(`box_${box.id}`).replace("\n", " ")),
    h("p", {}, t(`about_${box.kind}`)), names.length ? [tensor_list(names), names.some(({ name }) => name.includes(".layers.")) && h("p", { class: "faint" }, t("counted"))] : h("p", { class: "faint" }, t("no_tensors")), place);
}

function render() {
  if (pair.problem) return replace(root, h("p", { class: "status error", role: "alert" }, pair.problem));
  if (!pair.answer) return replace(root, h("p", { class: "faint" }, t("loading")));
  const focused = document.activeElement?.id, picture = drawing();
  replace(root, controls(), h("div", { class: "two-parts figure-parts" }, h("figure", {}, picture, save_buttons("figure-1", () => picture, null)), panel()));
  if (focused) document.getElementById(focused)?.focus();
  return undefined;
}
