// The sentence panel: input, live translation, alternatives and word alignment.
import { button, debounced, direction_of, h, labeled, number, replace, roving, select } from "../dom.js";
import { examples_of } from "../parts/examples.js";
import { ask_between, chosen, lang_of, line_index, model, needs_key, sentence, tell } from "../sentence.js";
import { latest, translate_live, use_key } from "../server.js";
import { CHOICES, on_change, set, state, visit } from "../state.js";
import { t } from "../texts.js";
import { document_panel, is_long, retranslate, take, work } from "./document.js";
import { file_tools, read_limits, text_here } from "./files.js";
import { languages_bar, model_for, render_languages } from "./languages.js";
import { doc, is_too_long, too_long } from "./lines.js";

// The elements that change
const parts = {};

export function sentence_panel() {
  parts.source = h("textarea", { id: "source", rows: "3", spellcheck: "true", placeholder: text_here(), oninput: typed, onkeyup: follow_caret, onclick: follow_caret });
  parts.source.value = state.q;
  parts.source_words = h("div", { class: "words", id: "source-words", role: "group" });
  parts.target = h("div", { class: "target", id: "target" });
  parts.status = h("p", { class: "status", id: "status" });
  parts.spoken = h("p", { class: "visually-hidden", role: "status", id: "spoken" });
  parts.readout = h("p", { class: "readout", id: "word-readout", role: "status" });
  const source = h("section", { class: "card", "aria-label": t("source") },
    h("div", { class: "card-head" }, h("label", { for: "source" }, t("source"))), parts.source, parts.source_words);
  const target = h("section", { class: "card", "aria-label": t("translation") },
    h("div", { class: "card-head" }, h("h2", {}, t("translation")), options()), parts.target, parts.status, parts.spoken);
  parts.examples = h("div", { class: "examples no-print" });
  parts.bar = h("div", { class: "text-bar" }, languages_bar(take), file_tools(), key_field());
  parts.panel = h("div", { class: "sentence" }, parts.bar, source, target, parts.examples, parts.readout, document_panel(show_text));
  render_pair();
  render_translation();
  return parts.panel;
}

function render_pair() {
  render_languages();
  parts.source.lang = lang_of(model()?.source);
  parts.source.dir = direction_of(model()?.source);
  parts.panel.classList.toggle("documented", doc.open);
  render_examples();
}

// After another text has been taken.
function show_text() {
  parts.source.value = state.q;
  render_pair();
}

function typed(event) {
  const text = parts.source.value;
  if (is_long(text)) take(text, { at: event.inputType === "insertFromPaste" ? 0 : parts.source.selectionStart });
  else set({ q: text, t: "", forced: "", line: caret_line() });
}

// Sentences to click; not the one that is there already.
function render_examples() {
  if (!parts.examples) return;
  const others = model() ? examples_of(model().source).filter((text) => text !== state.q).slice(0, 3) : [];
  const lang = lang_of(model()?.source), dir = direction_of(model()?.source);
  const focused = [...parts.examples.children].indexOf(document.activeElement);
  replace(parts.examples, others.length > 0 && h("span", { class: "faint", id: "examples-label" }, t("examples")),
    others.map((text) => button(text, () => visit({ q: text, t: "", forced: "", line: 0 }), { class: "example", lang, dir })));
  if (focused >= 0) parts.examples.children[focused]?.focus();
}

// The page begins with a sentence, unless its address has one.
export function begin() {
  const [first] = model() ? examples_of(model().source) : [];
  read_limits();
  if (!state.q.trim() && first) set({ q: first });
  else if (is_long(state.q)) take(state.q);
  else if (state.q.trim()) translate_now();
}

function options() {
  const listed = (name) => CHOICES[name].map((n) => [n, n]);
  return h("span", { class: "fields" },
    labeled(t("alternatives"), select(listed("n"), state.n, (n) => set({ n: Number(n), beam: Math.max(state.beam, n) }), { id: "alternatives-count" })),
    labeled(t("beam"), select(listed("beam"), state.beam,
      (n) => set({ beam: Number(n), n: Math.min(state.n, n) }), { id: "beam" })));
}

// Shown if the server asks for a key.
function key_field() {
  const field = h("input", { type: "password", id: "key", autocomplete: "off", onchange: () => { use_key(field.value); translate_now(); work(); } });
  return labeled(t("api_key"), field, { hidden: true });
}

const caret_line = () => parts.source.value.slice(0, parts.source.selectionStart).split("\n").length - 1;
function follow_caret() {
  if (caret_line() !== state.line) set({ line: caret_line(), t: "", forced: "" });
}

const one_request = latest();

function request() {
  return { q: state.q, model: model().name,
    options: { n_best: state.n, beam_size: state.beam, length_penalty: state.penalty, alignment: "words" } };
}

async function translate_now() {
  if (!model()) return;
  const text = state.q;
  sentence.error = "";
  sentence.busy = text.trim() !== "";
  sentence.warnings = [];
  if (!sentence.busy) return finish(text, await one_request(async () => []));
  parts.status.textContent = t("translating");
  const began = performance.now();
  try {
    refuse_too_long(text);
    const wanted = doc.open ? model() : await one_request((signal) => model_for(text, signal));
    if (wanted && wanted !== model()) return set({ model: wanted.name, hop: 0 });
    const results = wanted && await one_request(live);
    if (!results) return undefined;
    finish(text, results, performance.now() - began);
  } catch (error) {
    sentence.error = error.message;
    needs_key(error);
    finish(text, []);
  }
  return undefined;
}

