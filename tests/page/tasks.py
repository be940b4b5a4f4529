"""Ten tasks that a student would have, done with the page alone from its first view. Each counts its clicks (a choice
from a list is two) and compares the answer that it finds with the server's."""
from browser import Visit, expect
from tour import Seen, address, ask, close


class Student:
    """Clicks on a page, and counts."""

    def __init__(self, browser, url, about):
        self.visit = Visit(browser, url).open("#" + about.lstrip("&"))
        self.tab, self.clicks = self.visit.tab, 0
        self.visit.translated()

    def click(self, selector, ready=None):
        self.tab.click(selector)
        self.clicks += 1
        if ready:
            self.tab.wait_for_selector(ready)

    def choose(self, control, value, ready=None):
        self.tab.select_option(f"#{control}", value)
        self.clicks += 2
        if ready:
            self.tab.wait_for_selector(ready)

    def step(self, n):
        self.click("#tab-tour", ".tour[data-ready]")
        self.click(f"#tour-{n}", f'.tour[data-ready="{n}"]')

    def numbers(self, selector):
        return [float(x) for x in self.tab.eval_on_selector_all(selector + " .val", "all => all.map(e => e.dataset.value)")]


def weights(seen, scope, head, i):
    return [seen.at(f"{scope}.weights", head, i, c) for c in range(seen.shapes[f"{scope}.weights"][2])]


def which_head_finds_a_token(student, seen):
    """Which head of the last encoder layer looks from the second token most at one other token?"""
    student.click("#tab-attention", ".thumbnail")
    student.choose("kind", "encoder", ".matrix")
    student.choose("drawing", "heads", ".heads .token")
    student.tab.hover('.heads .token[data-side="row"][data-index="1"]')
    scope = "encoder.layers.1.self_attention"
    most = [max(weights(seen, scope, head, 1)) for head in range(seen.shapes[f"{scope}.weights"][0])]
    said = student.tab.inner_text(".heads-figure .readout")
    expect(f"{max(most):.3f}" in said and f"head {most.index(max(most)) + 1}:" in said, "the readout is", said)


def why_a_word_matters(student, seen):
    """Why does one word of the source matter most at step 3?"""
    student.step(13)
    student.click("#pick-position button:nth-of-type(3)")
    student.click("#open-neuron", ".neuron .val")
    expect(close(student.numbers(".neuron-steps")[-1], max(weights(seen, "decoder.layers.0.cross_attention", 0, 2))), "another weight is explained")


def what_the_mask_prevents(student, _):
    """What does the mask prevent?"""
    student.step(12)
    student.click(".tour-choice input", ".tour[data-ready]")
    expect(max(student.numbers(".tour-said")) > 0, "nothing flows back")
    student.click(".tour-question summary")
    expect("copy the answer" in student.tab.inner_text(".tour-question"), "no answer")


def a_wider_beam(student, seen):
    """How would the translation change with a wider beam?"""
    student.choose("beam", "8")
    student.visit.translated()
    found = ask(seen.url, "/v1/translate", {"q": seen.pair["q"], "model": seen.pair["model"], "options": {"beam_size": 8, "n_best": 4}})["translations"][0]
    student.tab.wait_for_function("text => document.querySelector('#target-words').textContent === text", arg=found[0]["text"])
    expect(student.tab.locator("#alternatives .alternative").all_inner_texts() == [one["text"] for one in found], "other alternatives")


def which_words_belong_together(student, _):
    """Which words of the text belong to this word of the translation?"""
    student.tab.hover("#target-words .word >> nth=0")
    expect("↔" in student.tab.inner_text("#word-readout"), "nothing is read out")


def equal_tokens(student, seen):
    """Do two equal tokens have equal embeddings? And after the positions are added?"""
    tokens = seen.answer["source_tokens"]
    first, second = next((i, j) for i in range(len(tokens)) for j in range(i + 1, len(tokens)) if tokens[i] == tokens[j])
    for step, alike in [(2, True), (3, False)]:
        if step == 2:
            student.step(2)
        else:
            student.click("#tour-on", '.tour[data-ready="3"]')
        seen_numbers = []
        for i in (first, second):
            student.click(f"#pick-query button:nth-of-type({i + 1})")
            seen_numbers.append(student.numbers(".tour-formula")[-1])
        expect((seen_numbers[0] == seen_numbers[1]) == alike, "step", step, "shows", seen_numbers)


def without_scaling(student, seen):
    """How large would the largest weight be without the scale?"""
    student.step(6)
    before = max(student.numbers(".tour-said"))
    student.click("#by-one", '#by-one[aria-pressed="true"]')
    expect(student.numbers(".tour-said") and max(student.numbers(".tour-said")) != before, "nothing changes")


def the_second_best_token(student, seen):
    """How probable is the second best candidate of step 4?"""
    student.click("#tab-search", "#candidates")
    for _ in range(3):
        student.click("#step-on")
    second = seen.search["steps"][3]["candidates"][1]
    row = student.tab.locator("#candidates tbody tr").nth(1).inner_text()
    expect(second["token"].replace("▁", "␣") in row and student.tab.inner_text("#step-name").startswith("Step 4"), "the row is", row)


def what_a_norm_does(student, _):
    """How large is the spread of a token's row before and after the norm?"""
    student.step(10)
    spread = student.numbers(".tour-statistics")[1::2]
    expect(len(spread) == 4 and abs(spread[-1] - 1) < 0.5, "the spreads are", spread)


def before_a_class(student, _):
    """Show the scores to a class, one step per screen."""
    student.click("#tab-tour", ".tour[data-ready]")
    student.click("#lecture", ".lecture-controls")
    for step in range(2, 6):
        student.tab.keyboard.press("PageDown")
        student.tab.wait_for_selector(f'.tour[data-ready="{step}"]')
    expect(student.tab.inner_text(".lecture-place").startswith("5"), "the place is", student.tab.inner_text(".lecture-place"))


TASKS = {which_head_finds_a_token: 5, why_a_word_matters: 4, what_the_mask_prevents: 4, a_wider_beam: 2, which_words_belong_together: 0, equal_tokens: 7, without_scaling: 3,
         the_second_best_token: 4, what_a_norm_does: 2, before_a_class: 2}  # and the most clicks that each may take


def ten_tasks(browser, url, model, sentence):
    about = address(sentence, model)
    for task, most in TASKS.items():
        student = Student(browser, url, about)
        seen = Seen(url, model, sentence, student.tab.inner_text("#target-words"))
        task(student, seen)
        expect(student.clicks <= most, task.__name__, "takes", student.clicks, "clicks")
        expect(not student.visit.complaints, task.__name__, student.visit.complaints)
        print(f"{student.clicks} clicks: {task.__doc__}")
        student.visit.close()
