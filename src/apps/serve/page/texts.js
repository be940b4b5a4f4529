// The page's texts in the chosen language: one table per language.
import { chinese } from "./zh.js";
import { english } from "./en.js";
import { heads_chinese } from "./heads/heads_zh.js";
import { heads_english } from "./heads/heads_en.js";
import { state } from "./state.js";
import { text_chinese } from "./text/text_zh.js";
import { text_english } from "./text/text_en.js";
import { tour_chinese } from "./tour/tour_zh.js";
import { tour_english } from "./tour/tour_en.js";

const TABLES = { en: { ...english, ...heads_english, ...text_english, ...tour_english }, zh: { ...chinese, ...heads_chinese, ...text_chinese, ...tour_chinese } };
export const LANGUAGES = { en: "English", zh: "中文" };

export function language() {
  if (Object.hasOwn(TABLES, state.lang)) return state.lang;
  return navigator.languages.some((l) => l.toLowerCase().startsWith("zh")) &&
    !navigator.languages[0].toLowerCase().startsWith("en") ? "zh" : "en";
}

// The text of this name, with {x} replaced by values.x.
export function t(name, values = {}) {
  const text = TABLES[language()][name] ?? TABLES.en[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

export function language_name(code) {
  try {
    return new Intl.DisplayNames([language()], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}
