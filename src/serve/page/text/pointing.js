// Highlights a sentence of the document and its translation: the one pointed at, and the one with the
// caret, which the views below look into.
import { debounced } from "../dom.js";
import { model } from "../sentence.js";
import { set } from "../state.js";
import { t } from "../texts.js";
import { caret_in, translation_of } from "./document.js";
import { index_at, paired, sentences_of } from "./pairing.js";

const look_into = debounced((row, q) => { if (row.box.isConnected) set({ q, t: "", forced: "", line: 0 }); }, 500);

function pairs_of(row) {
  const found = translation_of(row);
  if (!found) return { sources: sentences_of(row.text, model().source), targets: [], own: () => [] };
  found.pairs ??= paired(row.text, found, model());
  return found.pairs;
}

function range_of(element, [from, to]) {
  const range = document.createRange(), text = element.firstChild;
  if (!text || to > text.length) return null;
  range.setStart(text, from);
  range.setEnd(text, to);
  return range;
}

// -> the sentence's text and its translation.
function mark(name, row, i) {
  const { sources, targets, own: own_of } = pairs_of(row), own = sources[i] ? own_of(i).map((k) => targets[k]) : [];
  const ranges = [sources[i] && range_of(row.source, sources[i]), ...own.map((span) => range_of(row.target, span))].filter(Boolean);
  CSS.highlights?.set(name, new Highlight(...ranges));
  return [sources[i] ? row.text.slice(...sources[i]) : "", own.map((span) => row.target.textContent.slice(...span)).join(" ")];
}

function offset_at(x, y) {
  if (document.caretPositionFromPoint) return document.caretPositionFromPoint(x, y)?.offset ?? 0;
  return document.caretRangeFromPoint(x, y)?.startOffset ?? 0;
}

let caret_moved = () => {};
document.addEventListener("selectionchange", () => caret_moved());

// rows: their container; row_at(element) -> the row that it is a part of
export function watch(rows, row_at, readout) {
  const read = ([sentence, translation]) => { readout.textContent = sentence && `${sentence} → ${translation || "…"}`; };
  rows.addEventListener("mousemove", ({ target, clientX, clientY }) => {
    const row = row_at(target);
    if (!row || !row.text.trim()) return;
    const { sources, targets, of } = pairs_of(row), offset = offset_at(clientX, clientY);
    read(mark("pointed", row, target === row.source || !targets.length ? index_at(sources, offset) : of(index_at(targets, offset))));
  });
  rows.addEventListener("mouseleave", () => {
    CSS.highlights?.delete("pointed");
    readout.textContent = t("document_point");
  });
  caret_moved = () => {
    const row = row_at(document.activeElement), at = row ? caret_in(row) : -1;
    if (at < 0) return;
    const [sentence, translation] = mark("current", row, index_at(pairs_of(row).sources, at));
    read([sentence, translation]);
    if (sentence) look_into(row, sentence);
  };
  readout.textContent = t("document_point");
}
