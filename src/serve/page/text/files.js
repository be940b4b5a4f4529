// Files in and out: opening, dropping, copying and saving; and the server's limits.
import { button, grouped, h, is_known, replace } from "../dom.js";
import { download } from "../save.js";
import { clear_text, model, needs_key, take, translated_lines } from "../sentence.js";
import { latest, send_file, settings } from "../server.js";
import { state } from "../state.js";
import { t } from "../texts.js";
import { document_name, is_open, progress } from "./document.js";

export const limits = { characters: -1, formats: [".txt"] };  // characters of a line; -1: any number

export async function read_limits() {
  try {
    const { charLimit, supportedFilesFormat } = await settings();
    Object.assign(limits, { characters: charLimit, formats: [...new Set([".txt", ...supportedFilesFormat])] });
  } catch { /* translating says what is wrong */ }
  show_formats();
}

export const characters_in = (text) => text.length - (text.match(/[\uD800-\uDBFF]/g) ?? []).length;
export const is_too_long = (line) => limits.characters >= 0 && line.length > limits.characters && characters_in(line) > limits.characters;
export const too_long = (n, line) => t("line_too_long", { n, characters: grouped(characters_in(line)), limit: grouped(limits.characters) });

const said = h("p", { class: "said", id: "files-said", role: "status" });
const say = (...what) => replace(said, what);
const complain = (text) => say(h("span", { class: "error" }, text));
const parts = {};
const one_request = latest();
const formats = () => limits.formats.join(" ");

export function file_tools() {
  parts.file = h("input", { type: "file", id: "file", hidden: true, onchange: () => { open_file(parts.file.files[0]); parts.file.value = ""; } });
  parts.open = button(t("open_file"), () => parts.file.click(), { id: "open-file" });
  show_formats();
  return [h("div", { class: "tools no-print" }, parts.file, parts.open, button(t("clear"), () => { one_request(async () => null); say(); clear_text(); }, { id: "clear" }),
    button(t("copy"), copy, { id: "copy", title: t("copy_help") }), ["txt", "tsv"].map((ending) => button(`↓ .${ending}`, () => save(ending), { id: `save-${ending}`,
      "aria-label": t("save_as", { format: `.${ending}` }), title: t(`${ending}_help`) }))), said];
}

function show_formats() {
  if (!parts.open) return;
  parts.file.accept = limits.formats.join(",");
  parts.open.title = t("formats", { formats: formats() });
  document.getElementById("source")?.setAttribute("placeholder", t("text_here", { formats: formats() }));
}

// Files may be dropped anywhere while the text is there.
for (const type of ["dragover", "dragleave", "drop"])
  document.addEventListener(type, (event) => {
    const place = document.querySelector(".sentence:not([hidden])");
    if (!place || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    place.classList.toggle("dropping", type === "dragover");
    if (type === "drop") open_file(event.dataTransfer.files[0]);
  });

// Text is shown; other formats are translated by the server and come back as a file.
async function open_file(file) {
  const ending = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
  try {
    if (ending === ".txt") await open_text(file);
    else if (limits.formats.includes(ending)) await translate_file(file);
    else complain(t("no_format", { name: file.name, formats: formats() }));
  } catch (error) {
    complain(error.message);
    needs_key(error);
  }
}

async function open_text(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const encoding = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2).join()] ?? "utf-8";
  let text;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Error(t("not_utf8", { name: file.name }));
  }
  if (!text.trim()) throw new Error(t("empty_file", { name: file.name }));
  say();
  take(text, { name: file.name, document: true });
}

async function translate_file(file) {
  say(t("translating_file", { name: file.name }), h("progress", { "aria-label": t("translating") }));
  const { source, target } = model();
  const answer = await one_request((signal) => send_file({ file, source: state.from || source, target }, signal));
  if (!answer) return;
  const path = new URL(answer.translatedFileUrl).pathname, name = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)).replace(/^[^.]*\./, "");
  const link = h("a", { href: path, download: name, id: "file-done" }, name);
  say(t("file_done"), " ", link, (answer.warnings ?? []).map((w) => h("span", { class: "note" }, `${w.text ? `${w.text}: ` : ""}${w.what}`)));
  link.click();
}

async function copy() {
  const text = translated_lines().map(([, translation]) => translation).join("\n"), { done, all } = progress();
  if (!text.trim()) return say(t("nothing_to_copy"));
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copy_without_clipboard(text);
  }
  return say(is_open() && done < all ? t("copied_part", { done, all }) : t("copied"));
}

// Without HTTPS browsers have no clipboard, but copy what is selected.
function copy_without_clipboard(text) {
  const had = document.activeElement, field = h("textarea", { class: "visually-hidden" });
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  had?.focus();
}

function save(ending) {
  const lines = translated_lines(), stem = (document_name() || `${t("file_stem")}.txt`).replace(/\.[^.]*$/, "");
  if (lines.every(([, translation]) => !translation.trim())) return say(t("nothing_to_copy"));
  const cells = ending === "tsv" ? lines.map((pair) => pair.map((text) => text.replaceAll("\t", " ")).join("\t")) : lines.map(([, translation]) => translation);
  return download(`${stem}${is_known(model().target) ? `_${model().target}` : ""}.${ending}`, "text/plain", `${cells.join("\n")}\n`);
}
