"""Matrices and lines in windows of every width."""
from browser import Visit, expect


def reaches(visit, selector):
    """How far the drawing goes beyond its box, in pixels."""
    return visit.tab.eval_on_selector(selector, "e => e.scrollWidth - e.clientWidth")


def matrices_fit(browser, url, sentence):
    for width in (320, 360, 375, 390, 414, 768, 1280, 1920):
        visit = Visit(browser, url, viewport={"width": width, "height": 900}).open(f"#q={sentence.replace(' ', '+')}&view=attention&kind=encoder")
        for view, selector in [("attention", ".large .matrix"), ("translate", ".alternatives .matrix")]:
            visit.view(view)
            visit.tab.wait_for_selector(selector + " text[data-column]")
            columns = len(visit.table()[0])
            expect(reaches(visit, selector) <= 0, view, "at", width, "the matrix is cut off by", reaches(visit, selector))
            expect(visit.tab.locator(selector + " text[data-column]").count() == columns, view, "at", width, "columns have no names")
            expect(visit.tab.eval_on_selector(selector, "e => e.getBoundingClientRect().right <= document.documentElement.clientWidth"), view, width, "leaves the window")
        visit.view("attention")
        visit.choose("drawing", "lines")
        visit.tab.wait_for_selector(".columns .token")
        expect(reaches(visit, ".large .scroll") <= 0, "at", width, "the lines are cut off by", reaches(visit, ".large .scroll"))
        visit.close()
    long_text = " ".join([sentence] * 5)
    visit = Visit(browser, url).open(f"#q={long_text.replace(' ', '+')}&view=attention&kind=encoder")
    visit.tab.wait_for_selector(".large .matrix canvas")
    rows = visit.tab.locator(".large .matrix text[data-row]")
    columns = visit.tab.locator(".large .matrix text[data-column]")
    expect(rows.count() == columns.count() > 60, "a large matrix has", rows.count(), "and", columns.count(), "names")
    expect(reaches(visit, ".large .matrix") > 0, "the large matrix does not scroll")
    visit.tab.eval_on_selector(".large .matrix", "e => e.scrollTo(1e6, 0)")
    box, name = visit.tab.locator(".large .matrix").bounding_box(), rows.first.bounding_box()
    expect(name["x"] >= box["x"], "the names of the rows scroll away")
    last = columns.last.bounding_box()
    expect(last["x"] + last["width"] <= box["x"] + box["width"] + 3 and last["y"] + last["height"] <= box["y"] + box["height"], "the last column's name is hidden")
    visit.close()
