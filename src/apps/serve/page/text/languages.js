// The choice of languages: from, to, detection, and exchanging them.
import { button, h, is_known, labeled, replace, select } from "../dom.js";
import { examples_of } from "../parts/examples.js";
import { model, sentence } from "../sentence.js";
import { detect } from "../server.js";
import { set, state, visit } from "../state.js";
import { language_name, t } from "../texts.js";
import { beginning, doc, translated_lines } from "./lines.js";

// Characters of a text whose language is detected
const EXAMINED = 1000;
export const is_auto = () => state.from === "auto";
const of_pair = (source, target) => sentence.models.filter((m) => m.source === source && m.target === target);
const codes = (side, models = sentence.models) => [...new Set(models.map((m) => m[side]))];
const named = (code) => [code, is_known(code) ? language_name(code) : t("its_own")];
const option = (source, target) => `${source}${/-/.test(source + target) ? ":" : "-"}${target}=MODEL`;
const place = h("div", { class: "pair" }), said = h("p", { class: "said", id: "languages-said", role: "status" });

let take;

// show: shows another text.
export function languages_bar(show) {
  take = show;
  return [place, said];
}

export function render_languages() {
  if (!model()) return;
  const focused = document.activeElement, { source, target, name } = model(), sources = codes("source").map(named), alike = of_pair(source, target);
  if (sources.length > 1) sources.unshift(["auto", t("detect")]);
  const targets = codes("target", sentence.models.filter((m) => is_auto() || m.source === source)).map(named), known = sentence.models.some((m) => is_known(m.source));
  const models = select(alike.map((m) => [m.name, is_known(source) ? m.name : t("its_own")]), name, (own) => set({ model: own, hop: 0 }), { id: "model" });
  replace(place, known && [labeled(t("from"), select(sources, is_auto() ? "auto" : source, choose_from, { id: "from" })), swap_button(source, target),
    labeled(t("to"), select(targets, target, choose_to, { id: "to" }))], h("span", { hidden: known && alike.length < 2 }, labeled(t("model"), models)));
  if (focused?.id && !focused.isConnected) document.getElementById(focused.id)?.focus();
  if (!is_auto()) said.textContent = "";
}

// A button that cannot exchange says why when it is pressed, too: a touch screen shows no title.
function swap_button(source, target) {
  const [back] = source === target ? [] : of_pair(target, source);
  const title = back ? t("swap") : t("no_reverse", { from: language_name(target), to: language_name(source), option: option(target, source) });
  return button("⇄", () => (back ? swap(back) : replace(said, title)), { id: "swap", "aria-label": t("swap"), title, "aria-disabled": back ? null : "true" });
}

function swap(back) {
  const text = translated_lines().map(([, translation]) => translation).join("\n"), how = { document: doc.open, name: doc.name };
  take("");
  visit({ model: back.name, from: "", hop: 0 });
  take(text, how);
}

function choose_from(code) {
  if (code === "auto") visit({ from: code });
  else go(of_pair(code, model().target)[0] ?? sentence.models.find((m) => m.source === code));
}

const choose_to = (code) => go(of_pair(model().source, code)[0] ?? sentence.models.find((m) => m.target === code), state.from);

// An example is replaced by the other language's.
function go(other, from = "") {
  const example = examples_of(model().source).indexOf(state.q), q = examples_of(other.source)[example];
  visit({ model: other.name, from, hop: 0, ...(q && { q, t: "", forced: "", line: 0 }) });
}

const found = { text: "" };

// The chosen model, or the one for the language of a text if that is to be detected. Throws if no model
// reads it.
export async function model_for(whole, signal) {
  const text = beginning(whole, EXAMINED), { source, target } = model();
  if (!is_auto() || !text.trim()) return model();
  if (found.text !== text) Object.assign(found, (await detect(text, signal))[0], { text });
  const language = language_name(found.language), percent = Math.round(found.confidence), readers = sentence.models.filter((m) => m.source === found.language);
  said.textContent = percent > 0 ? t("detected", { language, percent }) : t("undetected", { languages: codes("source").map(language_name).join(", ") });
  if (percent === 0 || source === found.language) return model();
  if (readers.length === 0) throw new Error(t("no_reader", { option: option(found.language, target) }));
  return readers.find((m) => m.target === target) ?? readers[0];
}
