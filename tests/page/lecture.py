"""Every step of the tour on one screen, and the tour as slides."""
import re
import urllib.request

from browser import Visit, expect
from tour import STEPS, address, open_step

SCREENS = [(1280, 720), (1920, 1080)]
LEAST_LETTERS = 17  # pixels, of a slide's text


def target_of(visit, sentence, model):
    visit.tab.evaluate("hash => { location.hash = hash; }", f"#view=tour&model={urllib.request.quote(model)}&q={urllib.request.quote(sentence)}")
    visit.about = address(sentence, model)


def overflow(visit):
    """How far the page, and each column of the step, is larger than its place."""
    return visit.tab.evaluate("""() => { const page = document.documentElement, all = [[page.scrollWidth - innerWidth, page.scrollHeight - innerHeight]];
        for (const c of document.querySelectorAll('.tour-left, .tour-right')) all.push([c.scrollWidth - c.clientWidth, c.scrollHeight - c.clientHeight]); return all; }""")


def steps_fit_one_screen(browser, url, model, sentences):
    """Steps at 1280 by 800: the page never scrolls down; long sentences scroll inside a column."""
    visit = Visit(browser, url, viewport={"width": 1280, "height": 800}).open()
    inside = 0
    for sentence in sentences:
        target_of(visit, sentence, model)
        for step in range(1, STEPS + 1):
            open_step(visit, step)
            page, *columns = overflow(visit)
            expect(page[0] <= 0 and page[1] <= 0, "step", step, "of", sentence, "is larger than the window by", page)
            expect(all(wide <= 1 for wide, _ in columns), "step", step, "is cut off by", columns)
            inside += any(high > 1 for _, high in columns)
    expect(not visit.complaints, visit.complaints)
    visit.close()
    return inside


def slides_fit(browser, url, model, sentences):
    for width, height in SCREENS:
        visit = Visit(browser, url, viewport={"width": width, "height": height}).open("#view=tour&lecture=1")
        for sentence in sentences:
            target_of(visit, sentence, model)
            for step in range(1, STEPS + 1):
                open_step(visit, step, "&lecture=1")
                for part in ["step", "answer"]:
                    expect(all(wide <= 1 and high <= 1 for wide, high in overflow(visit)), width, part, step, "of", sentence, "is too large by", overflow(visit))
                    letters = visit.tab.evaluate("() => { const e = document.querySelector('.tour-text'); return parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom; }")
                    expect(part == "answer" or letters >= LEAST_LETTERS * height / 720, width, "step", step, "has letters of", letters)
                    visit.picture(f"lecture-{width}-{step}-{part}")
                    visit.tab.keyboard.press("a")
                    visit.tab.wait_for_timeout(80)  # the browser tells of opened details later
                problems = visit.accessible() if sentence == sentences[-1] else []
                expect(not problems, "slide", step, "\n".join(problems))
        expect(not visit.complaints, visit.complaints)
        visit.close()


def a_remote_control_leads(browser, url, model, sentence):
    visit = Visit(browser, url, viewport={"width": 1280, "height": 720}).open(f"#view=tour{address(sentence, model)}")
    visit.tab.wait_for_selector('.tour[data-ready="1"]')
    expect(visit.tab.is_visible("#share") and not visit.tab.is_visible("#lecture-leave"), "it is a lecture before the button")
    visit.tab.click("#lecture")
    visit.tab.wait_for_url(re.compile("lecture=1"))
    expect(not visit.tab.is_visible("#share") and not visit.tab.is_visible(".tabs"), "the slide has a header")
    for key, step in [("PageDown", 2), ("PageDown", 3), ("PageUp", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", STEPS), ("PageDown", STEPS), ("Home", 1), ("PageUp", 1), ("PageDown", 2)]:
        visit.tab.keyboard.press(key)
        visit.tab.wait_for_selector(f'.tour[data-ready="{step}"]')
        expect(visit.text(".lecture-place") == f"{step} / {STEPS}", key, "leads to", visit.text(".lecture-place"))
    visit.tab.keyboard.press("a")
    expect(visit.tab.is_visible(".tour-question p"), "A shows no answer")
    visit.tab.keyboard.press("f")
    visit.tab.wait_for_function("() => document.fullscreenElement !== null")
    visit.tab.keyboard.press("f")
    visit.tab.wait_for_function("() => document.fullscreenElement === null")
    visit.tab.keyboard.press("Escape")
    visit.tab.wait_for_selector("#share", state="visible")
    visit.tab.wait_for_selector('.tour[data-ready="2"]')
    visit.tab.wait_for_url(lambda address: "lecture" not in address)
    expect(not visit.complaints, visit.complaints)
    visit.close()
    for link, context in [("lecture=7", {}), ("lecture=x", {}), ("view=search&lecture=1", {}), ("lecture=1", {"viewport": {"width": 375, "height": 740}})]:
        visit = Visit(browser, url, **context).open(f"#view=tour&{link}{address(sentence, model)}")
        expect(visit.tab.is_visible("#share"), link, "is a lecture")
        visit.close()


def print_is_whole(browser, url, model, sentence):
    visit = Visit(browser, url, viewport={"width": 1280, "height": 720}).open(f"#view=tour&step=13{address(sentence, model)}")
    visit.tab.wait_for_selector('.tour[data-ready="13"]')
    visit.tab.emulate_media(media="print")
    expect(all(high <= 1 for _, high in overflow(visit)[1:]), "print cuts a column by", overflow(visit))
    visit.close()


def the_tour_is_a_lecture(browser, url, model, sentences):
    """-> the number of steps that scroll inside a column at 1280 by 800."""
    inside = steps_fit_one_screen(browser, url, model, sentences)
    slides_fit(browser, url, model, sentences)
    a_remote_control_leads(browser, url, model, sentences[-1])
    print_is_whole(browser, url, model, sentences[-1])
    return inside
