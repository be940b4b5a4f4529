#!/usr/bin/env -S python3 -B
"""Takes the pictures of docs/page.md from a running server, as small PNG files in docs/page/.
Usage: page_pictures.py URL [FOLDER]. Needs playwright, Debian's chromium and pngquant. The server's first model
should read English and write German."""
import pathlib
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/page"))
from browser import Visit, chromium  # noqa: E402

MOST = 60000  # bytes of a picture
SENTENCE = "A man in a blue shirt is standing on a ladder."
PHONE = {"viewport": {"width": 375, "height": 740}}
# name: (the address, what must be there, the browser's context, an element to point at)
PICTURES = {
    "first-view": ("", ".matrix-figure", {}, "#target-words .word:nth-of-type(4)"),
    "tour-scores": ("view=tour&step=5", '.tour[data-ready="5"]', {}, None),
    "tour-mask": ("view=tour&step=12&position=4", '.tour[data-ready="12"]', {}, None),
    "tour-phone": ("view=tour&step=4", '.tour[data-ready="4"]', PHONE, None),
    "tour-chinese": ("view=tour&step=7", '.tour[data-ready="7"]', {"locale": "zh-CN"}, None),
    "lecture": ("view=tour&step=8&lecture=1", '.tour[data-ready="8"]', {"viewport": {"width": 1280, "height": 720}}, None),
    "heads": ("view=attention&drawing=heads&kind=encoder", ".heads .token", {}, '.heads .token[data-side="row"][data-index="6"]'),
    "neuron": ("view=attention&drawing=neuron&kind=cross&query=3&key=2", ".neuron .val", {}, None),
    "search": ("view=search&step=3", "#candidates", {}, None),
    "figure-dark": ("view=figure&box=encoder_attention", ".panel .matrix", {"color_scheme": "dark"}, None),
}


def take(browser, url, folder, name):
    address, ready, context, pointed_at = PICTURES[name]
    visit = Visit(browser, url, **{"viewport": {"width": 1280, "height": 800}, **context})
    visit.open("#" + address + "&q=" + urllib.parse.quote(SENTENCE))
    visit.tab.wait_for_selector(ready)
    visit.tab.wait_for_timeout(500)
    if pointed_at:
        visit.tab.locator(pointed_at).first.hover()
    file = folder / f"{name}.png"
    visit.tab.screenshot(path=file)
    visit.close()
    subprocess.run(["pngquant", "--force", "--skip-if-larger", "--output", file, "32", file], check=False)
    if file.stat().st_size > MOST:
        raise SystemExit(f"{file} has {file.stat().st_size} bytes, more than {MOST}: show less in it")


def main(url, folder=ROOT / "docs/page"):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    with chromium() as browser:
        for name in PICTURES:
            take(browser, url, folder, name)


if __name__ == "__main__":
    main(*sys.argv[1:])
