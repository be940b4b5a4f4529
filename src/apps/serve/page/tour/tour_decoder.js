// Steps 12 to 14 of the tour: the decoder, its probabilities and the search.
import { button, checkbox, h, labeled, piece, piece_text } from "../dom.js";
import { largest, list_is, mapped, plain, row_of, softmax } from "./tour_data.js";
import { bars, beside, grid, row_height, shown } from "./tour_draw.js";
import { factor, formula, frac, gap, joined, next, of, root, row, sub, sub_sup, sum, sup, sym, val, words } from "./tour_math.js";
import { can_ask } from "../server.js";
import { state, visit } from "../state.js";
import { t } from "../texts.js";

const bare = (text) => piece_text(text).replace(/^[▁␣](?=.)/, "");
const scope = (c, kind) => `decoder.layers.${c.layer("decoder")}.${kind}`;

export const mask = {
  inputs: ["position", "layer", "head"], stack: "decoder", kind: "self_attention",
  tensors: (c) => [...["unscaled", "weights"].map((part) => `${scope(c, "self_attention")}.${part}`), "decoder.mask"],
  draw(c, choose) {
    const at = scope(c, "self_attention"), heads = c.heads_of(at), head = c.head(at), n = c.target.length, i = c.pick("position", n);
    const d = c.shape(`${at}.q`).at(-1) / heads, scaled = c.formula(`${at}.scores`).includes("/ sqrt("), over = scaled ? Math.sqrt(d) : 1, over_is = `sqrt(${scaled ? d : 1})`;
    const s = mapped(c.map(`${at}.unscaled`, head), (x) => x / over, (is) => `${is}/${over_is}`), own = c.map(`${at}.weights`, head), m = c.matrix("decoder.mask"), hidden = { ...m, at: (r, k) => m.at(r, k) ?? -Infinity };
    const all = Array.from({ length: n }, (_, r) => softmax(row_of(s, r))), free = { ...own, at: (r, k) => all[r][k], is: (r, k) => `softmax(${list_is(s, r)})[${k}]` };
    const on = state.mask, w = on ? own : free, later = Math.min(i + 1, n - 1), after = row_of(free, i).slice(i + 1).reduce((x, y) => x + y, 0), pick = (r) => choose({ position: r + 1 });
    const given = { row_names: c.target, row: i, square: true, pick, height: row_height(n, 13, true) };
    return {
      formula: [formula(sym("A", "A"), "=", of("softmax", sym("S", frac(row("Q", sup("K", "T")), root(sub("d", "k")))), "+", sym("M", "M"))), formula(sym("M", sub("M", row("t", "u"))), "=", "0", words(" (u ≤ t)"), next(), "−", "∞", words(" (u > t)"))],
      numbers: [later > i && formula(sym("S", sub_sup("s", row(String(i + 1), ",", String(later + 1)), "′")), "+", sym("M", sub("M", row(String(i + 1), ",", String(later + 1)))), "=", val(s.at(i, later), s.is(i, later)), "+", "(", "−", "∞", ")", next(), sup("e", row("−", "∞")), "=", val(own.at(i, later), own.is(i, later), 0)),],
      symbols: [["S", "S′"], ["M", "M"], ["A", "A"]],
      picture: [h("div", { class: "tour-choice" }, checkbox(t("tour_with_mask"), on, (mask) => choose({ mask }))),
        h("div", { class: "tour-three squares" }, grid(s, { ...given, sym: "S", title: t("tour_scores_scaled"), note: t("tour_computed_here") }), grid(hidden, { ...given, row_names: null, sym: "M", title: "M", note: t("tour_checkered") }),
          grid(masked(w, m, on), { ...given, row_names: null, sym: "A", title: on ? t("tour_weights") : t("tour_weights_without"), note: on ? "" : t("tour_computed_here"), scale: { low: 0, high: 1 } })),
        h("p", { class: "tour-said" }, t("tour_on_later"), " ", shown(after, `sum(softmax(${list_is(s, i)})[${i + 1}:])`), t("tour_to_zero")),
        h("h4", {}, t("tour_reads_of", { token: piece_text(c.target[i]) })),
        bars(row_of(w, i).map((x, k) => ({ name: piece(c.target[k]), value: x, is: w.is(i, k), width: x, sym: "A", lit: k > i && x > 0, digits: on && k > i ? 0 : 3 })), { label: t("tour_weights"), columns: true })],
    };
  },
};

