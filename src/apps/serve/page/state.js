// The state of the page in one object. The URL's fragment mirrors it, so that links open the same
// view.
import { debounced } from "./dom.js";
import { kept } from "./parts/kept.js";

const DEFAULTS = {
  lang: "", theme: "", view: "translate", model: "", q: "", t: "", forced: "", line: 0, n: 4, beam: 4, penalty: 0.6,
  from: "",  // "auto": the language of the text is detected
  kind: "cross", layer: "last", head: "mean", numbers: false, drawing: "matrix", hop: 0, step: 0, box: "", stack: 0, tensor: "", run: "",
  query: 2, key: 3, position: 3, dim: 1, unit: 0, tlayer: 1, thead: 1, by: "", mask: true, temperature: 1, lecture: 0,  // of the tour
  experiment: "", replaced: "", top_p: 1,  // of the tour's experiments
  update: 0,  // of a run's checkpoint; 0: the last
  off: "",  // heads that are not drawn, counted from 0: "1,3"
};
// Stored in the browser, not in links.
const KEPT_HERE = ["lang", "theme"];

// The values to choose from, and the numbers that count something. Links and the browser's memory may
// be wrong.
export const CHOICES = {
  n: [1, 2, 4, 8], beam: [1, 2, 4, 8, 16], penalty: [0, 0.2, 0.4, 0.6, 0.8, 1, 1.5], theme: ["", "light", "dark"], drawing: ["matrix", "lines", "heads", "neuron"], lecture: [0, 1],
};
const COUNTS = ["line", "hop", "step", "stack"];

export const state = { ...DEFAULTS };
const listeners = [];

export const on_change = (listener) => listeners.push(listener);

// Browsers reject frequent changes of the address: typing waits, and what follows an entry at once
// (a key held down) becomes part of it.
const AT_ONCE = 300;  // milliseconds
let pushed = -AT_ONCE;
const write_now = () => history.replaceState(null, "", address());
const write_address = debounced(write_now, 200);

// Passes the names of changed values to every listener.
export function set(changes) {
  if (apply(changes)) write_address();
}

// The same for what a reader may want to come back from, such as another view: a new entry in the
// browser's history.
export function visit(changes) {
  const follows = performance.now() - pushed < AT_ONCE;
  if (!follows) write_now();
  if (!apply(changes)) return;
  pushed = performance.now();
  if (follows) write_address();
  else history.pushState(null, "", address());
}

function apply(changes) {
  const changed = Object.keys(changes).filter((key) => state[key] !== changes[key]);
  if (changed.length === 0) return false;
  Object.assign(state, changes);
  remember(changed);
  for (const listener of listeners) listener(new Set(changed));
  return true;
}

export function address() {
  const hash = new URLSearchParams();
  for (const [key, value] of Object.entries(state))
    if (!KEPT_HERE.includes(key) && value !== DEFAULTS[key]) hash.set(key, String(value));
  const text = hash.toString();
  return text ? `#${text}` : location.pathname;
}

function typed(key, text) {
  const usual = DEFAULTS[key];
  if (typeof usual === "boolean") return text === "true";
  const value = typeof usual === "number" ? Number(text || NaN) : text;
  return is_possible(key, value) ? value : usual;
}

function is_possible(key, value) {
  if (COUNTS.includes(key)) return Number.isSafeInteger(value) && value >= 0;
  return !Object.hasOwn(CHOICES, key) || CHOICES[key].includes(value);
}

export function read_address() {
  const found = {};
  for (const [key, text] of new URLSearchParams(location.hash.slice(1)))
    if (Object.hasOwn(DEFAULTS, key) && !KEPT_HERE.includes(key)) found[key] = typed(key, text);
  const { n, beam } = { ...DEFAULTS, ...found };
  return { ...found, ...(n > beam && { beam: n }), ...kept?.state };
}

export function read_memory() {
  for (const key of KEPT_HERE) {
    try { state[key] = typed(key, localStorage.getItem(`hexapla.${key}`) ?? ""); } catch { /* storage is off */ }
  }
}

function remember(changed) {
  for (const key of changed.filter((k) => KEPT_HERE.includes(k))) {
    try { localStorage.setItem(`hexapla.${key}`, state[key]); } catch { /* storage is off */ }
  }
}

// Back, forward, and addresses typed or followed.
window.addEventListener("hashchange", () => apply({ ...Object.fromEntries(
  Object.entries(DEFAULTS).filter(([key]) => !KEPT_HERE.includes(key))), ...read_address() }));
