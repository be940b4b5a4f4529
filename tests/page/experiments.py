"""The experiments of the tour against /v1/inspect with the same changes, and `hexapla explain` against the server."""
import math
import pathlib
import subprocess

from browser import Visit, expect
from tour import STEPS, Seen, address, ask, close, numbers_are_the_servers, open_step, pictures_are_the_servers, shown_text

# By step: the state that begins the experiment, and the change that it should make with layer 1 and head 2.
EXPERIMENTS = {3: ("positions", {"positions": False}), 6: ("scaling", {"scale": False}), 9: ("heads", {"heads": [["encoder", 1, 2]]}),
               12: ("mask", {"mask": False}), 13: ("cross", {"heads": [["cross", 1, 2]]})}
REPLACED = 2  # the token that is replaced, counted from 1


class Changed(Seen):
    """The server's numbers under a change."""

    def __init__(self, url, model, source, target, change):
        super().__init__(url, model, source, target)
        self.pair["changes"] = change
        self.answer = ask(url, "/v1/inspect", self.pair)
        self.shapes = {one["name"]: one["shape"] for one in self.answer["names"]}


def result_of(visit):
    visit.tab.wait_for_selector(".experiment-texts")
    visit.tab.wait_for_selector(".experiment-maps .tour-grid >> nth=1")


def translations_are_the_servers(visit, changed):
    for name, id_ in (("unchanged", "experiment_before"), ("translation", "experiment_after")):
        wanted, shown = changed.answer[name], visit.tab.locator(f"#{id_}").evaluate("e => [...e.childNodes].filter(n => n.nodeName !== 'SMALL').map(n => n.textContent).join('')")
        expect(shown.split() == wanted["text"].split() or (shown.strip() == "∅" and not wanted["text"]), "the page has", shown, "the server", wanted["text"])
        value, text = visit.tab.locator(f"#{id_} .val").evaluate("e => [e.dataset.value, e.textContent]")
        expect(close(float(value), wanted["score"]) and shown_text(float(value), text), name, "scores", wanted["score"], "but the page has", text)
        total = sum(wanted["log_probabilities"])
        expect(math.isclose(total, wanted["score"], abs_tol=1e-4), name, "the tokens' log-probabilities sum to", total, "not", wanted["score"])
    differ = changed.answer["unchanged"]["text"] != changed.answer["translation"]["text"]
    expect((visit.tab.locator(".experiment :is(ins, del)").count() > 0) == differ, "marks are wrong")
    return 2


def maps_are_the_servers(visit, usual, changed):
    cells = visit.tab.eval_on_selector_all(".experiment-maps .tour-grid", "all => all.flatMap(g => g.cells().map(([is, v]) => [is, String(v)]))")
    expect(cells, "there are no maps")
    for origin, value in cells:
        which, _, place = origin.partition(":")
        wanted, value = {"usual": usual, "changed": changed}[which].value(place), float(value.replace("Infinity", "inf"))
        expect(close(value, wanted), origin, "is", wanted, "but the picture has", value)
    return len(cells)


def experiments_are_computed(visit, url, model, sentence, target):
    checked, usual = 0, Seen(url, model, sentence, target)
    for step, (name, change) in EXPERIMENTS.items():
        open_step(visit, step, f"&thead=2&tlayer=1&experiment={name}")
        result_of(visit)
        changed = Changed(url, model, sentence, target, change)
        checked += translations_are_the_servers(visit, changed) + maps_are_the_servers(visit, usual, changed)
        expect(visit.tab.is_checked("#experiment"), "the experiment is not marked as on")
        visit.tab.uncheck("#experiment")
        visit.tab.wait_for_selector(".experiment-texts", state="detached")
    return checked + a_token_is_replaced(visit, url, model, sentence, target, usual)


