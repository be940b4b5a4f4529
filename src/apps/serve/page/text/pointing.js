// Highlights a sentence of the document and its translation: the one pointed at, and the one with the
// caret, which the views below look into.
import { debounced } from "../dom.js";
import { model } from "../sentence.js";
import { set } from "../state.js";
import { t } from "../texts.js";
import { translation_of } from "./lines.js";
import { index_at, paired } from "./pairing.js";

const look_into = debounced((row, q) => { if (row.box.isConnected) set({ q, t: "", forced: "", line: 0 }); }, 500);

function pairs_of(row) {
  const found = translation_of(row) ?? { text: "" };
  found.pairs ??= paired(row.text, found, model());
  return found.pairs;
}

function range_of(element, [from, to]) {
  const range = document.createRange(), text = element.firstChild;
  if (text?.length >= to) {
    range.setStart(text, from);
    range.setEnd(text, to);
  }
  return range;
}

// Marks the sentence i of a row. -> its text
function mark(name, row, i, readout) {
  const { sources, targets, own } = pairs_of(row);
  if (!sources[i]) return "";
  const source = range_of(row.source, sources[i]), all = own(i).map((k) => range_of(row.target, targets[k]));
  CSS.highlights?.set(name, new Highlight(source, ...all));
  readout.textContent = `${source} → ${all.join(" ") || "…"}`;
  return String(source);
}

const offset_at = (x, y) => document.caretPositionFromPoint?.(x, y)?.offset ?? document.caretRangeFromPoint?.(x, y)?.startOffset ?? 0;

// The place of the caret in a row; -1 if it is elsewhere.
export function caret_in(row) {
  const { focusNode, focusOffset } = getSelection();
  if (!row.source.contains(focusNode)) return -1;
  const before = document.createRange();
  before.setStart(row.source, 0);
  before.setEnd(focusNode, focusOffset);
  return before.toString().length;
}

let caret_moved = () => {};
document.addEventListener("selectionchange", () => caret_moved());

export function watch(rows, row_of, readout) {
  rows.addEventListener("mousemove", ({ target, clientX, clientY }) => {
    const row = row_of.get(target);
    if (!row) return;
    const { sources, targets, of } = pairs_of(row), offset = offset_at(clientX, clientY);
    mark("pointed", row, target === row.source ? index_at(sources, offset) : of(index_at(targets, offset)), readout);
  });
  rows.addEventListener("mouseleave", () => {
    CSS.highlights?.delete("pointed");
    readout.textContent = t("document_point");
  });
  caret_moved = () => {
    const row = row_of.get(document.activeElement), at = row ? caret_in(row) : -1, sentence = at >= 0 && mark("current", row, index_at(pairs_of(row).sources, at), readout);
    if (sentence) look_into(row, sentence);
  };
  readout.textContent = t("document_point");
}
