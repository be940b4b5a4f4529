// Which sentence of a line belongs to which one of its translation.
import { is_known } from "../dom.js";

// -> [[from, to]]: the sentences of a text, also in scripts without spaces, without the blanks after them.
export function sentences_of(text, language) {
  const all = new Intl.Segmenter(is_known(language) ? language : "und", { granularity: "sentence" }).segment(text);
  return [...all].filter((s) => s.segment.trim()).map((s) => [s.index, s.index + s.segment.trimEnd().length]);
}

export const index_at = (spans, offset) => Math.max(spans.findLastIndex(([from]) => from <= offset), 0);

// The sentence in which each word begins.
function sentence_of_words(text, words, spans) {
  let at = 0;
  return words.map((word) => {
    const begin = Math.max(text.indexOf(word, at), at);
    at = begin + word.length;
    return index_at(spans, begin);
  });
}

// -> {sources, targets, own(i), of(k)}: the sentences, the indices of the translation's that belong to the
// source's i, and the reverse: those that share the most aligned words, or have the same place.
export function paired(line, { text, alignment = { source_words: [], target_words: [], links: [] } }, { source, target }) {
  const sources = sentences_of(line, source), targets = sentences_of(text, target);
  const votes = sources.map((_, i) => targets.map((__, k) => (i === same_place(k, targets, sources) || k === same_place(i, sources, targets) ? 0.5 : 0)));
  const from = sentence_of_words(line, alignment.source_words, sources), to = sentence_of_words(text, alignment.target_words, targets);
  for (const [s, k] of alignment.links) if (votes[from[s]]?.[to[k]] !== undefined) votes[from[s]][to[k]] += 1;
  const of = (k) => most(votes.map((row) => row[k]));
  const own = (i) => {
    const all = [...targets.keys()].filter((k) => of(k) === i);
    return all.length || !targets.length ? all : [most(votes[i])];
  };
  return { sources, targets, own, of };
}
const same_place = (i, from, to) => Math.floor((i * to.length) / from.length);
const most = (counts) => counts.indexOf(Math.max(...counts));
