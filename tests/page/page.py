#!/usr/bin/env -S python3 -B
"""Tests the page of `hexapla serve` in a real browser against the program's own output.
Usage: page.py PROGRAM MODEL WORK [URL]. Starts a server, or visits the one at URL. WORK is an empty folder for its files."""
import json
import math
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

import checkpoints
import experiments
import heads
import history
import lecture
import tasks
import variants
from browser import Visit, chromium, expect, serving
from sizes import matrices_fit
from text import people_translate
from tour import ask, the_tour_leads

SENTENCE = "friday, the 28th of august 2026"
HELP = "Point at a"
TOURED = ["1 may", "7 march 1985", SENTENCE]


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
        visit.tab.wait_for_selector(".panel :is(.matrix-figure, .bars)")


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


def a_sentence_is_there(browser, url):
    visit = Visit(browser, url).open()
    visit.translated()
    first = visit.tab.input_value("#source")
    expect(first.strip() and visit.text("#target-words").strip(), "nothing is translated at first")
    visit.tab.wait_for_selector(".matrix-figure")
    expect("Transformer" in visit.text(".about"), "no line says what this is")
    others = visit.tab.locator(".example")
    expect(others.count() == 3, others.count(), "examples")
    example = others.nth(1).inner_text()
    others.nth(1).click()
    visit.tab.wait_for_function("text => document.querySelector('#source-words').textContent === text", arg=example)
    expect(visit.tab.input_value("#source") == example != first, "the example clicked is not there")
    expect(example not in others.all_inner_texts() and first in others.all_inner_texts(), "the examples are", others.all_inner_texts())
    expect(not visit.complaints, visit.complaints)
    visit.close()


def bad_links_break_nothing(browser, url):
    q = "q=" + SENTENCE.replace(" ", "+")
    for link, ready in [("view=constructor", "#alternatives"), ("view=search&step=1.5", "#candidates"), ("view=search&step=-3&line=-1", "#candidates"),
                        ("view=search&step=99999&beam=1e9&penalty=x&n=8", "#candidates"), ("view=attention&kind=toString&layer=x&head=1.5&drawing=x", ".matrix-figure"),
                        ("view=attention&line=7.5&n=0&constructor=1&__proto__=2&hop=3&%=%", ".matrix-figure"), ("view=figure&box=valueOf&stack=1e99&tensor=%00", ".figure-1"),
                        ("view=figure&box=encoder_ffn&stack=0.5&tensor=constructor", ".panel .matrix-figure"), ("model=__proto__&t=x", "#alternatives")]:
        visit = Visit(browser, url).open(f"#{q}&{link}")
        visit.tab.wait_for_selector(ready)
        expect(not visit.complaints, link, visit.complaints)
        expect(visit.tab.locator(".error").count() == 0, link, "ends in", visit.tab.locator(".error").all_inner_texts())
        expect(visit.tab.locator("[role=tab][aria-selected=true]").count() == 1, link, "opens no view")
        visit.close()
    visit = Visit(browser, url)
    visit.tab.add_init_script("localStorage.setItem('hexapla.lang', 'constructor'); localStorage.setItem('hexapla.theme', 'constructor')")
    visit.open().translated()
    expect(visit.text("#tab-search") == "Beam search" and not visit.complaints, "a wrong language in the browser's memory", visit.complaints)
    visit.close()


def readouts_end(visit):
    visit.view("translate")
    for over, readout in [("#target-words .word", "#word-readout"), (".matrix rect", ".matrix-figure .readout")]:
        before = visit.text(readout)
        expect(before.startswith(HELP), "it reads", before)
        visit.tab.locator(over).first.hover(position={"x": 3, "y": 3})
        expect(visit.text(readout) != before, "nothing is read out at", over)
        visit.tab.mouse.move(2, 2)
        expect(visit.text(readout) == before, "the pointer has left, but it still reads", visit.text(readout))
    expect(visit.tab.locator(".cursor:visible").count() == 0, "a cell is still framed")


# The page must look at the tokens that the search found, not at those of their text.
def attention_is_that_of_the_tokens(browser, visit):
    own = visit.tab.evaluate("""fetch("/v1/inspect", {method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({q: "x", t: "2 0 2 6"})}).then(r => r.json())""")["target_tokens"]

    def answer(route):
        text = route.fetch().text()
        before, data = text.split("event: done\ndata: ")
        done = json.loads(data)
        done["translations"][0][1].update(tokens=own[1:], text="twenty", token_scores=[0.0] * len(own))
        route.fulfill(content_type="text/event-stream", body=f"{before}event: done\ndata: {json.dumps(done)}\n\n")

    other = Visit(browser, visit.url)
    other.tab.route("**/v1/translate/stream", answer)
    other.open("#q=monday")
    other.translated()
    other.tab.locator("#alternatives .alternative").nth(1).click()
    other.view("attention")
    other.tab.wait_for_selector(".matrix text[data-row]")
    rows = other.tab.eval_on_selector_all(".matrix text[data-row]", "all => all.map(e => e.textContent)")
    expect(rows == [piece.replace("▁", "␣") for piece in own], "the rows are", rows, "but the tokens", own)
    other.view("figure")
    other.tab.click("#box-output_embedding")
    other.tab.wait_for_selector(".panel .matrix text[data-row]")
    expect(other.tab.locator(".panel .matrix text[data-row]").count() == len(own), "Figure 1 has other tokens")
    expect(not other.complaints, other.complaints)
    other.close()