def a_token_is_replaced(visit, url, model, sentence, target, usual):
    word = sentence.split()[-1]
    open_step(visit, 1, f"&query={REPLACED}")
    visit.tab.fill("#replaced", word)
    visit.tab.keyboard.press("Enter")
    result_of(visit)
    tokens, own = usual.answer["source_tokens"], ask(url, "/v1/inspect", {"q": word, "tokens": [], "model": model})["source_tokens"]
    replaced = tokens[:REPLACED - 1] + [token for token in own if token != "</s>"] + tokens[REPLACED:]
    changed = Changed(url, model, sentence, target, {"source_tokens": replaced})
    expect(changed.answer["source_tokens"] == replaced, "the server reads", changed.answer["source_tokens"])
    return translations_are_the_servers(visit, changed) + maps_are_the_servers(visit, usual, changed)


def sampling_is_the_servers(visit, url, model, sentence, target):
    for temperature, top_p in ((0.5, 0.9), (2, 0.5), (1, 1)):
        open_step(visit, STEPS, f"&position=1&temperature={temperature}&top_p={top_p}")
        wanted = ask(url, "/v1/inspect", {"q": sentence, "t": target, "model": model, "top": 8, "distribution": {"temperature": temperature, "top_p": top_p}})["distribution"][0]
        visit.tab.locator(".experiment .tour-said", has_text=f"top-p = {top_p:.2f}").wait_for()
        shown = [float(v) for v in visit.tab.eval_on_selector_all(".experiment .val", "all => all.map(e => e.dataset.value)")]
        expect(len(shown) == len(wanted["tokens"]) and all(close(a, b["probability"]) for a, b in zip(shown, wanted["tokens"])), temperature, top_p, shown, wanted)


def explained(program, model, sentence, work, *more):
    out = pathlib.Path(work) / "tour.html"
    subprocess.run([program, "explain", "-m", model, "--src", sentence, "--out", str(out), *more], check=True, capture_output=True)
    expect(out.stat().st_size < 2_000_000, "the file has", out.stat().st_size, "bytes")
    return out


def a_file_needs_no_server(browser, program, model, url, name, sentence, work):
    out = explained(program, model, sentence, work)
    visit = Visit(browser, out.as_uri())
    visit.tab.goto(out.as_uri())
    visit.tab.wait_for_selector('.tour[data-ready="1"]')
    target = visit.text(".tour-target").removeprefix("\u2192").strip()
    seen, visit.about, checked = Seen(url, name, sentence, target), "", 0
    for step in range(1, STEPS + 1):
        open_step(visit, step)
        checked += numbers_are_the_servers(visit, seen, step) + pictures_are_the_servers(visit, seen, step)
    expect(visit.tab.locator("[role=tab]").count() == 1 and visit.tab.locator(".experiment").count() == 0, "views that need a server are there")
    expect(not visit.accessible(), visit.accessible())
    expect(not visit.complaints, "the browser complains:", visit.complaints)
    visit.close()
    return checked


def a_given_translation_is_explained(browser, program, model, sentence, work):
    out = explained(program, model, sentence, work, "--tgt", "1 2", "--lang", "zh")
    visit = Visit(browser, out.as_uri())
    visit.tab.goto(out.as_uri())
    visit.tab.wait_for_selector('.tour[data-ready="1"]')
    expect(visit.text(".tour-target") == "\u2192 1 2", visit.text(".tour-target"))
    expect("词元" in visit.text(".tour-title") and not visit.complaints, visit.text(".tour-title"), visit.complaints)
    visit.close()


def experiments_are_at_hand(browser, url, program, model, name, sentences, work):
    """Checks the experiments for these sentences, and the file of the first one."""
    checked = 0
    for sentence in sentences:
        visit = Visit(browser, url).open(f"#view=tour&step=1{address(sentence, name)}")
        visit.about = address(sentence, name)
        visit.tab.wait_for_selector('.tour[data-ready="1"]')
        target = visit.text(".tour-target").removeprefix("\u2192").strip()
        checked += experiments_are_computed(visit, url, name, sentence, target)
        sampling_is_the_servers(visit, url, name, sentence, target)
        expect(not visit.complaints, "the browser complains:", visit.complaints)
        visit.close()
    a_given_translation_is_explained(browser, program, model, sentences[0], work)
    return checked + a_file_needs_no_server(browser, program, model, url, name, sentences[0], work)
