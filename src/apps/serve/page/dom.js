// Builds DOM elements from values. Nothing is written as markup, so text cannot become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else if (name in element && typeof value === "boolean" && !name.startsWith("aria")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return element;
}

let last = 0;
export const fresh_id = (stem) => `${stem}-${++last}`;

// A control after its label.
export function labeled(text, control, attributes = {}) {
  if (!control.id) control.id = fresh_id("field");
  return h("span", { class: "field", ...attributes }, h("label", { for: control.id }, text), control);
}

// options: [[value, text]]
export function select(options, value, onchange, attributes = {}) {
  const control = h("select", { ...attributes, onchange: () => onchange(control.value) },
    options.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value) }, text)));
  return control;
}

export const button = (text, onclick, attributes = {}) => h("button", { type: "button", onclick, ...attributes }, text);

export function checkbox(text, checked, onchange) {
  const box = h("input", { type: "checkbox", checked, onchange: () => onchange(box.checked) });
  return h("label", { class: "check" }, box, text);
}

// A wide element that scrolls; the arrow keys work, too.
export const scrolling = (label, content) => h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, content);

// Calls f once, `milliseconds` after the last call of a series.
export function debounced(f, milliseconds) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...values), milliseconds);
  };
}

// Tab reaches one element of a group; arrow keys move within it.
export function roving(elements, vertical = false) {
  const [back, on] = vertical ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
  const go = (to) => {
    elements.forEach((e, i) => { e.tabIndex = i === to ? 0 : -1; });
    elements[to].focus();
  };
  elements.forEach((element, i) => {
    element.tabIndex = i === 0 ? 0 : -1;
    element.addEventListener("keydown", (event) => {
      const rtl = !vertical && getComputedStyle(element).direction === "rtl";
      const to = { [back]: i - (rtl ? -1 : 1), [on]: i + (rtl ? -1 : 1), Home: 0, End: elements.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      go(Math.min(Math.max(to, 0), elements.length - 1));
    });
  });
}

// A piece as text. A light ␣ is the space before a word, which vocabularies write as the heavy "▁".
const BLANK = "␣";
export const piece_text = (piece) => (piece === "" ? "∅" : piece.replaceAll("▁", BLANK));
export const piece_parts = (text) => text.split(/(␣)/).filter(Boolean).map((part) => ({ part, blank: part === BLANK }));
export const piece = (text) => h("bdi", {}, piece_parts(piece_text(text)).map(({ part, blank }) => (blank ? h("span", { class: "blank" }, part) : part)));

// The one format of numbers: three decimals, but two digits of a small number (0.0042, 4.2e−5), and
// whole ones from a thousand on (12,345).
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (Math.abs(value) >= 1e9) return minus(value.toExponential(1));
  if (Math.abs(value) >= 1000) return minus(grouped(value));
  if (value === 0 || Math.abs(value) >= 0.01) return decimals(value);
  return minus(Math.abs(value) < 0.001 ? value.toExponential(1) : value.toFixed(4));
}
export const decimals = (value) => minus(value.toFixed(3));
const minus = (text) => text.replaceAll("-", "−");

export const grouped = (value) => Math.round(value).toLocaleString("en-US");

// A language's text direction; "auto" if the language is unknown: then the first letter decides.
const RTL = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ku", "ps", "sd", "syr", "ug", "ur", "yi"]);
export const is_known = (language) => Boolean(language) && !["auto", "und"].includes(language);
export const direction_of = (language) => (!is_known(language) ? "auto" : RTL.has(language.split(/[-_]/)[0].toLowerCase()) ? "rtl" : "ltr");
