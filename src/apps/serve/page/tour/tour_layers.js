// Steps 10 and 11 of the tour: the rest of an encoder layer.
import { h, piece_text } from "../dom.js";
import { deviation, largest, list_is, mapped, mean, one_row, read_by, row_of } from "./tour_data.js";
import { bars, grid, scale_for, shown, sign, strip } from "./tour_draw.js";
import { factor, formula, frac, gap, of, root, row, sub, sup, sym, val, words } from "./tour_math.js";
import { state } from "../state.js";
import { mixing_of } from "./tour_variants.js";
import { t } from "../texts.js";

const layer = (c) => `encoder.layers.${c.layer("encoder")}`;
const mixing = (c) => `${layer(c)}.${mixing_of(c, "encoder")}`;
// With post-norm a sublayer's norm reads its sum; with pre-norm, what the sublayer reads.
const is_post = (c) => /x: sum$/.test(c.formula(`${mixing(c)}.norm`));
const is_layer_norm = (c) => c.formula(`${mixing(c)}.norm`).includes("mean and variance of each row");
const epsilon = (c) => Number(c.formula(`${mixing(c)}.norm`).match(/eps = ([\d.e+-]+)/)?.[1] ?? 0);

// Where this model's sublayer is not the paper's.
function differences(c) {
  const norm = c.formula(`${mixing(c)}.norm`), all = [is_layer_norm(c) ? t("tour_gain_and_bias") : t("tour_no_norm", { formula: norm })];
  if (!is_post(c)) all.push(t("tour_pre_norm"));
  if (!mixing(c).endsWith("attention")) all.push(t("tour_mixing"));
  return all.join(" ");
}

const statistics = (matrix, i) => h("small", { class: "tour-statistics" }, "μ ", shown(mean(row_of(matrix, i)), `mean(${list_is(matrix, i)})`, 2), "  σ ", shown(deviation(row_of(matrix, i)), `std(${list_is(matrix, i)})`, 2));

export const add_and_norm = {
  inputs: ["query", "layer"], stack: "encoder",
  tensors: (c) => ["output", "sum", "norm"].map((part) => `${mixing(c)}.${part}`),
  draw(c, choose) {
    const at = mixing(c), i = c.pick("query", c.source.length), o = c.matrix(`${at}.output`), s = c.matrix(`${at}.sum`), z = c.matrix(`${at}.norm`);
    const x = mapped(s, (value, r, j) => value - o.at(r, j), (is, r, j) => `(${is}-${o.is(r, j)})`);
    const from = is_post(c) ? s : x, from_name = is_post(c) ? "r" : "x", inner = mixing(c).endsWith("attention") ? "MultiHead" : "F", mu = mean(row_of(from, i)), sigma = deviation(row_of(from, i)), eps = epsilon(c), line = list_is(from, i);
    const standard = mapped(one_row(from, i), (value) => (value - mu) / Math.sqrt(sigma ** 2 + eps), (is) => `(${is}-mean(${line}))/sqrt(std(${line})**2+${eps})`);
    const scale = scale_for(one_row(x, i), one_row(o, i), one_row(s, i), one_row(z, i)), all = [["X", x, "tour_sublayer_input", "tour_computed_here"], ["O", o, "tour_sublayer_output"], ["R", s, "tour_sum"], ["Z", z, "tour_norm"]];
    const picture = all.map(([id, matrix, title, note], k) => [k > 0 && sign(["", "+", "=", is_post(c) ? "LayerNorm ↓" : "LayerNorm (x)"][k]), h("div", { class: "tour-with" }, strip(one_row(matrix, i), { sym: id, title: t(title), scale, note: note && t(note) }), statistics(matrix, i))]);
    return {
      formula: is_post(c) ? formula(sym("Z", "z"), "=", of("LayerNorm", sym("R", sym("X", "x"), "+", of(inner, sym("X", "x")))))
        : formula(sym("R", "r"), "=", sym("X", "x"), "+", of(inner, of("LayerNorm", sym("X", "x")))),
      numbers: [formula(sym("R", sub("r", row(String(i + 1), ",", "1"))), "=", factor(x.at(i, 0), x.is(i, 0)), "+", factor(o.at(i, 0), o.is(i, 0)), "=", val(s.at(i, 0), s.is(i, 0))),
        is_layer_norm(c) && formula(frac(row(sub(from_name, row(String(i + 1), ",", "1")), "−", "μ"), root(sup("σ", "2"), "+", "ε")), "=", frac(row(val(from.at(i, 0), from.is(i, 0)), "−", factor(mu, `mean(${line})`)), val(Math.sqrt(sigma ** 2 + eps), `sqrt(std(${line})**2+${eps})`)), "=", val(standard.at(0, 0), standard.is(0, 0))),
        formula(is_layer_norm(c) ? ["·", "g", "+", "b", gap(), "→", gap()] : [], sym("Z", sub("z", row(String(i + 1), ",", "1"))), "=", val(z.at(i, 0), z.is(i, 0)))],
      symbols: [["X", "x"], ["O", t("tour_sublayer_output")], ["R", "r"], ["Z", "z"]],
      note: differences(c),
      picture: [h("div", {}, picture)],
      more: [grid(z, { sym: "Z", title: t("tour_norm_of_all"), row_names: c.source, row: i, pick: (k) => choose({ query: k + 1 }), most: 14 })],
    };
  },
};