def all_count_from_one(visit):
    visit.view("attention")
    visit.choose("kind", "cross")
    visit.tab.click('.thumbnail[data-layer="1"][data-head="0"]')
    visit.tab.wait_for_selector('.thumbnail[data-layer="1"][data-head="0"][aria-pressed="true"]')
    expect("layer 2, head 1" in visit.text(".large figcaption"), "the second layer's first head is", visit.text(".large figcaption"))
    expect(visit.tab.locator(".thumb-row.heads span").all_inner_texts()[2:] == ["1", "2", "3", "4"], "heads are counted otherwise")
    expect(visit.tab.locator(".layer-name").all_inner_texts() == ["1", "2"], "layers are counted otherwise")
    grid = visit.tab.eval_on_selector(".thumbnails", "e => e.getBoundingClientRect().right - e.querySelector('.thumbnail:last-of-type').getBoundingClientRect().right")
    expect(grid < 25, "the thumbnails leave", grid, "pixels of their half")
    visit.view("figure")
    visit.tab.wait_for_selector("#stack")
    expect(visit.tab.locator("#stack option").all_inner_texts() == ["1", "2"], "Figure 1 counts otherwise")


NUMBER = re.compile(r"−?(\d\.\d{3}|\d{2,3}\.\d{3}|0\.00\d{2}|\d\.\de−\d+)")


def pieces_and_numbers_have_one_look(visit):
    for view, ready in [("translate", "#alternatives"), ("attention", ".matrix text"), ("search", "#candidates"), ("figure", ".figure-1")]:
        visit.view(view)
        visit.tab.wait_for_selector(ready)
        seen = visit.tab.evaluate("document.body.textContent")
        expect("▁" not in seen, view, "shows heavy bars:", seen[max(0, seen.find("▁") - 40):][:80])
    visit.view("translate")
    shown = visit.tab.locator(".token-chip small").all_inner_texts()
    visit.view("search")
    shown += [t.strip() for t in visit.tab.locator("#candidates .probability").all_inner_texts()]
    expect(len(shown) > 8 and all(NUMBER.fullmatch(n) for n in shown), "numbers look like", shown)
    visit.view("attention")
    visit.tab.wait_for_selector(".matrix text[data-column]")
    marks = visit.tab.locator(".matrix text[data-column] tspan").all_text_contents()
    expect("␣" in "".join(marks), "no space is marked", marks)


def a_vocabulary_is_bars(visit, seen):
    visit.view("figure")
    wanted = seen["tensors"]["generator.log_probabilities"]
    columns = wanted["shape"][1]
    visit.tab.focus("#box-softmax")
    visit.tab.keyboard.press("Enter")
    for position in (0, 3):
        visit.choose("position", str(position))
        row = sorted(wanted["values"][position * columns:(position + 1) * columns], reverse=True)
        shown = [value(n) for n in visit.tab.locator(".bars .bar-number").all_inner_texts()]
        expect(len(shown) == 15 and all(abs(p - math.exp(w)) < 1e-3 for p, w in zip(shown, row)), "the bars are", shown)
        width = visit.tab.eval_on_selector(".bars .bar", "e => e.getBoundingClientRect().width / e.parentElement.getBoundingClientRect().width")
        expect(abs(width - shown[0]) < 0.02, "the bar of", shown[0], "is", width, "wide")
    expect(visit.tab.locator(".bars .next").count() == 1, "the next token is not marked")
    expect(visit.tab.locator(".panel .matrix").count() == 0, "there is a strip, too")
    visit.tab.click("#box-linear")
    visit.choose("position", "3")
    logits = seen["tensors"]["generator.logits"]["values"][3 * columns:4 * columns]
    best = value(visit.tab.locator(".bars .bar-number").first.inner_text())
    expect(abs(best - max(logits)) < 2e-3, "the best logit is", best, "not", max(logits))


def a_tree_is_panned(visit):
    visit.view("search")
    visit.tab.wait_for_selector(".tree-box")
    visit.tab.set_viewport_size({"width": 500, "height": 900})
    left = lambda: visit.tab.eval_on_selector(".tree-box", "e => e.scrollLeft")
    before, step = left(), visit.text("#step-name")
    box = visit.tab.locator(".tree-box")
    box.scroll_into_view_if_needed()
    place = box.bounding_box()
    x, y = place["x"] + 300, place["y"] + 60
    visit.tab.mouse.move(x, y)
    visit.tab.mouse.down()
    visit.tab.mouse.move(x - 200, y, steps=4)
    visit.tab.mouse.up()
    expect(abs(left() - before - 200) < 2, "the tree went from", before, "to", left())
    expect(visit.text("#step-name") == step, "dragging goes to", visit.text("#step-name"))
    visit.tab.locator(".node[data-step='2'] rect").first.click()
    expect("Step 3 of" in visit.text("#step-name"), "a click goes to", visit.text("#step-name"))
    visit.tab.set_viewport_size({"width": 1280, "height": 900})


