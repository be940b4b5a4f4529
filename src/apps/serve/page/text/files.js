// Files in and out: opening, dropping, copying and saving.
import { button, h, is_known, replace } from "../dom.js";
import { download } from "../save.js";
import { model, needs_key } from "../sentence.js";
import { latest, send_file, settings } from "../server.js";
import { t } from "../texts.js";
import { take } from "./document.js";
import { is_auto } from "./languages.js";
import { doc, limits, progress, translated_lines } from "./lines.js";

export async function read_limits() {
  try {
    const { charLimit, supportedFilesFormat } = await settings();
    Object.assign(limits, { characters: charLimit, formats: [...new Set([".txt", ...supportedFilesFormat])] });
  } catch { /* translating says what is wrong */ }
  document.querySelector(".tools").replaceWith(file_tools()[0]);
  document.getElementById("source").placeholder = text_here();
}

const said = h("p", { class: "said", id: "files-said", role: "status" });
const say = (...what) => replace(said, what);
const one_request = latest();
const formats = () => limits.formats.join(" ");
export const text_here = () => t("text_here", { formats: formats() });

export function file_tools() {
  const input = h("input", { type: "file", id: "file", hidden: true, accept: limits.formats.join(), onchange: () => { open_file(input.files[0]); input.value = ""; } });
  const tool = (id, text, act, help = text) => button(text, act, { id, "aria-label": help, title: help });
  return [h("div", { class: "tools no-print" }, input, tool("open-file", t("open_file"), () => input.click(), `${t("open_file")}: ${formats()}`), tool("clear", t("clear"), clear), tool("copy", t("copy"), copy, t("copy_help")),
    ["txt", "tsv"].map((ending) => tool(`save-${ending}`, `↓ .${ending}`, () => save(ending), t("save_as", { format: `.${ending}` })))), said];
}

function clear() {
  one_request(async () => null);
  say();
  take("");
  document.getElementById("source").focus();
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
  const ending = file.name.replace(/.*(?=\.)/, "").toLowerCase();
  try {
    if (!limits.formats.includes(ending)) throw new Error(`${file.name}: ${t("formats", { formats: formats() })}`);
    await (ending === ".txt" ? open_text(file) : translate_file(file));
  } catch (error) {
    say(h("span", { class: "error" }, error.message));
    needs_key(error);
  }
}

async function open_text(file) {
  const bytes = new Uint8Array(await file.arrayBuffer()), encoding = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2)] ?? "utf-8";
  let text;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Error(t("not_utf8", { name: file.name }));
  }
  say();
  take(text, { name: file.name, document: true });
}

async function translate_file(file) {
  say(t("translating"), " ", file.name, h("progress", { "aria-label": t("translating") }));
  const { source, target } = model(), answer = await one_request((signal) => send_file({ file, source: is_auto() ? "auto" : source, target }, signal));
  if (!answer) return;
  const href = new URL(answer.translatedFileUrl).pathname, name = decodeURIComponent(href).replace(/.*\/[^.]*\./, "");
  const link = h("a", { href, download: name, id: "file-done" }, name);
  say(t("file_done"), " ", link, (answer.warnings ?? []).map(({ text = "", what }) => h("p", { class: "note" }, `${text} · ${what}`)));
  link.click();
}

async function copy() {
  const text = translated_lines().map(([, translation]) => translation).join("\n"), { done, all } = progress();
  if (!text.trim()) return say(t("nothing_to_copy"));
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copy_selected(text);
  }
  return say(done < all ? t("copied_part", { done, all }) : t("copied"));
}

// Without HTTPS browsers have no clipboard, but copy what is selected.
function copy_selected(text) {
  const field = h("textarea", { class: "visually-hidden" }, text);
  said.after(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  document.getElementById("copy").focus();
}

function save(ending) {
  const lines = translated_lines(), name = (doc.name || `${t("translation")}.txt`).replace(/\.[^.]*$/, is_known(model().target) ? `_${model().target}` : "");
  if (lines.every(([, translation]) => !translation.trim())) return say(t("nothing_to_copy"));
  const rows = lines.map((pair) => (ending === "tsv" ? pair.map((text) => text.replaceAll("\t", " ")).join("\t") : pair[1]));
  return download(`${name}.${ending}`, "text/plain", `${rows.join("\n")}\n`);
}
