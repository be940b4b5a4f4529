// The document view: a long text beside its translation, line by line. Each line is a text box; only
// lines without a translation are sent.
import { button, debounced, direction_of, h, is_known, replace } from "../dom.js";
import { model, needs_key } from "../sentence.js";
import { latest, translate } from "../server.js";
import { set, state } from "../state.js";
import { t } from "../texts.js";
import { model_for } from "./languages.js";
import { doc, filled, is_too_long, known, progress, too_long, translation_of } from "./lines.js";
import { sentences_of } from "./pairing.js";
import { caret_in, watch } from "./pointing.js";

// Lines in a request; characters of a line that is aligned
const MOST_LINES = 16, MOST_ALIGNED = 1500;
const row_of = new WeakMap();
const parts = {};
const one_request = latest();

export const is_long = (text) => text.length > 1000 || text.split("\n").length > 8;

// shown: called after a text has been taken.
export function document_panel(shown) {
  parts.shown = shown;
  doc.rows = doc.rows.map(({ text }) => make_row(text));
  parts.rows = h("div", { class: "doc-rows", id: "document", onkeydown, oninput, onpaste }, doc.rows.map((row) => row.box));
  parts.progress = h("div", { class: "doc-progress" });
  parts.said = h("p", { class: "visually-hidden", role: "status" });
  const readout = h("p", { class: "readout", id: "document-readout", role: "status" });
  watch(parts.rows, row_of, readout);
  show();
  return h("section", { class: "card document", "aria-label": t("document") }, parts.progress, parts.rows, readout, parts.said);
}

// at: the place of the caret in the text, if it is to be there.
function open_document(text, { name = "", at = -1 }) {
  Object.assign(doc, { rows: text.replace(/\n$/, "").split("\n").map(make_row), name, open: true });
  replace(parts.rows, doc.rows.map((row) => row.box));
  const { text: first } = doc.rows.find((row) => row.text.trim()) ?? doc.rows[0];
  set({ q: first.slice(...(sentences_of(first, model().source)[0] ?? [])), t: "", forced: "", line: 0 });
  retranslate();
  const before = text.slice(0, at).split("\n"), row = doc.rows[before.length - 1];
  if (at >= 0 && row) setTimeout(() => put_caret(row, before.at(-1).length));
}

function close_document() {
  Object.assign(doc, { rows: [], name: "", open: false, run: doc.run + 1 });
  one_request(async () => null);
  replace(parts.rows);
}

// Shows a text: a long one, or that of a file, as a document.
export function take(text, how = {}) {
  const plain = text.replace(/\r\n?/g, "\n");
  if (how.document || is_long(plain)) open_document(plain, how);
  else {
    close_document();
    set({ q: plain, t: "", forced: "", line: 0 });
  }
  parts.shown();
}

// After another model, or other options, have been chosen.
export function retranslate() {
  known.clear();
  Object.assign(doc, { busy: false, run: doc.run + 1 });
  show();
  work();
}

// The next lines to send; a long one alone.
function next_lines() {
  const left = filled().filter((row) => !translation_of(row) && !is_too_long(row.text)).map((row) => row.text), long = left.findIndex((line) => line.length > MOST_ALIGNED);
  return [...new Set(left.slice(0, long === 0 ? 1 : long < 0 ? MOST_LINES : Math.min(long, MOST_LINES)))];
}

async function translate_lines(lines) {
  const aligned = lines[0].length <= MOST_ALIGNED && { alignment: "words" };
  const body = { q: lines.join("\n"), model: model().name, options: { beam_size: state.beam, length_penalty: state.penalty, ...aligned } };
  const answer = await one_request((signal) => translate(body, signal));
  answer?.translations.forEach(([{ text, alignment }], i) => {
    if (alignment) delete alignment.weights;  // the links are enough
    known.set(lines[i], { text, alignment, warnings: (answer.warnings ?? []).filter((w) => w.line === i + 1).map((w) => w.what) });
  });
  return answer;
}

