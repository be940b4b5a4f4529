// Steps 4 to 9 of the tour: one head of self-attention in the encoder, then all of them.
import { h, piece, piece_text } from "../dom.js";
import { deviation, dot, largest, list_is, mapped, one_row, read_by, row_of, softmax } from "./tour_data.js";
import { bars, grid, row_height, scale_for, shown, sign, strip } from "./tour_draw.js";
import { factor, formula, frac, joined, next, of, root, row, sub, sub_sup, sum, sup, sym, val } from "./tour_math.js";
import { state } from "../state.js";
import { t } from "../texts.js";

const scope = (c) => `encoder.layers.${c.layer("encoder")}.self_attention`;
const names = (...parts) => (c) => parts.map((part) => `${scope(c)}.${part}`);

// The subject of steps 4 to 9: the chosen head's matrices, query i and key j.
function head_of(c) {
  const at = scope(c), heads = c.heads_of(at), head = c.head(at), n = c.source.length;
  return { at, heads, head, i: c.pick("query", n), j: c.pick("key", n), of: (part) => c.of_head(`${at}.${part}`, head, heads), map: (part) => c.map(`${at}.${part}`, head) };
}
const few = (matrix, i) => row("(", joined([0, 1, 2].map((k) => val(matrix.at(i, k), matrix.is(i, k), 2)), ","), ",", "…", ")");
const numbered = (name, k) => sub(name, String(k + 1));

const projection = (to, name, from = "X") => row(sym(to, to), "=", sym(from, from), name);
const weights_named = (letter) => sub("W", letter);

export const projections = {
  inputs: ["query", "layer", "head"], stack: "encoder",
  tensors: (c) => [read_by(c, "encoder", c.layer("encoder"), "self_attention.q"), ...names("q", "k", "v")(c)],
  draw(c, choose) {
    const a = head_of(c), x = c.matrix(read_by(c, "encoder", c.layer("encoder"), "self_attention.q")), all = { Q: a.of("q"), K: a.of("k"), V: a.of("v") };
    const scale = scale_for(...Object.values(all)), pick = (k) => choose({ query: k + 1 });
    return {
      formula: formula(joined(["Q", "K", "V"].map((name) => projection(name, weights_named(name))), next)),
      numbers: Object.entries(all).map(([name, matrix]) => formula(sym(name, numbered(name.toLowerCase(), a.i)), "=", few(matrix, a.i))),
      symbols: [["X", "X"], ["Q", "Q"], ["K", "K"], ["V", "V"]],
      note: t("tour_shapes", { d: x.cols, dk: all.Q.cols, h: a.heads }),
      picture: [grid(x, { sym: "X", title: "X", row_names: c.source, row: a.i, pick, most: 13 }), sign("× W"), h("div", { class: "tour-three" },
        Object.entries(all).map(([name, matrix]) => grid(matrix, { sym: name, title: name, row: a.i, scale, pick, height: row_height(matrix.rows, 14, true), ...(name === "Q" ? { row_names: c.source } : {}) })))],
    };
  },
};

const pick_cell = (choose) => (i, j) => choose({ query: i + 1, key: j + 1 });
const map_of = (c, matrix, a, given) => grid(matrix, { square: true, row_names: c.source, column_names: c.source, row: a.i, column: a.j, ...given });

