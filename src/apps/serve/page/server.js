// A client of the server's API under /v1. Errors have the server's messages.
import { kept, kept_answer } from "./parts/kept.js";
import { t } from "./texts.js";

// If the server asks for one; not stored.
let key = "";
export const use_key = (text) => { key = text; };
const posted = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(key ? { ...body, api_key: key } : body) });

async function problem(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).error || response.statusText;
  } catch {
    return text || `${response.status} ${response.statusText}`;
  }
}

async function answered(path, how) {
  let response;
  try {
    response = await fetch(path, how);
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error(t("no_server"));
  }
  if (!response.ok) throw Object.assign(new Error(await problem(response)), { status: response.status });
  return response;
}

const with_key = () => (key ? { headers: { Authorization: `Bearer ${key}` } } : {});
function from_file(path, body) {
  const answer = kept_answer(path, body);
  if (!answer) throw new Error(t("not_in_file"));
  return answer;
}

const ask = async (path, body, signal) => (kept ? from_file(path, body) : (await answered(path, { ...(body ? posted(body) : with_key()), signal })).json());

// In a file of `hexapla explain` there is no server: it keeps the answers about one sentence
// (parts/kept.js).
export const can_ask = () => !kept;

export const models = () => ask("/v1/models");
export const info = () => ask("/v1/info");
export const inspect = (body, signal) => ask("/v1/inspect", body, signal);
export const trace = (body, signal) => ask("/v1/trace", body, signal);
export const translate = (body, signal) => ask("/v1/translate", body, signal);
export const detect = (q, signal) => ask("/detect", { q }, signal);
export const settings = () => ask("/frontend/settings");
export const runs = (signal) => ask("/v1/runs", null, signal);
export const run = (name, signal) => ask(`/v1/runs/${encodeURIComponent(name)}`, null, signal);

// fields: those of the form of /translate_file
export async function send_file(fields, signal) {
  const form = new FormData();
  for (const [name, value] of Object.entries(key ? { ...fields, api_key: key } : fields)) form.append(name, value);
  return (await answered("/translate_file", { method: "POST", body: form, signal })).json();
}

// Parses an event's block of lines -> [event, data].
function event_of(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length ? [name, JSON.parse(data.join("\n"))] : null;
}

// The events of a stream, as they arrive.
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = event_of(block);
      if (event) yield event;
    }
  }
}

// Calls progress(line, text) with partial translations. -> {"translations"}
export async function translate_live(body, signal, progress) {
  if (kept) return kept.translations;
  const response = await answered("/v1/translate/stream", { ...posted(body), signal });
  for await (const [name, data] of events(response)) {
    if (name === "progress") progress(data.line - 1, data.text);
    if (name === "error") throw new Error(data.error);
    if (name === "done") return data;
  }
  throw new Error(t("cut_off"));
}

// One request at a time: a new one aborts the previous. f(signal) -> its result; undefined if
// aborted.
export function latest() {
  let controller = null;
  return async (f) => {
    controller?.abort();
    const own = controller = new AbortController();
    try {
      const result = await f(own.signal);
      return own.signal.aborted ? undefined : result;
    } catch (error) {
      if (own.signal.aborted) return undefined;
      throw error;
    }
  };
}

// A question that is sent again only if it changes. ask(body, signal) -> the answer; changed()
// draws the result: `answer`, or `problem`, or neither yet.
export function question(ask, changed) {
  const one_request = latest();
  const it = { body: null, answer: null, problem: "", forget, put };
  let asked = "";

  function forget() {
    asked = "";
    it.answer = null;
  }
  async function put(body) {
    const key = JSON.stringify(body);
    if (key === asked) return changed();
    asked = key;
    Object.assign(it, { body, answer: null, problem: "" });
    changed();
    try {
      const answer = await one_request((signal) => ask(body, signal));
      if (!answer) return undefined;
      it.answer = answer;
    } catch (error) {
      it.problem = error.message;
      asked = "";
    }
    return changed();
  }
  return it;
}
