#!/usr/bin/env -S python3 -B
"""Tests the page of `hexapla serve` in a real browser against the program's own output.
Usage: page.py PROGRAM MODEL WORK [URL]. Starts a server, or visits the one at URL. WORK is an empty folder for its files."""
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

from browser import Visit, chromium, serving
from tour import ask, the_tour_leads

SENTENCE = "friday, the 28th of august 2026"
TOURED = [SENTENCE, "7 march 1985", "1 may"]


def expect(condition, *what):
    if not condition:
        raise SystemExit("page: " + " ".join(str(w) for w in what))


def ask_program(program, *arguments, text=None):
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=True).stdout


def value(cell):
    return float(cell.replace("\u2212", "-"))


def translates_while_typing(visit, program, model):
    visit.type(SENTENCE)
    wanted = ask_program(program, "translate", "-m", model, "--quiet", text=SENTENCE + "\n").rstrip("\n")
    expect(visit.text("#target-words") == wanted, "the page has", visit.text("#target-words"), "the program", wanted)
    best = ask_program(program, "translate", "-m", model, "--quiet", "--n-best", "4", text=SENTENCE + "\n")
    shown = visit.tab.locator("#alternatives .alternative").all_inner_texts()
    expect(len(shown) == 4 and all(text in best for text in shown), "alternatives", shown, "are not those of", best)
    return wanted


def words_light_their_partners(visit):
    word = visit.tab.locator("#target-words .word").first
    word.hover()
    lit = visit.tab.locator("#source-words .word.partner")
    expect(lit.count() > 0 and visit.tab.locator("#source-words .word.linked").count() == 1, "no word is lit")
    expect("↔" in visit.text("#word-readout"), "nothing is read out")
    word.focus()
    visit.tab.keyboard.press("ArrowRight")
    expect(visit.tab.evaluate("document.activeElement.className").startswith("word"), "the arrow keys leave the words")


def errors_are_shown(visit):
    visit.tab.route("**/v1/translate/stream", lambda route: route.fulfill(status=503, body='{"error": "too many wait"}'))
    visit.tab.fill("#source", "x")
    visit.tab.wait_for_selector("#status.error")
    expect(visit.text("#status") == "too many wait", "the error reads", visit.text("#status"))
    visit.tab.unroute("**/v1/translate/stream")
    visit.complaints.clear()  # the browser itself reports the 503


def a_key_is_asked_for(visit):
    sent = []

    def answer(route):
        sent.append(route.request.post_data_json.get("api_key"))
        route.fulfill(status=400, body='{"error": "Please contact the server operator to get an API key"}')

    expect(not visit.tab.is_visible("#key"), "a key is asked for, though the server wants none")
    visit.tab.route("**/v1/translate/stream", answer)
    visit.tab.fill("#source", "y")
    visit.tab.wait_for_selector("#key")
    visit.tab.fill("#key", "secret")
    with visit.tab.expect_response("**/v1/translate/stream"):
        visit.tab.keyboard.press("Tab")
    expect(sent[0] is None and sent[-1] == "secret", "the keys that were sent are", sent)
    visit.tab.unroute("**/v1/translate/stream")
    visit.complaints.clear()


def inspected(program, model, target, work):
    file = str(pathlib.Path(work) / "inspection.json")
    ask_program(program, "inspect", "-m", model, "--src", SENTENCE, "--tgt", target, "--out", file)
    return json.loads(pathlib.Path(file).read_text(encoding="utf-8"))


