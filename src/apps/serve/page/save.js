// Saves figures and numbers as files, and makes links to the current view.
import { button, h } from "./dom.js";
import { address } from "./state.js";
import { t } from "./texts.js";

const LOOKS = ["fill", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];

// Turns styles into attributes, since the saved file has no style sheet.
function with_looks(original, copy) {
  const seen = getComputedStyle(original);
  for (const look of LOOKS) if (!copy.hasAttribute(look) && seen.getPropertyValue(look)) copy.setAttribute(look, seen.getPropertyValue(look));
  for (const name of ["class", "tabindex"]) copy.removeAttribute(name);
  [...original.children].forEach((child, i) => with_looks(child, copy.children[i]));
}

export function svg_text(drawing) {
  const copy = drawing.cloneNode(true);
  with_looks(drawing, copy);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(ground);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// Buttons that save a drawing (an <svg>, made on request) and its numbers.
export function save_buttons(name, drawing, numbers) {
  return h("span", { class: "save no-print" },
    drawing && button("SVG", () => save_drawing(name, drawing()), { "aria-label": t("save_as", { format: "SVG" }) }),
    numbers && button("JSON", () => download(`${name}.json`, "application/json", JSON.stringify(numbers(), null, 1)),
      { "aria-label": t("save_as", { format: "JSON" }) }));
}

// Computed styles exist only on the page: adds other drawings there invisibly for a moment.
function save_drawing(name, drawing) {
  const unseen = drawing.isConnected ? null : h("div", { class: "visually-hidden", "aria-hidden": "true" }, drawing);
  if (unseen) document.body.append(unseen);
  download(`${name}.svg`, "image/svg+xml", svg_text(drawing));
  unseen?.remove();
}

export async function copy_link(done) {
  const link = new URL(address(), location.href).href;
  try {
    await navigator.clipboard.writeText(link);
    done(t("link_copied"));
  } catch {
    // Without HTTPS there is no clipboard; the address bar has the link.
    done(t("link_is_above"));
  }
}