export const scores = {
  inputs: ["query", "key", "layer", "head"], stack: "encoder", tensors: names("q", "k", "unscaled"),
  draw(c, choose) {
    const a = head_of(c), q = a.of("q"), k = a.of("k"), s = a.map("unscaled");
    const product = mapped(one_row(q, a.i), (x, _, d) => x * k.at(a.j, d), (is, _, d) => `${is}*${k.is(a.j, d)}`);
    const scale = scale_for(one_row(q, a.i), one_row(k, a.j)), all = row_of(product, 0), sorted = largest(all.map(Math.abs), 2).sort((x, y) => x - y);
    const terms = sorted.map((d) => row(factor(q.at(a.i, d), q.is(a.i, d), 2), "·", factor(k.at(a.j, d), k.is(a.j, d), 2)));
    return {
      formula: formula(sym("S", sub("s", row("i", "j"))), "=", sym("q", sub("q", "i")), "·", sym("k", sub("k", "j")), "=", sum(row("d", "=", "1"), sub("d", "k")), sym("q", sub("q", row("i", "d"))), sym("k", sub("k", row("j", "d")))),
      numbers: [formula(sym("S", sub("s", row(String(a.i + 1), ",", String(a.j + 1)))), "=", joined(terms, "+"), "+", "…", "=", val(s.at(a.i, a.j), s.is(a.i, a.j)))],
      symbols: [["q", "q"], ["k", "k"], ["qk", "q · k"], ["S", "S"]],
      note: t("tour_largest_terms"),
      picture: [strip(one_row(q, a.i), { sym: "q", title: t("tour_query_of", { token: piece_text(c.source[a.i]) }), scale }),
        strip(one_row(k, a.j), { sym: "k", title: t("tour_key_of", { token: piece_text(c.source[a.j]) }), scale }),
        strip(product, { sym: "qk", title: t("tour_product"), note: t("tour_computed_here") }),
        h("p", { class: "tour-said" }, t("tour_their_sum"), " ", shown(dot(row_of(q, a.i), row_of(k, a.j)), `dot(${list_is(q, a.i)},${list_is(k, a.j)})`)),
        map_of(c, s, a, { sym: "S", title: "S = Q Kᵀ", pick: pick_cell(choose), most: 16 })],
    };
  },
};

const DIVISORS = ["one", "root", "whole"];
const divisor = (name, d) => ({ one: 1, root: Math.sqrt(d), whole: d })[name];
const is_scaled = (c) => c.formula(`${scope(c)}.scores`).includes("/ sqrt(");

// The chosen divisor; a switch in the page, so nothing here changes what the model computed.
function divisor_choice(choose, chosen) {
  return h("div", { class: "tour-chips", role: "group", "aria-label": t("tour_divide_by") }, h("span", { class: "tour-label", "aria-hidden": "true" }, t("tour_divide_by")),
    DIVISORS.map((name) => h("button", { type: "button", class: "tour-chip", id: `by-${name}`, "aria-pressed": String(name === chosen), onclick: () => choose({ by: name }) }, { one: "1", root: "√dₖ", whole: "dₖ" }[name])));
}

export const scaling = {
  inputs: ["query", "key", "layer", "head"], stack: "encoder", tensors: names("unscaled", "scores"),
  draw(c, choose) {
    const a = head_of(c), s = a.map("unscaled"), d = c.shape(`${a.at}.q`).at(-1) / a.heads, own = a.map("scores");
    const by = DIVISORS.includes(state.by) ? state.by : is_scaled(c) ? "root" : "one", over = divisor(by, d);
    const line = row_of(s, a.i), divided = line.map((x) => x / over), weights = softmax(divided);
    const is = { one: "1", root: `sqrt(${d})`, whole: `${d}` }[by], whole_is = list_is(s, a.i), widest = Math.max(...line.map(Math.abs));
    const all = divided.map((x, j) => ({ name: piece(c.source[j]), value: x, is: `${s.is(a.i, j)}/${is}`, width: Math.abs(x) / widest, lit: j === a.j, sym: "S",
      after: h("span", { class: "tour-weight" }, share(weights[j]), shown(weights[j], `softmax(scaled(${whole_is},${is}))[${j}]`)) }));
    return {
      formula: formula(sym("S", sub_sup("s", row("i", "j"), "′")), "=", frac(sym("S", row(sym("q", sub("q", "i")), "·", sym("k", sub("k", "j")))), root(sub("d", "k")))),
      numbers: [formula(sym("S", sub_sup("s", row(String(a.i + 1), ",", String(a.j + 1)), "′")), "=", frac(val(s.at(a.i, a.j), s.is(a.i, a.j)), root(val(d, `shape("${a.at}.q")[-1]/${a.heads}`, 0))), "=", val(own.at(a.i, a.j), own.is(a.i, a.j)))],
      symbols: [["S", "S"], ["w", t("tour_weights")]],
      note: is_scaled(c) ? "" : t("tour_not_scaled"),
      picture: [divisor_choice(choose, by), h("p", { class: "tour-head-line", "aria-hidden": "true" }, h("span", {}, t("tour_score_divided")), h("span", { class: "tour-weight" }, t("tour_weight_after"))),
        bars(all, { label: t("tour_score_divided"), pick: (j) => choose({ key: j + 1 }) }),
        h("p", { class: "tour-said" }, t("tour_spread"), " ", shown(deviation(divided), `std(scaled(${whole_is},${is}))`, 2), "; ", t("tour_largest_weight"), " ", shown(Math.max(...weights), `max(softmax(scaled(${whole_is},${is})))`, 3), ". ", h("small", { class: "faint" }, t("tour_switch_is_here")))],
    };
  },
};