export const feed_forward = {
  inputs: ["query", "layer"], stack: "encoder",
  tensors: (c) => [read_by(c, "encoder", c.layer("encoder"), "feed_forward.inner"), ...["inner", "hidden", "output"].map((part) => `${layer(c)}.feed_forward.${part}`)],
  draw(c, choose) {
    const at = `${layer(c)}.feed_forward`, i = c.pick("query", c.source.length), inner = c.matrix(`${at}.inner`), hidden = c.matrix(`${at}.hidden`), output = c.matrix(`${at}.output`);
    const line = row_of(hidden, i), active = line.filter((x) => x > 0).length, best = largest(line, 4), unit = state.unit ? c.pick("unit", inner.cols) : best[0], relu = c.formula(`${at}.hidden`) === "max(0, inner)", hidden_title = t(relu ? "tour_hidden" : "tour_hidden_plain");
    const scale = scale_for(one_row(inner, i), one_row(hidden, i)), where = row(String(i + 1), ",", String(unit + 1)), pick = (_, j) => choose({ unit: j + 1 });
    const activated = sym("H", relu ? of("max", "0", ",", sym("I", "x", sub("W", "1"), "+", sub("b", "1"))) : of("f", sym("I", "x", sub("W", "1"), "+", sub("b", "1"))));
    return {
      formula: formula(of("FFN", "x"), "=", sym("F", activated, sub("W", "2"), "+", sub("b", "2"))),
      numbers: [formula(sym("H", sub("h", where)), "=", relu ? of("max", "0", ",", sym("I", val(inner.at(i, unit), inner.is(i, unit)))) : of("f", sym("I", val(inner.at(i, unit), inner.is(i, unit)))), "=", val(hidden.at(i, unit), hidden.is(i, unit))),
        formula(words(t("tour_active")), "=", val(active, `sum(x>0 for x in ${list_is(hidden, i)})`, 0), words(` / ${inner.cols}`))],
      symbols: [["I", t("tour_inner")], ["H", hidden_title], ["F", t("tour_ffn_output")]],
      note: relu ? "" : t("tour_other_activation", { formula: c.formula(`${at}.hidden`) }),
      picture: [strip(one_row(inner, i), { sym: "I", title: t("tour_inner"), scale, column: unit, pick }), sign(relu ? "max(0, ·) ↓" : "f(·) ↓"), strip(one_row(hidden, i), { sym: "H", title: hidden_title, scale, column: unit, pick }), sign("× W₂ + b₂ ↓"), strip(one_row(output, i), { sym: "F", title: t("tour_ffn_output") }),
        h("h4", {}, t("tour_strongest", { token: piece_text(c.source[i]) })), bars(best.map((j) => ({ name: t("tour_unit", { n: j + 1 }), value: line[j], is: hidden.is(i, j), width: line[j] / Math.max(line[best[0]], 1e-9), lit: j === unit, sym: "H" })), { label: t("tour_strongest", { token: piece_text(c.source[i]) }), pick: (k) => choose({ unit: best[k] + 1 }) }),
      ],
      more: [grid(hidden, { sym: "H", title: t("tour_hidden_of_all"), row_names: c.source, row: i, column: unit, pick: (r, j) => choose({ query: r + 1, unit: j + 1 }), most: 14 })],
    };
  },
};
