// Steps 1 to 3 of the tour: tokens, embeddings, positions.
import { chart } from "../chart.js";
import { h, piece } from "../dom.js";
import { length_of, list_is, mapped, one_row, plain, row_of } from "./tour_data.js";
import { bars, grid, scale_for, sign, strip } from "./tour_draw.js";
import { factor, formula, frac, joined, next, of, root, row, sub, sup, sym, val, words } from "./tour_math.js";
import { t } from "../texts.js";

const quoted = (text) => (text.startsWith("▁") && text.length > 1 ? `“${text.slice(1)}”` : text);

const list = (label, names, chosen, id, pick) => h("div", { class: "tour-line", "data-sym": id },
  h("span", { class: "tour-label" }, label), h("span", { class: "tour-tokens" }, names.map((text, i) => h("span", { class: `tour-token${i === chosen ? " here" : ""}${pick ? " picks" : ""}`, onclick: pick && (() => pick(i)) }, piece(text), h("small", {}, i + 1)))));

// Vocabularies that mark no spaces do not say where words begin.
function place_of(token, words_so_far) {
  if (token === "</s>") return t("tour_token_end");
  if (words_so_far === 0) return "";
  return token.startsWith("▁") ? t("tour_token_begins", { token: token.slice(1), word: words_so_far }) : t("tour_token_inside", { token, word: words_so_far });
}

export const tokens = {
  inputs: ["query"], tensors: () => [],
  draw(c, choose) {
    const i = c.pick("query", c.source.length), n = c.source.length;
    const word = c.source[i], words_so_far = c.source.slice(0, i + 1).filter((text) => text.startsWith("▁")).length;
    const size = c.shape("generator.logits").at(-1);
    return {
      formula: formula(sym("x", "x"), "=", "(", sub("x", "1"), ",", "…", ",", sub("x", "n"), ")", next(), sub("x", "i"), "∈", "V"),
      numbers: [formula(sym("x", sub("x", String(i + 1))), "=", words(quoted(word)), next(), "n", "=", val(n, "len(source)", 0)),
        size && formula("|", "V", "|", "=", val(size, 'shape("generator.logits")[-1]', 0))],
      symbols: [["x", "x"], ["y", "y"], ["next", t("tour_next_token")]],
      picture: [list(t("tour_source_tokens"), c.source, i, "x", (k) => choose({ query: k + 1 })), list(t("tour_reads"), c.target, -1, "y"), list(t("tour_predicts"), c.answer.predicted, -1, "next"),
        h("p", { class: "tour-said" }, place_of(word, words_so_far))],
    };
  },
};

const scaled = (c) => c.formula("encoder.tokens").startsWith("sqrt(");
const first = (matrix, i, count = 3) => Array.from({ length: Math.min(count, matrix.cols) }, (_, j) => factor(matrix.at(i, j), matrix.is(i, j)));
const vector = (matrix, i, count = 3) => row("(", joined(first(matrix, i, count), ","), ",", "…", ")");

export const embedding = {
  inputs: ["query"], tensors: () => ["encoder.tokens", "encoder.positions"],
  draw(c, choose) {
    const i = c.pick("query", c.source.length), e = c.matrix("encoder.tokens"), d = e.cols, by = scaled(c) ? Math.sqrt(d) : 1;
    const table = mapped(e, (x) => x / by, (is) => `${is}/sqrt(${scaled(c) ? d : 1})`);
    const p = c.matrix("encoder.positions"), scale = scale_for(one_row(e, i), one_row(table, i));
    const lengths = [["T", table, t("tour_table_row")], ["E", e, t("tour_times_root")], ["P", p, t("tour_position_row")]].map(([id, matrix, name]) => ({ sym: id, name, value: length_of(row_of(matrix, i)), is: `norm(${list_is(matrix, i)})` }));
    const longest = Math.max(...lengths.map((one) => one.value));
    return {
      formula: formula(sym("E", sub("e", "i")), "=", scaled(c) ? [root(sub("d", "model")), "·"] : [], sym("T", "T", "[", sub("x", "i"), "]")),
      numbers: [scaled(c) && formula(root(val(d, 'shape("encoder.tokens")[-1]', 0)), "·", row("(", joined(first(table, i), ","), ",", "…", ")")),
        formula("=", sym("E", vector(e, i)))],
      symbols: [["T", "T"], ["E", "E"], ["P", "P"]],
      picture: [strip(one_row(table, i), { sym: "T", title: t("tour_table_row"), scale, note: scaled(c) ? t("tour_divided_here") : "" }), sign(scaled(c) ? `× √${d} = ${plain(by, 2)}` : "="),
        strip(one_row(e, i), { sym: "E", title: t("tour_times_root"), scale }),
        grid(e, { sym: "E", title: t("tour_all_rows"), row_names: c.source, row: i, pick: (k) => choose({ query: k + 1 }) }),
      ],
      more: [h("h4", {}, t("tour_lengths")), bars(lengths.map((one) => ({ ...one, width: one.value / longest })), { label: t("tour_lengths"), digits: 2, wide: true })],
    };
  },
};