function share(weight) {
  const fill = h("span", { class: "tour-fill" });
  fill.style.setProperty("width", `${100 * weight}%`);
  return h("span", { class: "tour-track", "data-sym": "w", "aria-hidden": "true" }, fill);
}

const softmax_by_row = (c) => c.formula(`${scope(c)}.weights`).startsWith("softmax(scores)");

export const normalizing = {
  inputs: ["query", "key", "layer", "head"], stack: "encoder", tensors: names("scores", "weights"),
  draw(c, choose) {
    const a = head_of(c), s = a.map("scores"), w = a.map("weights"), line = row_of(s, a.i), powers = line.map(Math.exp), total = powers.reduce((x, y) => x + y, 0);
    const total_is = `sum(exp(x) for x in ${list_is(s, a.i)})`, at = row(String(a.i + 1), ",", String(a.j + 1));
    const all = powers.map((power, j) => ({ name: piece(c.source[j]), value: w.at(a.i, j), is: w.is(a.i, j), width: w.at(a.i, j), lit: j === a.j, sym: "A",
      before: h("span", { class: "tour-steps" }, h("span", { "data-sym": "S" }, shown(line[j], s.is(a.i, j), 2)), " → ", h("span", {}, shown(power, `exp(${s.is(a.i, j)})`, 2)), " →") }));
    return {
      formula: formula(sym("A", sub("α", row("i", "j"))), "=", frac(sup("e", sym("S", sub_sup("s", row("i", "j"), "′"))), row(sum(row("u", "=", "1"), "n"), sup("e", sub_sup("s", row("i", "u"), "′"))))),
      numbers: [formula(sym("A", sub("α", at)), "=", frac(sup("e", val(line[a.j], s.is(a.i, a.j), 2)), val(total, total_is, 2)), "=", frac(val(powers[a.j], `exp(${s.is(a.i, a.j)})`, 2), val(total, total_is, 2)), "=", val(w.at(a.i, a.j), w.is(a.i, a.j)))],
      symbols: [["S", "S′"], ["A", "α"]],
      note: softmax_by_row(c) ? "" : t("tour_other_weights", { formula: c.formula(`${a.at}.weights`) }),
      picture: [h("p", { class: "tour-head-line steps", "aria-hidden": "true" }, h("span", {}, t("tour_three_columns"))), bars(all, { label: t("tour_weights"), pick: (j) => choose({ key: j + 1 }) })],
      more: [map_of(c, w, a, { sym: "A", title: t("tour_weights_of_all"), pick: pick_cell(choose), most: 11 })],
    };
  },
};

