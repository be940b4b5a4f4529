"""All heads in color, and one weight step by step: numbers, colors, keys and looks."""
import itertools
import math
import re

from browser import Visit, expect
from tour import Seen, address, close, shown_text

KINDS = {"encoder": ("encoder.layers.1.self_attention", "source_tokens", "source_tokens"), "decoder": ("decoder.layers.1.self_attention", "target_tokens", "target_tokens"),
         "cross": ("decoder.layers.1.cross_attention", "target_tokens", "source_tokens")}
LEAST = 0.02      # a weight below it has no line
CONTRAST = 3      # of a line with its ground (WCAG 1.4.11)
DISTANCE = 0.08   # of any two colors in OKLab, also without red or green cones
CONES = {"all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)), "no red": ((.152286, 1.052583, -.204868), (.114503, .786281, .099216), (-.003882, -.048116, 1.051998)),
         "no green": ((.367322, .860646, -.227968), (.280085, .672501, .047413), (-.011820, .042940, .968881))}  # Machado, Oliveira and Fernandes, 2009


def linear(color):
    parts = [int(color[i:i + 2], 16) for i in (1, 3, 5)] if color.startswith("#") else [int(x) for x in re.findall(r"\d+", color)[:3]]
    return [x / 255 / 12.92 if x / 255 <= 0.04045 else ((x / 255 + 0.055) / 1.055) ** 2.4 for x in parts]


def luminance(color):
    return sum(share * x for share, x in zip((.2126, .7152, .0722), linear(color)))


def contrast(a, b):
    dark, light = sorted([luminance(a), luminance(b)])
    return (light + .05) / (dark + .05)


def oklab(color, cones):
    r, g, b = (max(0, sum(share * x for share, x in zip(row, linear(color)))) for row in cones)
    l, m, s = ((.4122214708 * r + .5363325363 * g + .0514459929 * b) ** (1 / 3), (.2119034982 * r + .6806995451 * g + .1073969566 * b) ** (1 / 3),
               (.0883024619 * r + .2817188376 * g + .6299787005 * b) ** (1 / 3))
    return (.2104542553 * l + .7936177850 * m - .0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + .4505937099 * s, .0259040371 * l + .7827717662 * m - .8086757660 * s)


def colors_differ(visit, look):
    colors = visit.tab.evaluate("import('/assets/heads/heads.js').then(m => m.COLORS)")[look]
    ground = visit.tab.evaluate("getComputedStyle(document.body).backgroundColor")
    expect(len(set(colors)) == 8, "colors", colors)
    for color in colors:
        expect(contrast(color, ground) >= CONTRAST, look, color, "has a contrast of", contrast(color, ground))
    for name, cones in CONES.items():
        for a, b in itertools.combinations(colors, 2):
            expect(math.dist(oklab(a, cones), oklab(b, cones)) >= DISTANCE, look, name, a, "and", b, "look alike")
    drawn = set(visit.tab.eval_on_selector_all(".heads path", "all => all.map(e => e.getAttribute('stroke'))"))
    expect(drawn <= set(colors), "lines have the colors", drawn)


def open_drawing(visit, drawing, kind, rest=""):
    visit.tab.evaluate("hash => { location.hash = hash; }", f"#view=attention&drawing={drawing}&kind={kind}&layer=1{visit.about}{rest}")
    visit.tab.wait_for_selector(".heads .token" if drawing == "heads" else ".neuron .val")
    visit.tab.wait_for_function("kind => document.getElementById('kind').value === kind", arg=kind)


def lines(visit):
    return visit.tab.eval_on_selector_all(".heads path", "all => all.map(e => [e.dataset.head, e.dataset.row, e.dataset.column, e.dataset.weight].map(Number))")


def lines_are_the_weights(visit, seen):
    checked = 0
    for kind, (scope, rows, columns) in KINDS.items():
        open_drawing(visit, "heads", kind)
        name, drawn = f"{scope}.weights", {(int(h), int(r), int(c)): w for h, r, c, w in lines(visit)}
        for place in itertools.product(*map(range, seen.shapes[name])):
            wanted = seen.at(name, *place)
            expect(place not in drawn or close(drawn[place], wanted), kind, place, "is", wanted, "but drawn as", drawn.get(place))
            expect((place in drawn) == (wanted >= LEAST), kind, place, "is", wanted, "and has", "a" if place in drawn else "no", "line")
            checked += 1
        tokens = visit.tab.locator(".heads .token").count()
        expect(tokens == len(seen.answer[rows]) + len(seen.answer[columns]), tokens, "tokens")
    return checked