async function translate_missing() {
  const wanted = await one_request((signal) => model_for(doc.rows.map((row) => row.text).join("\n"), signal));
  if (wanted && wanted !== model()) return set({ model: wanted.name, hop: 0 });
  for (let lines = next_lines(); wanted && lines.length > 0; lines = next_lines()) {
    if (!await translate_lines(lines)) return undefined;
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
  if (run === doc.run) doc.busy = false;
  show_progress();
}
const soon = debounced(work, 400);

function make_row(text) {
  const source = h("div", { class: "doc-source", role: "textbox", tabindex: "0", contenteditable: "plaintext-only" }, text);
  const row = { text, source, target: h("div", { class: "doc-target" }), notes: h("div", { class: "doc-notes" }) };
  row.box = h("div", { class: "doc-row" }, source, row.target, row.notes);
  for (const part of [source, row.target]) row_of.set(part, row);
  return row;
}

// A changed line keeps its old translation, dimmed, until the new one is there.
function show_row(row, i) {
  const found = translation_of(row), text = row.text.trim() ? found?.text ?? row.target.textContent : "";
  for (const side of ["source", "target"]) {
    const language = model()?.[side];
    Object.assign(row[side], { dir: direction_of(language), lang: is_known(language) ? language : "" });
  }
  row.source.setAttribute("aria-label", t("line_n", { n: i + 1 }));
  if (row.target.textContent !== text) row.target.textContent = text;
  row.target.classList.toggle("provisional", !found);
  replace(row.notes, (is_too_long(row.text) ? [too_long(i + 1, row.text)] : found?.warnings ?? []).map((note) => h("p", { class: "note" }, note)));
}

function show() {
  doc.rows.forEach(show_row);
  show_progress();
}

function show_progress() {
  const { done, all } = progress();
  replace(parts.progress, h("span", { id: "document-status" }, t("lines_done", { done, all })),
    doc.busy && h("progress", { max: all, value: done, "aria-label": t("translating") }),
    doc.problem && [h("span", { class: "error", role: "alert" }, doc.problem), button(t("try_again"), work, { id: "try-again" })]);
}

// Editing

function put_caret(row, at) {
  row.source.focus();
  getSelection().collapse(row.source.firstChild ?? row.source, row.source.firstChild ? at : 0);
}

// The rows from `first` on, `count` of them, become rows with these lines.
function put_rows(first, count, lines, caret) {
  const gone = doc.rows.slice(first, first + count), fresh = lines.map(make_row);
  gone[0].box.before(...fresh.map((row) => row.box));
  for (const row of gone) row.box.remove();
  doc.rows.splice(first, count, ...fresh);
  show();
  soon();
  put_caret(fresh.at(-1), caret);
}

// Puts lines at the caret.
function insert_lines(row, lines) {
  getSelection().deleteFromDocument();
  const at = caret_in(row), text = row.source.textContent, all = [...lines];
  all[0] = text.slice(0, at) + all[0];
  all.push(all.pop() + text.slice(at));
  put_rows(doc.rows.indexOf(row), 1, all, lines.at(-1).length);
}

// Joins a row to the one before it.
const join = (i) => put_rows(i - 1, 2, [doc.rows[i - 1].text + doc.rows[i].text], doc.rows[i - 1].text.length);

function onkeydown(event) {
  const row = row_of.get(event.target), i = doc.rows.indexOf(row);
  if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
  const at = getSelection().isCollapsed ? caret_in(row) : -1, before = at === 0 && doc.rows[i - 1], after = at === row.text.length && doc.rows[i + 1];
  const act = { Enter: () => insert_lines(row, ["", ""]), Backspace: before && (() => join(i)), Delete: after && (() => join(i + 1)),
    ArrowUp: before && (() => put_caret(before, before.text.length)), ArrowDown: after && (() => put_caret(after, 0)) }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function oninput({ target }) {
  const row = row_of.get(target);
  target.normalize();
  row.text = target.textContent.replaceAll("\n", " ");
  show_row(row, doc.rows.indexOf(row));
  show_progress();
  soon();
}

function onpaste(event) {
  const lines = event.clipboardData.getData("text/plain").split(/\r\n?|\n/);
  if (lines.length < 2) return;
  event.preventDefault();
  insert_lines(row_of.get(document.activeElement), lines);
}
