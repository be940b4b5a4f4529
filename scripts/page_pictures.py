#!/usr/bin/env -S python3 -B
"""Takes the pictures of docs/page.md from a running server, as small PNG files in docs/page/.
Usage: page_pictures.py URL [FOLDER]. Needs playwright, Debian's chromium and pngquant. The server's first model
should read English and write German; --runs is a folder with its training."""
import pathlib
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/page"))
from browser import Visit, chromium  # noqa: E402

MOST = 59000              # bytes of a picture
COLORS = (128, 64, 32, 24, 16)
DESKTOP = {"viewport": {"width": 1120, "height": 700}}
SENTENCE = "A man in a blue shirt is standing on a ladder."
PHONE = {"viewport": {"width": 375, "height": 740}}
# name: (the address, what must be there, the browser's context, an element to point at)
PICTURES = {
    "first-view": ("", ".matrix-figure", {}, "#target-words .word:nth-of-type(4)"),
    "tour-scores": ("view=tour&step=5", '.tour[data-ready="5"]', {}, None),
    "tour-mask": ("view=tour&step=12&position=4", '.tour[data-ready="12"]', {}, None),
    "tour-phone": ("view=tour&step=4", '.tour[data-ready="4"]', PHONE, None),
    "lecture": ("view=tour&step=9&lecture=1", '.tour[data-ready="9"]', {"viewport": {"width": 1280, "height": 720}, "locale": "zh-CN", "color_scheme": "dark"}, None),
    "heads": ("view=attention&drawing=heads&kind=encoder", ".heads .token", {}, '.heads .token[data-side="row"][data-index="6"]'),
    "neuron": ("view=attention&drawing=neuron&kind=decoder", ".neuron .val", {}, None),
    "search": ("view=search&step=3", "#candidates", {}, None),
    "checkpoints": ("view=runs", "#over-training-text", {}, "#over-training .matrix"),
    "figure": ("view=figure&box=softmax", ".bars", {}, None),
}


def take(browser, url, folder, name):
    address, ready, context, pointed_at = PICTURES[name]
    visit = Visit(browser, url, **{**DESKTOP, **context})
    visit.tab.set_default_timeout(120000)  # machines may be busy
    visit.open("#" + address + "&q=" + urllib.parse.quote(SENTENCE))
    visit.tab.wait_for_selector(ready)
    visit.tab.wait_for_timeout(500)
    if pointed_at:
        visit.tab.locator(pointed_at).first.hover()
    file = folder / f"{name}.png"
    picture = visit.tab.screenshot()
    visit.close()
    file.write_bytes(small(name, picture))


def small(name, picture):
    """The picture in as many colors as MOST allows."""
    for colors in COLORS:
        smaller = subprocess.run(["pngquant", "--nofs", "--strip", str(colors), "-"], input=picture, stdout=subprocess.PIPE, check=True).stdout
        if len(smaller) <= MOST:
            return smaller
    raise SystemExit(f"{name} has {len(smaller)} bytes in {COLORS[-1]} colors, more than {MOST}: show less in it")


def main(url, folder=ROOT / "docs/page"):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    with chromium() as browser:
        for name in PICTURES:
            take(browser, url, folder, name)


if __name__ == "__main__":
    main(*sys.argv[1:])