// The kind of positions, as the server's formula says it.
function kind_of_positions(c) {
  const said = c.formula("encoder.positions");
  if (said.startsWith("PE(pos, 2i)")) return "sinusoidal";
  return said.startsWith("PE(pos, i)") ? "halves" : said.startsWith("0") ? "none" : "learned";
}

const first_position = (c) => Number(c.formula("encoder.positions").match(/pos counts from (\d+)/)?.[1] ?? 0);

function sinusoid(c, i, dim, p) {
  const pos = i + first_position(c), d = p.cols, power = dim - dim % 2;
  const name = dim % 2 ? "cos" : "sin";
  return formula(sym("P", sub("p", row(String(i + 1), ",", String(dim + 1)))), "=", of(name, frac(String(pos), sup("10000", frac(String(power), String(d))))), "=", val(p.at(i, dim), p.is(i, dim)));
}

function wave_formula(c) {
  const argument = (power) => frac("pos", sup("10000", power));
  const kind = kind_of_positions(c);
  const one = (index, name) => formula(sym("P", "PE", "(", "pos", ",", index, ")"), "=", of(name, argument(frac("2i", "d"))));
  return kind === "sinusoidal" ? [one("2i", "sin"), one("2i+1", "cos")] : formula(words(c.formula("encoder.positions")));
}

export const positions = {
  inputs: ["query", "dim"], tensors: () => ["encoder.tokens", "encoder.positions", "encoder.embedded"],
  dims: (c) => c.shape("encoder.positions").at(-1),
  draw(c, choose) {
    const i = c.pick("query", c.source.length), e = c.matrix("encoder.tokens"), p = c.matrix("encoder.positions"), x = c.matrix("encoder.embedded");
    const dim = c.pick("dim", p.cols), scale = scale_for(one_row(e, i), one_row(p, i), one_row(x, i)), pair = dim - dim % 2;
    const curve = (j) => ({ name: t("dimension", { n: j + 1 }), marked: true, points: Array.from({ length: p.rows }, (_, r) => [r + 1, p.at(r, j)]) });
    const at = (m) => factor(m.at(i, dim), m.is(i, dim));
    return {
      formula: formula(sym("X", sub("x", "i")), "=", sym("E", sub("e", "i")), "+", sym("P", sub("p", "i"))),
      numbers: [wave_formula(c), kind_of_positions(c) === "sinusoidal" && sinusoid(c, i, dim, p),
        formula(sym("X", sub("x", row(String(i + 1), ",", String(dim + 1)))), "=", sym("E", at(e)), "+", sym("P", at(p)), "=", val(x.at(i, dim), x.is(i, dim)))],
      symbols: [["E", "E"], ["P", "P"], ["X", "X"]],
      picture: [["E", e, "tour_token_row"], ["P", p, "tour_position_row"], ["X", x, "tour_input_row"]].map(([id, matrix, name]) =>
        strip(one_row(matrix, i), { sym: id, title: t(name), scale, column: dim, pick: (_, j) => choose({ dim: j + 1 }) })).concat(
        grid(p, { sym: "P", title: t("tour_positions"), row_names: c.source, row: i, column: dim, pick: (r, j) => choose({ query: r + 1, dim: j + 1 }) })),
      more: [chart({ title: t("tour_two_dimensions"), x_label: t("position"), series: [curve(pair), ...(pair + 1 < p.cols ? [curve(pair + 1)] : [])] })],
    };
  },
};