def heads_drawn(visit):
    return {int(h) for h, *_ in lines(visit)}


def heads_are_switched(visit, heads):
    every = set(range(heads))
    open_drawing(visit, "heads", "cross")
    expect(heads_drawn(visit) == every, "drawn are", heads_drawn(visit))
    visit.tab.click("#head-1")
    visit.tab.wait_for_selector('#head-1[aria-pressed="false"]')
    expect(heads_drawn(visit) == every - {0}, "without the first head, drawn are", heads_drawn(visit))
    visit.tab.wait_for_timeout(500)
    visit.tab.dblclick("#head-2")
    visit.tab.wait_for_function("() => document.querySelectorAll('.head-toggle[aria-pressed=true]').length === 1")
    expect(heads_drawn(visit) == {1}, "alone is not the second head, but", heads_drawn(visit))
    visit.tab.wait_for_url(re.compile("off="))
    visit.tab.click("#heads-all")
    expect(heads_drawn(visit) == every, "all heads are not all", heads_drawn(visit))
    visit.tab.focus("#head-1")
    visit.tab.keyboard.press("ArrowRight")
    visit.tab.keyboard.press("ArrowRight")
    visit.tab.keyboard.press("Shift+Enter")
    expect(heads_drawn(visit) == {2}, "Shift and Enter leave", heads_drawn(visit))
    expect(visit.tab.evaluate("document.activeElement.id") == "head-3", "the focus goes to", visit.tab.evaluate("document.activeElement.id"))
    visit.tab.keyboard.press("Space")
    visit.tab.wait_for_timeout(500)
    open_drawing(visit, "heads", "cross", "&off=0,99,x")
    expect(heads_drawn(visit) == every - {0}, "a bad link draws", heads_drawn(visit))
    open_drawing(visit, "heads", "cross")


def a_token_shows_its_lines(visit, seen):
    open_drawing(visit, "heads", "cross")
    token = visit.tab.locator('.heads .token[data-side="row"][data-index="1"]')
    before = visit.text(".heads-figure .readout")
    token.hover()
    off, on = (visit.tab.eval_on_selector_all(".heads path", f"all => all.filter(e => {test}).map(e => e.dataset.row)") for test in ("e.classList.contains('off')", "!e.classList.contains('off')"))
    expect(set(on) == {"1"} and "1" not in off and off, "lines of", set(on), "are shown")
    said, scope = visit.text(".heads-figure .readout"), KINDS["cross"][0]
    for head in range(seen.shapes[f"{scope}.weights"][0]):
        row = [seen.at(f"{scope}.weights", head, 1, c) for c in range(len(seen.answer["source_tokens"]))]
        expect(f"head {head + 1}: " in said and (max(row) < 0.01 or f"{max(row):.3f}" in said), "head", head + 1, max(row), "is not in", said)
    visit.tab.mouse.move(2, 2)
    expect(visit.text(".heads-figure .readout") == before and visit.tab.locator(".heads path.off").count() == 0, "the lines stay away")
    token.focus()
    visit.tab.keyboard.press("ArrowRight")
    expect("←" in visit.text(".heads-figure .readout"), "the arrow keys read", visit.text(".heads-figure .readout"))


def a_weight_is_computed(visit, seen):
    checked = 0
    for kind, (scope, rows, columns) in KINDS.items():
        for query, key, head in [(1, 1, 0), (3, 2, 1), (2, 4, 2)]:
            open_drawing(visit, "neuron", kind, f"&query={query}&key={key}&head={head}")
            visit.tab.wait_for_function("head => document.getElementById('neuron-head').value === head", arg=str(head))
            for value, origin, text in visit.tab.eval_on_selector_all(".neuron .val", "all => all.map(e => [e.dataset.value, e.dataset.is, e.textContent])"):
                wanted, value = seen.value(origin), float(value.replace("Infinity", "inf"))
                expect(close(value, wanted) and shown_text(value, text), kind, origin, "is", wanted, "but reads", value, text)
                checked += 1
            checked += the_table_is_of(visit, seen, scope, head, query - 1, key - 1)
            weight, hidden = seen.at(f"{scope}.weights", head, query - 1, key - 1), kind == "decoder" and key > query
            last = float(visit.tab.locator(".neuron-steps .val").last.get_attribute("data-value"))
            expect(close(last, weight) and (not hidden or last == 0), kind, query, key, "ends with", last, "not", weight)
    open_drawing(visit, "neuron", "cross")
    visit.tab.locator(".neuron .tour-bar").nth(3).click()
    visit.tab.wait_for_function("() => document.getElementById('neuron-key').value === '4'")
    expect(visit.tab.evaluate("document.activeElement.classList.contains('tour-bar')"), "the focus leaves the bars")
    return checked


