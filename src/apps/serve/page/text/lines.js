// The lines of the document, their translations, and the server's limits of a line.
import { grouped } from "../dom.js";
import { chosen, line_index, sentence } from "../sentence.js";
import { state } from "../state.js";
import { t } from "../texts.js";

export const doc = { rows: [], name: "", open: false, busy: false, problem: "", run: 0 };

// A line's text -> its translation, with warnings
export const known = new Map();
export const translation_of = (row) => known.get(row.text);
export const filled = () => doc.rows.filter((row) => row.text.trim());
export const progress = () => ({ done: filled().filter(translation_of).length, all: filled().length });

// Pairs of a line and its translation: the chosen one of the current line.
export function translated_lines() {
  if (doc.open) return doc.rows.map((row) => [row.text, translation_of(row)?.text ?? ""]);
  if (!state.q.trim()) return [];
  return sentence.source.split("\n").map((line, i) => [line, (i === line_index() ? chosen() : sentence.results[i]?.[0])?.text ?? ""]);
}

// characters: of a line; -1: any number
export const limits = { characters: -1, formats: [".txt"] };
const characters_in = (text) => text.length - (text.match(/[\uD800-\uDBFF]/g) ?? []).length;
export const is_too_long = (line) => limits.characters >= 0 && characters_in(line) > limits.characters;
export const too_long = (n, line) => t("line_too_long", { n, characters: grouped(characters_in(line)), limit: grouped(limits.characters) });
export const beginning = (text, most) => text.slice(0, limits.characters > 0 ? Math.min(limits.characters, most) : most).toWellFormed();
