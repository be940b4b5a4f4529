// Training runs: curves, speed and the latest samples, reloaded every two seconds while visible.
import { chart } from "./chart.js";
import { grouped, h, labeled, number, replace, select } from "./dom.js";
import { over_training, show as show_checkpoint } from "./parts/over_training.js";
import { save_buttons } from "./save.js";
import { latest, run, runs } from "./server.js";
import { set, state } from "./state.js";
import { t } from "./texts.js";

const EVERY = 2000;  // milliseconds

const one_request = latest();
let root, names = [], shown = null, drawn = "", problem = "", timer = 0, watching = true;

export function runs_view() {
  root = h("div", { class: "runs" });
  drawn = "";
  clearTimeout(timer);
  watch();
  return root;
}

const watched = () => root.isConnected && !document.hidden;

async function watch() {
  const own = root;
  try {
    await look();
    problem = "";
  } catch (error) {
    watching = error.status !== 404;  // this server watches no runs
    problem = watching ? error.message : t("no_runs_folder");
  }
  if (own !== root) return;
  render();
  if (!watching) return;
  timer = setTimeout(again, EVERY);
}

function again() {
  if (watched()) watch();
  else if (root.isConnected) timer = setTimeout(again, EVERY);
}

async function look() {
  const found = await one_request((signal) => runs(signal));
  if (!found) return;
  names = found.runs;
  const name = names.some((r) => r.name === state.run) ? state.run : names[0]?.name;
  shown = name ? await one_request((signal) => run(name, signal)) ?? shown : null;
}

export const update = () => { clearTimeout(timer); show_checkpoint(); watch(); };

const points = (lines, key) => lines.map((line) => [line.update, line[key]]).filter(([, v]) => typeof v === "number");

function charts() {
  const { train, valid } = shown, x_label = t("updates");
  const given = [
    { title: t("loss"), series: [{ name: t("training_set"), points: points(train, "loss") }, { name: t("validation_set"), points: points(valid, "loss"), marked: true }] },
    { title: "BLEU, chrF", series: [{ name: "BLEU", points: points(valid, "bleu"), marked: true }, { name: "chrF", points: points(valid, "chrf"), marked: true }] },
    { title: t("learning_rate"), series: [{ name: t("learning_rate"), points: points(train, "learning_rate") }] },
    { title: t("speed"), series: [{ name: t("tokens_per_second"), points: points(train, "tokens_per_second") }] },
  ];
  return h("div", { class: "charts" }, given.map((g) => chart({ ...g, x_label })));
}

function facts() {
  const last = shown.train.at(-1) ?? {}, best = Math.max(...points(shown.valid, "bleu").map((p) => p[1]));
  const all = [[t("state"), t(`state_${shown.state}`)], [t("updates"), grouped(last.update ?? 0)], [t("epoch"), last.epoch],
    [t("loss"), number(last.loss)], [t("tokens_per_second"), last.tokens_per_second && grouped(last.tokens_per_second)],
    [t("best_bleu"), Number.isFinite(best) ? number(best) : ""]];
  return h("dl", { class: "facts", id: "run-facts" }, all.filter(([, value]) => value !== "" && value !== undefined).map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

function samples() {
  if (!shown.samples.length) return null;
  const heads = ["source", "reference", "hypothesis"];
  return h("section", {}, h("h3", {}, t("samples")), shown.samples.map((sample) => h("dl", { class: "sample" }, heads.map((name, i) =>
    h("div", {}, h("dt", {}, t(name)), h("dd", { dir: "auto" }, sample[i]))))));
}

function render() {
  const now = JSON.stringify([names, shown?.name, shown?.state, shown?.train.length, shown?.train.at(-1), shown?.valid.length, shown?.checkpoints?.length, problem, state.lang, state.theme]);
  if (now === drawn) return;  // keeps selections
  drawn = now;
  if (problem) return replace(root, h("p", { class: "status error", role: "alert" }, problem));
  if (!shown) return replace(root, h("p", { class: "faint" }, t("no_runs")));
  const list = names.map((r) => [r.name, `${r.name} · ${t(`state_${r.state}`)} · ${grouped(r.updates)}`]);
  const focused = document.activeElement?.id;
  replace(root, h("div", { class: "controls no-print" }, labeled(t("run"), select(list, shown.name, (name) => set({ run: name }), { id: "run" })),
    save_buttons(shown.name, null, () => shown)), facts(), charts(), over_training(shown), samples());
  if (["run", "update"].includes(focused)) document.getElementById(focused)?.focus();
  return undefined;
}
