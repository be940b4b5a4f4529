// The document view: a long text beside its translation, line by line. Each line is a text box; only
// lines whose translation is not known yet are sent.
import { button, debounced, direction_of, grouped, h, is_known, replace } from "../dom.js";
import { model, needs_key } from "../sentence.js";
import { latest, translate } from "../server.js";
import { set, state } from "../state.js";
import { t } from "../texts.js";
import { model_for } from "./languages.js";
import { characters_in, is_too_long, too_long } from "./files.js";
import { sentences_of } from "./pairing.js";
import { watch } from "./pointing.js";

const LONG = { characters: 1000, lines: 8 }, AT_ONCE = { characters: 3000, lines: 16 }, MOST_ALIGNED = 1500;
const doc = { rows: [], name: "", open: false, busy: false, problem: "", run: 0 };
const known = new Map();  // a line's text -> its translation, with warnings
const row_of = new WeakMap();
const parts = {};
const one_request = latest();

export const is_long = (text) => text.length > LONG.characters || text.split("\n").length > LONG.lines;
export const is_open = () => doc.open;
export const document_name = () => doc.name;
export const translation_of = (row) => known.get(row.text);
export const document_lines = () => doc.rows.map((row) => [row.text, translation_of(row)?.text ?? ""]);

const to_do = () => doc.rows.filter(({ text }) => text.trim() && !is_too_long(text));
export const progress = () => ({ done: to_do().filter(translation_of).length, all: to_do().length });

export function document_panel() {
  doc.rows = doc.rows.map(({ text }) => make_row(text));
  parts.rows = h("div", { class: "doc-rows", id: "document", onkeydown, oninput, onpaste }, doc.rows.map((row) => row.box));
  parts.progress = h("div", { class: "doc-progress" });
  parts.said = h("p", { class: "visually-hidden", role: "status" });
  parts.readout = h("p", { class: "readout", id: "document-readout", role: "status" });
  watch(parts.rows, (box) => row_of.get(box), parts.readout);
  parts.panel = h("section", { class: "card document", hidden: !doc.open, "aria-label": t("document") }, parts.progress, parts.rows, parts.readout, parts.said,
    h("p", { class: "faint no-print" }, t("document_help")));
  show();
  return parts.panel;
}

// at: the place of the caret in the text, if it is to be there.
export function open_document(text, { name = "", at = -1 } = {}) {
  doc.rows = text.replace(/\n$/, "").split("\n").map(make_row);
  Object.assign(doc, { name, open: true });
  parts.panel.hidden = false;
  replace(parts.rows, doc.rows.map((row) => row.box));
  parts.rows.scrollTop = 0;
  const { text: first } = doc.rows.find((row) => row.text.trim()) ?? { text: "" };
  set({ q: first.slice(...(sentences_of(first, model().source)[0] ?? [])), t: "", forced: "", line: 0 });
  retranslate();
  if (at >= 0) {
    const before = text.slice(0, at).split("\n");
    put_caret(doc.rows[before.length - 1] ?? doc.rows.at(-1), before.at(-1).length);
  }
}

export function close_document() {
  Object.assign(doc, { rows: [], name: "", open: false, busy: false, problem: "", run: doc.run + 1 });
  one_request(async () => null);
  replace(parts.rows);
  parts.panel.hidden = true;
}

// After another model, or other options, have been chosen.
export function retranslate() {
  if (!doc.open) return;
  known.clear();
  Object.assign(doc, { busy: false, run: doc.run + 1 });
  show();
  work();
}

// The next lines to send; a long one alone.
function next_lines() {
  const lines = new Set();
  let characters = 0;
  for (const row of to_do()) {
    if (translation_of(row) || lines.has(row.text)) continue;
    characters += row.text.length;
    if (lines.size > 0 && (characters > AT_ONCE.characters || row.text.length > MOST_ALIGNED)) break;
    lines.add(row.text);
    if (lines.size === AT_ONCE.lines || row.text.length > MOST_ALIGNED) break;
  }
  return [...lines];
}

function request(lines) {
  const aligned = lines[0].length <= MOST_ALIGNED && { alignment: "words" };
  return { q: lines.join("\n"), model: model().name, options: { beam_size: state.beam, length_penalty: state.penalty, ...aligned } };
}

function keep(lines, { translations, warnings = [] }) {
  lines.forEach((line, i) => {
    const [{ text, alignment }] = translations[i];
    if (alignment) delete alignment.weights;
    known.set(line, { text, alignment, warnings: warnings.filter((w) => w.line === i + 1).map((w) => w.what) });
  });
}

async function translate_missing() {
  const wanted = await one_request((signal) => model_for(doc.rows.map((row) => row.text).join("\n"), signal));
  if (wanted && wanted !== model()) return set({ model: wanted.name, hop: 0 });
  for (let lines = next_lines(); wanted && lines.length > 0; lines = next_lines()) {
    const answer = await one_request((signal) => translate(request(lines), signal));
    if (!answer) return undefined;
    keep(lines, answer);
    doc.rows.forEach((row, i) => { if (lines.includes(row.text)) show_row(row, i); });
    show_progress();
    if (next_lines().length === 0) parts.said.textContent = t("lines_done", progress());
  }
  return undefined;
}