def heads_have_the_numbers_of_inspect(visit, seen):
    visit.view("attention")
    for kind, layer, head, sublayer in [("encoder", 0, 1, "encoder.layers.0.self_attention"), ("decoder", 1, 2, "decoder.layers.1.self_attention"),
                                        ("cross", 1, 0, "decoder.layers.1.cross_attention")]:
        visit.choose("kind", kind)
        visit.tab.click(f'.thumbnail[data-layer="{layer}"][data-head="{head}"]')
        visit.tab.wait_for_selector(f'.thumbnail[data-layer="{layer}"][data-head="{head}"][aria-pressed="true"]')
        wanted = seen["tensors"][sublayer + ".weights"]
        rows, columns = wanted["shape"][1:]
        table, masked = visit.table(), 0
        expect(len(table) == rows and len(table[0]) == columns, sublayer, "has another shape", len(table))
        for r in range(rows):
            for c in range(columns):
                number = wanted["values"][(head * rows + r) * columns + c]
                if table[r][c] == "masked":
                    masked += 1
                    expect(kind == "decoder" and c > r and number == 0, "masked:", sublayer, r, c)
                else:
                    expect(abs(value(table[r][c]) - number) < 1e-3, sublayer, r, c, table[r][c], number)
        expect(masked == (rows * (rows - 1) // 2 if kind == "decoder" else 0), masked, "cells are masked")


def keys_read_a_matrix(visit):
    visit.tab.locator(".matrix").focus()
    first = visit.text(".matrix-figure .readout")
    visit.tab.keyboard.press("ArrowDown")
    visit.tab.keyboard.press("ArrowRight")
    second = visit.text(".matrix-figure .readout")
    expect(first != second and ":" in second, "the keys read", first, "and then", second)
    visit.choose("drawing", "lines")
    visit.tab.locator(".columns .token").first.focus()
    visit.tab.keyboard.press("ArrowRight")
    expect("←" in visit.text("figure .readout"), "the lines read", visit.text("figure .readout"))
    drawn, hidden = (visit.tab.locator(f".columns path{state}").count() for state in ("", ".off"))
    expect(0 < hidden < drawn, hidden, "of", drawn, "lines step back")
    visit.choose("drawing", "matrix")


def saved(visit, within, format_):
    with visit.tab.expect_download() as download:
        visit.tab.click(f"{within} .save button:text-is('{format_}')")
    return pathlib.Path(download.value.path()).read_text(encoding="utf-8")


def figures_are_saved(visit, seen):
    drawing = xml.etree.ElementTree.fromstring(saved(visit, "#view", "SVG"))
    cells = drawing.findall("{http://www.w3.org/2000/svg}rect")
    expect(len(cells) > 20 and all("fill" in cell.attrib for cell in cells), "the drawing has", len(cells), "rectangles")
    numbers = json.loads(saved(visit, "#view", "JSON"))
    expect(len(numbers["values"]) == len(numbers["rows"]) * len(numbers["columns"]), "the numbers are not those of a matrix")
    wanted = seen["tensors"][numbers["tensor"]]
    expect(abs(numbers["values"][0] - wanted["values"][numbers["head"] * len(numbers["values"])]) < 1e-4, "another number is saved")


def a_search_is_stepped(visit, program, model):
    visit.view("search")
    visit.tab.wait_for_selector("#candidates")
    steps = int(visit.tab.get_attribute("#step", "max")) + 1
    first = visit.text("#candidates")
    visit.tab.click("#step-on")
    expect(visit.text("#candidates") != first, "the next step has the same candidates")
    for _ in range(steps - 2):
        visit.tab.click("#step-on")
    expect(visit.tab.is_disabled("#step-on"), "there is a step after the last one")
    rows = visit.tab.locator("#candidates tbody tr").count()
    expect(0 < rows <= 2 * 4, rows, "candidates")
    best = ask_program(program, "translate", "-m", model, "--quiet", text=SENTENCE + "\n").rstrip("\n")
    expect(visit.tab.locator("#trace-results li span").first.inner_text() == best, "the search finds something else")


def boxes_open(visit, seen):
    visit.view("figure")
    visit.tab.focus("#box-encoder_norm_1")
    visit.tab.keyboard.press("Enter")
    name = "encoder.layers.0.self_attention.norm"
    visit.tab.click(f'.tensor-name:has-text("{name}")')
    visit.tab.wait_for_selector(f'.matrix-figure figcaption:has-text("{name}")')
    expect(any(formula in visit.text(".tensor-list") for formula in seen["formulas"].values()), "no formula")
    wanted, table = seen["tensors"][name], visit.table()
    for c, cell in enumerate(table[0]):
        expect(abs(value(cell) - wanted["values"][c]) < 1e-3 + 0.05 * abs(wanted["values"][c]), name, c, cell, wanted["values"][c])
    expect(visit.tab.locator(".panel .chart").count() == 1, "nothing shows what the norm does")
    for box in ["input_positions", "masked_attention", "cross_attention", "decoder_ffn", "linear", "softmax"]:
        visit.tab.focus(f"#box-{box}")
        visit.tab.keyboard.press(" ")
        visit.tab.wait_for_selector(".panel .matrix-figure")


def a_training_is_watched(visit, work):
    log = pathlib.Path(work) / "runs" / "run" / "train.jsonl"
    visit.view("runs")
    visit.tab.wait_for_selector("#run-facts")
    before = visit.text("#run-facts")
    with log.open("a", encoding="utf-8") as file:
        file.write('{"update": 98765, "epoch": 7, "loss": 1.25, "learning_rate": 0.001, "tokens_per_second": 4321.0}\n')
    visit.tab.locator("#run-facts", has_text="98,765").wait_for()
    expect(visit.text("#run-facts") != before and "1.25" in visit.text("#run-facts"), "the numbers stay as they were")
    expect(visit.tab.locator(".charts .chart svg").count() >= 3, "there are no curves")


def make_run(work):
    folder = pathlib.Path(work) / "runs" / "run"
    folder.mkdir(parents=True)
    lines = [{"update": 10 * i, "epoch": 1, "loss": 8 / i, "learning_rate": i * 1e-5, "tokens_per_second": 3000.0 + i} for i in range(1, 60)]
    (folder / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    valid = [{"update": 100 * i, "loss": 5 / i, "bleu": 7.0 * i, "chrf": 9.0 * i, "samples": [["a source", "a reference", f"hypothesis {i}"]]} for i in range(1, 6)]
    (folder / "valid.jsonl").write_text("".join(json.dumps(line) + "\n" for line in valid), encoding="utf-8")
    return str(folder.parent)


def links_lead_back(browser, visit):
    visit.view("attention")
    visit.tab.wait_for_url(re.compile("view=attention"))
    link = visit.tab.evaluate("location.hash")
    other = Visit(browser, visit.url).open(link)
    other.tab.wait_for_selector(".matrix-figure")
    expect(other.table() == visit.table(), "a link leads to other numbers")
    other.close()


def every_look_is_accessible(browser, url):
    looks = {"light": {}, "dark": {"color_scheme": "dark"}, "phone": {"viewport": {"width": 390, "height": 844}},
             "chinese": {"locale": "zh-CN"}}
    for look, context in looks.items():
        visit = Visit(browser, url, **context).open()
        visit.type(SENTENCE)
        for view, ready in [("translate", "#alternatives"), ("attention", ".matrix-figure"), ("search", "#candidates"), ("figure", ".figure-1"), ("runs", ".charts")]:
            visit.view(view)
            visit.tab.wait_for_selector(ready)
            if view == "figure":
                visit.tab.click("#box-encoder_attention")
                visit.tab.wait_for_selector(".panel .matrix-figure")
            wide = visit.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            expect(wide <= 0, look, view, "is wider than the window by", wide)
            problems = visit.accessible()
            expect(not problems, look, view, "\n".join(problems))
            visit.picture(f"{look}-{view}")
        expect(not visit.complaints, look, visit.complaints)
        visit.close()


def visit_all(url, program, model, work):
    with chromium() as browser:
        visit = Visit(browser, url).open()
        target = translates_while_typing(visit, program, model)
        words_light_their_partners(visit)
        seen = inspected(program, model, target, work)
        heads_have_the_numbers_of_inspect(visit, seen)
        keys_read_a_matrix(visit)
        figures_are_saved(visit, seen)
        a_search_is_stepped(visit, program, model)
        boxes_open(visit, seen)
        a_training_is_watched(visit, work)
        links_lead_back(browser, visit)
        expect(not visit.complaints, "the browser complains:", visit.complaints)
        errors_are_shown(visit)
        a_key_is_asked_for(visit)
        visit.close()
        every_look_is_accessible(browser, url)
        name = ask(url, "/v1/models")["models"][0]["name"]
        print("numbers of the tour that were computed anew:", the_tour_leads(browser, url, name, TOURED))


def main(program, model, work, url=None):
    runs = make_run(work)
    if url:
        visit_all(url, program, model, work)
    else:
        with serving(program, model, runs) as address:
            visit_all(address, program, model, work)
    print("the page shows what the program computes")


if __name__ == "__main__":
    main(*sys.argv[1:])