export const weighted = {
  inputs: ["query", "layer", "head"], stack: "encoder", tensors: names("v", "weights", "heads"),
  draw(c, choose) {
    const a = head_of(c), v = a.of("v"), w = a.map("weights"), o = a.of("heads"), weights = row_of(w, a.i);
    const part = mapped({ ...v, rows: v.rows }, (x, j) => x * weights[j], (is, j) => `${is}*${w.is(a.i, j)}`);
    const best = largest(weights, 2).sort((x, y) => x - y), scale = scale_for(part, one_row(o, a.i));
    const terms = best.map((j) => row(sym("A", factor(w.at(a.i, j), w.is(a.i, j), 2)), "·", sym("V", factor(v.at(j, 0), v.is(j, 0), 2))));
    return {
      formula: formula(sym("O", sub("o", "i")), "=", sum(row("j", "=", "1"), "n"), sym("A", sub("α", row("i", "j"))), sym("V", sub("v", "j")), next(), sym("O", "O"), "=", of("softmax", frac(row("Q", sup("K", "T")), root(sub("d", "k")))), sym("V", "V")),
      numbers: [formula(sym("O", sub("o", row(String(a.i + 1), ",", "1"))), "=", joined(terms, "+"), "+", "…", "=", val(o.at(a.i, 0), o.is(a.i, 0)))],
      symbols: [["A", "α"], ["V", "V"], ["AV", "α V"], ["O", "O"]],
      note: t("tour_largest_weights"),
      picture: [h("div", { class: "tour-three aligned" }, h("div", {}, h("p", { class: "tour-over" }, "α"), bars(weights.map((x, j) => ({ name: piece(c.source[j]), value: x, is: w.is(a.i, j), width: x, sym: "A", lit: best.includes(j) })), { label: t("tour_weights"), digits: 2 })),
        grid(v, { sym: "V", title: "V", height: 20 }), grid(part, { sym: "AV", title: "αᵢⱼ vⱼ", scale, height: 20 })), h("p", { class: "tour-sign" }, "Σ ↓ ", h("small", {}, t("tour_part_here"))),
        strip(one_row(o, a.i), { sym: "O", title: t("tour_output_of", { token: piece_text(c.source[a.i]) }), scale })],
      more: [grid(o, { sym: "O", title: t("tour_all_outputs"), row_names: c.source, row: a.i, pick: (k) => choose({ query: k + 1 }), most: 13 })],
    };
  },
};

export const heads = {
  inputs: ["query", "layer", "head"], stack: "encoder", tensors: names("weights", "heads"),
  draw(c, choose) {
    const a = head_of(c), o = c.matrix(`${a.at}.heads`), wide = o.cols / a.heads;
    const maps = Array.from({ length: a.heads }, (_, k) => c.map(`${a.at}.weights`, k));
    const best = maps.map((map) => largest(row_of(map, a.i), 1)[0]);
    const list = best.map((j, k) => ({ name: [t("tour_head", { n: k + 1 }), " → ", piece(c.source[j])], value: maps[k].at(a.i, j), is: maps[k].is(a.i, j), width: maps[k].at(a.i, j), lit: k === a.head, sym: `head${k}` }));
    return {
      formula: formula("MultiHead", "(", "X", ")", "=", of("Concat", sym("head0", sub("head", "1")), ",", "…", ",", sym(`head${a.heads - 1}`, sub("head", "h"))), sub("W", "O")),
      numbers: [formula("h", "=", val(a.heads, `shape("${a.at}.weights")[0]`, 0), next(), "h", "·", sub("d", "v"), "=", String(a.heads), "·", String(wide), "=", val(o.cols, `shape("${a.at}.heads")[-1]`, 0))],
      symbols: [...maps.keys()].map((k) => [`head${k}`, t("tour_head", { n: k + 1 })]),
      picture: [h("div", { class: "tour-maps" }, maps.map((map, k) => h("button", { type: "button", class: "tour-map", "aria-pressed": String(k === a.head), "data-sym": `head${k}`, "aria-label": t("tour_head", { n: k + 1 }), onclick: () => choose({ thead: k + 1 }) },
        grid(map, { title: t("tour_head", { n: k + 1 }), row: a.i, square: true, most: 12, scale: { low: 0, high: 1 } })))),
        h("h4", {}, t("tour_looks_most", { token: piece_text(c.source[a.i]) })), bars(list, { label: t("tour_looks_most", { token: piece_text(c.source[a.i]) }), pick: (k) => choose({ thead: k + 1 }), wide: true }),
        joined_row(o, a, wide)],
    };
  },
};

// The chosen token's row of the joined heads, with the part of each head named.
function joined_row(o, a, wide) {
  const scale = scale_for(one_row(o, a.i)), cut = (k) => ({ ...one_row(o, a.i), cols: wide, at: (_, j) => o.at(a.i, k * wide + j), is: (_, j) => o.is(a.i, k * wide + j) });
  return h("div", {}, h("h4", {}, t("tour_joined")), h("div", { class: "tour-joined" }, Array.from({ length: a.heads }, (_, k) => strip(cut(k), { sym: `head${k}`, title: String(k + 1), scale }))));
}

