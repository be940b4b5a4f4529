// The frame of the page: languages, themes and views, and updates to them.
import { attention_view, update as update_attention } from "./attention.js";
import { button, direction_of, h, labeled, number, piece, replace, roving, select } from "./dom.js";
import { figure_view, update as update_figure } from "./figure.js";
import { matrix, legend } from "./matrix.js";
import { kept } from "./parts/kept.js";
import { runs_view, update as update_runs } from "./runs.js";
import { copy_link, save_buttons } from "./save.js";
import { search_view, update as update_search } from "./search.js";
import { alternatives, chosen, model, on_translation, sentence } from "./sentence.js";
import { info, models } from "./server.js";
import { on_change, read_address, read_memory, set, state, visit } from "./state.js";
import { begin, sentence_panel } from "./text/panel.js";
import { LANGUAGES, language, t } from "./texts.js";
import { mark_lecture } from "./tour/lecture.js";
import { KEYS as TOUR_KEYS, on_the_way, tour_view, update as update_tour } from "./tour/tour.js";

const VIEWS = {
  translate: { make: alternatives_view, update: update_alternatives, keys: [] },
  tour: { make: tour_view, update: update_tour, keys: TOUR_KEYS },
  attention: { make: attention_view, update: update_attention, keys: ["kind", "layer", "head", "numbers", "drawing", "forced", "hop", "off", "query", "key"] },
  search: { make: search_view, update: update_search, keys: ["step", "hop"] },
  figure: { make: figure_view, update: update_figure, keys: ["box", "stack", "tensor", "forced", "hop"] },
  runs: { make: runs_view, update: update_runs, keys: ["run", "update"] },
};
const view_name = () => (kept ? "tour" : Object.hasOwn(VIEWS, state.view) ? state.view : "translate");
const view = () => VIEWS[view_name()];
const has_own_top = () => ["runs", "tour"].includes(view_name());

let alternatives_root;

function alternatives_view() {
  alternatives_root = h("div", { class: "alternatives" });
  update_alternatives();
  return alternatives_root;
}

function token_row(translation) {
  const all = [...translation.tokens, "</s>"];
  return h("p", { class: "tokens", dir: direction_of(model()?.target) }, all.map((token, i) => {
    const p = Math.exp(translation.token_scores[i]);
    return h("span", { class: "token-chip", style: { "--p": p }, title: `p ${number(p)}` }, piece(token), h("small", {}, number(p)));
  }));
}

function alternative(translation, rank) {
  const current = translation === chosen();
  return h("li", {}, h("button", { type: "button", class: "alternative", "aria-pressed": String(current), onclick: () => set({ t: rank === 0 ? "" : translation.text, forced: "" }) },
    h("span", { dir: direction_of(model()?.target), lang: model()?.target || "" }, translation.text || "∅")),
    h("span", { class: "faint scores" }, `${t("normalized")} ${number(translation.normalized)} · ${t("log_probability")} ${number(translation.score)}`));
}

function alignment_map(translation) {
  const { source_words, target_words, weights } = translation.alignment;
  return { title: t("alignment"), rows: [...target_words, "</s>"], columns: [...source_words, "</s>"], values: weights.flat(), scale: { low: 0, high: 1 },
    numbers: "fit", row_title: t("translation"), column_title: t("source") };
}

function update_alternatives() {
  const translation = chosen();
  if (!translation) return replace(alternatives_root, h("p", { class: "faint" }, sentence.error ? "" : t("translate_help")));
  const map = translation.alignment?.source_words.length && alignment_map(translation);
  const focused = [...alternatives_root.querySelectorAll(".alternative")].indexOf(document.activeElement);
  replace(alternatives_root, h("div", { class: "two-parts" },
    h("section", {}, h("h3", {}, t("alternatives")), h("ol", { class: "results", id: "alternatives" }, alternatives().map(alternative)),
      h("h3", {}, t("tokens")), token_row(translation), h("p", { class: "faint" }, t("tokens_help"))),
    map && h("section", {}, matrix(map), legend(map.scale), h("p", { class: "faint" }, t("alignment_help")),
      h("span", { class: "controls no-print" }, button(t("every_head"), () => visit({ view: "attention" }), { id: "every-head" }),
        save_buttons("translation", null, () => sentence.results)))));
  if (focused >= 0) alternatives_root.querySelectorAll(".alternative")[focused]?.focus();
  return undefined;
}