def a_phone_has_one_header_row(browser, url):
    for width in (320, 390):
        visit = Visit(browser, url, viewport={"width": width, "height": 800}).open()
        boxes = [visit.tab.locator(s).bounding_box() for s in ("#header h1", "#share", "#theme", "#lang")]
        middles = [b["y"] + b["height"] / 2 for b in boxes]
        expect(max(middles) - min(middles) < 6, "at", width, "the header's parts are at", middles)
        expect(boxes[-1]["x"] + boxes[-1]["width"] <= width, "the header leaves the window")
        tabs = visit.tab.eval_on_selector(".tabs", "e => [e.clientHeight, e.scrollWidth > e.clientWidth]")
        expect(tabs[0] < 60 and tabs[1], "the tabs do not scroll in one row", tabs)
        visit.tab.eval_on_selector("#tab-runs", "e => e.click()")
        visit.tab.wait_for_function("document.querySelector('.tabs').scrollLeft > 0")
        visit.close()
        visit = Visit(browser, url, viewport={"width": width, "height": 800}).open("#view=figure")
        tab = visit.tab.locator("#tab-figure").bounding_box()
        expect(tab["x"] >= 0 and tab["x"] + tab["width"] <= width, "a link's tab is out of sight", tab)
        visit.close()


def a_pivot_shows_both_models(browser, program, model, runs):
    with serving(program, f"en-de={model}", f"de-fr={model}", runs=runs) as url:
        visit = Visit(browser, url).open(f"#q={SENTENCE.replace(' ', '+')}&model=en-de%2Bde-fr")
        visit.translated()
        middle = ask_program(program, "translate", "-m", model, "--quiet", text=SENTENCE + "\n").rstrip("\n")
        last = visit.text("#target-words")
        for hop, placeholder in [("0", middle), ("1", last)]:
            for view, ready in [("attention", ".matrix text"), ("search", "#candidates"), ("figure", ".figure-1")]:
                visit.view(view)
                visit.choose("hop", hop)
                visit.tab.wait_for_selector(ready)
                expect(visit.tab.locator(".error").count() == 0, view, hop, "ends in an error")
                if view == "search":
                    expect(visit.tab.locator("#trace-results li span").first.inner_text() == placeholder, hop, "the search finds something else than", placeholder)
                else:
                    expect(visit.tab.get_attribute("#forced", "placeholder") == placeholder, view, hop, "looks at", visit.tab.get_attribute("#forced", "placeholder"))
        expect(not visit.complaints, visit.complaints)
        visit.close()


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
        a_vocabulary_is_bars(visit, seen)
        all_count_from_one(visit)
        pieces_and_numbers_have_one_look(visit)
        readouts_end(visit)
        a_tree_is_panned(visit)
        attention_is_that_of_the_tokens(browser, visit)
        a_training_is_watched(visit, work)
        links_lead_back(browser, visit)
        expect(not visit.complaints, "the browser complains:", visit.complaints)
        errors_are_shown(visit)
        a_key_is_asked_for(visit)
        visit.close()
        a_sentence_is_there(browser, url)
        bad_links_break_nothing(browser, url)
        matrices_fit(browser, url, SENTENCE)
        a_phone_has_one_header_row(browser, url)
        a_pivot_shows_both_models(browser, program, model, str(pathlib.Path(work) / "runs"))
        every_look_is_accessible(browser, url)
        people_translate(browser, program, model, work)
        name = ask(url, "/v1/models")["models"][0]["name"]
        history.the_way_back_is_kept(browser, url)
        checkpoints.checkpoints_are_compared(browser, program, work)
        tasks.ten_tasks(browser, url, name, SENTENCE)
        print("numbers of the heads that were computed anew:", heads.heads_have_colors(browser, url, name, SENTENCE))
        print("steps of the tour that scroll inside:", lecture.the_tour_is_a_lecture(browser, url, name, TOURED))
        print("numbers of experiments and of a file that were computed anew:", experiments.experiments_are_at_hand(browser, url, program, model, name, TOURED[1:], work))
        print("numbers of other models that were computed anew:", variants.other_models_are_explained(browser, program, pathlib.Path(work) / "models", str(pathlib.Path(work) / "runs")))
        print("numbers of the tour that were computed anew:", the_tour_leads(browser, url, name, TOURED))


def main(program, model, work, url=None):
    runs = make_run(work)
    if url:
        visit_all(url, program, model, work)
    else:
        with serving(program, model, runs=runs) as address:
            visit_all(address, program, model, work)
    print("the page shows what the program computes")


if __name__ == "__main__":
    main(*sys.argv[1:])