export async function work() {
  if (!doc.open || doc.busy) return;
  const run = doc.run;
  Object.assign(doc, { busy: true, problem: "" });
  show_progress();
  try {
    await translate_missing();
  } catch (error) {
    if (run === doc.run) doc.problem = error.message;
    needs_key(error);
  }
  if (run !== doc.run) return;
  doc.busy = false;
  show_progress();
}
const soon = debounced(work, 400);

function make_row(text) {
  const source = h("div", { class: "doc-source", role: "textbox", tabindex: "0", contenteditable: "plaintext-only", spellcheck: "true" }, text);
  const row = { text, source, target: h("div", { class: "doc-target" }), notes: h("div", { class: "doc-notes" }) };
  row.box = h("div", { class: "doc-row" }, source, row.target, row.notes);
  for (const part of [source, row.target]) row_of.set(part, row);
  return row;
}

// A changed line keeps its old translation, dimmed, until the new one is there.
function show_row(row, i) {
  const found = translation_of(row), blank = !row.text.trim(), text = found ? found.text : blank ? "" : row.target.textContent;
  for (const [part, side] of [[row.source, "source"], [row.target, "target"]]) {
    part.dir = direction_of(model()?.[side]);
    part.lang = is_known(model()?.[side]) ? model()[side] : "";
  }
  row.source.setAttribute("aria-label", t("line_n", { n: i + 1 }));
  if (row.target.textContent !== text) row.target.textContent = text;
  row.target.classList.toggle("provisional", !found);
  const notes = is_too_long(row.text) ? [too_long(i + 1, row.text)] : found?.warnings ?? [];
  if (row.noted !== notes.join("\n")) replace(row.notes, notes.map((note) => h("p", { class: "note" }, note)));
  row.noted = notes.join("\n");
}

function show() {
  doc.rows.forEach(show_row);
  show_progress();
}

function show_progress() {
  const { done, all } = progress(), left = all - done, long = doc.rows.filter((row) => is_too_long(row.text)).length;
  const characters = doc.rows.reduce((sum, row) => sum + characters_in(row.text), 0);
  replace(parts.progress, h("span", { id: "document-status" }, `${t("lines_done", { done, all })} · ${t("characters", { n: grouped(characters) })}`),
    left > 0 && !doc.problem && h("progress", { max: all, value: done, "aria-label": t("translating") }),
    long > 0 && h("span", { class: "error" }, t("lines_too_long", { n: long })),
    doc.problem && h("span", { class: "error", role: "alert" }, doc.problem), doc.problem && button(t("try_again"), work, { id: "try-again" }));
}

// Editing

export function caret_in(row) {
  const chosen = getSelection();
  if (!chosen.rangeCount || !row.source.contains(chosen.anchorNode)) return -1;
  const before = document.createRange();
  before.setStart(row.source, 0);
  before.setEnd(chosen.focusNode, chosen.focusOffset);
  return before.toString().length;
}

function put_caret(row, at) {
  row.source.focus();
  getSelection().collapse(row.source.firstChild ?? row.source, row.source.firstChild ? at : 0);
}

function edited() {
  show();
  soon();
}

function put_text(row, text) {
  row.text = text;
  row.source.textContent = text;
}

// Puts lines at the caret: the line becomes as many rows.
function insert_lines(row, lines) {
  getSelection().deleteFromDocument();
  const at = caret_in(row), text = row.source.textContent, rest = text.slice(at);
  const all = lines.map((line, i) => (i === 0 ? text.slice(0, at) : "") + line + (i === lines.length - 1 ? rest : ""));
  const fresh = all.slice(1).map(make_row);
  put_text(row, all[0]);
  row.box.after(...fresh.map((one) => one.box));
  doc.rows.splice(doc.rows.indexOf(row) + 1, 0, ...fresh);
  edited();
  put_caret(fresh.at(-1), all.at(-1).length - rest.length);
}

// Joins a row to the one before it.
function join(before, row) {
  const at = before.text.length;
  put_text(before, before.text + row.text);
  row.box.remove();
  doc.rows.splice(doc.rows.indexOf(row), 1);
  edited();
  put_caret(before, at);
}

function onkeydown(event) {
  const row = row_of.get(event.target);
  if (!row || event.isComposing) return;
  const i = doc.rows.indexOf(row), before = doc.rows[i - 1], after = doc.rows[i + 1], at = getSelection().isCollapsed ? caret_in(row) : -1;
  const first = at === 0 && before, last = at === row.text.length && after;
  const act = { Enter: () => insert_lines(row, ["", ""]), Backspace: first && (() => join(before, row)), Delete: last && (() => join(row, after)),
    ArrowUp: first && (() => put_caret(before, before.text.length)), ArrowDown: last && (() => put_caret(after, 0)) }[event.key];
  if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  act();
}

function oninput(event) {
  const row = row_of.get(event.target);
  row.source.normalize();
  row.text = row.source.textContent.replaceAll("\n", " ");
  edited();
}

function onpaste(event) {
  const lines = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").split("\n");
  if (lines.length < 2) return;
  event.preventDefault();
  insert_lines(row_of.get(event.target.closest(".doc-source")), lines);
}
