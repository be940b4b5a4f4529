// The most probable tokens of one position as bars, in place of a vocabulary too wide to draw.
import { h, labeled, number, piece, piece_text, replace, select } from "../dom.js";
import { save_buttons } from "../save.js";
import { t } from "../texts.js";

export const TOP = 15;  // tokens drawn

function bar(token, value, { low, high, is_next }) {
  const share = (v) => 100 * (v - low) / (high - low || 1), zero = share(0), end = share(value);
  return h("li", { class: is_next ? "next" : "" }, h("span", { class: "bar-name" }, piece(token.token)),
    h("span", { class: "bar-place", "aria-hidden": "true" }, h("span", { class: "bar", style: { left: `${Math.min(zero, end)}%`, width: `${Math.abs(end - zero)}%` } })),
    h("span", { class: "bar-number" }, number(value)));
}

// what: "probability" (from 0 to 1) or "logit".
function chart(tokens, what, next) {
  const value = (token) => (what === "logit" ? token.logit : Math.exp(token.log_probability)), all = tokens.map(value);
  const scale = what === "logit" ? { low: Math.min(0, ...all), high: Math.max(0, ...all) } : { low: 0, high: 1 };
  return h("ol", { class: "bars" }, tokens.map((token, i) => bar(token, all[i], { ...scale, is_next: token.token === next })));
}

// seen: an answer of /v1/inspect with the most probable tokens; name: the tensor that they stand for.
export function top_view(seen, name) {
  const what = name === "generator.logits" ? "logit" : "probability", place = h("div");
  const positions = seen.predicted.map((token, i) => [i, `${i + 1}: ${piece_text(seen.target_tokens[i])} → ${piece_text(token)}`]);
  const show = (i) => replace(place, h("p", { class: "bars-title" }, h("strong", {}, t(what)), ` ${t("after")} `,
    seen.target_tokens.slice(0, i + 1).map((token) => [piece(token), " "])), chart(seen.top[i], what, seen.predicted[i]));
  show(0);
  return h("figure", { class: "top-tokens", "aria-label": t("top_tokens") }, h("div", { class: "controls no-print" },
    labeled(t("position_choice"), select(positions, 0, (i) => show(Number(i)), { id: "position" }))), place,
    h("p", { class: "faint" }, t("top_tokens_help", { n: seen.top[0].length })), save_buttons(name, null, () => ({ tensor: name, predicted: seen.predicted, top: seen.top })));
}