// Hatched where the mask hides: the weight there is not small, it is none.
const masked = (w, m, on) => (on ? { ...w, at: (r, k) => (m.at(r, k) === 0 ? w.at(r, k) : -Infinity), is: (r, k) => (m.at(r, k) === 0 ? w.is(r, k) : "-inf") } : w);

export const over_source = {
  inputs: ["position", "layer", "head"], stack: "decoder", kind: "cross_attention",
  tensors: (c) => ["q", "k", "weights"].map((part) => `${scope(c, "cross_attention")}.${part}`),
  draw(c, choose) {
    const at = scope(c, "cross_attention"), heads = c.heads_of(at), head = c.head(at), i = c.pick("position", c.target.length), w = c.map(`${at}.weights`, head);
    const q = c.of_head(`${at}.q`, head, heads), k = c.of_head(`${at}.k`, head, heads), line = row_of(w, i), best = largest(line, 1)[0], pick = (r) => choose({ position: r + 1 });
    return {
      formula: formula(of("Attention", sym("Q", sub("Q", "dec")), ",", sym("K", sub("K", "enc")), ",", sub("V", "enc")), "=", sym("A", of("softmax", frac(row(sym("Q", sub("Q", "dec")), sub_sup("K", "enc", "T")), root(sub("d", "k"))))), sub("V", "enc")),
      numbers: [formula(sym("A", sub("α", row(String(i + 1), ",", String(best + 1)))), "=", val(line[best], w.is(i, best)), gap(), words(`(${bare(c.target[i])} → ${bare(c.source[best])})`)),
        formula(sym("Q", sub("Q", "dec")), ":", val(q.rows, "len(target)", 0), "×", String(q.cols), next(), sym("K", sub("K", "enc")), ":", val(k.rows, "len(source)", 0), "×", String(k.cols))],
      symbols: [["Q", "Q"], ["K", "K"], ["A", "A"]], key: best,
      picture: [h("div", { class: "tour-tinted", "data-sym": "A" }, h("h4", {}, t("tour_writes", { read: piece_text(c.target[i]), next: piece_text(c.answer.predicted[i]) })), chips_of(c.source, line)),
        grid(w, { sym: "A", title: t("tour_over_source"), row_names: c.target, column_names: c.source, row: i, scale: { low: 0, high: 1 }, square: true, pick, most: 15 }),
        bars(line.map((x, j) => ({ name: piece(c.source[j]), value: x, is: w.is(i, j), width: x, lit: j === best, sym: "A" })), { label: t("tour_weights"), columns: true })],
      more: [beside(grid(q, { sym: "Q", title: t("tour_q_of_target"), row_names: c.target, row: i, pick, most: 9 }), grid(k, { sym: "K", title: t("tour_k_of_source"), row_names: c.source, row: best, most: 9 }))],
    };
  },
};

const chips_of = (tokens, weights) => h("div", { class: "tour-tokens" }, tokens.map((text, j) => {
  const one = h("span", { class: "tour-token" }, piece(text));
  one.style.setProperty("--weight", weights[j]);
  return one;
}));

// The step of the search at a position: the hypothesis that has the same tokens before it.
function step_at(c, trace, i) {
  const before = c.target.slice(1, i + 1).join("\n"), step = trace?.steps[i];
  return { step, beam: step ? step.beams.findIndex((beam) => beam.tokens.join("\n") === before) : -1 };
}

function temperature_control(choose) {
  const slider = h("input", { type: "range", id: "temperature", min: "0.2", max: "3", step: "0.1", value: String(heat()), oninput: () => choose({ temperature: Number(slider.value) }) });
  return labeled(t("tour_temperature"), slider);
}
const heat = () => Math.min(Math.max(Number(state.temperature) || 1, 0.2), 3);

