// The tour as slides: one step per screen in large letters, led by the keys of a remote control.
import { button, h, svg } from "../dom.js";
import { set, state, visit } from "../state.js";
import { t } from "../texts.js";

// Phones have no room for slides: a link to one shows the tour.
const WIDE = matchMedia("(min-width: 52.01rem)");
export const is_lecture = () => state.lecture === 1 && state.view === "tour" && WIDE.matches;
export function mark_lecture() {
  document.documentElement.toggleAttribute("data-lecture", is_lecture());
}

WIDE.addEventListener("change", mark_lecture);

function fullscreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {});  // the browser may forbid it
}

export function leave() {
  if (document.fullscreenElement) document.exitFullscreen();
  set({ lecture: 0 });
}

export const lecture_button = () => button(t("lecture"), () => visit({ lecture: 1 }), { id: "lecture", title: t("lecture_help"), class: "wide-only" });

const corners = () => svg("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("path", { d: "M1 5V1H5M9 1H13V5M13 9V13H9M5 13H1V9", fill: "none", stroke: "currentColor", "stroke-width": 2 }));

// The controls of a slide, small at its foot.
export const lecture_controls = (at, all) => h("div", { class: "lecture-controls" }, h("span", { class: "lecture-place" }, `${at} / ${all}`),
  button(corners(), fullscreen, { id: "lecture-fullscreen", "aria-label": t("lecture_fullscreen"), title: t("lecture_fullscreen") }), button("✕", leave, { id: "lecture-leave", "aria-label": t("lecture_leave"), title: t("lecture_leave") }));

const GOES = { PageDown: (at) => at + 1, PageUp: (at) => at - 1, Home: () => 1, End: (_, all) => all };

// Handles a key of a lecture; go(step). -> was it one?
export function lecture_key(event, at, all, go) {
  const inside = event.target.closest?.("input, select, textarea, .tour-chips, [role=application], pre");
  if (event.key === "Escape") leave();
  else if (event.key === "f" || event.key === "F") fullscreen();
  else if (event.key === "a" || event.key === "A") document.querySelector(".tour-question summary")?.click();
  else if (event.key in GOES && !(inside && ["Home", "End"].includes(event.key))) go(Math.min(Math.max(GOES[event.key](at, all), 1), all));
  else return false;
  return true;
}
