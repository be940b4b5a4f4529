// Formulas in MathML, which browsers draw themselves, with the numbers of the reader's sentence.
import { plain } from "./tour_data.js";

const NS = "http://www.w3.org/1998/Math/MathML";

export function m(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== null) element.setAttribute(name, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false).map(node));
  return element;
}

const NUMBER = /^[\d.∞…]+$/, OPERATOR = /^[=+−·×/(){}\[\],|∈→:;<]$/;

// A text in a formula is a number, an operator or a name.
function node(child) {
  if (child instanceof Node) return child;
  const text = String(child);
  if (NUMBER.test(text)) return m("mn", {}, document.createTextNode(text));
  if (OPERATOR.test(text)) return m("mo", { stretchy: "false" }, document.createTextNode(text));
  return m("mi", text.length > 1 ? { mathvariant: "normal" } : {}, document.createTextNode(text));
}

export const row = (...children) => m("mrow", {}, ...children);
export const sub = (base, index) => m("msub", {}, base, index);
export const sup = (base, power) => m("msup", {}, base, power);
export const sub_sup = (base, index, power) => m("msubsup", {}, base, index, power);
export const frac = (over, under) => m("mfrac", {}, over, under);
// Drawn by the style sheet: without a mathematical font, browsers draw an msqrt without its sign.
export const root = (...children) => m("mrow", { class: "radical", intent: "square-root($x)" }, m("mo", {}, document.createTextNode("√")), m("mrow", { arg: "x", class: "radicand" }, ...children));
export const gap = () => m("mspace", { width: "1.1em" });
export const next = () => row(",", gap());
export const words = (text) => m("mtext", {}, document.createTextNode(text));
export const sum = (under, over) => (over ? m("munderover", {}, sign("∑"), under, over) : m("munder", {}, sign("∑"), under));
const sign = (text) => m("mo", {}, document.createTextNode(text));
export const of = (name, ...inside) => row(name, sign("("), ...inside, sign(")"));

// A symbol that lights up its matrix in the picture, and is lit by it.
export const sym = (id, ...children) => m("mrow", { "data-sym": id, class: "sym" }, ...children);

// A number of the sentence. `is` says how it follows from the tensors of /v1/inspect; the tests
// compute it anew.
export function val(value, is, digits = 3) {
  return m("mn", { class: "val", "data-value": String(value), "data-is": is }, document.createTextNode(plain(value, digits)));
}
// As a factor: negative numbers in parentheses.
export const factor = (value, is, digits = 3) => (plain(value, digits).startsWith("−") ? row("(", val(value, is, digits), ")") : val(value, is, digits));

export const formula = (...children) => m("math", { display: "block" }, row(...children));

// "a + b + c": terms with operators between them.
export const joined = (terms, between) => terms.flatMap((term, i) => (i ? [typeof between === "function" ? between() : between, term] : [term]));
