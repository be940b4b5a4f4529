// The sentence: its translations, the chosen one, and what the views ask the server about it.
import { direction_of, h, is_known, labeled, select } from "./dom.js";
import { question, translate } from "./server.js";
import { set, state } from "./state.js";
import { language_name, t } from "./texts.js";

export const sentence = { models: [], source: "", results: [], warnings: [], busy: false, error: "" };
const listeners = [];
export const on_translation = (listener) => listeners.push(listener);
export const tell = () => { for (const listener of listeners) listener(); };

export const model = () => sentence.models.find((m) => m.name === state.model) ?? sentence.models[0];
export const line_index = () => Math.min(state.line, Math.max(sentence.results.length - 1, 0));

// The translations of the current line, and the chosen one.
export const alternatives = () => sentence.results[line_index()] ?? [];
export const chosen = () => (state.t && alternatives().find((a) => a.text === state.t)) || alternatives()[0];

const line_text = () => sentence.source.split("\n")[line_index()]?.trim();

// The models of the chosen pair: two if it leads through a third language.
function hops() {
  const all = sentence.models, pair = model();
  if (!pair?.pivot) return pair ? [pair] : [];
  const names = all.flatMap((a) => all.map((b) => [a, b])).find(([a, b]) => `${a.name}+${b.name}` === pair.name);
  return names ?? [pair];
}
const hop = () => Math.min(state.hop, hops().length - 1);

// The model that the views look into.
export const inside = () => hops()[hop()];

// The text between two models: the first one's translation of the line.
const between = question(async (body, signal) => (await translate(body, signal)).translations[0][0], tell);

export function ask_between() {
  const q = line_text();
  if (hops().length > 1 && q && chosen()) between.put({ q, model: hops()[0].name, options: { beam_size: state.beam, length_penalty: state.penalty } });
}

// -> {q, translation}: what the model looked at reads and writes; null if there is none yet.
function looked_at() {
  const q = line_text(), translation = chosen();
  if (!q || !translation || sentence.busy) return null;
  if (hops().length === 1) return { q, translation };
  const middle = between.answer;
  return middle && (hop() === 0 ? { q, translation: middle } : { q: middle.text, translation });
}

// The pair that the inspection views ask the server about, with the tokens of the translation chosen or
// a text given instead; null if there is no sentence.
export function subject() {
  const about = looked_at();
  return about && { q: about.q, model: inside().name, ...(state.forced ? { t: state.forced } : { tokens: about.translation.tokens }) };
}

// The text of the translation that subject() names.
export const subject_text = () => state.forced || (looked_at()?.translation.text ?? "");

// An input for the inspected translation: by default, the chosen one.
export function target_field() {
  const field = h("input", { type: "text", id: "forced", value: state.forced, placeholder: looked_at()?.translation.text ?? "", dir: direction_of(inside()?.target),
    lang: lang_of(inside()?.target), onchange: () => set({ forced: field.value.trim() }) });
  return labeled(t("looked_at"), field, { class: "field wide" });
}

// A choice of the model looked into, if there are two.
export function hop_field() {
  if (hops().length < 2) return null;
  const all = hops().map((m, i) => [i, `${language_name(m.source)} → ${language_name(m.target)}`]);
  return labeled(t("model_looked_into"), select(all, hop(), (value) => set({ hop: Number(value), forced: "" }), { id: "hop" }));
}

export function nothing_to_show() {
  if (between.problem && hops().length > 1) return h("p", { class: "status error", role: "alert" }, between.problem);
  return h("p", { class: "faint" }, t(sentence.busy || chosen() ? "loading" : "needs_sentence"));
}

export const lang_of = (language) => (is_known(language) ? language : "");

// Shows the field for a key if the server asks for one.
export function needs_key(error) {
  if (/API key/.test(error.message)) document.getElementById("key").parentElement.hidden = false;
}
