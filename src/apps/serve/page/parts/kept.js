// The answers in a file of `hexapla explain`; null on a server's page.
const script = document.getElementById("answers");
export const kept = script && JSON.parse(script.textContent);

// -Infinity is null, as in the server's answers.
function unpacked({ shape, f32 }) {
  const view = new DataView(Uint8Array.from(atob(f32), (c) => c.charCodeAt(0)).buffer);
  return { shape, values: Array.from({ length: view.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true)).map((x) => (Number.isFinite(x) ? x : null)) };
}

function inspected({ tensors, ...about }) {
  if (JSON.stringify(about) !== JSON.stringify(kept.about)) return undefined;
  return { ...kept.inspected, tensors: Object.fromEntries((tensors ?? []).filter((name) => name in kept.tensors).map((name) => [name, unpacked(kept.tensors[name])])) };
}

const traced = (body) => kept.traces.find((one) => JSON.stringify(one.body) === JSON.stringify(body))?.answer;

// The answer to a request; undefined if the file does not have it.
export function kept_answer(path, body) {
  const answers = { "/v1/models": () => kept.models, "/v1/info": () => kept.info, "/v1/inspect": inspected, "/v1/trace": traced };
  return answers[path]?.(body);
}