function refuse_too_long(text) {
  text.split("\n").forEach((line, i) => { if (is_too_long(line)) throw new Error(too_long(i + 1, line)); });
}

// The translation so far, one paragraph per line.
async function live(signal) {
  const so_far = state.q.split("\n").map(() => "");
  const answer = await translate_live(request(), signal, (line, text) => {
    so_far[line] = text;
    replace(parts.target, so_far.map((own) => h("p", { class: "line provisional", dir: direction_of(model().target) }, own || "\u00a0")));
  });
  sentence.warnings = answer.warnings ?? [];
  return answer.translations;
}

function finish(text, results, milliseconds) {
  Object.assign(sentence, { source: text, results: results ?? [], busy: false });
  render_translation(milliseconds);
  ask_between();
  tell();
}

// Words of a text as buttons, with the text between them.
function word_line(text, words) {
  const buttons = [], nodes = [];
  let at = 0;
  for (const word of words) {
    const found = text.indexOf(word, at);
    if (found > at) nodes.push(text.slice(at, found));
    buttons.push(h("button", { type: "button", class: "word" }, word));
    nodes.push(buttons.at(-1));
    if (found >= 0) at = found + word.length;
  }
  return { nodes: [...nodes, text.slice(at)], buttons };
}

function render_target(translation) {
  const direction = direction_of(model()?.target), lang = lang_of(model()?.target);
  const line = word_line(translation.text, translation.alignment?.target_words ?? []);
  const rows = sentence.results.map((result, i) => [i === line_index()
    ? h("p", { class: "line current", dir: direction, lang, id: "target-words" }, line.nodes)
    : h("p", { class: "line", dir: direction, lang, onclick: () => set({ line: i, t: "", forced: "" }) }, result[0]?.text || "\u00a0"),
    sentence.warnings.filter((w) => w.line === i + 1).map((w) => h("p", { class: "note" }, w.what))]);
  replace(parts.target, rows);
  return line.buttons;
}

function render_source(translation) {
  const own = sentence.source.split("\n")[line_index()] ?? "";
  const line = word_line(own, translation.alignment?.source_words ?? []);
  parts.source_words.dir = direction_of(model()?.source);
  parts.source_words.lang = lang_of(model()?.source);
  parts.source_words.setAttribute("aria-label", t("source_words"));
  replace(parts.source_words, line.nodes);
  return line.buttons;
}

function render_translation(milliseconds) {
  const translation = chosen();
  parts.readout.textContent = translation ? t("hover_words") : "";
  parts.status.className = sentence.error ? "status error" : "status";
  parts.status.removeAttribute("role");
  if (sentence.error) parts.status.setAttribute("role", "alert");
  parts.status.textContent = sentence.error || (milliseconds ? t("took", { ms: Math.round(milliseconds) }) : "");
  if (!translation) {
    replace(parts.target, h("p", { class: "faint" }, state.q.trim() ? "" : t("nothing_yet")));
    replace(parts.source_words);
    return;
  }
  if (milliseconds) parts.spoken.textContent = sentence.results.map((r) => r[0]?.text ?? "").join(" ");
  if (translation.alignment) light(render_source(translation), render_target(translation), translation.alignment);
  else render_target(translation);
}

// Hovering or focusing a word highlights its partners: the tint shows the weight, the underline the
// link.
function light(sources, targets, alignment) {
  const weight = (target, source) => alignment.weights[target]?.[source] ?? 0;
  const linked = (target, source) => alignment.links.some(([s, own]) => s === source && own === target);
  const show = (own, others, weight_of, linked_to) => {
    for (const word of [...sources, ...targets]) clear(word);
    own.classList.add("lit");
    others.forEach((other, i) => {
      other.style.setProperty("--weight", weight_of(i));
      other.classList.add("partner");
      other.classList.toggle("linked", linked_to(i));
    });
    parts.readout.textContent = readout(own, others, weight_of);
  };
  sources.forEach((word, s) => wire(word, () => show(word, targets, (i) => weight(i, s), (i) => linked(i, s))));
  targets.forEach((word, i) => wire(word, () => show(word, sources, (s) => weight(i, s), (s) => linked(i, s))));
  for (const line of [sources, targets]) if (line.length) roving(line);
  const all_off = () => {
    [...sources, ...targets].forEach(clear);
    parts.readout.textContent = t("hover_words");
  };
  for (const box of [parts.source_words, parts.target]) box.onmouseleave = all_off;
}

function clear(word) {
  word.classList.remove("lit", "partner", "linked");
  word.style.removeProperty("--weight");
}

function wire(word, show) {
  word.addEventListener("mouseenter", show);
  word.addEventListener("focus", show);
}

function readout(own, others, weight_of) {
  const best = others.map((other, i) => [other.textContent, weight_of(i)]).sort((a, b) => b[1] - a[1]).slice(0, 3);
  return `${own.textContent} ↔ ${best.filter(([, w]) => w >= 0.01).map(([text, w]) => `${text} ${number(w)}`).join(", ") || "—"}`;
}

const soon = debounced(translate_now, 250);

on_change((changed) => {
  const has = (...keys) => keys.some((key) => changed.has(key));
  if (has("q") && parts.source && parts.source.value !== state.q) parts.source.value = state.q;
  if (has("model", "from")) render_pair();
  else if (has("q")) render_examples();
  if (has("model", "beam", "penalty")) retranslate();
  else if (has("from")) work();
  if (has("q", "from", "model", "n", "beam", "penalty")) {
    sentence.busy = true;
    if (parts.status) parts.status.textContent = "";
    soon();
  } else if (has("t", "line")) {
    render_translation();
    ask_between();
    tell();
  }
});