function tab(name) {
  return h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "view", "aria-selected": String(VIEWS[name] === view()),
    onclick: () => visit({ view: name, ...on_the_way(view_name(), name) }) }, t(`view_${name}`));
}

function tabs() {
  const all = (kept ? ["tour"] : Object.keys(VIEWS)).map(tab);
  roving(all);
  const current = all.findIndex((one) => one.getAttribute("aria-selected") === "true");
  all.forEach((one, i) => { one.tabIndex = i === current ? 0 : -1; });
  return h("div", { class: "tabs no-print", role: "tablist", "aria-label": t("views") }, all);
}

function render_header() {
  const said = h("span", { class: "said", role: "status" });
  const themes = [["", t("theme_system")], ["light", t("theme_light")], ["dark", t("theme_dark")]];
  replace(document.getElementById("header"), h("h1", {}, "hexapla"), h("p", { class: "about" }, t(kept ? "explained" : "about")), h("div", { class: "controls no-print" },
    said, button(h("span", {}, t("share")), () => copy_link((text) => { said.textContent = text; }), { id: "share" }),
    labeled(t("theme"), select(themes, state.theme, (theme) => set({ theme }), { id: "theme" })),
    labeled("Language / 语言", select(Object.entries(LANGUAGES), language(), (lang) => set({ lang }), { id: "lang" }))));
}

function render() {
  document.documentElement.lang = language();
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
  mark();
  render_header();
  const place = h("div", { id: "view", role: "tabpanel", tabindex: "-1", "aria-labelledby": `tab-${view_name()}` });
  const top = sentence_panel();
  top.hidden = has_own_top();
  replace(document.getElementById("main"), top, tabs(), place);
  replace(place, content());
  show_tab();
}

// Narrow windows show a part of the tabs.
function show_tab() {
  const all = document.querySelector(".tabs"), { left, right } = all.querySelector("[aria-selected=true]").getBoundingClientRect();
  const place = all.getBoundingClientRect();
  if (left < place.left || right > place.right) all.scrollLeft += (left + right - place.left - place.right) / 2;
}

const content = () => [h("h2", { class: "visually-hidden" }, t(`view_${view_name()}`)), view().make()];

// The style sheets know the view.
function mark() {
  mark_lecture();
  document.documentElement.dataset.view = view_name();
}

// Switches the view below the sentence.
function change_view() {
  document.querySelector(".sentence").hidden = has_own_top();
  const had_focus = document.activeElement?.getAttribute("role") === "tab";
  document.querySelector(".tabs").replaceWith(tabs());
  const place = document.getElementById("view");
  place.setAttribute("aria-labelledby", `tab-${view_name()}`);
  replace(place, content());
  show_tab();
  if (had_focus) document.querySelector("[role=tab][aria-selected=true]").focus();
}

on_change((changed) => {
  mark();
  if (changed.has("lang") || changed.has("theme")) {
    const control = document.activeElement?.id;
    render();
    document.getElementById(control)?.focus();
  } else if (changed.has("view")) {
    change_view();
  } else if (view().keys.some((key) => changed.has(key))) {
    view().update();
  }
});
on_translation(() => { if (view_name() !== "runs") view().update(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);

async function start() {
  read_memory();
  Object.assign(state, read_address());
  if (kept) state.lang ||= kept.lang;
  render();
  try {
    sentence.models = (await models()).models;
    const { version, instruction_set: isa } = await info();
    replace(document.getElementById("footer"), h("p", { class: "faint" }, `hexapla ${version} · ${isa}`));
  } catch (error) {
    sentence.error = error.message;
  }
  render();
  begin();
}

start();
