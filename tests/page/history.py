"""The browser's back and forward: views, steps and examples; typing adds no entry."""
import re

from browser import Visit, expect

APART = 400  # milliseconds between two entries: what follows faster belongs to the one before


def entries(visit):
    return visit.tab.evaluate("history.length")


def wait(visit):
    visit.tab.wait_for_timeout(APART)


def view(visit):
    return visit.tab.locator("[role=tab][aria-selected=true]").get_attribute("id").removeprefix("tab-")


def back_and_forward(visit, act, seen):
    """act() leads on; back undoes it, forward does it again. seen() is what they change."""
    wait(visit)
    before = seen()
    count = entries(visit)
    act()
    wait(visit)
    after = seen()
    expect(before != after, "nothing changes from", before)
    expect(entries(visit) == count + 1, "there are", entries(visit) - count, "new entries from", before, "to", after)
    visit.tab.go_back()
    wait(visit)
    expect(seen() == before, "back leads to", seen(), "not", before)
    visit.tab.go_forward()
    wait(visit)
    expect(seen() == after, "forward leads to", seen(), "not", after)


def step(visit):
    return visit.text(".tour-number")


def the_way_back_is_kept(browser, url):
    visit = Visit(browser, url).open()
    visit.translated()
    source = lambda: visit.tab.input_value("#source")
    back_and_forward(visit, lambda: visit.tab.locator(".example").nth(1).click(), source)
    visit.translated()
    for name in ["tour", "attention", "search", "figure", "translate", "tour"]:
        back_and_forward(visit, lambda: visit.view(name), lambda: view(visit))
    visit.tab.wait_for_selector('.tour[data-ready="1"]')
    back_and_forward(visit, lambda: visit.tab.click("#tour-on"), lambda: step(visit))
    back_and_forward(visit, lambda: visit.tab.click("#tour-9"), lambda: step(visit))
    back_and_forward(visit, lambda: visit.tab.keyboard.press("ArrowRight"), lambda: step(visit))
    back_and_forward(visit, lambda: visit.tab.click("#lecture"), lambda: visit.tab.is_visible("#footer"))
    visit.tab.keyboard.press("Escape")
    visit.tab.click("#tour-14")
    visit.tab.click(".tour-open")
    expect(view(visit) == "search", "the step is not opened in the search")
    visit.view("tour")
    expect(step(visit) == "14", "the tour goes on at", step(visit))
    visit.view("attention")
    back_and_forward(visit, lambda: visit.choose("drawing", "heads"), lambda: visit.tab.input_value("#drawing"))
    visit.view("figure")
    visit.tab.wait_for_selector("#box-softmax")
    visit.tab.focus("#box-linear")
    visit.tab.keyboard.press("Enter")
    back_and_forward(visit, lambda: (visit.tab.focus("#box-softmax"), visit.tab.keyboard.press("Enter")), lambda: visit.text(".panel h3"))
    visit.view("translate")
    wait(visit)
    count = entries(visit)
    visit.type("may 3")
    visit.choose("alternatives-count", "2")
    expect(entries(visit) == count, "typing adds", entries(visit) - count, "entries")
    visit.tab.wait_for_url(re.compile(r"q=may\+3"))
    visit.tab.go_back()
    visit.tab.go_forward()
    visit.tab.wait_for_function("() => document.getElementById('source').value === 'may 3'")
    expect(not visit.complaints, visit.complaints)
    visit.close()
    a_key_held_down(browser, url)


def a_key_held_down(browser, url):
    visit = Visit(browser, url).open("#view=tour")
    visit.tab.wait_for_selector('.tour[data-ready="1"]')
    count = entries(visit)
    for _ in range(30):
        visit.tab.keyboard.press("ArrowRight")
        visit.tab.keyboard.press("ArrowLeft")
    expect(entries(visit) - count < 20, "60 keys make", entries(visit) - count, "entries")
    expect(not visit.complaints, visit.complaints)
    visit.close()
