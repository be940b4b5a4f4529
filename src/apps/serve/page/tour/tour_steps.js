// The steps of the tour in the order of the notes, with the lesson of the course and the lines of
// code that belong to each.
import { heads, normalizing, projections, scaling, scores, weighted } from "./tour_attention.js";
import { mask, over_source, search } from "./tour_decoder.js";
import { embedding, positions, tokens } from "./tour_input.js";
import { add_and_norm, feed_forward } from "./tour_layers.js";

const LESSONS = ["", "1-attention", "2-queries-keys-values", "3-heads", "4-masks", "5-positions", "6-encoder", "7-decoder", "8-decoding"];

const step = (id, lesson, scene) => ({ id, lesson, ...scene });

export const STEPS = [
  step("tokens", 5, tokens), step("embedding", 5, embedding), step("positions", 5, positions), step("projections", 2, projections), step("scores", 2, scores), step("scaling", 2, scaling),
  step("softmax", 1, normalizing), step("weighted", 1, weighted), step("heads", 3, heads), step("norm", 6, add_and_norm), step("ffn", 6, feed_forward),
  step("mask", 4, mask), step("cross", 7, over_source), step("search", 8, search),
];

export const lesson_path = (lesson, language) => `course/${language === "zh" ? "zh/" : ""}${LESSONS[lesson]}.md`;
