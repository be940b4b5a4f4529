// A slider over the checkpoints of a run: what its model makes of the sentence at each.
import { grouped, h, labeled, number, replace } from "../dom.js";
import { matrix } from "../matrix.js";
import { inspect, question } from "../server.js";
import { set, state } from "../state.js";
import { t } from "../texts.js";

const seen = question(inspect, () => draw());
let box, updates = [], name = "";

// The checkpoint that the address names, or the last one.
const chosen = () => (updates.includes(state.update) ? state.update : updates.at(-1));

// The section of a run; null if it has kept no checkpoints.
export function over_training(run) {
  [name, updates] = [run.name, run.checkpoints ?? []];
  if (!updates.length) return null;
  const slider = h("input", { type: "range", id: "update", min: "0", max: String(updates.length - 1), value: String(updates.indexOf(chosen())), oninput: () => set({ update: updates[Number(slider.value)] }) });
  box = h("div", { role: "status" });
  show();
  return h("section", { id: "over-training" }, h("h3", {}, t("over_training")), labeled(t("checkpoint"), slider), box);
}

// Asks for the chosen checkpoint.
export function show() {
  const q = state.q.split("\n")[0].trim();
  if (!box || !updates.length || !q) return;
  seen.put({ q, run: name, update: chosen(), tensors: ["decoder.layers.*.cross_attention.weights"] });
}

const words = (tokens) => tokens.join("").replaceAll("▁", " ").trim();

function mean_of_heads({ shape: [heads, rows, columns], values }) {
  return Array.from({ length: rows * columns }, (_, i) => Array.from({ length: heads }, (_, k) => values[k * rows * columns + i]).reduce((a, b) => a + b) / heads);
}

function draw() {
  if (!box) return;
  if (seen.problem) return replace(box, h("p", { class: "status error" }, seen.problem));
  const answer = seen.answer, last = answer && Object.values(answer.tensors).at(-1);
  if (!last) return replace(box, h("p", { class: "faint" }, t("loading")));
  const map = { title: t("over_training_map"), rows: answer.target_tokens, columns: answer.source_tokens, values: mean_of_heads(last), scale: { low: 0, high: 1 }, numbers: "fit", row_title: t("translation"), column_title: t("source") };
  return replace(box, h("p", {}, t("update_of", { n: grouped(chosen()) }), " ", h("bdi", { id: "over-training-text" }, words(answer.target_tokens.slice(1)) || "∅"), " ", h("small", { class: "faint" }, `log p = ${number(answer.score)}`)), matrix(map));
}
