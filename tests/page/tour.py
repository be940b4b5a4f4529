"""The tour of the page: every number and every picture against /v1/inspect and /v1/trace."""
import functools
import json
import math
import pathlib
import re
import urllib.request

from browser import Visit, expect

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEPS = 14
TOLERANCE = 1e-6
CHOICES = ["", "&query=4&key=2&position=5&thead=2&tlayer=2&dim=7&unit=3&by=one&mask=false&temperature=0.5"]


def ask(url, path, body=None):
    request = urllib.request.Request(url + path, body and json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.loads(urllib.request.urlopen(request, timeout=60).read())


def softmax(all_):
    top = max(all_)
    powers = [math.exp(x - top) for x in all_]
    total = sum(powers)
    return [x / total for x in powers]


def mean(all_):
    return sum(all_) / len(all_)


SEARCH = {"n_best": 4, "beam_size": 4, "length_penalty": 0.6}  # the page's usual one


class Seen:
    """The server's numbers for a sentence. Tensors are asked for when an origin names them."""

    def __init__(self, url, model, source, target, beam=4):
        self.url, self.pair, self.tensors = url, {"q": source, "t": target, "model": model}, {}
        self.answer = ask(url, "/v1/inspect", self.pair)
        self.shapes = {one["name"]: one["shape"] for one in self.answer["names"]}
        self.search = ask(url, "/v1/trace", {"q": source, "model": model, "options": {"beam_size": beam, "n_best": beam}})

    def tensor(self, name):
        if name not in self.tensors:
            self.tensors[name] = ask(self.url, "/v1/inspect", {**self.pair, "tensors": [name]})["tensors"][name]["values"]
        return self.tensors[name]

    def at(self, name, *place):
        flat = 0
        for size, index in zip(self.shapes[name], place):
            expect(0 <= index < size, name, place, "is outside of", self.shapes[name])
            flat = flat * size + index
        value = self.tensor(name)[flat]
        return -math.inf if value is None else value

    def row(self, name, i):
        width = self.shapes[name][-1]
        return self.tensor(name)[i * width:(i + 1) * width]

    @functools.cache
    def heated(self, name, i, temperature):
        return softmax([x / temperature for x in self.row(name, i)])

    @functools.cache
    def shares(self, temperature, top_p):
        return ask(self.url, "/v1/inspect", {**self.pair, "top": 8, "distribution": {"temperature": temperature, "top_p": top_p}})["distribution"]

    def value(self, origin):
        """The number that the page says it shows: the page writes where a number is from, and this computes it anew."""
        words = {"T": self.at, "sqrt": math.sqrt, "exp": math.exp, "inf": math.inf, "sum": sum, "max": max, "len": len, "mean": mean, "softmax": softmax,
                 "std": lambda a: math.sqrt(mean([(x - mean(a)) ** 2 for x in a])), "norm": lambda a: math.sqrt(sum(x * x for x in a)),
                 "dot": lambda a, b: sum(x * y for x, y in zip(a, b)), "scaled": lambda a, by: [x / by for x in a], "heated": self.heated,
                 "shape": self.shapes.get, "drawn": lambda i, k, *how: self.shares(*how)[i]["tokens"][k]["probability"], "source": self.answer["source_tokens"], "target": self.answer["target_tokens"],
                 "log_probabilities": self.answer["log_probabilities"], "trace": lambda step, rank: self.search["steps"][step]["candidates"][rank]["score"]}
        return eval(origin, {"__builtins__": {}, **words})  # an expression of our own page


def shown_text(value, text):
    """Is this text the number, rounded to its own digits?"""
    plain = text.replace("\u2212", "-").replace("\u221e", "inf")
    digits = len(plain.split("e")[0].partition(".")[2])
    unit = 10.0 ** -digits * (10 ** int(plain.partition("e")[2]) if "e" in plain else 1)
    return float(plain) == value or abs(float(plain) - value) <= 0.5001 * unit


def close(a, b):
    return a == b or abs(a - b) <= TOLERANCE * max(1, abs(b))


def numbers_are_the_servers(visit, seen, step):
    numbers = visit.tab.eval_on_selector_all(".tour-stage .val", "all => all.map(e => [e.dataset.value, e.dataset.is, e.textContent])")
    expect(len(numbers) >= (2 if step == 1 else 3), "step", step, "shows only", len(numbers), "numbers")
    for value, origin, text in numbers:
        wanted, value = seen.value(origin), float(value.replace("Infinity", "inf"))
        expect(close(value, wanted), "step", step, origin, "is", wanted, "but the page has", value)
        expect(shown_text(value, text), "step", step, origin, "is", value, "but reads", text)
    return len(numbers)


def pictures_are_the_servers(visit, seen, step):
    cells = visit.tab.eval_on_selector_all(".tour-grid", "all => all.flatMap(g => { const c = g.cells(); return c.filter((_, i) => i % Math.ceil(c.length / 300) === 0).map(([is, v]) => [is, String(v)]); })")
    for origin, value in cells:
        wanted, value = seen.value(origin), float(value.replace("Infinity", "inf"))
        expect(close(value, wanted), "step", step, origin, "is", wanted, "but the picture has", value)
    drawn = visit.tab.locator(".tour-grid").count()
    expect(drawn > 0 or step in (1, 6, 14), "step", step, "has no picture")
    return len(cells)


def address(sentence, model):
    return f"&q={urllib.request.quote(sentence)}&model={urllib.request.quote(model)}"


def open_step(visit, step, rest=""):
    visit.tab.evaluate("hash => { location.hash = hash; }", f"#view=tour&step={step}{visit.about}{rest}")
    visit.tab.wait_for_selector(f'.tour[data-ready="{step}"]')
    if step == STEPS:
        visit.tab.wait_for_selector(".tour-beams li")


def every_number_is_computed(visit, seen):
    checked = 0
    for rest in CHOICES:
        for step in range(1, STEPS + 1):
            open_step(visit, step, rest)
            checked += numbers_are_the_servers(visit, seen, step) + pictures_are_the_servers(visit, seen, step)
    return checked


def keys_and_buttons_lead_on_and_back(visit):
    open_step(visit, 1)
    expect(visit.tab.is_disabled("#tour-back"), "there is a step before the first one")
    for step in range(2, STEPS + 1):
        visit.tab.click("#tour-on")
        visit.tab.wait_for_selector(f'.tour[data-ready="{step}"]')
    expect(visit.tab.is_disabled("#tour-on"), "there is a step after the last one")
    visit.tab.keyboard.press("ArrowLeft")
    visit.tab.wait_for_selector('.tour[data-ready="13"]')
    visit.tab.keyboard.press("ArrowRight")
    visit.tab.wait_for_selector('.tour[data-ready="14"]')
    visit.tab.wait_for_url(re.compile("step=14"))


def choices_change_the_picture(visit):
    for step, control in [(1, "#pick-query"), (4, "#pick-query"), (12, "#pick-position"), (13, "#pick-position"), (14, "#pick-position")]:
        open_step(visit, step)
        before = visit.text(".tour-stage .tour-formula")
        chip = visit.tab.locator(f'{control} button[aria-pressed="false"]').last
        chip.click()
        expect(visit.text(".tour-stage .tour-formula") != before, "step", step, "shows the same for another token")
        expect(visit.tab.evaluate("document.activeElement.classList.contains('tour-chip')"), "step", step, "loses the focus")
    open_step(visit, 4)
    visit.tab.locator("#pick-query button[aria-pressed=true]").focus()
    visit.tab.keyboard.press("ArrowRight")
    expect(visit.tab.locator('.tour[data-ready="4"]').count() == 1, "the arrow keys among tokens leave the step")


def symbols_light_their_matrices(visit):
    open_step(visit, 4)
    for name in ["Q", "K", "V"]:
        visit.tab.focus(f'.tour-symbol[data-sym="{name}"]')
        expect(visit.tab.locator(f'.tour-grid.lit[data-sym="{name}"]').count() == 1 and visit.tab.locator(".tour-grid.lit").count() == 1, name, "does not light its matrix alone")
    visit.tab.hover('.tour-formula .sym[data-sym="X"]')
    expect(visit.tab.locator('.tour-grid.lit[data-sym="X"]').count() == 1, "a symbol of the formula lights nothing")
    expect(visit.tab.locator(".tour-formula math").first.evaluate("e => e.namespaceURI").endswith("MathML"), "the formula is not MathML")


def answers_are_hidden(visit):
    for step in range(1, STEPS + 1):
        open_step(visit, step)
        expect(not visit.tab.is_visible(".tour-question p"), "step", step, "shows its answer")
        visit.tab.click(".tour-question summary")
        expect(visit.tab.is_visible(".tour-question p"), "step", step, "keeps its answer")
        file, code = visit.text(".tour-code summary code"), visit.tab.locator(".tour-code pre").evaluate("e => e.textContent")
        known = {line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()}
        expect(len(code) > 50 and all(line.strip() in known for line in code.splitlines()), "step", step, "shows code that is not in", file)
        visit.tab.click(".tour-code summary")
        expect(visit.tab.is_visible(".tour-code pre"), "step", step, "keeps its code")


def lessons_are_there(visit):
    for language in ("en", "zh"):
        visit.choose("lang", language)
        for step in range(1, STEPS + 1):
            open_step(visit, step)
            link = visit.tab.get_attribute(".tour-links a", "href")
            expect(("/zh/" in link) == (language == "zh"), "step", step, "links to", link)
            expect(urllib.request.urlopen(visit.url + link, timeout=30).read().startswith(b"#"), link, "is no lesson")
    with visit.context.expect_page() as opened:
        visit.tab.click(".tour-links a")
    opened.value.wait_for_load_state()
    expect(opened.value.url == visit.url + link and opened.value.inner_text("body").startswith("#"), "a click opens", opened.value.url)
    opened.value.close()
    visit.choose("lang", "en")


def bad_links_do_not_break_it(visit):
    for step in ["0", "-1", "1.5", "99", "NaN", "constructor", "%00", "1e9"]:
        for rest in ["&query=-5&key=1e99&tlayer=abc&thead=1.5&dim=0&unit=-1", "&query=99999&position=99999&by=constructor&mask=maybe&temperature=-1&beam=4"]:
            visit.tab.evaluate("hash => { location.hash = hash; }", f"#view=tour&step={step}{visit.about}{rest}")
            visit.tab.wait_for_timeout(200)
            visit.tab.wait_for_selector(".tour[data-ready]")
            expect(visit.tab.locator(".tour-title").count() == 1 and visit.tab.locator(".tour-formula math").count() > 0, step, rest, "breaks the tour")


def every_width_and_language(browser, url, about):
    looks = {"320": {"viewport": {"width": 320, "height": 700}}, "phone": {"viewport": {"width": 375, "height": 800}}, "desktop": {"viewport": {"width": 1280, "height": 800}},
             "1920": {"viewport": {"width": 1920, "height": 1080}}, "dark": {"color_scheme": "dark"}, "chinese": {"locale": "zh-CN"}}
    for look, context in looks.items():
        visit = Visit(browser, url, **context).open(f"#view=tour&step=1{about}")
        visit.about = about
        for step in range(1, STEPS + 1):
            open_step(visit, step)
            wide = visit.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            expect(wide <= 0, look, "step", step, "is wider than the window by", wide)
            problems = visit.accessible()
            expect(not problems, look, "step", step, "\n".join(problems))
            missing = re.findall(r"\btour_\w+", visit.text("#view"))
            expect(not missing, look, "step", step, "has no text for", missing)
            visit.picture(f"{look}-tour-{step}")
        expect(not visit.complaints, look, visit.complaints)
        visit.close()


def the_tour_leads(browser, url, model, sentences):
    """Checks the tour for these sentences, and its looks for the last one."""
    checked = 0
    visit = Visit(browser, url).open()
    for sentence in sentences:
        visit.tab.evaluate("hash => { location.hash = hash; }", f"#view=tour&model={urllib.request.quote(model)}")
        visit.tab.wait_for_selector("#tour-source")
        visit.tab.fill("#tour-source", sentence)
        visit.about = address(sentence, model)
        target = ask(url, "/v1/translate", {"q": sentence, "model": model, "options": SEARCH})["translations"][0][0]["text"]
        visit.tab.locator(".tour-target", has_text=re.compile(re.escape(target) + "$")).wait_for()
        checked += every_number_is_computed(visit, Seen(url, model, sentence, target))
    symbols_light_their_matrices(visit)
    choices_change_the_picture(visit)
    answers_are_hidden(visit)
    lessons_are_there(visit)
    keys_and_buttons_lead_on_and_back(visit)
    bad_links_do_not_break_it(visit)
    expect(not visit.complaints, "the browser complains:", visit.complaints)
    visit.close()
    every_width_and_language(browser, url, address(sentences[-1], model))
    return checked
