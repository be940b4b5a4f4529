// Explains where a model computes something other than the paper's.
import { h } from "../dom.js";
import { typeset } from "./tour_draw.js";
import { t } from "../texts.js";

const named = (c, pattern) => c.answer.names.filter(({ name }) => pattern.test(name));

// The sublayer that mixes the tokens of a stack: "self_attention" in the paper.
export function mixing_of(c, stack) {
  const first = named(c, new RegExp(`^${stack}\\.layers\\.0\\.(?!feed_forward|cross_attention)`))[0];
  return first?.name.split(".")[3] ?? "self_attention";
}

const formulas = (all) => h("dl", { class: "tour-instead" }, all.map(({ name, formula }) => [h("dt", {}, h("code", {}, name.split(".").slice(3).join("."))), h("dd", {}, h("code", {}, formula))]));

// Why a step's tensors are missing, and the formulas of what is there instead.
export function instead(c, { stack, kind, id }) {
  const layer = c.layer(stack ?? "encoder"), of_layer = (part) => named(c, new RegExp(`^${stack}\\.layers\\.${layer}\\.${part}\\.`)).filter((one) => one.formula);
  if (id === "ffn") return [h("p", {}, t("tour_experts")), formulas(of_layer("feed_forward").filter(({ name }) => !/\.(sum|norm)$/.test(name)))];
  const own = kind === "cross_attention" ? kind : mixing_of(c, stack);
  const text = own.endsWith("attention") ? "tour_other_scores" : `tour_no_attention_${stack}`;
  return [h("p", {}, typeset(t(text))), formulas(of_layer(own).filter(({ name }) => (own.endsWith("attention") ? /\.(scores|weights)$/ : /./).test(name)))];
}
