// The choice of languages: from, to, detection, and exchanging them.
import { button, h, is_known, labeled, replace, select } from "../dom.js";
import { examples_of } from "../parts/examples.js";
import { model, sentence, take, translation_text } from "../sentence.js";
import { detect } from "../server.js";
import { set, state } from "../state.js";
import { language_name, t } from "../texts.js";
import { document_name, is_open } from "./document.js";
import { limits } from "./files.js";

const EXAMINED = 1000;  // characters of a text whose language is detected
const all = () => sentence.models;
const pair = (source, target) => all().find((m) => m.source === source && m.target === target);
const codes = (side, models = all()) => [...new Set(models.map((m) => m[side]))];
const is_auto = () => state.from === "auto";
const named = (code) => [code, is_known(code) ? language_name(code) : t("its_own")];
const written = (source, target) => `${source}${/-/.test(source + target) ? ":" : "-"}${target}=MODEL`;
const said = h("p", { class: "said", id: "languages-said", role: "status" });
const place = h("div", { class: "pair" });

const alike = () => all().filter((m) => m.source === model().source && m.target === model().target);
const reverse = () => (model().source !== model().target && is_known(model().source) ? pair(model().target, model().source) : undefined);

export function languages_bar() {
  render_languages();
  return [place, said];
}

export function render_languages() {
  if (!model()) return;
  const focused = document.activeElement?.id, sources = codes("source").map(named), known = all().some((m) => is_known(m.source));
  const targets = codes("target", is_auto() ? all() : all().filter((m) => m.source === model().source)).map(named);
  const from = [...(sources.length > 1 ? [["auto", t("detect")]] : []), ...sources];
  replace(place, known && [labeled(t("from"), select(from, is_auto() ? "auto" : model().source, choose_from, { id: "from" })), swap_button(),
    labeled(t("to"), select(targets, model().target, choose_to, { id: "to" }))],
    h("span", { hidden: known && alike().length < 2 }, labeled(t("model"), select(alike().map((m) => [m.name, is_known(m.source) ? m.name : t("its_own")]), model().name,
      (name) => set({ model: name, hop: 0 }), { id: "model" }))));
  if (["from", "to", "model", "swap"].includes(focused)) document.getElementById(focused)?.focus();
  if (!is_auto()) said.textContent = "";
}

// A button that cannot exchange says why when it is pressed, too: a touch screen shows no title.
function swap_button() {
  const { source, target } = model(), possible = Boolean(reverse());
  const why = possible ? t("swap") : t("no_reverse", { from: language_name(target), to: language_name(source), option: written(target, source) });
  return button("⇄", possible ? swap : () => { said.textContent = why; }, { id: "swap", "aria-label": t("swap"), title: why, "aria-disabled": possible ? null : "true" });
}

function swap() {
  const text = translation_text(), how = { document: is_open(), name: document_name() };
  take("");
  set({ model: reverse().name, from: "", hop: 0 });
  take(text, how);
}

function choose_from(code) {
  if (code === "auto") set({ from: "auto" });
  else go(pair(code, model().target) ?? all().find((m) => m.source === code));
}

function choose_to(code) {
  go(pair(model().source, code) ?? all().find((m) => m.target === code), state.from);
}

// An example is replaced by the other language's.
function go(other, from = "") {
  const example = examples_of(model().source).indexOf(state.q), others = examples_of(other.source);
  set({ model: other.name, from, hop: 0, ...(example >= 0 && others.length > 0 && { q: others[example], t: "", forced: "", line: 0 }) });
}

const found = { text: "" };

// The model for the language of a text if it is to be detected, else the chosen one. Throws if no
// model reads that language.
export async function model_for(text, signal) {
  const beginning = text.slice(0, limits.characters > 0 ? Math.min(limits.characters, EXAMINED) : EXAMINED).toWellFormed();
  if (!is_auto() || !beginning.trim()) return model();
  if (found.text !== beginning) {
    const [best] = await detect(beginning, signal);
    Object.assign(found, best, { text: beginning });
  }
  return told(model());
}

function told(now) {
  const language = language_name(found.language), percent = Math.round(found.confidence), readers = all().filter((m) => m.source === found.language);
  said.textContent = "";
  if (percent > 0 && readers.length === 0) throw new Error(t("no_reader", { language, percent, option: written(found.language, now.target) }));
  said.textContent = percent > 0 ? t("detected", { language, percent }) : t("undetected", { languages: codes("source").map(language_name).join(", ") });
  return percent > 0 ? readers.find((m) => m.target === now.target) ?? readers[0] : now;
}