export const search = {
  inputs: ["position"], traced: true, control: temperature_control,
  tensors: () => ["generator.log_probabilities"],
  draw(c, choose, trace, wide) {
    const i = c.pick("position", c.target.length), p = c.matrix("generator.log_probabilities"), line = row_of(p, i), heated = softmax(line.map((x) => x / heat())), { step } = step_at(c, trace, i), seen = step_at(c, wide, i).beam < 0 ? step_at(c, trace, i) : step_at(c, wide, i);
    const name = "generator.log_probabilities", own = c.answer.predicted[i], own_value = c.answer.log_probabilities[i], size = p.cols;
    const named = seen.beam < 0 ? [{ token: own, log_probability: own_value }] : seen.step.candidates.filter((one) => one.from === seen.beam);
    const shares = named.map((one) => { const k = nearest(line, one.log_probability); return { token: one.token, k, value: heated[k] }; }).sort((a, b) => b.value - a.value);
    const rest = 1 - shares.reduce((x, one) => x + one.value, 0), total = c.answer.log_probabilities.slice(0, i + 1).reduce((x, y) => x + y, 0);
    const list = [...shares.map((one) => ({ name: piece(one.token), value: one.value, is: `heated("${name}",${i},${heat()})[${one.k}]`, width: one.value, lit: one.token === own, sym: "P" })),
      { name: t("tour_all_others", { n: size - shares.length }), value: rest, is: `1-sum(heated("${name}",${i},${heat()})[k] for k in [${shares.map((one) => one.k).join(",")}])`, width: rest }];
    return {
      formula: formula(sym("P", "p", "(", sub("y", "t"), "|", sub("y", row("<", "t")), ",", "x", ")"), "=", of("softmax", sub("z", "t"), "W"), next(), sym("B", "score"), "=", sum("t"), "log", "p", "(", sub("y", "t"), ")"),
      numbers: [formula(sym("P", "p", "(", words(bare(own)), ")"), "=", sup("e", val(own_value, `log_probabilities[${i}]`)), "=", val(Math.exp(own_value), `exp(log_probabilities[${i}])`)),
        formula(sym("B", "score"), "(", sub("y", row("1", "…", String(i + 1))), ")", "=", joined(c.answer.log_probabilities.slice(Math.max(0, i - 2), i + 1).map((x, k) => factor(x, `log_probabilities[${Math.max(0, i - 2) + k}]`, 2)), "+"), i > 2 && ["+", "…"], "=", val(total, `sum(log_probabilities[:${i + 1}])`))],
      symbols: [["P", "p"], ["B", t("tour_beam")]],
      note: t("tour_sum_of_all", { n: size }),
      picture: [h("h4", {}, t("tour_after", { text: c.target.slice(0, i + 1).map(piece_text).join(" ") })), bars(list, { label: t("tour_probabilities"), wide: true }), h("p", { class: "tour-said" }, `T = ${plain(heat(), 1)}. `, h("small", { class: "faint" }, t("tour_temperature_is_here"))), step && beam_list(step, i)],
    };
  },
};

const nearest = (line, value) => line.reduce((best, x, k) => (Math.abs(x - value) < Math.abs(line[best] - value) ? k : best), 0);

function beam_list(step, i) {
  const kept = step.candidates.filter((one) => one.kept);
  const list = h("ol", { class: "tour-beams", "data-sym": "B" }, kept.map((one) => h("li", {}, h("span", { class: "pieces" }, [...step.beams[one.from].tokens, one.token].slice(-6).map((text) => [piece(text), " "])),
    h("span", { class: "faint" }, shown(one.score, `trace(${i},${step.candidates.indexOf(one)})`), one.fate === "finished" ? ` ${t("fate_finished")}` : ""))));
  return h("div", {}, h("h4", {}, t("tour_beams_kept", { n: kept.length, all: step.candidates.length })), list, can_ask() && button(t("tour_open_search"), () => visit({ view: "search", step: i }), { class: "tour-open" }));
}