def the_table_is_of(visit, seen, scope, head, i, j):
    wide = seen.shapes[f"{scope}.q"][-1] // seen.shapes[f"{scope}.weights"][0]
    q, k = ([seen.at(f"{scope}.{part}", row, head * wide + d) for d in range(wide)] for part, row in (("q", i), ("k", j)))
    table = visit.table(".neuron table")
    for row, wanted in zip(table, [q, k, [x * y for x, y in zip(q, k)]]):
        for cell, value in zip(row, wanted):
            shown = float(cell.replace("−", "-"))
            expect(abs(shown - value) <= 0.00051 + 0.05 * abs(value) * (abs(value) < 0.01), scope, "reads", cell, "not", value)
    expect(len(table) == 3 and len(table[0]) == wide, "the table has", len(table), "rows")
    return 3 * wide


# Steps of the tour lead to the same numbers.
def the_tour_leads_here(visit, seen):
    for step, drawing, kind in [(5, "neuron", "encoder"), (9, "heads", "encoder"), (12, "heads", "decoder"), (13, "heads", "cross"), (13, "neuron", "cross")]:
        visit.tab.evaluate("hash => { location.hash = hash; }", f"#view=tour&step={step}&query=3&key=2&position=4&thead=3&tlayer=2{visit.about}")
        visit.tab.wait_for_selector(f'.tour[data-ready="{step}"]')
        visit.tab.click(f"#open-{drawing}")
        visit.tab.wait_for_selector(".heads .token" if drawing == "heads" else ".neuron .val")
        chosen = [visit.tab.input_value(f"#{name}") for name in ("kind", "drawing")]
        expect(chosen == [kind, drawing], "step", step, "leads to", chosen)
        if drawing == "neuron":
            row = [seen.at(f"{KINDS[kind][0]}.weights", 2, 3 if kind == "cross" else 2, c) for c in range(len(seen.answer["source_tokens"]))]
            wanted = max(row) if kind == "cross" else row[1]
            shown = float(visit.tab.locator(".neuron-steps .val").last.get_attribute("data-value"))
            expect(close(shown, wanted), "step", step, "leads to", shown, "not", wanted)


def every_look(browser, url, about):
    looks = {"320": {"viewport": {"width": 320, "height": 700}}, "phone": {"viewport": {"width": 375, "height": 740}}, "desktop": {}, "1920": {"viewport": {"width": 1920, "height": 1080}},
             "dark": {"color_scheme": "dark"}, "chinese": {"locale": "zh-CN"}}
    for look, context in looks.items():
        visit = Visit(browser, url, **context).open("#view=attention" + about)
        visit.about = about
        for drawing in ("heads", "neuron"):
            for kind in KINDS:
                open_drawing(visit, drawing, kind)
                wide = visit.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                expect(wide <= 0, look, drawing, "is wider than the window by", wide)
                problems = visit.accessible()
                expect(not problems, look, drawing, "\n".join(problems))
                expect(not re.findall(r"\b(?:heads|neuron|as)_\w+", visit.text("#view")), look, drawing, "has no text")
                visit.picture(f"{look}-{drawing}-{kind}")
            if look in ("desktop", "dark") and drawing == "heads":
                colors_differ(visit, "dark" if look == "dark" else "light")
        expect(not visit.complaints, look, visit.complaints)
        visit.close()


def heads_have_colors(browser, url, model, sentence):
    visit = Visit(browser, url).open()
    visit.about = address(sentence, model)
    open_drawing(visit, "heads", "cross")
    seen = Seen(url, model, sentence, visit.text("#target-words"))
    checked = lines_are_the_weights(visit, seen)
    heads_are_switched(visit, seen.shapes[f"{KINDS['cross'][0]}.weights"][0])
    a_token_shows_its_lines(visit, seen)
    checked += a_weight_is_computed(visit, seen)
    the_tour_leads_here(visit, seen)
    expect(not visit.complaints, "the browser complains:", visit.complaints)
    visit.close()
    every_look(browser, url, visit.about)
    return checked
